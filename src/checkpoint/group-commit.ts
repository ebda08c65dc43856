/**
 * One commit for everything that was asked for in one turn of the event loop.
 *
 * A commit costs a flush of the disk, 0.3 to 0.5 ms, whether it holds one change or a hundred. With many tickets in flight
 * several answers arrive in one turn; `setImmediate` runs right after all of them were handled, so they share a commit,
 * and a single change still waits for nothing but its own.
 *
 * Changes are kept in memory until that moment and then written in one transaction, rather than written at once into a
 * transaction that stays open to the end of the turn. Both let reads see what was asked for. But this way several changes of
 * one ticket in one turn become one row written, a change that is impossible is refused before anything of it reaches the
 * disk, and no transaction is ever open while other code runs.
 *
 * After a failed commit the memory is ahead of the disk for good, so nothing more is written: every later call fails too.
 */
import type { AppError } from '../domain/errors.ts';

interface Waiting {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (failure: AppError) => void;
}

export class GroupCommit {
  readonly #write: () => void;
  readonly #failureOf: (error: unknown) => AppError;
  #waiting: Waiting | undefined;
  #failure: AppError | undefined;

  /** `write` puts everything that is pending on disk in one transaction, or throws and has put nothing. */
  constructor(write: () => void, failureOf: (error: unknown) => AppError) {
    this.#write = write;
    this.#failureOf = failureOf;
  }

  get failure(): AppError | undefined {
    return this.#failure;
  }

  /** Resolves when what is pending by the end of this turn is durable. Nobody has to listen to it. */
  request(): Promise<void> {
    if (this.#failure !== undefined) return rejected(this.#failure);
    if (this.#waiting === undefined) {
      this.#waiting = waiting();
      setImmediate(() => this.#commit());
    }
    return this.#waiting.promise;
  }

  /** Commits at once. Throws AppError `disk-write`. */
  now(): void {
    this.#commit();
    if (this.#failure !== undefined) throw this.#failure;
  }

  #commit(): void {
    const group = this.#waiting;
    if (group === undefined || this.#failure !== undefined) return;
    this.#waiting = undefined;
    try {
      this.#write();
    } catch (error) {
      this.#failure = this.#failureOf(error);
      group.reject(this.#failure);
      return;
    }
    group.resolve();
  }
}

function waiting(): Waiting {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Whoever does not wait for a change learns of its failure from the next call.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

export function rejected(reason: unknown): Promise<void> {
  const promise = Promise.reject(reason);
  promise.catch(() => undefined);
  return promise;
}
