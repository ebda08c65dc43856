/**
 * Groups the writes of requests that are handled in the same turn of the event loop into one commit.
 *
 * Nothing is answered before its group is committed, so a client never knows more than the disk: whoever awaits
 * `settled()` after its last write and then answers keeps that promise. Within a group each write has a savepoint:
 * a refusal halfway takes back its own writes and nobody else's.
 */
import type { SqliteDatabase, Statement } from './database.ts';

export class WriteGroup {
  readonly #database: SqliteDatabase;
  readonly #savepoint: Statement;
  readonly #release: Statement;
  readonly #takeBack: Statement;
  #open = false;
  #waiting: PromiseWithResolvers<void> | undefined;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#savepoint = database.prepare('SAVEPOINT one_write');
    this.#release = database.prepare('RELEASE one_write');
    this.#takeBack = database.prepare('ROLLBACK TO one_write');
  }

  /** Runs `work` as a unit: all of its writes, or none when it throws. */
  write<T>(work: () => T): T {
    if (!this.#open) {
      this.#database.exec('BEGIN IMMEDIATE');
      this.#open = true;
      setImmediate(() => this.flush());
    } else if (!this.#database.inTransaction) {
      // SQLite rolls the whole transaction back by itself on a full disk; the group's commit will report it.
      throw new Error('the group of writes was rolled back');
    }
    this.#savepoint.run();
    try {
      const result = work();
      this.#release.run();
      return result;
    } catch (error) {
      if (this.#database.inTransaction) {
        this.#takeBack.run();
        this.#release.run();
      }
      throw error;
    }
  }

  /** Resolves once everything written so far is committed; rejects when the commit failed and took it back. */
  settled(): Promise<void> {
    if (!this.#open) return Promise.resolve();
    this.#waiting ??= Promise.withResolvers<void>();
    return this.#waiting.promise;
  }

  /** Commits now. Never throws: a failure goes to those who wait. */
  flush(): void {
    if (!this.#open) return;
    this.#open = false;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    try {
      if (!this.#database.inTransaction) throw new Error('the group of writes was rolled back');
      this.#database.exec('COMMIT');
      waiting?.resolve();
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      waiting?.reject(error);
    }
  }
}
