import { describe, expect, it } from 'vitest';
import { backoff, backoffCeiling, steadyBackoff } from '../../src/target/backoff.ts';

const rules = { firstMs: 100, maxMs: 1_000 };

describe('backoff', () => {
  it.each([
    [1, 100],
    [2, 200],
    [3, 400],
    [4, 800],
    [5, 1_000],
    [5_000, 1_000],
    [0, 100],
  ])('the wait before retry %i is at most %i ms', (retry, ceiling) => {
    expect(backoffCeiling(retry, rules)).toBe(ceiling);
  });

  it('spreads over the whole wait, so that requests that failed together do not come back together', () => {
    expect(backoff(3, () => 0, rules)).toBe(0);
    expect(backoff(3, () => 0.5, rules)).toBe(200);
    expect(backoff(3, () => 0.999, rules)).toBeLessThan(400);
  });

  it('a steady one never waits less than half', () => {
    expect(steadyBackoff(3, () => 0, rules)).toBe(200);
    expect(steadyBackoff(3, () => 0.999, rules)).toBeLessThan(400);
  });
});
