import { describe, expect, it } from 'vitest';
import type { PlannedAction } from '../../src/domain/ticket.ts';
import { contactsOf, estimateSeconds, planTicket, requestsOf } from '../../src/plan/planned.ts';
import { event, FINGERPRINTS, message, ticket } from './tickets.ts';

describe('a planned ticket', () => {
  it('carries the payloads, and its contacts once each with its own first', () => {
    const messages = [
      message({ contact: { email: 'bob@example.com' } }),
      message({ contact: { email: 'ann@example.com' } }),
      message({ contactId: 'c-1' }),
      message({ contact: { email: 'bob@example.com' } }),
    ];
    const checked = ticket(4, {}, messages);
    expect(planTicket(checked, { do: 'create' }, '0123456789abcdef')).toEqual({
      seq: 4,
      externalId: 'T-4',
      action: { do: 'create' },
      ticket: checked.ticket,
      messages,
      events: [],
      fingerprints: FINGERPRINTS,
      origin: '0123456789abcdef',
      contacts: ['ann@example.com', 'bob@example.com'],
    });
  });

  it('has no contact if it names ids alone', () => {
    const { contact: _, ...fields } = ticket(1).ticket;
    expect(contactsOf({ ticket: { ...fields, contactId: 'c' }, messages: [] })).toEqual([]);
  });

  const finish = (from: 'messages' | 'events'): PlannedAction => ({ do: 'finish', from, ticketId: 'id' });
  it.each<[PlannedAction, number, number, [number, number, number, number, number?]]>([
    [{ do: 'create' }, 2, 1, [1, 1, 1, 0]],
    [{ do: 'create' }, 0, 0, [1, 0, 0, 0]],
    [{ do: 'create' }, 3, 0, [1, 1, 0, 0]],
    [{ do: 'settle' }, 2, 1, [1, 1, 1, 0]],
    [finish('messages'), 2, 1, [0, 1, 1, 3]],
    [finish('messages'), 0, 1, [0, 0, 1, 3]],
    [finish('events'), 2, 1, [0, 0, 1, 2]],
    [finish('events'), 2, 0, [0, 0, 0, 1]],
    [{ do: 'reopen', ticketId: 'id', parts: ['messages', 'events'] }, 2, 0, [0, 1, 0, 4]],
    [{ do: 'reopen', ticketId: 'id', parts: ['messages', 'events'] }, 2, 1, [0, 1, 1, 4]],
    [{ do: 'reopen', ticketId: 'id', parts: ['messages'] }, 2, 1, [0, 1, 0, 2]],
    [{ do: 'reopen', ticketId: 'id', parts: ['events'] }, 2, 1, [0, 0, 1, 3]],
    [{ do: 'reopen', ticketId: 'id', parts: ['fields'] }, 2, 1, [0, 0, 0, 2, 1]],
  ])(
    '%j with %i messages and %i events',
    (action, messages, events, [creates, puts, histories, reads, updates = 0]) => {
      const checked = ticket(
        1,
        {},
        Array(messages).fill(message()),
        Array(events).fill(event('open', 'closed')),
      );
      expect(requestsOf(action, checked)).toEqual({
        creates,
        messages: puts,
        events: histories,
        updates,
        reads,
      });
    },
  );
});

describe('the time a plan takes', () => {
  const budget = (requests: number, seconds: number) => ({ requests, seconds });
  it.each([
    [0, [budget(1000, 60)], 0],
    [1, [budget(1000, 60)], 0],
    [1001, [budget(1000, 60)], 60],
    [300_001, [budget(1000, 60), budget(5000, 300)], 18_000],
    [101, [budget(1000, 60), budget(10, 1)], 10],
  ])('%i requests within %j: %s s', (requests, budgets, seconds) => {
    expect(estimateSeconds(requests, budgets)).toBeCloseTo(seconds, 6);
  });

  it('is unknown without a budget', () => {
    expect(estimateSeconds(5, [])).toBeUndefined();
  });
});
