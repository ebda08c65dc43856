import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { PlannedAction } from '../../src/domain/ticket.ts';
import { emptyCounts, OUTCOMES } from '../../src/domain/ticket-state.ts';
import { contactsOf, estimateSeconds, planBatches, planTicket, requestsOf } from '../../src/plan/planned.ts';
import { reconcile } from '../../src/plan/survey.ts';
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

  it('has no contact where it names ids alone', () => {
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

describe('batches', () => {
  it('are cut in the order of the plan', () => {
    const batches = planBatches(3);
    expect(batches.count).toBe(0);
    expect(Array.from({ length: 7 }, () => batches.next())).toEqual([1, 1, 1, 2, 2, 2, 3]);
    expect(batches).toMatchObject({ size: 3, count: 3, tickets: 7 });
  });

  it.each([0, -1, 1.5, Number.NaN])('of %d tickets are a defect', (size) => {
    expect(() => planBatches(size)).toThrow(RangeError);
  });
});

describe('the time a plan takes', () => {
  it.each([
    [0, [{ requests: 1000, seconds: 60 }], 0],
    [1, [{ requests: 1000, seconds: 60 }], 0],
    [1001, [{ requests: 1000, seconds: 60 }], 60],
    [
      300_001,
      [
        { requests: 1000, seconds: 60 },
        { requests: 5000, seconds: 300 },
      ],
      18_000,
    ],
    [
      101,
      [
        { requests: 1000, seconds: 60 },
        { requests: 10, seconds: 1 },
      ],
      10,
    ],
    [
      101,
      [
        { requests: 1000, seconds: 60 },
        { requests: 100, seconds: 60 },
      ],
      60,
    ],
    [5, [], undefined],
  ])('%i requests within %j: %s s', (requests, budgets, seconds) => {
    const estimate = estimateSeconds(requests, budgets);
    if (seconds === undefined) expect(estimate).toBeUndefined();
    else expect(estimate).toBeCloseTo(seconds, 6);
  });
});

describe('reconciliation', () => {
  it('takes counts that add up, and no others', () => {
    const count = fc.integer({ min: 0, max: 1000 });
    fc.assert(
      fc.property(
        fc.tuple(count, count, count, count, count, count),
        fc.integer({ min: -3, max: 3 }),
        (parts, off) => {
          const counts = emptyCounts();
          OUTCOMES.forEach((outcome, index) => {
            counts[outcome] = parts[index] ?? 0;
          });
          counts.read = parts.reduce((a, b) => a + b, 0) + off;
          if (off === 0) expect(() => reconcile(counts)).not.toThrow();
          else expect(() => reconcile(counts)).toThrow(AppError);
        },
      ),
    );
  });

  it('shows the numbers', () => {
    const counts = { ...emptyCounts(), read: 10, done: 7, failed: 2 };
    expect(() => reconcile(counts)).toThrow(
      'The counts do not add up: read 10, but done 7, rejected 0, failed 2, inDoubt 0, skipped 0, pending 0 make 9.',
    );
    expect(() => reconcile({ ...emptyCounts(), read: 0, done: 1, failed: -1 })).toThrow(AppError);
  });
});
