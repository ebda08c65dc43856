/**
 * Ways of doing the same work, measured side by side: round by round each of them once, so that whatever else the
 * machine does meets all of them alike. What counts is the median over the rounds of the ratio within a round.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface Way {
  readonly name: string;
  /** One run; gives its figure, greater is better (a rate) or smaller is better (a time), the same for all ways. */
  readonly run: () => Promise<number>;
}

export interface Measured {
  readonly name: string;
  readonly figures: readonly number[];
  readonly median: number;
}

export const ROUNDS = 5;

/** A round before the first one warms up and is not counted. */
export async function sideBySide(
  ways: readonly Way[],
  rounds = ROUNDS,
  warmUp = true,
): Promise<readonly Measured[]> {
  const figures = ways.map((): number[] => []);
  for (let round = warmUp ? -1 : 0; round < rounds; round++) {
    for (const [index, way] of ways.entries()) {
      collect();
      const figure = await way.run();
      if (round >= 0) figures[index]?.push(figure);
    }
  }
  return ways.map(({ name }, index) => {
    const own = figures[index] ?? [];
    return { name, figures: own, median: median(own) };
  });
}

/** None pays for the garbage that another one left behind. */
const collect = (() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();

/** Median over the rounds of `a / b` within a round. */
export function ratio(a: Measured | undefined, b: Measured | undefined): number {
  return median((a?.figures ?? []).map((figure, round) => figure / (b?.figures[round] ?? Number.NaN)));
}

export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
