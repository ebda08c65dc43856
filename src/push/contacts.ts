/**
 * Tickets that share an unknown contact go one at a time: two creates with one new contact make it twice. A ticket
 * takes all its contacts at once, in order of arrival, so nothing deadlocks or starves. Pure.
 */

/** Above this all are forgotten, which costs one wait for each. */
const MOST_KNOWN = 50_000;

export interface HeldContacts {
  know(email: string): void;
  release(): void;
}

interface Waiting<T> {
  readonly item: T;
  readonly contacts: readonly string[];
}

export class ContactLine<T> {
  readonly #known = new Set<string>();
  readonly #heldBy = new Map<string, HeldContacts>();
  readonly #waiting: Waiting<T>[] = [];
  readonly #mostKnown: number;

  constructor(mostKnown = MOST_KNOWN) {
    this.#mostKnown = mostKnown;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get hasReady(): boolean {
    return this.#ready >= 0;
  }

  isKnown(email: string): boolean {
    return this.#known.has(email);
  }

  offer(item: T, contacts: readonly string[]): void {
    this.#waiting.push({ item, contacts });
  }

  take(): { readonly item: T; readonly held: HeldContacts } | undefined {
    const [next] = this.hasReady ? this.#waiting.splice(this.#ready, 1) : [];
    if (next === undefined) return undefined;
    const contacts = next.contacts.filter((email) => !this.#known.has(email));
    const held: HeldContacts = {
      know: (email) => this.#know(email),
      release: () => {
        for (const email of contacts) if (this.#heldBy.get(email) === held) this.#heldBy.delete(email);
      },
    };
    for (const email of contacts) this.#heldBy.set(email, held);
    return { item: next.item, held };
  }

  get #ready(): number {
    const wanted = new Set<string>();
    return this.#waiting.findIndex(({ contacts }) => {
      const unknown = contacts.filter((email) => !this.#known.has(email));
      if (unknown.every((email) => !this.#heldBy.has(email) && !wanted.has(email))) return true;
      for (const email of unknown) wanted.add(email);
      return false;
    });
  }

  #know(email: string): void {
    if (this.#known.size >= this.#mostKnown) this.#known.clear();
    this.#known.add(email);
    this.#heldBy.delete(email);
  }
}
