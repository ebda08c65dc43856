import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { CreateIntent } from '../../src/domain/ledger.ts';
import { ApiFailure, type ApiFailureCode } from '../../src/domain/ticket-api.ts';
import { decideDoubt, type Evidence } from '../../src/push/doubt-decision.ts';
import { createFailure, readFailure, stepFailure } from '../../src/push/failure-meaning.ts';
import { Landmarks } from '../../src/push/landmarks.ts';
import { type Mark, marksOf } from '../../src/push/marks.ts';
import { allowedErrors, BatchProgress, type BatchResult, exceeded } from '../../src/push/run-control.ts';
import { judge, searchText } from '../../src/push/search-target.ts';

const INTENT = {
  subject: 'Where is it?',
  createdAt: '2024-03-01T10:00:31.250Z',
  email: 'mia@example.com',
  at: 0,
};

describe('what a ticket of the target shares with one that may have been created', () => {
  const exact = {
    id: 'T1',
    subject: 'Where is it?',
    createdAt: '2024-03-01T10:00:31.250Z',
    contact: { id: 'C1', email: 'mia@example.com' },
  };
  const { email: _, ...nobody } = INTENT;
  const byId = { ...nobody, contactId: 'C1' };
  it.each<[what: string, reported: object, wanted: string, expected: Mark]>([
    ['as it is', { subject: 'Where is it?' }, 'Where is it?', 'same'],
    ['trimmed', { subject: 'Where  is it? ' }, 'Where is it?', 'same'],
    ['cut', { subject: 'Where is' }, 'Where is it?', 'alike'],
    ['cut, with dots', { subject: 'Where is…' }, 'Where is it?', 'alike'],
    ['with a mark in front of its end', { subject: 'Where is it? [imported]' }, 'Where is it?', 'alike'],
    ['escaped', { subject: 'Tom &amp; Mia &lt;3' }, 'Tom & Mia <3', 'alike'],
    ['escaped twice', { subject: 'Tom &amp;amp; Mia' }, 'Tom & Mia', 'alike'],
    ['without its emoji', { subject: 'Fire help' }, 'Fire 🔥 help', 'alike'],
    ['with numbers for letters', { subject: 'Gr&#252;&#xDF;e' }, 'Grüße', 'alike'],
    ['in capitals', { subject: 'WHERE IS IT?' }, 'Where is it?', 'alike'],
    ['another one', { subject: 'Something else' }, 'Where is it?', 'different'],
    ['emoji alone, and none left', { subject: '' }, '🔥', 'alike'],
    ['nothing left of one with letters', { subject: '?' }, 'Where?', 'unreported'],
    ['none told', { subject: null }, 'Where is it?', 'unreported'],
  ])('subject %s', (_, reported, subject, expected) => {
    expect(marksOf({ ...exact, ...reported }, { ...INTENT, subject }).subject).toBe(expected);
  });

  it.each<[what: string, reported: unknown, Mark]>([
    ['with another offset', '2024-03-01T12:00:31.25+02:00', 'same'],
    ['in milliseconds', Date.parse(INTENT.createdAt), 'same'],
    ['in seconds', Math.floor(Date.parse(INTENT.createdAt) / 1000), 'alike'],
    ['kept to the second', '2024-03-01T10:00:31Z', 'alike'],
    ['cut to the minute', '2024-03-01T10:00:00Z', 'alike'],
    ['rounded to the minute', '2024-03-01T10:01:00Z', 'alike'],
    ['of the day', '2024-03-01', 'alike'],
    ['another', '2024-03-01T10:00:31.251Z', 'different'],
    ['another minute', '2024-03-01T10:02:00Z', 'different'],
    ['none', 'yesterday', 'unreported'],
    ['not told', undefined, 'unreported'],
  ])('time %s', (_, createdAt, expected) => {
    expect(marksOf({ ...exact, createdAt }, INTENT).time).toBe(expected);
  });

  it.each<
    [what: string, reported: object, wanted: typeof nobody & { email?: string; contactId?: string }, Mark]
  >([
    ['written otherwise', { contact: { email: ' Mia@Example.com' } }, INTENT, 'same'],
    ['another', { contact: { id: 'C1', email: 'tom@example.com' } }, INTENT, 'different'],
    ['not told', { contact: undefined }, INTENT, 'unreported'],
    ['told by id alone', { contact: undefined, contactId: 'C1' }, INTENT, 'unreported'],
    ['linked by id', { contact: undefined, contactId: 'C1' }, byId, 'same'],
    ['linked by id and told whole', {}, byId, 'same'],
    ['another one linked', { contact: { id: 'C2' } }, byId, 'different'],
    ['none, and none told', { contact: null }, nobody, 'same'],
    ['none, and one is there', {}, nobody, 'different'],
  ])('contact %s', (_, reported, wanted, expected) => {
    expect(marksOf({ ...exact, ...reported }, wanted).contact).toBe(expected);
  });
});

describe('whose a ticket of the target is', () => {
  const intent = { ...INTENT, tag: 'zendesk-7' };
  const { subject, createdAt, email } = intent;
  const like = { id: 'T1', subject, createdAt, contact: { email } };
  const others = {
    subject: 'Else',
    createdAt: '2020-01-01T00:00:00Z',
    contact: { email: 'tom@example.com' },
  };
  const marked = (name: string) => ['imported', `${name}-9`, `from-${name}`];
  it.each<[what: string, reported: object, wanted: CreateIntent, kept: boolean, expected: string]>([
    [
      'it carries the tag, whatever else was altered',
      { subject: 'Else', createdAt: '2024-03-01', tags: ['Zendesk-7 '] },
      intent,
      false,
      'tagged',
    ],
    [
      'it carries the tag, and is another one by all else: it may have been cut to ours',
      { ...others, tags: ['zendesk-7'] },
      intent,
      true,
      'sharing',
    ],
    [
      'it carries a tag with a hash, which is the beginning of no other',
      { ...others, tags: ['zendesk--0123456789abcdef0123'] },
      { ...intent, tag: 'zendesk--0123456789abcdef0123' },
      false,
      'tagged',
    ],
    ['it carries the tag of another ticket', { tags: marked('zendesk') }, intent, true, 'foreign'],
    ['it is of another source', { tags: marked('brand-b') }, intent, false, 'foreign'],
    ['like ours, and shows tags without ours', { tags: ['imported'] }, intent, false, 'sharing'],
    ['also where tags are known to be kept', { tags: ['imported'] }, intent, true, 'sharing'],
    ['like ours, and tells of no tags', {}, intent, false, 'own'],
    ['shares the contact alone', { ...others, contact: { email }, tags: [] }, intent, false, 'sharing'],
    [
      'shares the contact alone, and tags are kept',
      { ...others, contact: { email }, tags: [] },
      intent,
      true,
      'foreign',
    ],
    [
      'shares the contact and the day, and tags are kept',
      { subject: 'Else', createdAt: '2024-03-01', tags: [] },
      intent,
      true,
      'sharing',
    ],
    ['shares nothing', others, intent, false, 'foreign'],
    [
      'tells of nothing',
      { subject: undefined, createdAt: undefined, contact: undefined },
      intent,
      false,
      'sharing',
    ],
    ['like ours, without identity', { tags: ['imported'] }, INTENT, false, 'own'],
    ['without identity, of an import with it', { tags: marked('zendesk') }, INTENT, false, 'foreign'],
    ['cut, without identity', { subject: 'Where' }, INTENT, false, 'sharing'],
  ])('%s', (_, reported, wanted, kept, expected) => {
    expect(judge({ ...like, ...reported }, wanted, kept)).toBe(expected);
  });
});

describe('what is done about a doubt', () => {
  const proven: Evidence = {
    own: [],
    sharing: [],
    hasTwin: false,
    isDue: true,
    later: 'shown',
    isLaterAlike: true,
    isStatusShown: true,
    count: 'agrees',
    ownCount: 'none',
  };
  const again = (because: string) => ({ do: 'look-again', because });
  it.each<[what: string, seen: Partial<Evidence>, decision: object]>([
    ['one that is ours is adopted', { own: ['T1'] }, { do: 'adopt', ticketId: 'T1' }],
    [
      'at once, and whatever else is not known',
      { own: ['T1'], isDue: false, later: 'none' },
      { do: 'adopt', ticketId: 'T1' },
    ],
    ['several stay in doubt', { own: ['T1', 'T2'] }, { do: 'hold', because: 'several' }],
    [
      'one of two that look the same is not given to either',
      { own: ['T1'], hasTwin: true },
      { do: 'hold', because: 'twin' },
    ],
    [
      'none, and its create may still be under way: it may yet be there',
      { isDue: false },
      again('nothing-later'),
    ],
    ['none, and a ticket shares a mark: it may be ours', { sharing: ['T9'] }, again('unclear')],
    ['none, and the list hides what was created later', { later: 'hidden' }, again('list-lags')],
    ['none, and nothing was created later that could prove it', { later: 'none' }, again('nothing-later')],
    ['none, and the target counts more than are known', { count: 'more' }, again('count-differs')],
    [
      'none, and the target counts fewer than are known: it hides some',
      { count: 'fewer' },
      again('list-hides'),
    ],
    [
      'none, and the list may hide tickets of its status',
      { isLaterAlike: false, count: 'unreported' },
      again('nothing-later'),
    ],
    [
      'none, and the list shows no ticket of its status, though the count agrees',
      { isStatusShown: false },
      again('nothing-later'),
    ],
    ['none, and its twin is not settled', { hasTwin: true }, { do: 'hold', because: 'twin' }],
    ['none, with all four proofs: it does not exist', {}, { do: 'absent' }],
    [
      'none, of a shard, whose tickets cannot be counted apart from those of others',
      { count: 'unreported' },
      { do: 'absent' },
    ],
    [
      'none, and the list tells no total',
      { ownCount: 'unreported', count: 'unreported' },
      { do: 'hold', because: 'uncounted' },
    ],
    [
      'none, and the list tells no total by what was asked',
      { ownCount: 'unreported' },
      { do: 'hold', because: 'uncounted' },
    ],
    ['none, and the list counts it without showing it', { ownCount: 'some' }, again('count-differs')],
    [
      'none, shown by a ticket of another status, and the count agrees',
      { isLaterAlike: false },
      { do: 'absent' },
    ],
  ])('%s', (_, seen, decision) => {
    expect(decideDoubt({ ...proven, ...seen })).toEqual(decision);
  });
});

describe('landmarks', () => {
  const at = (sentAt: number, status = 'open') => ({
    ticketId: `T${sentAt}`,
    sentAt,
    status,
    subject: 's',
    tag: 't',
  });
  it('a ticket that was created before the doubt proves nothing', () => {
    const landmarks = new Landmarks();
    landmarks.created(at(1_000));
    expect(landmarks.after(1_001, 'open', 0)).toBeUndefined();
    landmarks.shown(at(1_000));
    expect(landmarks.shownAfter(1_001, 'open')).toBeUndefined();
  });
  it('of its own status goes before others', () => {
    const landmarks = new Landmarks();
    for (const one of [at(2_000), at(3_000, 'closed'), at(4_000)]) landmarks.created(one);
    expect(landmarks.after(1_000, 'closed', 0)?.ticketId).toBe('T3000');
    expect(landmarks.after(3_500, 'closed', 0)?.ticketId).toBe('T4000');
    expect(landmarks.after(1_000, 'open', 0)?.ticketId).toBe('T2000');
  });
  it('another one is asked for at the next try, as somebody may have deleted the first', () => {
    const landmarks = new Landmarks();
    for (const one of [at(2_000), at(3_000), at(3_001)]) landmarks.created(one);
    expect(landmarks.after(1_000, 'open', 1)?.ticketId).toBe('T3001');
  });
  it('one that was shown serves all that were sent before it', () => {
    const landmarks = new Landmarks();
    landmarks.shown(at(5_000));
    expect(landmarks.shownAfter(4_999, 'open')?.ticketId).toBe('T5000');
    expect(landmarks.shownAfter(5_001, 'open')).toBeUndefined();
  });
});

describe('what a failure means', () => {
  const hard = new AbortController();
  const aborted = AbortSignal.abort(new Error('second signal'));
  const api = (code: ApiFailureCode, effect: 'none' | 'unknown') =>
    new ApiFailure(code, effect, `It is ${code}.`);
  const app = (code: 'unreachable' | 'auth' | 'disk-write' | 'internal') => new AppError(code, code);
  const abortError = Object.assign(new Error('aborted'), { name: 'AbortError' });
  const cases: [error: unknown, signal: AbortSignal, create: string, step: string, read: string][] = [
    [api('refused', 'none'), hard.signal, 'refused', 'refused', 'again'],
    [api('refused', 'unknown'), hard.signal, 'unknown', 'refused', 'again'],
    [api('auth', 'none'), hard.signal, 'nothing, stop auth', 'unfinished, stop auth', 'stopped, stop auth'],
    [
      api('auth', 'unknown'),
      hard.signal,
      'unknown, stop auth',
      'unfinished, stop auth',
      'stopped, stop auth',
    ],
    [api('target-unreadable', 'none'), hard.signal, 'refused', 'refused', 'unreadable'],
    [
      api('unreachable', 'none'),
      hard.signal,
      'nothing, stop unreachable',
      'unfinished, stop unreachable',
      'stopped, stop unreachable',
    ],
    [
      api('unreachable', 'unknown'),
      hard.signal,
      'unknown, stop unreachable',
      'unfinished, stop unreachable',
      'stopped, stop unreachable',
    ],
    [api('unknown-outcome', 'unknown'), hard.signal, 'unknown', 'refused', 'again'],
    [api('unknown-outcome', 'none'), hard.signal, 'refused', 'refused', 'again'],
    [api('cut-off', 'unknown'), hard.signal, 'unknown', 'unfinished', 'stopped'],
    [api('cut-off', 'none'), hard.signal, 'nothing', 'unfinished', 'stopped'],
    [
      app('unreachable'),
      hard.signal,
      'unknown, stop unreachable',
      'unfinished, stop unreachable',
      'stopped, stop unreachable',
    ],
    [app('auth'), hard.signal, 'unknown, stop auth', 'unfinished, stop auth', 'stopped, stop auth'],
    [
      app('disk-write'),
      hard.signal,
      'unknown, stop disk-write',
      'unfinished, stop disk-write',
      'stopped, stop disk-write',
    ],
    [
      new TypeError('x'),
      hard.signal,
      'unknown, stop defect',
      'unfinished, stop defect',
      'stopped, stop defect',
    ],
    [aborted.reason, aborted, 'nothing', 'unfinished', 'stopped'],
    [abortError, aborted, 'unknown', 'unfinished', 'stopped'],
    [abortError, hard.signal, 'unknown, stop defect', 'unfinished, stop defect', 'stopped, stop defect'],
  ];
  const named = (meaning: { outcome: string; stop?: unknown }) => {
    if (!('stop' in meaning)) return meaning.outcome;
    return `${meaning.outcome}, stop ${meaning.stop instanceof AppError ? meaning.stop.code : 'defect'}`;
  };
  it.each(cases)('%s', (error, signal, create, step, read) => {
    expect(named(createFailure(error, signal))).toBe(create);
    expect(named(stepFailure(error, signal))).toBe(step);
    expect(named(readFailure(error, signal))).toBe(read);
  });
  it.each(cases)(
    'of a create of which nothing went out, or that was refused: %s',
    (error, signal, create) => {
      const fails = createFailure(error, signal, false);
      // What the service or the connection said of a request stands.
      if (error instanceof ApiFailure) expect(named(fails)).toBe(create);
      else expect(named(fails)).toBe(create.replace('unknown', 'nothing'));
    },
  );

  it('what the service said is told once', () => {
    const detail = 'subject is too long';
    const terse = new ApiFailure('refused', 'none', 'The target refused the ticket (422).', {
      status: 422,
      detail,
    });
    expect(createFailure(terse, hard.signal).problem).toEqual({
      code: 'refused',
      status: 422,
      message: 'The target refused the ticket (422). (subject is too long)',
    });
    const reported = new ApiFailure('refused', 'none', `The target refused the ticket: ${detail}.`, {
      detail,
    });
    expect(createFailure(reported, hard.signal).problem.message).toBe(
      `The target refused the ticket: ${detail}.`,
    );
  });
});

describe('the error budget', () => {
  it.each([
    [{ count: 3 }, 1_000, 3],
    [{ percent: 1 }, 250, 2],
    [{ percent: 0 }, 250, 0],
    [{ percent: 100 }, 7, 7],
  ])('%j of %i tickets: %i', (limit, total, expected) => {
    expect(allowedErrors(limit, total)).toBe(expected);
  });
  it.each([
    [undefined, 1_000, false],
    [{ allowed: 3, already: 0 }, 3, false],
    [{ allowed: 3, already: 0 }, 4, true],
    [{ allowed: 3, already: 3 }, 0, false],
    [{ allowed: 3, already: 3 }, 1, true],
  ])('%j with %i failed: exceeded %s', (budget, failed, expected) => {
    expect(exceeded(budget, failed) !== undefined).toBe(expected);
  });
});

describe('batches', () => {
  const progressOf = (size: number) => {
    const settled: BatchResult[] = [];
    return { settled, progress: new BatchProgress(size, (result) => settled.push(result)) };
  };
  it('are settled when full and all their tickets have an outcome, in any order', () => {
    const { progress, settled } = progressOf(2);
    for (const batch of [1, 1, 2, 2]) progress.took(batch);
    progress.settled(2, 'done');
    progress.settled(2, 'failed');
    progress.settled(1, 'done');
    expect(settled).toEqual([{ batch: 2, tickets: 2, done: 1, failed: 1, inDoubt: 0 }]);
    progress.settled(1, 'inDoubt');
    expect(settled[1]).toEqual({ batch: 1, tickets: 2, done: 1, failed: 0, inDoubt: 1 });
  });
  it('that are not full are settled when the next one begins, or the plan ends', () => {
    const { progress, settled } = progressOf(100);
    progress.took(3);
    progress.settled(3, 'done');
    expect(settled).toEqual([]);
    progress.took(7);
    expect(settled).toHaveLength(1);
    progress.completed();
    progress.settled(7, 'done');
    expect(settled.map(({ batch }) => batch)).toEqual([3, 7]);
  });
});

it.each([
  ['  short ', 'short'],
  ['word '.repeat(60), 'word '.repeat(40).trim()],
  ['x'.repeat(300), 'x'.repeat(200)],
])('%j is searched for as %j', (subject, expected) => {
  expect(searchText(subject)).toBe(expected);
});
