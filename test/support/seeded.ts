/** Random numbers that are the same on every machine and in every run. */

/** 32 well-mixed bits of a list of integers: random access to a stream of choices without keeping any state. */
export function mix(...parts: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const part of parts) {
    hash = Math.imul(hash ^ (part | 0), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
    hash = (hash + 0x9e3779b9) | 0;
  }
  return hash >>> 0;
}

export interface Seeded {
  /** Uniform in [0, 1). */
  random(): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  pick<T>(list: readonly T[]): T;
  /** True in `percent` of 100 cases. */
  chance(percent: number): boolean;
  /** The same entries in another order; the list stays as it is. */
  shuffled<T>(list: readonly T[]): T[];
}

export function seeded(...seed: readonly number[]): Seeded {
  let state = mix(...seed);
  // mulberry32
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  return {
    random,
    between,
    pick: (list) => {
      if (list.length === 0) throw new Error('There is nothing to pick from.');
      return list[between(0, list.length - 1)] as (typeof list)[number];
    },
    chance: (percent) => random() * 100 < percent,
    shuffled: (list) => {
      const copy = [...list];
      for (let at = copy.length - 1; at > 0; at--) {
        const other = between(0, at);
        [copy[at], copy[other]] = [copy[other] as (typeof copy)[number], copy[at] as (typeof copy)[number]];
      }
      return copy;
    },
  };
}
