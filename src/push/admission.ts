/**
 * Who may start: tickets that share a key which is not free wait for each other, all others go past them.
 *
 * A key is a contact that is not known to exist yet (a service that looks for a contact and then creates it makes two of one
 * when two requests carry it at once). Every key has a line, first come first served. A ticket joins the lines of all its keys in one step, when it is offered, and may start when it is at the front of
 * all of them. So it reserves all its keys at once or none; tickets wait only for tickets that were offered before them,
 * hence no circle and no starving; and a ticket that shares no key waits for none.
 *
 * Pure: no time, no promises. The number of tickets offered and not yet released is the caller's to bound.
 */

export interface Admitted<T> {
  readonly item: T;
  /** The contact exists now, tickets that wait for it may go on. */
  know(email: string): void;
  /** Gives back one key, or all that are still reserved; the next in line moves up. May be repeated. */
  release(key?: string): void;
}

export class Admission<T> {
  readonly #known: KnownContacts;
  readonly #lines = new Map<string, Entry<T>[]>();
  /** First come first served, from `#next` on. */
  #ready: Entry<T>[] = [];
  #next = 0;
  #waiting = 0;

  constructor(known: KnownContacts) {
    this.#known = known;
  }

  /** Offered and not yet taken. */
  get waiting(): number {
    return this.#waiting;
  }

  get hasReady(): boolean {
    return this.#next < this.#ready.length;
  }

  offer(item: T, keys: Iterable<string>): void {
    const entry = new Entry(item, this);
    for (const key of keys) {
      if (entry.keys.includes(key) || this.#known.has(key)) continue;
      entry.keys.push(key);
      const line = this.#lines.get(key);
      if (line === undefined) this.#lines.set(key, [entry]);
      else {
        line.push(entry);
        entry.ahead += 1;
      }
    }
    this.#waiting += 1;
    if (entry.ahead === 0) this.#ready.push(entry);
  }

  /** The one that has been ready for the longest. */
  take(): Admitted<T> | undefined {
    const entry = this.#ready[this.#next];
    if (entry === undefined) return undefined;
    this.#next += 1;
    this.#waiting -= 1;
    if (this.#next >= MOST_TAKEN) {
      this.#ready = this.#ready.slice(this.#next);
      this.#next = 0;
    }
    return entry;
  }

  know(email: string): void {
    this.#known.add(email);
    const line = this.#lines.get(email);
    if (line === undefined) return;
    this.#lines.delete(email);
    for (const [place, entry] of line.entries()) {
      entry.drop(email);
      if (place > 0) this.#moveUp(entry);
    }
  }

  /** The key of an entry that was taken, so that it is at the front of the line. */
  leave(key: string): void {
    const line = this.#lines.get(key) ?? [];
    line.shift();
    const next = line[0];
    if (next === undefined) this.#lines.delete(key);
    else this.#moveUp(next);
  }

  #moveUp(entry: Entry<T>): void {
    entry.ahead -= 1;
    if (entry.ahead === 0) this.#ready.push(entry);
  }
}

/** So many places in front of the line are given up at a time. */
const MOST_TAKEN = 256;

class Entry<T> implements Admitted<T> {
  readonly item: T;
  /** Keys in whose lines it waits, each once: a few. */
  keys: string[] = [];
  /** In how many of them another one is ahead of it. */
  ahead = 0;
  readonly #admission: Admission<T>;

  constructor(item: T, admission: Admission<T>) {
    this.item = item;
    this.#admission = admission;
  }

  know(email: string): void {
    this.#admission.know(email);
  }

  release(key?: string): void {
    if (key === undefined) {
      const { keys } = this;
      this.keys = [];
      for (const held of keys) this.#admission.leave(held);
    } else if (this.drop(key)) this.#admission.leave(key);
  }

  /** Whether it held the key. */
  drop(key: string): boolean {
    const place = this.keys.indexOf(key);
    if (place < 0) return false;
    this.keys.splice(place, 1);
    return true;
  }
}

/** So many contacts are remembered; then all are forgotten, which costs waiting for each once more, and never correctness. */
const MOST_KNOWN = 50_000;

/** Contacts that are known to exist in the target. */
export class KnownContacts {
  readonly #capacity: number;
  readonly #known = new Set<string>();

  constructor(capacity = MOST_KNOWN) {
    this.#capacity = capacity;
  }

  has(email: string): boolean {
    return this.#known.has(email);
  }

  add(email: string): void {
    if (this.#known.size >= this.#capacity) this.#known.clear();
    this.#known.add(email);
  }
}
