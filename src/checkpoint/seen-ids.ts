/**
 * Which ids were certainly never recorded: a Bloom filter. An import asks for every ticket of the export whether it
 * is known, and for every id that the target gives whether another ticket has it; a query costs more than the rest of the bookkeeping.
 * In a checkpoint that began empty nearly every answer is no, and this gives it from memory. Only a "maybe" needs the query.
 */

import { hashOf } from '../domain/hash.ts';
import type { Database, Statement } from '../sqlite/database.ts';

const BYTES = 1 << 20;
const BITS = BYTES * 8;

export class SeenIds {
  readonly #bits = new Uint8Array(BYTES);

  add(id: string): void {
    const { first, second } = placesOf(id);
    for (const bit of [first, second])
      this.#bits[bit >>> 3] = (this.#bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }

  /** False: it was never added. */
  mayHave(id: string): boolean {
    const { first, second } = placesOf(id);
    return this.#has(first) && this.#has(second);
  }

  #has(bit: number): boolean {
    return ((this.#bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }
}

/** Two places for an id, from both ends of one hash. */
function placesOf(id: string): { first: number; second: number } {
  const hash = hashOf(id);
  return { first: hash % BITS, second: Math.floor(hash / 2 ** 30) % BITS };
}

// How many requests were sent in each second of the last hour, so that a process that follows another one keeps to
// the rate budget. Noted in memory and written along with the next commit: a note alone is not worth a flush of the disk.

/** The longest window of a rate budget that survives a restart. */
const KEPT_SECONDS = 3_600;

export class RecentSends {
  readonly #pending = new Map<number, number>();
  readonly #add: Statement<[number, number]>;
  readonly #prune: Statement<[number]>;
  readonly #since: Statement<[number], [number, number]>;

  constructor(db: Database) {
    this.#add = db.prepare(
      `INSERT INTO send (second, requests) VALUES (?, ?)
       ON CONFLICT (second) DO UPDATE SET requests = requests + excluded.requests`,
    );
    this.#prune = db.prepare('DELETE FROM send WHERE second < ?');
    this.#since = db
      .prepare<[number], [number, number]>('SELECT second, requests FROM send WHERE second >= ?')
      .raw();
  }

  note(second: number, requests: number): void {
    this.#pending.set(second, (this.#pending.get(second) ?? 0) + requests);
  }

  get isPending(): boolean {
    return this.#pending.size > 0;
  }

  /** Within the caller's transaction. */
  write(nowSecond: number): void {
    if (this.#pending.size === 0) return;
    for (const [second, requests] of this.#pending) this.#add.run(second, requests);
    this.#prune.run(nowSecond - KEPT_SECONDS);
  }

  /** After the caller's transaction is through. */
  written(): void {
    this.#pending.clear();
  }

  since(second: number): { second: number; requests: number }[] {
    const sums = new Map(this.#since.all(second));
    for (const [at, requests] of this.#pending) {
      if (at >= second) sums.set(at, (sums.get(at) ?? 0) + requests);
    }
    return [...sums].sort(([a], [b]) => a - b).map(([at, requests]) => ({ second: at, requests }));
  }
}
