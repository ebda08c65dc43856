import { describe, expect, it } from 'vitest';
import type { TicketRecord } from '../../src/domain/ledger.ts';
import { mayBecome, TICKET_STATES, type TicketState } from '../../src/domain/ticket-state.ts';
import {
  changeProblems,
  type Mode,
  type Step,
  stepOf,
  stepOfOlder,
  stepOfRejected,
  stepOfSkipped,
} from '../../src/plan/step.ts';
import { FINGERPRINTS, ticket } from './tickets.ts';

const checked = ticket(1);
const MODES: readonly Mode[] = ['run', 'delta'];

/** A state, and what is known besides: `id`, `messages` (the helpdesk has them), `reopened`, `untried` (no digests). */
function known(words: string, changed: readonly string[] = []): TicketRecord | undefined {
  const [state = '', ...facts] = words.split(' ');
  if (state === 'new') return undefined;
  return {
    externalId: 'T-1',
    state: state as TicketState,
    fingerprints: facts.includes('untried')
      ? undefined
      : { ...FINGERPRINTS, ...Object.fromEntries(changed.map((part) => [part, 'other'])) },
    ticketId: facts.includes('id') ? 'id' : undefined,
    thread: facts.includes('messages') ? '00' : undefined,
    reopened: facts.includes('reopened') ? true : undefined,
  };
}

function shown({ action, outcome, record }: Step): string {
  const more =
    action?.do === 'reopen'
      ? action.parts
      : action?.do === 'finish'
        ? [action.from]
        : action?.do === 'create' && action.wasTried
          ? ['again']
          : [];
  return [action?.do ?? record ?? 'nothing', ...more, outcome].join(' ');
}

describe('the step of a ticket follows from its record', () => {
  it.each([
    ['new', 'create pending', 'rejected rejected', 'skipped'],
    ['pending', 'create again pending', 'rejected rejected', 'skipped'],
    ['creating', 'settle inDoubt', 'nothing inDoubt', 'inDoubt'],
    ['inDoubt', 'settle inDoubt', 'nothing inDoubt', 'inDoubt'],
    ['created id', 'finish messages pending', 'incomplete failed', 'pending'],
    ['created id messages', 'finish events pending', 'incomplete failed', 'pending'],
    ['created id reopened', 'reopen messages events pending', 'incomplete failed', 'pending'],
    ['done id messages', 'nothing done', 'nothing done', 'done'],
    ['rejected untried', 'create pending', 'rejected rejected', 'skipped'],
    ['rejected', 'create again pending', 'rejected rejected', 'skipped'],
    ['refused', 'create again failed', 'rejected rejected', 'failed'],
    ['incomplete id', 'finish messages failed', 'nothing failed', 'failed'],
    ['incomplete id messages', 'finish events failed', 'nothing failed', 'failed'],
    ['incomplete id reopened', 'reopen messages events failed', 'nothing failed', 'failed'],
    ['skipped', 'nothing skipped', 'nothing skipped', 'skipped'],
  ])('%s: valid %s, rejected %s, left out %s', (words, valid, rejected, leftOut) => {
    const record = known(words);
    for (const mode of MODES) expect(shown(stepOf(record, checked, mode))).toBe(valid);
    const step = stepOfRejected(record, 'run');
    expect(shown(step)).toBe(rejected);
    expect(shown(stepOfSkipped(record))).toBe(`nothing ${leftOut}`);
    // What it asks the checkpoint to record is possible there.
    if (step.record !== undefined) expect(mayBecome(record?.state ?? 'pending', step.record)).toBe(true);
  });

  it.each(TICKET_STATES)('a ticket that may be in the helpdesk is never created again: %s', (state) => {
    if (['pending', 'rejected', 'refused'].includes(state)) return;
    for (const mode of MODES)
      expect(stepOf(known(`${state} id`, ['ticket']), checked, mode).action?.do).not.toBe('create');
  });

  it('a created ticket without its id is a defect, not a create', () => {
    expect(() => stepOf(known('created'), checked, 'run')).toThrow('has no ticket id');
  });
});

it.each<[record: string, changed: string[], step: string, held: Step['held']]>([
  ['done id messages', [], 'nothing done', undefined],
  ['done id messages', ['messages'], 'nothing done', 'older'],
  ['incomplete id messages', [], 'nothing failed', 'older'],
  ['created id', [], 'nothing failed', 'older'],
  ['new', [], 'nothing failed', 'older'],
  ['inDoubt', [], 'nothing inDoubt', 'older'],
])(
  'an older export completes no ticket and takes nothing back: %s, changed %j',
  (words, changed, step, held) => {
    const older = stepOfOlder(known(words, changed), checked);
    expect([shown(older), older.held]).toEqual([step, held]);
  },
);

describe('an imported ticket that cannot be compared is never called unchanged', () => {
  it('a delta rejects one whose row became invalid; a run lists it', () => {
    const record = known('done id messages');
    expect(shown(stepOfRejected(record, 'delta'))).toBe('nothing rejected');
    const step = stepOfRejected(record, 'run');
    expect(changeProblems(step, checked, 'run', 'a.csv')).toMatchObject([{ code: 'invalid-since-import' }]);
  });

  const origin = (time: string, requester: string, settings = 'aaaa') => settings + time + requester;
  const then = origin('111111', '222222');
  const other = origin('333333', '444444');
  const goesOn = 'finish messages failed';
  it.each<[string, string, string | undefined, string, Step['held']]>([
    ['done', 'done id messages', other, 'nothing failed', 'another'],
    ['incomplete', 'incomplete id', other, 'nothing failed', 'another'],
    ['created', 'created id', other, 'nothing failed', 'another'],
    ['in doubt', 'inDoubt', other, 'nothing inDoubt', 'another'],
    ['being created', 'creating', other, 'nothing inDoubt', 'another'],
    ['rejected', 'rejected', other, 'create again pending', undefined],
    ['corrected time', 'incomplete id', origin('333333', '222222'), goesOn, undefined],
    ['corrected address', 'incomplete id', origin('111111', '4'), goesOn, undefined],
    ['other settings', 'incomplete id', origin('3', '4', 'bbbb'), goesOn, undefined],
    ['nothing known', 'incomplete id', undefined, goesOn, undefined],
  ])('an ID that is another ticket now is written into no ticket: %s', (_, words, now, step, held) => {
    for (const mode of MODES) {
      const found = stepOf({ ...(known(words) as TicketRecord), origin: then }, checked, mode, now);
      expect([shown(found), found.held]).toEqual([step, held]);
      expect(
        changeProblems(found, checked, mode, 'a.csv').map(({ code, severity }) => [code, severity]),
      ).toEqual(held === undefined ? [] : [['another-ticket-now', 'error']]);
    }
  });
});

describe('a ticket that has changed in the export', () => {
  it('is compared as a whole if the fields of one side are unknown', () => {
    const record = known('done id messages') as TicketRecord;
    const withFields = { ...FINGERPRINTS, fields: 'f' };
    expect(stepOf({ ...record, fingerprints: withFields }, checked, 'delta').changed).toEqual([]);
    expect(stepOf(record, { ...checked, fingerprints: withFields }, 'delta').changed).toEqual([]);
  });

  const ALL = ['ticket', 'messages', 'events'];
  const CHANGED = ['changed-since-import'];
  const FIXED = ['field-not-updatable'];
  it.each<[string, string[], string[], string, string[], string[]]>([
    ['done id messages', [], [], 'nothing done', [], []],
    ['done id messages', ['messages'], ['messages'], 'reopen messages done', CHANGED, []],
    ['done id messages', ['events'], ['events'], 'reopen events done', CHANGED, []],
    ['done id messages', ['ticket'], ['ticket'], 'nothing done', FIXED, FIXED],
    ['done id messages', ALL, ALL, 'reopen messages events done', CHANGED, FIXED],
    ['created id messages', ALL, ['ticket', 'messages'], 'finish messages pending', CHANGED, FIXED],
    ['created id', ALL, ['ticket'], 'finish messages pending', FIXED, FIXED],
    ['refused', ALL, [], 'create again failed', [], []],
    ['done id messages untried', ALL, [], 'nothing done', [], []],
  ])('%s, %j: a delta sends what only a delta may', (words, changes, changed, delta, inRun, inDelta) => {
    const run = stepOf(known(words, changes), checked, 'run');
    expect(run.changed).toEqual(changed);
    expect(run.action?.do).not.toBe('reopen');
    const step = stepOf(known(words, changes), checked, 'delta');
    expect(shown(step)).toBe(delta);
    const codes = (of: Step, mode: Mode) =>
      changeProblems(of, checked, mode, 'tickets.csv').map(({ code }) => code);
    expect(codes(run, 'run')).toEqual(inRun);
    expect(codes(step, 'delta')).toEqual(inDelta);
  });

  it('is reported with its place, what has changed and what to do', () => {
    const step = stepOf(known('done id messages', ALL), checked, 'run');
    expect(changeProblems(step, checked, 'run', 'tickets.csv')).toEqual([
      {
        ...{ severity: 'warning', code: 'changed-since-import', count: 1 },
        ...{ ticket: 'T-1', file: 'tickets.csv', line: 3 },
        message:
          'The ticket has changed since it was imported (its own fields, its messages and its history); run with --delta to bring the messages and the history in.',
      },
    ]);
  });
});
