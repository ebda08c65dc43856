import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { ApiFailure, type ApiFailureCode } from '../../src/domain/ticket-api.ts';
import { createFailure, readFailure, stepFailure } from '../../src/push/failure-meaning.ts';
import { allowedErrors, exceeded } from '../../src/push/run-control.ts';

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
