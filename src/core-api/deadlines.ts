/**
 * One deadline of the same length for each of many requests, with a single sleeper for all of them: since the lengths
 * are equal, they fall due in the order in which they were set. A timer for each request would cost more than the
 * rest of the bookkeeping together.
 */
import type { Clock } from '../domain/clock.ts';

export interface Deadline {
  readonly due: number;
  readonly onDue: () => void;
}

/** A reason of its own spares making one, with its stack, each time. */
const NO_LONGER = 'no request is waited for any more';

export class Deadlines {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #waiting = new Set<Deadline>();
  #sleeper: AbortController | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** `onDue` is called once, unless the deadline is removed before. */
  add(onDue: () => void): Deadline {
    const deadline = { due: this.#clock.monotonic() + this.#ms, onDue };
    this.#waiting.add(deadline);
    if (this.#sleeper === undefined) void this.#watch();
    return deadline;
  }

  /** The sleeper sleeps on: it looks again when it wakes, and waking it would cost more than letting it. `close` ends it. */
  remove(deadline: Deadline): void {
    this.#waiting.delete(deadline);
  }

  /** Drops all deadlines without calling them. */
  close(): void {
    this.#waiting.clear();
    this.#sleeper?.abort(NO_LONGER);
  }

  async #watch(): Promise<void> {
    const sleeper = new AbortController();
    this.#sleeper = sleeper;
    try {
      for (let first = this.#first(); first !== undefined; first = this.#first()) {
        const wait = first.due - this.#clock.monotonic();
        if (wait > 0) {
          await this.#clock.sleep(wait, sleeper.signal);
          continue;
        }
        this.#waiting.delete(first);
        first.onDue();
      }
    } catch (error) {
      if (!sleeper.signal.aborted) throw error;
    } finally {
      this.#sleeper = undefined;
    }
    if (this.#waiting.size > 0) void this.#watch();
  }

  #first(): Deadline | undefined {
    for (const deadline of this.#waiting) return deadline;
    return undefined;
  }
}
