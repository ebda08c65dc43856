/**
 * One commit for everything that was asked for since the last one.
 *
 * A change survives in two steps. Once it is written, in a transaction of its own or with others, it survives the end of the
 * process, however that comes, since the operating system has it. Once it is flushed to the disk it is durable: it
 * survives a loss of power too. A flush takes 0.5 ms and more, whether it holds one change or a hundred. The next one may begin
 * before the last one has returned, so that nobody waits for two; what is written while two are under way shares the next.
 *
 * With many tickets in flight several answers arrive in one turn of the event loop; `setImmediate` runs right after all of them
 * were handled, so they share a commit, and a single change waits for nothing but its own. A turn that brought several changes
 * is busy, and others are likely to follow in the next turn, which comes at once: so the commit waits for the first turn that
 * brings nothing new, for a few turns at most. Where the program itself is what bounds the import, that saves most commits
 * and costs nobody anything, since there was work to do meanwhile; where it waits for the target, the next turn is empty, and
 * the wait is some microseconds.
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
  readonly written: Waiting;
  readonly durable: Waiting;
}

interface Waiting {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (failure: AppError) => void;
}

/** Turns of the event loop that a commit waits at most for changes to stop coming. */
const MOST_TURNS = 8;

/** Flushes under way at a time. */
const MOST_FLUSHES = 2;

export class GroupCommit {
  readonly #steps: CommitSteps;
  /** Asked for and not yet written. */
  #next: Group | undefined;
  /** Written, and for the next flush. */
  #written: Group[] = [];
  /** Written, and on its way to the disk: the flushes under way, oldest first. */
  #flushing: Group[][] = [];
  #failure: AppError | undefined;
  /** Changes that were asked for since the last write. */
  #asked = 0;

  constructor(steps: CommitSteps) {
    this.#steps = steps;
  }

  get failure(): AppError | undefined {
    return this.#failure;
  }

  /** Resolves when what is pending by the end of this turn is durable. Nobody has to listen to it. */
  request(): Promise<void> {
    return this.#failure === undefined ? this.#ask().durable.promise : rejected(this.#failure);
  }

  /** The same, but resolves already when it is written. */
  requestWritten(): Promise<void> {
    return this.#failure === undefined ? this.#ask().written.promise : rejected(this.#failure);
  }

  /** Resolves when everything that was asked for so far is durable. */
  settled(): Promise<void> {
    if (this.#failure !== undefined) return rejected(this.#failure);
    const last = this.#next ?? this.#written.at(-1) ?? this.#flushing.at(-1)?.at(-1);
    return last?.durable.promise ?? Promise.resolve();
  }

  /** Writes what is pending now, so that the database shows it; it becomes durable in its turn. Throws AppError. */
  writeNow(): void {
    if (this.#failure === undefined) this.#write();
    if (this.#failure !== undefined) throw this.#failure;
  }

  #ask(): Group {
    this.#asked += 1;
    if (this.#next === undefined) {
      this.#next = { written: waiting(), durable: waiting() };
      this.#writeSoon();
    }
    return this.#next;
  }

  #writeSoon(): void {
    let seen = this.#asked;
    let turns = 0;
    const turn = () => {
      turns += 1;
      if (this.#asked <= seen || turns >= MOST_TURNS) {
        this.#write();
        return;
      }
      seen = this.#asked;
      setImmediate(turn);
    };
    setImmediate(turn);
  }

  #write(): void {
    const group = this.#next;
    if (group === undefined || this.#failure !== undefined) return;
    try {
      this.#steps.write();
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#next = undefined;
    this.#asked = 0;
    this.#written.push(group);
    group.written.resolve();
    if (this.#flushing.length < MOST_FLUSHES) void this.#flush();
  }

  async #flush(): Promise<void> {
    while (this.#written.length > 0 && this.#failure === undefined) {
      const groups = this.#written;
      this.#written = [];
      this.#flushing.push(groups);
      try {
        await this.#steps.flush();
      } catch (error) {
        this.#fail(error);
        return;
      }
      this.#flushed(groups);
    }
  }

  /** All that was written before this flush began is on the disk now, also what an older one that goes on was for. */
  #flushed(groups: Group[]): void {
    const place = this.#flushing.indexOf(groups);
    for (const older of this.#flushing.splice(0, place + 1))
      for (const group of older) group.durable.resolve();
  }

  #fail(error: unknown): void {
    const failure = this.#steps.failureOf(error);
    this.#failure = failure;
    const groups = [...this.#flushing.flat(), ...this.#written];
    if (this.#next !== undefined) groups.push(this.#next);
    this.#flushing = [];
    this.#written = [];
    this.#next = undefined;
    for (const { written, durable } of groups) {
      written.reject(failure);
      durable.reject(failure);
    }
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
