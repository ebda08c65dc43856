import { expect } from 'vitest';
import type { Ledger } from '../../src/domain/ledger.ts';
import { notCreated } from '../support/ledger-steps.ts';
import type { FakeTarget } from './fake-target.ts';
import type { TestTicket } from './import-run.ts';

/** Every ticket once, with its own messages sorted and its events. */
export function expectEachOnce(api: FakeTarget, tickets: readonly TestTicket[], ledger: Ledger): void {
  expect(api.tickets.size).toBe(tickets.length);
  for (const { id, messages = [], events = 0 } of tickets) {
    const record = ledger.get(id);
    expect(record, id).toMatchObject({ state: 'done' });
    const ticket = api.tickets.get(record?.ticketId ?? '');
    expect(ticket?.payload.subject).toBe(`Subject of ${id}`);
    expect(ticket?.messages.map(({ content }) => content)).toEqual(
      messages.map((_, i) => `${id}: message ${i + 1}`),
    );
    expect(ticket?.events).toHaveLength(events);
  }
}

/**
 * Tickets whose creates were the last ones are held: no later ticket proves that they are not there. A person looks, and says so
 * (`resolve --retry`); never asked about an existing ticket.
 */
export async function retryHeld(api: FakeTarget, ledger: Ledger): Promise<boolean> {
  const held = [...ledger.inStates(['inDoubt'])];
  for (const { externalId, problem } of held) {
    expect(problem?.code, externalId).toBe('not-proven-absent');
    expect(api.created()[`Subject of ${externalId}`], externalId).toBeUndefined();
    await notCreated(ledger, externalId);
  }
  return held.length > 0;
}
