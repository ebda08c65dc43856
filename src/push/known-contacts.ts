/**
 * Contacts that are known to exist in the target, the most recently met ones. Bounded: what it forgets is only waited for
 * once more, so forgetting costs time and never correctness.
 */
export class KnownContacts {
  readonly #capacity: number;
  /** In the order in which they were last met. */
  readonly #emails = new Set<string>();

  constructor(capacity = 50_000) {
    this.#capacity = capacity;
  }

  has(email: string): boolean {
    if (!this.#emails.delete(email)) return false;
    this.#emails.add(email);
    return true;
  }

  add(email: string): void {
    this.#emails.delete(email);
    this.#emails.add(email);
    if (this.#emails.size <= this.#capacity) return;
    for (const oldest of this.#emails) {
      this.#emails.delete(oldest);
      return;
    }
  }

  get size(): number {
    return this.#emails.size;
  }
}
