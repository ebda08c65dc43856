import { describe, expect, it } from 'vitest';
import type { TicketRecord } from '../../src/domain/ledger.ts';
import { mayBecome, TICKET_STATES } from '../../src/domain/ticket-state.ts';
import {
  changeProblems,
  knownOutcome,
  type Step,
  stepOf,
  stepOfRejected,
  stepOfSkipped,
} from '../../src/plan/step.ts';
import { FINGERPRINTS, ticket } from './tickets.ts';

const checked = ticket(1);
type Known = Partial<TicketRecord> & Pick<TicketRecord, 'state'>;

function known(record: Known | undefined): TicketRecord | undefined {
  if (record === undefined) return undefined;
  return { externalId: 'T-1', fingerprints: FINGERPRINTS, ...record };
}

const at = (reached: 'created' | 'messaged' | 'done') => ({
  ticketId: 'id',
  thread: reached === 'created' ? undefined : '00',
});

describe('the step of a good ticket', () => {
  it.each<[string, Known | undefined, Step['action'], Step['outcome']]>([
    ['new', undefined, { do: 'create' }, 'pending'],
    ['pending', { state: 'pending' }, { do: 'create', wasTried: true }, 'pending'],
    ['creating', { state: 'creating' }, { do: 'settle' }, 'inDoubt'],
    [
      'created',
      { state: 'created', ...at('created') },
      { do: 'finish', from: 'messages', ticketId: 'id' },
      'pending',
    ],
    [
      'created, reopened',
      { state: 'created', reopened: true, ...at('created') },
      { do: 'reopen', ticketId: 'id', parts: ['messages', 'events'] },
      'pending',
    ],
    [
      'messaged, reopened',
      { state: 'created', reopened: true, ...at('messaged') },
      { do: 'reopen', ticketId: 'id', parts: ['messages', 'events'] },
      'pending',
    ],
    [
      'messaged',
      { state: 'created', ...at('messaged') },
      { do: 'finish', from: 'events', ticketId: 'id' },
      'pending',
    ],
    ['done', { state: 'done', ...at('done') }, undefined, 'done'],
    ['rejected, never tried', { state: 'rejected', fingerprints: undefined }, { do: 'create' }, 'pending'],
    ['rejected after a try', { state: 'rejected' }, { do: 'create', wasTried: true }, 'pending'],
    [
      'rejected, in the target',
      { state: 'rejected', ...at('created') },
      { do: 'finish', from: 'messages', ticketId: 'id' },
      'pending',
    ],
    ['failed create', { state: 'failed' }, { do: 'create' }, 'failed'],
    [
      'failed messages',
      { state: 'failed', ...at('created') },
      { do: 'finish', from: 'messages', ticketId: 'id' },
      'failed',
    ],
    [
      'failed events',
      { state: 'failed', ...at('messaged') },
      { do: 'finish', from: 'events', ticketId: 'id' },
      'failed',
    ],
    [
      'failed delta',
      { state: 'failed', reopened: true, ...at('created') },
      { do: 'reopen', ticketId: 'id', parts: ['messages', 'events'] },
      'failed',
    ],
    ['in doubt', { state: 'inDoubt' }, { do: 'settle' }, 'inDoubt'],
    ['skipped', { state: 'skipped' }, undefined, 'skipped'],
  ])('%s', (_, record, action, outcome) => {
    for (const mode of ['run', 'delta'] as const) {
      const step = stepOf(known(record), checked, mode);
      expect(step.action).toEqual(action);
      expect(step.outcome).toBe(outcome);
      expect(step.changed).toEqual([]);
    }
  });

  it.each(TICKET_STATES)('a ticket that may be in the target is never created again: %s', (state) => {
    for (const mode of ['run', 'delta'] as const) {
      const record = known({
        state,
        ticketId: 'id',
        fingerprints: { ...FINGERPRINTS, ticket: 'x' },
      });
      if (state !== 'pending') expect(stepOf(record, checked, mode).action?.do).not.toBe('create');
      expect(stepOfSkipped(record).action).toBeUndefined();
      expect(stepOfRejected(record).action).toBeUndefined();
    }
  });

  it('a created ticket without its id is a defect, not a create', () => {
    expect(() => stepOf(known({ state: 'created' }), checked, 'run')).toThrow('has no ticket id');
  });
});

describe('a ticket that has changed in the export', () => {
  const changed = (...parts: (keyof typeof FINGERPRINTS)[]) => ({
    ...FINGERPRINTS,
    ...Object.fromEntries(parts.map((part) => [part, 'other'])),
  });

  it.each<[string, Known, Step['changed'], 'reopen' | 'finish' | undefined]>([
    [
      'done, messages',
      { state: 'done', ...at('done'), fingerprints: changed('messages') },
      ['messages'],
      'reopen',
    ],
    [
      'done, fields',
      { state: 'done', ...at('done'), fingerprints: changed('ticket') },
      ['ticket'],
      undefined,
    ],
    ['done, events', { state: 'done', ...at('done'), fingerprints: changed('events') }, ['events'], 'reopen'],
    [
      'done, all',
      { state: 'done', ...at('done'), fingerprints: changed('ticket', 'messages', 'events') },
      ['ticket', 'messages', 'events'],
      'reopen',
    ],
    [
      'messaged, all',
      { state: 'created', ...at('messaged'), fingerprints: changed('ticket', 'messages', 'events') },
      ['ticket', 'messages'],
      'finish',
    ],
    [
      'created, all',
      { state: 'created', ...at('created'), fingerprints: changed('ticket', 'messages', 'events') },
      ['ticket'],
      'finish',
    ],
    [
      'failed create, all',
      { state: 'failed', fingerprints: changed('ticket', 'messages', 'events') },
      [],
      undefined,
    ],
  ])('%s', (_, record, parts, delta) => {
    const run = stepOf(known(record), checked, 'run');
    expect(run.changed).toEqual(parts);
    expect(run.action?.do).not.toBe('reopen');
    if (delta !== undefined || record.state === 'done')
      expect(stepOf(known(record), checked, 'delta').action?.do).toBe(delta);
  });

  it.each<[(keyof typeof FINGERPRINTS)[], string[]]>([
    [['messages'], ['messages']],
    [['events'], ['events']],
    [
      ['ticket', 'messages', 'events'],
      ['messages', 'events'],
    ],
  ])('a delta of %j touches %j and nothing else', (parts, touched) => {
    const record = known({ state: 'done', ...at('done'), fingerprints: changed(...parts) });
    expect(stepOf(record, checked, 'delta').action).toMatchObject({ do: 'reopen', parts: touched });
  });

  it('only a delta replaces the messages of a ticket that is done', () => {
    const record = known({ state: 'done', ...at('done'), fingerprints: changed('messages') });
    expect(stepOf(record, checked, 'run')).toEqual({ outcome: 'done', changed: ['messages'] });
    expect(stepOf(record, checked, 'delta')).toEqual({
      action: { do: 'reopen', ticketId: 'id', parts: ['messages'] },
      outcome: 'done',
      changed: ['messages'],
    });
  });

  it('is not told of where the checkpoint knows no fingerprints', () => {
    const { fingerprints: _, ...record } = { ...known({ state: 'done', ...at('done') }), externalId: 'T-1' };
    expect(stepOf(record as TicketRecord, checked, 'delta')).toEqual({ outcome: 'done', changed: [] });
  });

  it('is brought in by a delta, also where an earlier run could not complete its history', () => {
    const record = known({ state: 'failed', ...at('messaged'), fingerprints: changed('messages') });
    expect(stepOf(record, checked, 'run').action).toMatchObject({ do: 'finish', from: 'events' });
    const step = stepOf(record, checked, 'delta');
    expect(step.action).toMatchObject({ do: 'finish', from: 'messages' });
    expect(changeProblems(step, checked, 'delta', 'tickets.csv')).toEqual([]);
  });

  it.each<['run' | 'delta', (keyof typeof FINGERPRINTS)[], string[]]>([
    ['run', [], []],
    ['run', ['messages'], ['changed-since-import']],
    ['run', ['ticket', 'events'], ['changed-since-import']],
    ['delta', ['messages'], []],
    ['delta', ['messages', 'events'], []],
    ['delta', ['ticket', 'messages'], ['field-not-updatable']],
    ['delta', ['events'], []],
  ])('in a %s, changes of %j are told as %j', (mode, parts, codes) => {
    const record = known({ state: 'done', ...at('done'), fingerprints: changed(...parts) });
    const problems = changeProblems(stepOf(record, checked, mode), checked, mode, 'tickets.csv');
    expect(problems.map((problem) => problem.code)).toEqual(codes);
    for (const problem of problems)
      expect(problem).toMatchObject({
        severity: 'warning',
        ticket: 'T-1',
        file: 'tickets.csv',
        line: 3,
        count: 1,
      });
  });

  it('says what has changed and what to do', () => {
    const record = known({
      state: 'done',
      ...at('done'),
      fingerprints: changed('ticket', 'messages', 'events'),
    });
    const [problem] = changeProblems(stepOf(record, checked, 'run'), checked, 'run', 'tickets.csv');
    expect(problem?.message).toBe(
      'The ticket has changed since it was imported (its own fields, its messages and its history); run with --delta to bring the messages and the history in.',
    );
  });
});

describe('the step of a ticket that checking rejected', () => {
  it.each<[string, Known | undefined, Step['outcome'], Step['record']]>([
    ['new', undefined, 'rejected', 'rejected'],
    ['pending', { state: 'pending' }, 'rejected', 'rejected'],
    ['creating', { state: 'creating' }, 'inDoubt', undefined],
    ['created', { state: 'created', ...at('created') }, 'failed', 'refused'],
    ['messaged', { state: 'created', ...at('messaged') }, 'failed', 'refused'],
    ['done', { state: 'done', ...at('done') }, 'done', undefined],
    ['rejected', { state: 'rejected' }, 'rejected', 'rejected'],
    ['failed create', { state: 'failed' }, 'rejected', 'rejected'],
    ['failed messages', { state: 'failed', ...at('created') }, 'failed', undefined],
    ['in doubt', { state: 'inDoubt' }, 'inDoubt', undefined],
    ['skipped', { state: 'skipped' }, 'skipped', undefined],
  ])('%s', (_, record, outcome, event) => {
    const step = stepOfRejected(known(record));
    expect(step).toEqual({ outcome, changed: [], ...(event === undefined ? {} : { record: event }) });
    // What it asks the checkpoint to record is possible there.
    const becomes = event === 'refused' ? 'failed' : 'rejected';
    if (event !== undefined) expect(mayBecome(record?.state ?? 'pending', becomes)).toBe(true);
  });
});

describe('the step of a ticket that a filter leaves out', () => {
  it.each<[string, Known | undefined, Step['outcome']]>([
    ['new', undefined, 'skipped'],
    ['pending', { state: 'pending' }, 'skipped'],
    ['creating', { state: 'creating' }, 'inDoubt'],
    ['created', { state: 'created', ...at('created') }, 'pending'],
    ['messaged', { state: 'created', ...at('messaged') }, 'pending'],
    ['done', { state: 'done', ...at('done') }, 'done'],
    ['rejected', { state: 'rejected' }, 'skipped'],
    ['failed', { state: 'failed' }, 'failed'],
    ['in doubt', { state: 'inDoubt' }, 'inDoubt'],
    ['skipped', { state: 'skipped' }, 'skipped'],
  ])('%s', (_, record, outcome) => {
    expect(stepOfSkipped(known(record))).toEqual({ outcome, changed: [] });
  });
});

it('every state of the checkpoint has an outcome', () => {
  expect(TICKET_STATES.map((state) => `${state} ${knownOutcome(known({ state }))}`)).toEqual([
    'pending pending',
    'creating inDoubt',
    'created pending',
    'done done',
    'rejected rejected',
    'failed failed',
    'inDoubt inDoubt',
    'skipped skipped',
  ]);
  expect(knownOutcome(undefined)).toBe('pending');
});
