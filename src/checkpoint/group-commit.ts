/**
 * One commit for everything that was asked for since the last one.
 *
 * To make a commit durable takes 0.5 ms and more, whether it holds one change or a hundred. With many tickets in flight several
 * answers arrive in one turn of the event loop; `setImmediate` runs right after all of them were handled, so they share a
 * commit, and a single change waits for nothing but its own. What is asked for while a commit is on its way to the disk
 * shares the next one.
 *
 * Changes are kept in memory until then and written in one transaction, rather than written at once into a transaction that
 * stays open. Both let reads see what was asked for. But this way several changes of one ticket become one row written, a
 * change that is impossible is refused before anything of it reaches the disk, and no transaction is ever open while other
 * code runs.
 *
 * After a failure the memory is ahead of the disk for good, so nothing more is written: every later call fails too.
 */
import type { AppError } from '../domain/errors.ts';

export interface CommitSteps {
  /** Puts everything that is pending into the database in one transaction; does nothing when nothing is. Throws, or has put all. */
  write(): void;
  /** Resolves when everything written before the call is on the disk. */
  flush(): Promise<void>;
  failureOf(error: unknown): AppError;
}

interface Group {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (failure: AppError) => void;
}

export class GroupCommit {
  readonly #steps: CommitSteps;
  /** Asked for and not yet written. */
  #next: Group | undefined;
  /** Written and on its way to the disk. */
  #current: Group | undefined;
  #failure: AppError | undefined;

  constructor(steps: CommitSteps) {
    this.#steps = steps;
  }

  get failure(): AppError | undefined {
    return this.#failure;
  }

  /** Resolves when what is pending by the end of this turn is durable. Nobody has to listen to it. */
  request(): Promise<void> {
    if (this.#failure !== undefined) return rejected(this.#failure);
    if (this.#next === undefined) {
      this.#next = newGroup();
      if (this.#current === undefined) this.#soon();
    }
    return this.#next.promise;
  }

  /** Resolves when everything that was asked for so far is durable. */
  settled(): Promise<void> {
    if (this.#failure !== undefined) return rejected(this.#failure);
    return (this.#next ?? this.#current)?.promise ?? Promise.resolve();
  }

  /** Writes what is pending now, so that the database shows it; it becomes durable in its turn. Throws AppError. */
  writeNow(): void {
    if (this.#failure === undefined && this.#next !== undefined) this.#write();
    if (this.#failure !== undefined) throw this.#failure;
  }

  #soon(): void {
    setImmediate(() => void this.#commit());
  }

  async #commit(): Promise<void> {
    if (this.#next === undefined || this.#current !== undefined || !this.#write()) return;
    const group = this.#next;
    this.#current = group;
    this.#next = undefined;
    try {
      await this.#steps.flush();
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#current = undefined;
    group.resolve();
    if (this.#next !== undefined) this.#soon();
  }

  #write(): boolean {
    try {
      this.#steps.write();
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  #fail(error: unknown): void {
    const failure = this.#steps.failureOf(error);
    this.#failure = failure;
    const groups = [this.#current, this.#next];
    this.#current = undefined;
    this.#next = undefined;
    for (const group of groups) group?.reject(failure);
  }
}

function newGroup(): Group {
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
