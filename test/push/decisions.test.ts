import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { ApiFailure, type ApiFailureCode } from '../../src/domain/ticket-api.ts';
import { BatchProgress, type BatchResult } from '../../src/push/batch-progress.ts';
import { allowedErrors, exceeded } from '../../src/push/error-budget.ts';
import { createFailure, readFailure, stepFailure } from '../../src/push/failure-meaning.ts';
import { likenessOf } from '../../src/push/identity.ts';
import { searchText } from '../../src/push/list-trust.ts';
import { type Match, matchTicket } from '../../src/push/match-ticket.ts';
import { decideDoubt, type Look, type SettleDecision } from '../../src/push/settle-decision.ts';

const INTENT = {
  subject: 'Where is it?',
  createdAt: '2024-03-01T10:00:00.250Z',
  email: 'mia@example.com',
  at: 0,
};

describe('is this the ticket that the create may have made', () => {
  const exact = {
    id: 'T1',
    subject: 'Where is it?',
    createdAt: '2024-03-01T10:00:00.250Z',
    contact: { id: 'C1', email: 'mia@example.com' },
  };
  const { email: _, ...nobody } = INTENT;
  const byId = { ...nobody, contactId: 'C1' };
  it.each<
    [what: string, told: object, wanted: typeof nobody & { email?: string; contactId?: string }, Match]
  >([
    ['all three are equal', {}, INTENT, 'same'],
    [
      'the time is written with another offset',
      { createdAt: '2024-03-01T12:00:00.25+02:00' },
      INTENT,
      'same',
    ],
    ['the time is told in milliseconds', { createdAt: Date.parse(INTENT.createdAt) }, INTENT, 'same'],
    ['the address is written otherwise', { contact: { email: ' Mia@Example.com' } }, INTENT, 'same'],
    ['the subject was trimmed', { subject: 'Where  is it? ' }, INTENT, 'same'],
    ['another subject', { subject: 'Where is it' }, INTENT, 'different'],
    ['another time', { createdAt: '2024-03-01T10:00:00.251Z' }, INTENT, 'different'],
    ['a time kept to the second', { createdAt: '2024-03-01T10:00:00Z' }, INTENT, 'untold'],
    ['another contact', { contact: { id: 'C1', email: 'tom@example.com' } }, INTENT, 'different'],
    ['no contact told', { contact: undefined }, INTENT, 'untold'],
    ['only an id of the contact', { contact: undefined, contactId: 'C1' }, INTENT, 'untold'],
    ['no time told', { createdAt: undefined }, INTENT, 'untold'],
    ['a time that is none', { createdAt: 'yesterday' }, INTENT, 'untold'],
    ['no subject told', { subject: null }, INTENT, 'untold'],
    ['nothing told but another subject', { subject: 'x', createdAt: undefined }, INTENT, 'different'],
    ['the contact is linked by id', { contact: undefined, contactId: 'C1' }, byId, 'same'],
    ['the contact is linked by id and told whole', {}, byId, 'same'],
    ['another contact is linked', { contact: { id: 'C2' } }, byId, 'different'],
    ['no contact, and none told', { contact: null }, nobody, 'same'],
    ['no contact, and one is there', {}, nobody, 'different'],
  ])('%s', (_, told, wanted, expected) => {
    expect(matchTicket({ ...exact, ...told }, wanted)).toBe(expected);
  });
});

describe('what is done about a doubt', () => {
  const rules = { settleMs: 2_000, timeoutMs: 30_000 };
  const adopt: SettleDecision = { do: 'adopt', ticketId: 'T1' };
  const absent: SettleDecision = { do: 'believe-absent' };
  const look: Look = { same: [], untold: [], looks: 1, sinceIntentMs: 0 };
  it.each<[what: string, look: Partial<Look>, SettleDecision]>([
    ['one match is adopted', { same: ['T1'] }, adopt],
    ['also when others may match', { same: ['T1'], untold: ['T2'] }, adopt],
    ['several stay in doubt', { same: ['T1', 'T2'] }, { do: 'hold', because: 'several' }],
    [
      'one of which too little is told stays in doubt',
      { untold: ['T1'] },
      { do: 'hold', because: 'unclear' },
    ],
    ['and time does not change that', { untold: ['T1'], looks: 3 }, { do: 'hold', because: 'unclear' }],
    ['none at first: look again', {}, { do: 'look-again', afterMs: 2_000 }],
    ['none at the second look: look again, later', { looks: 2 }, { do: 'look-again', afterMs: 4_000 }],
    ['none at the third: it does not exist', { looks: 3 }, absent],
    ['none, and it was sent long ago: it does not exist', { sinceIntentMs: 36_000 }, absent],
    ['none, and it may still be under way', { sinceIntentMs: 35_999 }, { do: 'look-again', afterMs: 2_000 }],
    ['found late is found', { same: ['T1'], looks: 3, sinceIntentMs: 99_000 }, adopt],
  ])('%s', (_, seen, expected) => {
    expect(decideDoubt({ ...look, ...seen }, rules)).toEqual(expected);
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
      'nothing, stop unreachable',
      'unfinished, stop unreachable',
      'stopped, stop unreachable',
    ],
    [app('auth'), hard.signal, 'nothing, stop auth', 'unfinished, stop auth', 'stopped, stop auth'],
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
    const told = new ApiFailure('refused', 'none', `The target refused the ticket: ${detail}.`, { detail });
    expect(createFailure(told, hard.signal).problem.message).toBe(
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

describe('recognising tickets', () => {
  const ticket = { subject: 's', createdAt: 't', contact: { email: 'e' } };
  it.each([
    [{ ...ticket, contact: { email: 'e', name: 'N' }, tags: ['x'] }, true],
    [{ ...ticket, subject: 's2' }, false],
    [{ ...ticket, createdAt: 't2' }, false],
    [{ ...ticket, contact: { email: 'e2' } }, false],
    [{ subject: 's', createdAt: 't' }, false],
  ])('%j looks the same: %s', (other, expected) => {
    expect(likenessOf(other) === likenessOf(ticket)).toBe(expected);
  });

  it.each([
    ['  short ', 'short'],
    ['word '.repeat(60), 'word '.repeat(40).trim()],
    ['x'.repeat(300), 'x'.repeat(200)],
  ])('%j is searched for as %j', (subject, expected) => {
    expect(searchText(subject)).toBe(expected);
  });
});
