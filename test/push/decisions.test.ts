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
  const app = (code: 'unreachable' | 'disk-write') => new AppError(code, code);
  const abortError = Object.assign(new Error('aborted'), { name: 'AbortError' });
  /** What it means for a create, for what follows one and for a read, and why the run stops. */
  const cases: [
    error: unknown,
    create: string,
    step: string,
    read: string,
    stop?: string | undefined,
    hard?: AbortSignal,
  ][] = [
    [api('refused', 'none'), 'refused', 'refused', 'again'],
    [api('refused', 'unknown'), 'unknown', 'refused', 'again'],
    [api('auth', 'none'), 'nothing', 'unfinished', 'stopped', 'auth'],
    [api('auth', 'unknown'), 'unknown', 'unfinished', 'stopped', 'auth'],
    [api('target-unreadable', 'none'), 'refused', 'refused', 'unreadable'],
    [api('unreachable', 'none'), 'nothing', 'unfinished', 'stopped', 'unreachable'],
    [api('unreachable', 'unknown'), 'unknown', 'unfinished', 'stopped', 'unreachable'],
    [api('unknown-outcome', 'unknown'), 'unknown', 'refused', 'again'],
    [api('unknown-outcome', 'none'), 'refused', 'refused', 'again'],
    [api('cut-off', 'unknown'), 'unknown', 'unfinished', 'stopped'],
    [api('cut-off', 'none'), 'nothing', 'unfinished', 'stopped'],
    [app('unreachable'), 'unknown', 'unfinished', 'stopped', 'unreachable'],
    [app('disk-write'), 'unknown', 'unfinished', 'stopped', 'disk-write'],
    [new TypeError('x'), 'unknown', 'unfinished', 'stopped', 'defect'],
    [abortError, 'unknown', 'unfinished', 'stopped', 'defect'],
    [aborted.reason, 'nothing', 'unfinished', 'stopped', undefined, aborted],
    [abortError, 'unknown', 'unfinished', 'stopped', undefined, aborted],
  ];
  const stopOf = (meaning: { stop?: unknown }) => {
    if (!('stop' in meaning)) return undefined;
    return meaning.stop instanceof AppError ? meaning.stop.code : 'defect';
  };
  it.each(cases)('%s: %s, %s, %s', (error, create, step, read, stop, signal = hard.signal) => {
    const meanings = [createFailure(error, signal), stepFailure(error, signal), readFailure(error, signal)];
    expect(meanings.map(({ outcome }) => outcome)).toEqual([create, step, read]);
    expect(meanings.map(stopOf)).toEqual([stop, stop, stop]);
    // Where nothing went out, or it was refused: what the service or the connection said of the request counts.
    const { outcome } = createFailure(error, signal, false);
    expect(outcome).toBe(error instanceof ApiFailure ? create : create.replace('unknown', 'nothing'));
  });

  it('what the service said is quoted once', () => {
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
