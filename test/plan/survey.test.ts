import { describe, expect, it } from 'vitest';
import type { PlannedAction } from '../../src/domain/ticket.ts';
import type { Outcome } from '../../src/domain/ticket-state.ts';
import type { TicketPlan } from '../../src/plan/ticket-plan.ts';
import { event, message, planOf, rejected, resultOf, ticket } from './tickets.ts';

const REST = {
  contacts: { distinct: 4, merged: 1 },
  orphans: { messages: 2, events: 0 },
  trial: [{ externalId: 'T-1', why: ['x'] }],
};

const surveyOf = (plan: TicketPlan) => plan.steps.survey(REST, 2, [{ requests: 60, seconds: 60 }]);

function step(outcome: Outcome, action?: PlannedAction) {
  return { outcome, changed: [], ...(action && { action }) };
}

describe('the survey', () => {
  it('of nothing is all zeros', () => {
    expect(planOf([]).steps.survey(REST, 2, [])).toEqual({
      ...REST,
      tickets: { read: 0, done: 0, rejected: 0, failed: 0, inDoubt: 0, skipped: 0, pending: 0 },
      skippedBecause: [],
      messages: { read: 0, internal: 0 },
      events: { read: 0 },
      attachments: { read: 0, bytes: 0 },
      notes: 0,
      mapping: [],
      mappingLeftOut: 0,
      channels: [],
      months: [],
      requests: { creates: 0, messages: 0, events: 0, updates: 0, reads: 0, total: 0, checks: 0 },
      batches: { count: 0, size: 2 },
    });
  });

  it('counts what is there, what is to be sent, and how long that takes', () => {
    const status = { kind: 'status', from: 'solved', to: 'resolved' } as const;
    const plan = planOf([
      {
        result: resultOf(
          ticket(0, { status: 'resolved' }, [message(), message()], [event('open', 'resolved')]),
          {
            mapped: [{ kind: 'actor', from: 'staff', to: 'agent' }, status],
            internal: 1,
            attachments: 3,
            attachmentBytes: 500,
          },
        ),
        step: step('pending', { do: 'create' }),
      },
      {
        result: resultOf(ticket(1, { createdAt: '2023-12-31T23:59:59.000Z' }, []), { mapped: [status] }),
        step: step('failed', { do: 'finish', from: 'messages', ticketId: 'id' }),
      },
      {
        result: resultOf(ticket(2, { status: 'closed' }), { mapped: [status] }),
        step: step('pending', { do: 'create' }),
      },
      { result: resultOf(ticket(3, { createdAt: '2025-01-01T00:00:00.000Z' })), step: step('done') },
      {
        result: rejected(4, { messages: 5, createdAt: Date.parse('2022-01-01T00:00:00Z') }),
        step: step('rejected'),
      },
      {
        result: resultOf(ticket(5, { createdAt: '1999-01-01T00:00:00.000Z' }), { mapped: [status] }),
        step: step('skipped'),
        skippedBecause: 'spam',
      },
      { result: resultOf(ticket(6)), step: step('done'), skippedBecause: 'beyond --limit' },
    ]);
    plan.steps.addUnreadable(7, undefined, undefined);
    plan.steps.addUnreadable(8, undefined, 'not in --only');
    plan.steps.addUnreadable(9, 'T-9', 'not in --only');

    expect(surveyOf(plan)).toEqual({
      ...REST,
      tickets: { read: 10, done: 2, rejected: 2, failed: 1, inDoubt: 0, skipped: 3, pending: 2 },
      skippedBecause: [
        { reason: 'not in --only', count: 2 },
        { reason: 'spam', count: 1 },
      ],
      messages: { read: 11, internal: 1 },
      events: { read: 1 },
      attachments: { read: 3, bytes: 500 },
      notes: 0,
      mapping: [
        { kind: 'status', from: 'solved', to: 'resolved', count: 3 },
        { kind: 'actor', from: 'staff', to: 'agent', count: 1 },
      ],
      mappingLeftOut: 0,
      channels: [{ tickets: 5 }],
      months: [
        { month: '2023-12', count: 1, byStatus: { open: 1 } },
        { month: '2024-05', count: 3, byStatus: { resolved: 1, closed: 1, open: 1 } },
        { month: '2025-01', count: 1, byStatus: { open: 1 } },
      ],
      requests: { creates: 2, messages: 2, events: 1, updates: 0, reads: 2, total: 7, checks: 20 },
      estimatedSeconds: 6,
      firstCreatedAt: '2022-01-01T00:00:00.000Z',
      lastCreatedAt: '2025-01-01T00:00:00.000Z',
      longestThread: { externalId: 'T-0', messages: 2 },
      batches: { count: 2, size: 2 },
    });
  });

  it('keeps its memory when every value differs', () => {
    const mapped = (n: number) => [{ kind: 'status', from: `free text ${n}`, to: 'open' } as const];
    const plan = planOf(
      Array.from({ length: 3000 }, (_, n) =>
        n < 1500
          ? { result: resultOf(ticket(n)), step: step('skipped'), skippedBecause: `reason ${n}` }
          : { result: resultOf(ticket(n), { mapped: mapped(n) }) },
      ),
    );
    const result = surveyOf(plan);
    expect(result.mapping.length).toBe(1000);
    expect(result.mappingLeftOut).toBe(500);
    expect(result.skippedBecause.at(-1)).toEqual({ reason: 'other reasons', count: 1400 });
    expect(result.skippedBecause.length).toBe(101);
  });
});
