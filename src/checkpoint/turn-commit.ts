/**
 * One commit for all that is written in two turns of the event loop, and one flush of the disk for all that was committed while the
 * last one went on. Changes go into the open transaction at once, so that reads see them. After a failure nothing is written any
 * more: every later call fails too.
 *
 * SQLite flushes in the thread of its caller, which would stop everything else meanwhile. So commits are made under
 * `synchronous=NORMAL`, and the log is flushed as SQLite does under FULL, but in the background; a change counts as
 * durable when that has returned.
 */
import { closeSync, fdatasync, openSync } from 'node:fs';
import { AppError } from '../domain/errors.ts';
import type { Database, Statement } from '../sqlite/database.ts';

/** Writes in the commit of this turn. Resolves when that is on the disk. */
export type Write = (work: () => void) => Promise<void>;

type Turn = PromiseWithResolvers<void>;

export interface TurnCommitOptions {
  /** Commits are flushed to the disk; otherwise they survive the end of the process alone. */
  readonly flushes: boolean;
  /** Throws within the transaction where the file is not this process's own any more. */
  readonly requireOwn: () => void;
  readonly failureOf: (error: unknown) => AppError;
}

export class TurnCommit {
  readonly #db: Database;
  readonly #options: TurnCommitOptions;
  /** The log, which keeps its file for as long as the database is open. SQLite holds no lock on it that a close would give away. */
  readonly #log: number | undefined;
  readonly #beginning: Statement;
  readonly #ending: Statement;
  #turn: Turn | undefined;
  #committed: Turn[] = [];
  #flushing: Turn[] = [];
  #failure: AppError | undefined;

  /** The database has a write-ahead log. */
  constructor(db: Database, options: TurnCommitOptions) {
    this.#db = db;
    this.#options = options;
    this.#beginning = db.prepare('BEGIN IMMEDIATE');
    this.#ending = db.prepare('COMMIT');
    if (!options.flushes) return;
    this.#log = openSync(`${db.name}-wal`, 'r+');
    db.pragma('synchronous = NORMAL');
  }

  get failure(): AppError | undefined {
    return this.#failure;
  }

  /** Callers may ignore the returned promise. */
  write(work: () => void): Promise<void> {
    try {
      if (this.#failure !== undefined) throw this.#failure;
      this.#turn ??= this.#begin();
      work();
      return this.#turn.promise;
    } catch (error) {
      // What is impossible is a defect of the caller, and wrote nothing.
      const isImpossible = error instanceof AppError && error.code === 'internal';
      return rejected(isImpossible ? error : this.#fail(error));
    }
  }

  /** Resolves when all that was written so far is on the disk. */
  flush(): Promise<void> {
    if (this.#failure !== undefined) return rejected(this.#failure);
    const last = this.#turn ?? this.#committed.at(-1) ?? this.#flushing.at(-1);
    return last?.promise ?? Promise.resolve();
  }

  /** Before the database is closed. */
  async close(): Promise<void> {
    this.#commit();
    await this.flush().catch(() => undefined);
    if (this.#log !== undefined) closeSync(this.#log);
  }

  #begin(): Turn {
    this.#beginning.run();
    this.#options.requireOwn();
    const turn = Promise.withResolvers<void>();
    turn.promise.catch(() => undefined);
    // Answers come in bursts: those of the next turn share it too.
    setImmediate(() => setImmediate(() => this.#commit()));
    return turn;
  }

  #commit(): void {
    if (this.#turn === undefined) return;
    try {
      this.#ending.run();
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#committed.push(this.#turn);
    this.#turn = undefined;
    this.#flush();
  }

  /** One at a time: the system says of a page that could not be written once, so that a second one would not hear of it. */
  #flush(): void {
    if (this.#flushing.length > 0 || this.#committed.length === 0) return;
    this.#flushing = this.#committed;
    this.#committed = [];
    const done = (error: Error | null) => {
      if (error !== null) this.#fail(error);
      for (const turn of this.#flushing) turn.resolve();
      this.#flushing = [];
      this.#flush();
    };
    if (this.#log === undefined) done(null);
    else fdatasync(this.#log, done);
  }

  #fail(error: unknown): AppError {
    const failure = this.#options.failureOf(error);
    this.#failure ??= failure;
    if (this.#db.open && this.#db.inTransaction) this.#db.exec('ROLLBACK');
    const turns = this.#turn === undefined ? [] : [this.#turn];
    for (const { reject } of [...turns, ...this.#committed, ...this.#flushing]) reject(failure);
    this.#turn = undefined;
    this.#committed = [];
    return failure;
  }
}

export function rejected(reason: unknown): Promise<void> {
  const promise = Promise.reject(reason);
  promise.catch(() => undefined);
  return promise;
}
