/**
 * A sample of a column's keys in bounded memory: the keys with the smallest hashes. All columns are sampled by the same
 * hash, so a key that is in the samples' common range is in both samples or missing from one of the columns: how well
 * two columns match, and how many different keys there are, can be told from the samples alone, whatever the order of rows.
 */
import { hashOf } from '../domain/hash.ts';

/** Keys kept at most: the error of a share is about 1.5 percentage points. */
const SKETCH_SIZE = 1024;
/** Hashes are evenly spread below this. */
const RANGE = 2 ** 53;

export class KeySketch {
  readonly #size: number;
  /** How often each kept key stood: a key below the limit was never dropped, so its count is complete. */
  #hashes = new Map<number, number>();
  #added = 0;
  /** Only smaller hashes are kept. */
  #limit = RANGE;

  constructor(size = SKETCH_SIZE) {
    this.#size = size;
  }

  add(key: string): void {
    this.#added++;
    const hash = hashOf(key);
    if (hash >= this.#limit) return;
    this.#hashes.set(hash, (this.#hashes.get(hash) ?? 0) + 1);
    // cut when it has doubled: a cut is rarely needed, and cheap on average
    if (this.#hashes.size >= 2 * this.#size) this.#cut();
  }

  /** Number of different keys: exact below the size of the sample, else from how often the kept ones stood. */
  distinct(): { readonly count: number; readonly exact: boolean } {
    this.#cutIfLarger();
    if (this.#limit === RANGE) return { count: this.#hashes.size, exact: true };
    let seen = 0;
    for (const count of this.#hashes.values()) seen += count;
    return { count: Math.round((this.#added * this.#hashes.size) / Math.max(1, seen)), exact: false };
  }

  /** Of this column's different keys, how many of those compared are keys of the other column too. */
  matches(other: KeySketch): { readonly found: number; readonly compared: number } {
    this.#cutIfLarger();
    other.#cutIfLarger();
    const limit = Math.min(this.#limit, other.#limit);
    let found = 0;
    let compared = 0;
    for (const hash of this.#hashes.keys()) {
      if (hash >= limit) continue;
      compared++;
      if (other.#hashes.has(hash)) found++;
    }
    return { found, compared };
  }

  #cutIfLarger(): void {
    if (this.#hashes.size > this.#size) this.#cut();
  }

  #cut(): void {
    const sorted = [...this.#hashes].sort(([a], [b]) => a - b);
    this.#limit = sorted[this.#size]?.[0] ?? this.#limit;
    this.#hashes = new Map(sorted.slice(0, this.#size));
  }
}
