/**
 * One commit for all writes of two turns of the event loop, and one flush for all commits meanwhile. Changes are visible at
 * once; a failure rolls the open transaction back and rejects its writers. SQLite would flush in this thread, so commits use
 * `synchronous=NORMAL` and the log is flushed in the background, as under FULL; then a change is durable.
 */
import { closeSync, fdatasync, openSync } from 'node:fs';
import type { Database, Statement } from './database.ts';
import { AppError } from './errors.ts';

/** Resolves when the commit of this turn is on disk. */
export type Write = (work: () => void) => Promise<void>;

type Turn = PromiseWithResolvers<void>;

export interface TurnCommitOptions {
  /** Otherwise commits survive only the end of the process. */
  readonly flushes: boolean;
  /** Throws within the transaction if another process has taken over. */
  readonly requireOwn?: () => void;
  readonly failureOf: (error: unknown) => AppError;
}

export class TurnCommit {
  readonly #db: Database;
  readonly #options: TurnCommitOptions;
  /** SQLite holds no lock on the log that a close would give away. */
  readonly #log: number | undefined;
  readonly #beginning: Statement;
  readonly #ending: Statement;
  #turn: Turn | undefined;
  #committed: Turn[] = [];
  #flushing: Turn[] = [];
  #failure: AppError | undefined;

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

  write(work: () => void): Promise<void> {
    try {
      if (this.#failure !== undefined) throw this.#failure;
      this.#turn ??= this.#begin();
      work();
      return this.#turn.promise;
    } catch (error) {
      // A defect of the caller wrote nothing.
      const isImpossible = error instanceof AppError && error.code === 'internal';
      return rejected(isImpossible ? error : this.#fail(error));
    }
  }

  flush(): Promise<void> {
    if (this.#failure !== undefined) return rejected(this.#failure);
    const last = this.#turn ?? this.#committed.at(-1) ?? this.#flushing.at(-1);
    return last?.promise ?? Promise.resolve();
  }

  async close(): Promise<void> {
    this.#commit();
    await this.flush().catch(() => undefined);
    if (this.#log !== undefined) closeSync(this.#log);
  }

  #begin(): Turn {
    this.#beginning.run();
    this.#options.requireOwn?.();
    const turn = Promise.withResolvers<void>();
    turn.promise.catch(() => undefined);
    // Answers come in bursts: those of the next turn share it.
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

  /** One at a time: the system reports a failed page once, so a second flush would not learn of it. */
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
