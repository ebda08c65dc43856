/**
 * How many requests were sent in each second of the last hour, so that a process that follows another one keeps to the rate
 * budget. Noted in memory and written with the next commit: a note alone is not worth a flush of the disk.
 */
import type { Database, Statement } from '../sqlite/database.ts';

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
