/** A smaller part of the bench of exports with known truth: what comes in is right, or it is said. */
import { expect, it } from 'vitest';
import { type Measured, measure } from '../../bench/proposals/measure.ts';

const EXPORTS = 60;

it('of exports with known truth none is silently wrong, and nearly all come in right once their questions are answered', async () => {
  const all: Measured[] = [];
  for (let seed = 1; seed <= EXPORTS; seed++) all.push(await measure(seed, 'developed'));
  const silent = all.filter(({ verdict }) => verdict === 'silent');
  const good = all.filter(({ verdict }) => verdict === 'right' || verdict === 'answered');
  expect(silent.map(({ seed, why }) => `${seed}: ${why}`)).toEqual([]);
  expect(good.length).toBeGreaterThanOrEqual(0.93 * EXPORTS);
});
