/** Counts of distinct values in bounded memory: past the bound, new values are counted together. */

export class ValueCounts {
  readonly #counts = new Map<string, number>();
  readonly #most: number;
  /** Occurrences of values that no longer fit. */
  others = 0;

  constructor(most = 1000) {
    this.#most = most;
  }

  add(value: string, by = 1): void {
    const key = value.length > 200 ? `${value.slice(0, 199)}…` : value;
    const count = this.#counts.get(key);
    if (count !== undefined) this.#counts.set(key, count + by);
    else if (this.#counts.size < this.#most) this.#counts.set(key, by);
    else this.others += by;
  }

  /** Most frequent first, ties as they came; what did not fit stands last. */
  entries(): [string, number][] {
    const sorted = [...this.#counts].sort((a, b) => b[1] - a[1]);
    return this.others > 0 ? [...sorted, ['(other values)', this.others]] : sorted;
  }

  clear(): void {
    this.#counts.clear();
    this.others = 0;
  }
}
