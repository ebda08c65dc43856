/** Whether the time of an expression grows faster than its text. */
import { PALETTE, sampler } from './regex-samples.ts';

interface Slow {
  readonly prefix: string;
  readonly pump: string;
  readonly suffix: string;
  readonly ratio: number;
}

const ATTACKS = 130;
/** Below this a measurement says more about the machine than about the expression. */
const MEASURABLE_MS = 4;
/** In small steps: where each character doubles the time, the next one takes eight times as long and not a thousand. */
const TINY = [8, 11, 14, 17, 20, 23, 26, 29, 32, 35, 38];
const SIZES = [40, 60, 90, 135, 200, 300, 500, 1500, 6000, 20_000];
/** At the first size that can be measured: the one before took a fortieth at most. */
const RUNAWAY_MS = 40 * MEASURABLE_MS;
const HIGHEST_RATIO = 3;
/** From here on eight times the text would take minutes. */
const RUNAWAY_RATIO = 20;

/** The first attack under which text twice as long takes more than three times as long; undefined if no attack is found. */
export function superlinear(regex: RegExp, seed = 1): Slow | undefined {
  let state = seed;
  const pick = (count: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return count < 1 ? 0 : (state >>> 8) % count;
  };
  const sample = sampler(regex.source, regex.flags);
  for (let attack = 0; attack < ATTACKS; attack++) {
    const near = sample(pick);
    const from = pick(near.length + 1);
    const whole = [...near];
    const slice = near.slice(
      ...([
        [from, from + 1 + pick(8)],
        [0, from],
      ][pick(2)] as [number, number]),
    );
    const pump = (pick(3) === 0 ? '' : slice) || (PALETTE[pick(PALETTE.length)] ?? 'a');
    const prefix = pick(3) === 0 ? '' : near.slice(0, from);
    const suffix = ['', '\u0001', 'x!', whole.at(-1) ?? ''][pick(4)] ?? '';
    const text = (size: number) => prefix + pump.repeat(Math.ceil(size / pump.length)) + suffix;
    // a text of so few characters takes measurable time where each doubles it
    if (
      TINY.some(
        (length) =>
          fastest(regex, text(length), 1) >= MEASURABLE_MS &&
          fastest(regex, text(length), 4) >= MEASURABLE_MS,
      )
    )
      return { prefix, pump, suffix, ratio: Number.POSITIVE_INFINITY };
    const size = SIZES.find((length) => fastest(regex, text(length), 1) >= MEASURABLE_MS);
    if (size === undefined) continue;
    const short = fastest(regex, text(size), 2);
    if (short < MEASURABLE_MS) continue;
    // The size before took less than could be measured: two more tries, or texts a quarter longer, might not end.
    if (short > RUNAWAY_MS) return { prefix, pump, suffix, ratio: Number.POSITIVE_INFINITY };
    // Where each character multiplies the time, twice the text would take years.
    if (fastest(regex, text(1.25 * size), 4) / short > HIGHEST_RATIO)
      return { prefix, pump, suffix, ratio: Number.POSITIVE_INFINITY };
    const ratio = fastest(regex, text(2 * size), 3) / short;
    if (ratio <= HIGHEST_RATIO) continue;
    // A bounded repetition grows like a square until its bound is reached, and a busy machine lengthens one try:
    // what is slow still grows as fast with eight times the text.
    if (
      ratio > RUNAWAY_RATIO ||
      fastest(regex, text(8 * size), 1) / fastest(regex, text(4 * size), 3) > HIGHEST_RATIO
    )
      return { prefix, pump, suffix, ratio };
  }
  return undefined;
}

/** Milliseconds of processor time, which others on the machine do not lengthen, of the fastest of `times` tries. Global expressions are used as `replace` does. */
function fastest(regex: RegExp, text: string, times: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times; time++) {
    regex.lastIndex = 0;
    const began = process.cpuUsage();
    if (regex.global) text.replace(regex, '');
    else regex.exec(text);
    const { user, system } = process.cpuUsage(began);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
