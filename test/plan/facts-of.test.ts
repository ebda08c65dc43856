import { describe, expect, it } from 'vitest';
import type { AgentRecord } from '../../src/domain/decisions.ts';
import { createProblemLog } from '../../src/domain/problem.ts';
import type { PlannedAction } from '../../src/domain/ticket.ts';
import type { Outcome } from '../../src/domain/ticket-state.ts';
import { factsOf } from '../../src/plan/facts-of.ts';
import type { TicketPlan } from '../../src/plan/ticket-plan.ts';
import type { Told } from '../../src/plan/told.ts';
import { event, message, planOf, rejected, resultOf, ticket } from './tickets.ts';

const RUN: Told = {
  files: [],
  ...{ mode: 'dry-run', isDelta: false, layout: 'native', checkpoint: 'c.sqlite', digest: 'd' },
  contacts: { distinct: 4, merged: 1 },
  orphans: { messages: 2, events: 0 },
  picks: [{ externalId: 'T-1', why: ['x'] }],
  batchSize: 2,
  rate: [{ requests: 60, seconds: 60 }],
};

const NO_PROBLEMS = createProblemLog().snapshot();

function factsIn(
  { steps }: TicketPlan,
  told: Partial<Told> = {},
  files?: Parameters<typeof factsOf>[1],
  problems = NO_PROBLEMS,
) {
  steps.tell({ ...RUN, ...told });
  return factsOf(steps, files, problems);
}

function step(outcome: Outcome, action?: PlannedAction) {
  return { outcome, changed: [], ...(action && { action }) };
}

describe('the facts of a plan', () => {
  it('of nothing is all zeros', () => {
    const { tickets, skipped, messages, mapping, plan, lost } = factsIn(planOf([]), {
      ...{ contacts: { distinct: 0, merged: 0 }, orphans: { messages: 0, events: 0 }, rate: [] },
    });
    expect(new Set(Object.values(tickets))).toEqual(new Set([0]));
    expect({ skipped, messages, mapping, plan, lost }).toEqual({
      skipped: [],
      messages: { read: 0, sent: 0, internal: 0, orphans: 0 },
      mapping: [],
      plan: {
        requests: { creates: 0, messages: 0, events: 0, updates: 0, reads: 0, total: 0, checks: 0 },
        batches: { count: 0, size: 2 },
      },
      lost: [],
    });
  });

  it('counts imported tickets, tickets to send, and their time', () => {
    const status = { kind: 'status', from: 'solved', to: 'resolved', count: 1 } as const;
    const plan = planOf([
      {
        result: resultOf(
          ticket(0, { status: 'resolved' }, [message(), message()], [event('open', 'resolved')]),
          {
            mapped: [{ kind: 'actor', from: 'staff', to: 'agent', count: 1 }, status],
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
        result: resultOf(ticket(2, { status: 'closed', channelId: 'chn' }), { mapped: [status] }),
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
        leftOut: 'spam',
      },
      { result: resultOf(ticket(6)), step: step('done'), leftOut: 'beyond --limit' },
    ]);
    plan.steps.addUnreadable(7, undefined, undefined);
    plan.steps.addUnreadable(8, undefined, 'not in --only');
    plan.steps.addUnreadable(9, 'T-9', 'not in --only');

    expect(factsIn(plan)).toMatchObject({
      tickets: {
        ...{ read: 10, done: 2, rejected: 2, failed: 1, inDoubt: 0, skipped: 3, pending: 2 },
        ...{ create: 2, update: 1, unchanged: 2, created: 0, updated: 0, unreadable: 1 },
      },
      skipped: [
        { reason: 'not in --only', count: 2 },
        { reason: 'spam', count: 1 },
      ],
      messages: { read: 11, internal: 1, orphans: 2, longest: { externalId: 'T-0', messages: 2 } },
      events: { read: 1, orphans: 0 },
      attachments: { read: 3, bytes: 500 },
      kept: { tickets: 0, columns: [] },
      mapping: [
        { kind: 'status', from: 'solved', to: 'resolved', count: 3 },
        { kind: 'actor', from: 'staff', to: 'agent', count: 1 },
      ],
      mappingLeftOut: 0,
      export: {
        channels: [{ tickets: 4 }, { channelId: 'chn', tickets: 1 }],
        withoutMessages: 1,
        months: [
          { month: '2023-12', count: 1, byStatus: { open: 1 } },
          { month: '2024-05', count: 3, byStatus: { resolved: 1, closed: 1, open: 1 } },
          { month: '2025-01', count: 1, byStatus: { open: 1 } },
        ],
        firstCreatedAt: '2022-01-01T00:00:00.000Z',
        lastCreatedAt: '2025-01-01T00:00:00.000Z',
      },
      plan: {
        requests: { creates: 2, messages: 2, events: 1, updates: 0, reads: 2, total: 7, checks: 20 },
        estimatedSeconds: 6,
        batches: { count: 2, size: 2 },
      },
    });
  });

  it('says what a dry run with --files is to fetch, and what waits for files', () => {
    const plan = planOf([
      { result: resultOf(ticket(0)), step: step('pending', { do: 'create' }) },
      { result: resultOf(ticket(1)), step: step('done') },
    ]);
    const host = 'files.example.com';
    plan.steps.addFiles(0, [
      { key: 'a', host, bytes: 100, ends: 500 },
      { key: 'b', host, bytes: 300, ends: 2000 },
      { key: 'stored', host, bytes: 9 },
    ]);
    plan.steps.addFiles(1, [
      { key: 'a', host, bytes: 100, ends: 500 },
      { key: 'missing', host },
    ]);
    const file = { label: 'x', at: 0 };
    const files = {
      all: () => [
        { ...file, key: 'stored', hash: 'h' },
        { ...file, key: 'missing', reason: 'gone' as const },
      ],
    };
    const { attachments, files: forecast, lost } = factsIn(plan, { fetchesAt: 1000 }, files);
    expect(attachments).toMatchObject({
      stored: 1,
      missing: 1,
      links: 2,
      tickets: 2,
      hosts: [{ host, files: 2 }],
    });
    expect(forecast).toEqual({
      ...{ wanted: 3, waiting: 1, sized: 2, bytes: 600, expired: 1, ending: 1 },
      ...{ first: '1970-01-01T00:00:02.000Z', last: '1970-01-01T00:00:02.000Z' },
    });
    expect(lost.map(({ code }) => code)).not.toContain('links');
  });

  it('keeps its memory when every value differs', () => {
    const mapped = (n: number) => [{ kind: 'status', from: `free text ${n}`, to: 'open', count: 1 } as const];
    const plan = planOf(
      Array.from({ length: 3000 }, (_, n) =>
        n < 1500
          ? { result: resultOf(ticket(n)), step: step('skipped'), leftOut: `reason ${n}` }
          : { result: resultOf(ticket(n), { mapped: mapped(n) }) },
      ),
    );
    const result = factsIn(plan);
    expect(result.mapping.length).toBe(1000);
    expect(result.mappingLeftOut).toBe(500);
    expect(result.skipped.at(-1)).toEqual({ reason: 'other reasons', count: 1400 });
    expect(result.skipped.length).toBe(101);
  });
});

describe('what the facts know for certain', () => {
  const look = { offers: [], target: 'x', agents: { asked: 0, found: 0, unknown: [] } };
  const agent = (how: AgentRecord['how'], assigned: number): AgentRecord => {
    return { agent: how, how, messages: 0, events: 0, assigned };
  };
  const withAgents = (...agents: readonly AgentRecord[]) => {
    const plan = planOf([{ result: resultOf(ticket(0)), step: step('pending', { do: 'create' }) }]);
    plan.steps.record({ ...NO_LOSS, agents });
    return plan;
  };

  it.each<[mode: Told['mode'], look: Told['look'], helpdesk: boolean]>([
    ['dry-run', undefined, false],
    ['dry-run', look, true],
    ['run', undefined, true],
  ])('A %s that looked at the helpdesk: %j knows it: %s', (mode, looked, helpdesk) => {
    expect(factsIn(withAgents(), { mode, look: looked }).known).toEqual({ agents: true, helpdesk });
  });

  it('Agents are known unless one is looked up later', () => {
    const { people, known } = factsIn(withAgents(agent('later', 1), agent('listed', 3), agent('found', 2)));
    expect([people.later, known.agents]).toEqual([1, false]);
    expect(people.agents.map(({ how }) => how)).toEqual(['listed', 'found', 'later']);
  });

  it.each<[mode: Told['mode'], said: string]>([
    ['dry-run', 'will be'],
    ['run', 'are'],
  ])('An assignee without an agent in a %s: %s unassigned', (mode, said) => {
    const { lost } = factsIn(withAgents(agent('none', 2)), { mode });
    expect(lost.map(({ what }) => what)).toContain(`the assignees of 2 tickets, which ${said} unassigned`);
  });

  it.each<[more: Partial<Told>, exitCode: number]>([
    [{}, 0],
    [{ isFlawed: true }, 3],
    [{ duplicates: true }, 4],
    [{ mode: 'run', notUpdated: 1 }, 3],
    [{ notUpdated: 1 }, 0],
    [{ mustReachAll: true }, 6],
  ])('A run with %j ends with %i', (more, exitCode) => {
    expect(factsIn(withAgents(), more).exitCode).toBe(exitCode);
  });

  it('Made-up values are lost ones, each with its number and what took its place', () => {
    const plan = planOf([]);
    const day = Date.UTC(2020, 0, 1);
    for (const [seq, made] of Object.entries([
      { created: 'set', times: 2 },
      { created: 'set', times: 0 },
      { created: 'said', times: 0 },
    ] as const)) {
      const result = resultOf(ticket(Number(seq)), { made, createdAt: day });
      plan.steps.add({ seq: Number(seq), externalId: `T-${seq}`, result, step: step('pending') });
    }
    const { lost } = factsIn(plan, { contacts: { distinct: 3, merged: 0, made: 2 } });
    expect(lost.map(({ what }) => what)).toEqual(
      expect.arrayContaining([
        'the creation times of 2 tickets: none in the export → 2020-01-01',
        'the creation time of 1 ticket: none in the export → the earliest message',
        'the times of 2 messages: none in the export → the time before it',
        'the addresses of 2 customers: none in the export → made up',
      ]),
    );
  });

  it('Losses are listed by their tickets, and then by their number', () => {
    const plan = withAgents(agent('none', 7));
    plan.steps.add({ seq: 1, externalId: 'T-r', result: rejected(1), step: step('rejected') });
    const { lost } = factsIn(plan);
    const weights = lost.map(({ tickets = 0, count }) => [tickets, count] as const);
    expect(weights.length).toBeGreaterThan(3);
    expect(lost.find(({ what }) => what.startsWith('the status'))?.remedy).toBe(
      'Map status, if a column has it.',
    );
    expect(weights).toEqual(weights.toSorted(([a, x], [b, y]) => b - a || y - x));
  });
});

const NO_LOSS = { agents: [], entries: [] };
