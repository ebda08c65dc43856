/** What "each ticket exactly once" means, and the property that any interleaving of answers and kills ends with it. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Ledger } from '../../src/domain/ledger.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { notCreated } from '../support/ledger-steps.ts';
import { mortal } from './crash.ts';
import { FakeTarget } from './fake-target.ts';
import { diskNow, driven, scratchCheckpoint, start, type TestTicket } from './import-run.ts';

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

const PEOPLE = ['p@example.com', 'q@example.com', 'r@example.com'];
const TICKET = fc.record({
  email: fc.option(fc.constantFrom(...PEOPLE), { nil: undefined }),
  messages: fc.array(fc.constantFrom('agent', ...PEOPLE), { maxLength: 3 }),
  events: fc.integer({ min: 0, max: 2 }),
});
const SCENARIO = fc.record({
  tickets: fc.array(TICKET, { minLength: 1, maxLength: 8 }),
  concurrency: fc.integer({ min: 1, max: 6 }),
  /** Of the requests, in turn: they overtake each other. */
  latencies: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 20 }),
  /** Processes that die at these points, one after the other; the last one lives. */
  kills: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 4 }),
});

export async function anyInterleaving(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(SCENARIO, async ({ tickets, concurrency, latencies, kills }) => {
      const named = tickets.map(
        ({ email, ...rest }, i): TestTicket => ({
          id: `t${i}`,
          ...rest,
          ...(email === undefined ? {} : { email }),
        }),
      );
      let travels = 0;
      const api = new FakeTarget({ latency: () => latencies[travels++ % latencies.length] ?? 0 });
      let { ledger, path } = scratchCheckpoint();
      let now = Date.parse('2025-06-02T08:00:00Z');
      for (const dieAt of [...kills, 0]) {
        let left: string | undefined;
        const process = mortal(ledger, api, dieAt, () => {
          left = diskNow(path);
        });
        const clock = createFakeClock(now);
        const options = { concurrency };
        const { run } = start({ tickets: named, api: process.api, ledger: process.ledger, clock, options });
        await driven(clock, Promise.race([process.death, run]));
        await api.quiet();
        // At once: how long the target still works on what was sent is for the next one to know (no-pause.test.ts).
        now = clock.now();
        await ledger.close();
        ({ ledger, path } = scratchCheckpoint(left ?? path));
      }
      if (await retryHeld(api, ledger)) {
        const { run, clock } = start({ tickets: named, api, ledger, clock: createFakeClock(now) });
        await driven(clock, run);
      }
      expectEachOnce(api, named, ledger);
      await ledger.close();
    }),
    { numRuns },
  );
}
