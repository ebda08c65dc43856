/**
 * Contacts that are known to exist in the target, the most recently met ones. Bounded: what it forgets is only waited for
 * once more, so forgetting costs time and never correctness.
 *
 * Two generations instead of an order: whoever is met is in the younger one, and when that is full the older one is
 * forgotten. So at least half of the capacity is always remembered, and nobody is moved within a set.
 */
export class KnownContacts {
  readonly #half: number;
  #younger = new Set<string>();
  #older: ReadonlySet<string> = new Set();

  constructor(capacity = 50_000) {
    this.#half = Math.max(1, Math.ceil(capacity / 2));
  }

  has(email: string): boolean {
    if (this.#younger.has(email)) return true;
    if (!this.#older.has(email)) return false;
    this.add(email);
    return true;
  }

  add(email: string): void {
    if (this.#younger.size >= this.#half && !this.#younger.has(email)) {
      this.#older = this.#younger;
      this.#younger = new Set();
    }
    this.#younger.add(email);
  }

  /** Remembered at most this often: one that is in both generations counts twice. */
  get size(): number {
    return this.#younger.size + this.#older.size;
  }
}
