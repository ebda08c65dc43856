import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CONCURRENCY_RULES,
  type ConcurrencyState,
  learnConcurrency,
  type RequestSample,
  startConcurrency,
} from '../../../src/target/pace/concurrency-limit.ts';

const rules = { min: 4, max: 256, initial: 16 };

/** A target that works on `workers` requests at once, each for `serviceMs`; the others wait in line. */
function run(
  workers: number,
  serviceMs: number,
  rounds: number,
  from = startConcurrency(rules),
  used = 1,
): ConcurrencyState {
  let state = from;
  for (let n = 0; n < rounds; n++) {
    const inFlight = Math.max(1, Math.floor(state.limit * used));
    const milliseconds = serviceMs * Math.max(1, inFlight / workers);
    for (let i = 0; i < inFlight; i++)
      state = learnConcurrency(state, { milliseconds, inFlight, outcome: 'ok' }, rules);
  }
  return state;
}

const overload: RequestSample = { milliseconds: 30_000, inFlight: 16, outcome: 'overload' };

describe('the concurrency limit', () => {
  it.each([
    { workers: 24, serviceMs: 50 },
    { workers: 40, serviceMs: 25 },
    { workers: 64, serviceMs: 200 },
    { workers: 128, serviceMs: 5 },
  ])(
    'finds the knee of a target with $workers workers: all of them busy, the line no longer than they are many',
    ({ workers, serviceMs }) => {
      const { limit } = run(workers, serviceMs, 400);
      expect(limit).toBeGreaterThanOrEqual(workers);
      expect(limit).toBeLessThanOrEqual(workers * 2);
    },
  );

  it('uses what it may where the target has no knee', () => {
    expect(run(100_000, 50, 100).limit).toBe(rules.max);
  });

  it('doubles until the first sign of the knee and is there within a few rounds', () => {
    expect(run(100_000, 50, 5).limit).toBeGreaterThanOrEqual(128);
  });

  it('does not grow while it is not in use', () => {
    expect(run(100_000, 50, 1_000, startConcurrency(rules), 0.5).limit).toBe(16);
  });

  it('shrinks at the first time-out or 5xx, once a round, and no more for those that follow', () => {
    const one = learnConcurrency(startConcurrency(rules), overload, rules);
    expect(one.limit).toBe(11);
    const more = [overload, overload, overload].reduce(
      (state, sample) => learnConcurrency(state, sample, rules),
      one,
    );
    expect(more.limit).toBe(11);
  });

  it('shrinks round by round while trouble goes on, never below its minimum, and comes back afterwards', () => {
    let state = startConcurrency(rules);
    for (let round = 0; round < 20; round++) {
      state = learnConcurrency(state, overload, rules);
      for (let i = 0; i < 16; i++)
        state = learnConcurrency(state, { milliseconds: 50, inFlight: 16, outcome: 'ok' }, rules);
    }
    expect(state.limit).toBeLessThanOrEqual(rules.min + 1);
    expect(run(100_000, 50, 300, state).limit).toBeGreaterThan(100);
  });

  it('learns that a target has become slower, instead of shrinking for ever', () => {
    const fast = run(64, 20, 200);
    const slow = run(64, 60, 800, fast);
    expect(slow.limit).toBeGreaterThanOrEqual(64);
  });

  it('samples that say nothing change nothing', () => {
    const state = startConcurrency(rules);
    expect(learnConcurrency(state, { milliseconds: 1, inFlight: 16, outcome: 'ignore' }, rules)).toBe(state);
  });

  it('stays within its bounds whatever it is told', () => {
    const samples = fc.array(
      fc.record({
        milliseconds: fc.double({ min: 0, max: 1e6, noNaN: true }),
        inFlight: fc.integer({ min: 1, max: 500 }),
        outcome: fc.constantFrom('ok' as const, 'overload' as const, 'ignore' as const),
      }),
      { maxLength: 500 },
    );
    fc.assert(
      fc.property(samples, (all) => {
        let state = startConcurrency();
        for (const sample of all) {
          state = learnConcurrency(state, sample);
          expect(state.limit).toBeGreaterThanOrEqual(CONCURRENCY_RULES.min);
          expect(state.limit).toBeLessThanOrEqual(CONCURRENCY_RULES.max);
          expect(Number.isInteger(state.limit)).toBe(true);
        }
      }),
    );
  });
});
