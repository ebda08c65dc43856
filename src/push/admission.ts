/**
 * Who may start: tickets that share a key which is not free wait for each other, all others go past them.
 *
 * A key is a contact that is not known to exist yet (a service that looks for a contact and then creates it makes two of one
 * when two requests carry it at once), or the likeness of a ticket (identity.ts). Every key has a line, first come first
 * served. A ticket joins the lines of all its keys in one step, when it is offered, and may start when it is at the front of
 * all of them. So it reserves all its keys at once or none; tickets wait only for tickets that were offered before them,
 * hence no circle and no starving; and whoever shares no key with anybody waits for nobody.
 *
 * Pure: no time, no promises. The number of tickets offered and not yet released is the caller's to bound.
 */
import type { KnownContacts } from './known-contacts.ts';

export interface Admitted<T> {
  readonly item: T;
  /** The contact exists now, whoever waits for it need not any more. */
  know(email: string): void;
  /** Gives back one key, or all that are still reserved; whoever is next in line moves up. May be repeated. */
  release(key?: string): void;
}

interface Entry<T> {
  readonly item: T;
  /** Keys in whose lines it stands. */
  readonly keys: Set<string>;
  /** In how many of them somebody stands before it. */
  ahead: number;
}

export class Admission<T> {
  readonly #known: KnownContacts;
  readonly #lines = new Map<string, Entry<T>[]>();
  readonly #ready = new Map<Entry<T>, true>();
  #waiting = 0;

  constructor(known: KnownContacts) {
    this.#known = known;
  }

  /** Offered and not yet taken. */
  get waiting(): number {
    return this.#waiting;
  }

  get hasReady(): boolean {
    return this.#ready.size > 0;
  }

  offer(item: T, keys: Iterable<string>): void {
    const entry: Entry<T> = { item, keys: new Set(), ahead: 0 };
    for (const key of keys) {
      if (entry.keys.has(key) || this.#known.has(key)) continue;
      entry.keys.add(key);
      const line = this.#lines.get(key);
      if (line === undefined) this.#lines.set(key, [entry]);
      else {
        line.push(entry);
        entry.ahead += 1;
      }
    }
    this.#waiting += 1;
    if (entry.ahead === 0) this.#ready.set(entry, true);
  }

  /** The one that has been ready for the longest. */
  take(): Admitted<T> | undefined {
    for (const entry of this.#ready.keys()) {
      this.#ready.delete(entry);
      this.#waiting -= 1;
      return {
        item: entry.item,
        know: (email) => this.#know(email),
        release: (key) => this.#release(entry, key),
      };
    }
    return undefined;
  }

  #know(email: string): void {
    this.#known.add(email);
    const line = this.#lines.get(email);
    if (line === undefined) return;
    this.#lines.delete(email);
    for (const [place, entry] of line.entries()) {
      entry.keys.delete(email);
      if (place > 0) this.#moveUp(entry);
    }
  }

  #release(entry: Entry<T>, key: string | undefined): void {
    for (const held of key === undefined ? [...entry.keys] : [key]) {
      if (!entry.keys.delete(held)) continue;
      const line = this.#lines.get(held) ?? [];
      // Whoever was admitted is at the front of all its lines.
      line.shift();
      const next = line[0];
      if (next === undefined) this.#lines.delete(held);
      else this.#moveUp(next);
    }
  }

  #moveUp(entry: Entry<T>): void {
    entry.ahead -= 1;
    if (entry.ahead === 0) this.#ready.set(entry, true);
  }
}
