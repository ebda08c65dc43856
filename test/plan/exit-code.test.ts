import { describe, expect, it } from 'vitest';
import { AppError, type ErrorCode, exitCodeOf } from '../../src/domain/errors.ts';
import { emptyCounts, type OutcomeCounts } from '../../src/domain/ticket-state.ts';

const counts = (parts: Partial<OutcomeCounts>) => ({ ...emptyCounts(), ...parts });
const stopped = (...codes: ErrorCode[]) => codes.map((code) => new AppError(code, code));

describe('the exit code is the first of 130/143, 5, 6, 4, 3, 0', () => {
  it.each([
    ['all done', counts({ read: 3, done: 3 }), stopped(), 0],
    ['nothing in the export', counts({}), stopped(), 0],
    ['some skipped', counts({ skipped: 3 }), stopped(), 0],
    ['a dry run with valid tickets', counts({ pending: 3 }), stopped(), 0],
    ['one rejected', counts({ done: 3, rejected: 1 }), stopped(), 3],
    ['one failed', counts({ done: 3, failed: 1 }), stopped(), 3],
    ['one in doubt', counts({ inDoubt: 1 }), stopped(), 4],
    ['in doubt and failed', counts({ inDoubt: 1, failed: 1 }), stopped(), 4],
    ['error budget spent', counts({ failed: 9 }), stopped('error-budget'), 6],
    ['unreachable, some in doubt', counts({ inDoubt: 1 }), stopped('unreachable'), 6],
    ['disk full', counts({}), stopped('disk-write'), 6],
    ['auth after unreachable', counts({ inDoubt: 1 }), stopped('unreachable', 'auth'), 5],
    ['interrupted while auth failed', counts({ failed: 1 }), stopped('auth', 'interrupted'), 130],
    ['terminated', counts({ inDoubt: 1 }), stopped('terminated'), 143],
    ['another checkpoint', counts({}), stopped('checkpoint'), 2],
    ['wrong settings', counts({}), stopped('configuration'), 2],
    ['a defect, whatever else', counts({ inDoubt: 1 }), stopped('internal', 'interrupted'), 1],
  ])('%s', (_, tickets, stoppedBy, code) => {
    expect(exitCodeOf({ tickets, stoppedBy })).toBe(code);
  });

  it('a run that left tickets pending is not over, for any reason', () => {
    expect(exitCodeOf({ tickets: counts({ done: 8, pending: 1 }), mustReachAll: true })).toBe(6);
    expect(exitCodeOf({ tickets: counts({ done: 9 }), mustReachAll: true })).toBe(0);
  });

  it('a failed check of a trial makes 3', () => {
    expect(exitCodeOf({ tickets: counts({ done: 8 }), isFlawed: true })).toBe(3);
  });
});
