import { describe, expect, it } from 'vitest';
import { createSurvey, type SurveyRest } from '../../src/plan/survey.ts';
import { event, message, rejected, resultOf, ticket } from './tickets.ts';

const REST: SurveyRest = {
  contacts: { distinct: 4, merged: 1 },
  orphans: { messages: 2, events: 0 },
  batchSize: 2,
  budgets: [{ requests: 60, seconds: 60 }],
  trial: [{ externalId: 'T-1', why: ['x'] }],
};

describe('the survey', () => {
  it('of nothing is all zeros', () => {
    expect(createSurvey().result({ ...REST, budgets: [], trial: [] })).toEqual({
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
      contacts: { distinct: 4, merged: 1 },
      requests: { creates: 0, messages: 0, events: 0, updates: 0, reads: 0, total: 0, checks: 0 },
      orphans: { messages: 2, events: 0 },
      batches: { count: 0, size: 2 },
      trial: [],
    });
  });

  it('counts what is there, what is to be sent, and how long that takes', () => {
    const survey = createSurvey();
    const status = { kind: 'status', from: 'solved', to: 'resolved' } as const;
    survey.ticket({
      result: resultOf(
        ticket(0, { status: 'resolved' }, [message(), message()], [event('open', 'resolved')]),
        {
          mapped: [{ kind: 'actor', from: 'staff', to: 'agent' }, status],
          internal: 1,
          attachments: 3,
          attachmentBytes: 500,
        },
      ),
      outcome: 'pending',
      action: { do: 'create' },
    });
    survey.ticket({
      result: resultOf(ticket(1, { createdAt: '2023-12-31T23:59:59.000Z' }, []), { mapped: [status] }),
      outcome: 'failed',
      action: { do: 'finish', from: 'messages', ticketId: 'id' },
    });
    survey.ticket({
      result: resultOf(ticket(2, { status: 'closed' }), { mapped: [status] }),
      outcome: 'pending',
      action: { do: 'create' },
    });
    survey.ticket({
      result: resultOf(ticket(3, { createdAt: '2025-01-01T00:00:00.000Z' })),
      outcome: 'done',
    });
    survey.ticket({
      result: rejected(4, { messages: 5, createdAt: Date.parse('2022-01-01T00:00:00Z') }),
      outcome: 'rejected',
    });
    survey.ticket({
      result: resultOf(ticket(5, { createdAt: '1999-01-01T00:00:00.000Z' }), { mapped: [status] }),
      outcome: 'skipped',
      skippedBecause: 'spam',
    });
    survey.ticket({ result: resultOf(ticket(6)), outcome: 'done', skippedBecause: 'beyond --limit' });
    survey.unreadable('rejected');
    survey.unreadable('skipped', 'not in --only');
    survey.unreadable('skipped', 'not in --only');

    expect(survey.result(REST)).toEqual({
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
      contacts: { distinct: 4, merged: 1 },
      requests: { creates: 2, messages: 2, events: 1, updates: 0, reads: 2, total: 7, checks: 20 },
      estimatedSeconds: 6,
      firstCreatedAt: '2022-01-01T00:00:00.000Z',
      lastCreatedAt: '2025-01-01T00:00:00.000Z',
      longestThread: { externalId: 'T-0', messages: 2 },
      orphans: { messages: 2, events: 0 },
      batches: { count: 2, size: 2 },
      trial: [{ externalId: 'T-1', why: ['x'] }],
    });
  });

  it('keeps its memory when every value differs', () => {
    const survey = createSurvey();
    for (let n = 0; n < 3000; n++) {
      const mapped = [{ kind: 'status', from: `free text ${n}`, to: 'open' } as const];
      survey.ticket({
        result: resultOf(ticket(n), { mapped }),
        outcome: 'skipped',
        skippedBecause: `reason ${n}`,
      });
      survey.ticket({ result: resultOf(ticket(n), { mapped }), outcome: 'pending' });
    }
    const result = survey.result(REST);
    expect(result.mapping.length).toBe(1000);
    expect(result.mappingLeftOut).toBe(2000);
    expect(result.skippedBecause[0]).toEqual({ reason: 'other reasons', count: 2900 });
    expect(result.skippedBecause.length).toBe(101);
  });
});
