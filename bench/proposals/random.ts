/** Chance that is the same on every machine: one seed, one export. */

export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2654435761 + 88675123) >>> 0;
    for (let n = 0; n < 8; n++) this.next();
  }

  /** 0 ≤ x < 1 */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  happens(share: number): boolean {
    return this.next() < share;
  }

  one<T>(all: readonly T[]): T {
    const picked = all[Math.floor(this.next() * all.length)];
    if (picked === undefined) throw new Error('Nothing to choose from.');
    return picked;
  }

  shuffled<T>(all: readonly T[]): T[] {
    return all
      .map((item) => ({ item, at: this.next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  }
}
