import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { ApiFailure, type ApiFailureCode } from '../../src/domain/ticket-api.ts';
import { createFailure, failureOf, problemIn, RunEnds } from '../../src/push/failure-meaning.ts';
import { allowedErrors, exceeded } from '../../src/push/run-control.ts';

describe('what a failure means', () => {
  const hard = new AbortController();
  const aborted = AbortSignal.abort(new Error('second signal'));
  const api = (code: ApiFailureCode, effect: 'none' | 'unknown') =>
    new ApiFailure(code, effect, `It is ${code}.`);
  const app = (code: 'unreachable' | 'disk-write') => new AppError(code, code);
  const abortError = Object.assign(new Error('aborted'), { name: 'AbortError' });
  /** What it means for a create, whether the run ends with it, and why. */
  const cases: [
    error: unknown,
    create: string,
    ends: boolean,
    reason?: string | undefined,
    hard?: AbortSignal,
  ][] = [
    [api('refused', 'none'), 'refused', false],
    [api('refused', 'unknown'), 'unknown', false],
    [api('auth', 'none'), 'nothing', true, 'auth'],
    [api('auth', 'unknown'), 'unknown', true, 'auth'],
    [api('target-unreadable', 'none'), 'refused', false],
    [api('unreachable', 'none'), 'nothing', true, 'unreachable'],
    [api('unreachable', 'unknown'), 'unknown', true, 'unreachable'],
    [api('unknown-outcome', 'unknown'), 'unknown', false],
    [api('unknown-outcome', 'none'), 'refused', false],
    [api('cut-off', 'unknown'), 'unknown', true],
    [api('cut-off', 'none'), 'nothing', true],
    [app('unreachable'), 'unknown', true, 'unreachable'],
    [app('disk-write'), 'unknown', true, 'disk-write'],
    [new TypeError('x'), 'unknown', true, 'defect'],
    [abortError, 'unknown', true, 'defect'],
    [aborted.reason, 'nothing', true, undefined, aborted],
    [abortError, 'unknown', true, undefined, aborted],
    [new TypeError('x'), 'unknown', true, 'defect', aborted],
    [new RunEnds(), 'unknown', true],
    [new RunEnds(app('disk-write')), 'unknown', true, 'disk-write'],
  ];
  it.each(cases)('%s: %s, and ends the run: %s', (error, create, ends, reason, signal = hard.signal) => {
    const failure = failureOf(error, signal);
    expect(failure.ends !== undefined).toBe(ends);
    const found = failure.ends?.reason;
    expect(found instanceof AppError ? found.code : found && 'defect').toBe(reason);
    expect(createFailure(error, signal)).toEqual({ ...failure, outcome: create });
    // Where nothing went out, or it was refused: what the service or the connection said of the request counts.
    const { outcome } = createFailure(error, signal, false);
    expect(outcome).toBe(error instanceof ApiFailure ? create : create.replace('unknown', 'nothing'));
  });

  it('a failure that ends the run is thrown, any other one is the problem of its ticket', () => {
    expect(() => problemIn(api('auth', 'none'), hard.signal)).toThrow(RunEnds);
    expect(problemIn(api('refused', 'none'), hard.signal)).toMatchObject({ code: 'refused' });
    expect(failureOf(new TypeError('x'), hard.signal).problem).toEqual({ code: 'cut-off', message: 'x' });
  });

  it.each([
    ['auth', /Check the token/],
    ['unreachable', /Check the base URL/],
  ] as const)('%s ends the run with what to check', (code, hint) => {
    expect(failureOf(api(code, 'none'), hard.signal).ends?.reason).toMatchObject({
      hint: expect.stringMatching(hint),
    });
  });

  it('what the service said is quoted once', () => {
    const detail = 'subject is too long';
    const terse = new ApiFailure('refused', 'none', 'The helpdesk refused the ticket (422).', {
      status: 422,
      detail,
    });
    expect(createFailure(terse, hard.signal).problem).toEqual({
      code: 'refused',
      status: 422,
      message: 'The helpdesk refused the ticket (422). (subject is too long)',
    });
    const reported = new ApiFailure('refused', 'none', `The helpdesk refused the ticket: ${detail}.`, {
      detail,
    });
    expect(createFailure(reported, hard.signal).problem.message).toBe(
      `The helpdesk refused the ticket: ${detail}.`,
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
