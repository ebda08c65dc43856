/**
 * The requests under way: each has a deadline of the same length, and ends when its signal aborts.
 *
 * One sleeper serves all deadlines, since they fall due in the order in which they were set, and one listener all requests
 * under a signal: a timer and a listener for each would cost more than the rest of the bookkeeping together. Nothing
 * is left behind where nothing is under way, but for the sleeper, which looks again when it wakes; `close` ends it.
 */
import type { Clock } from '../../domain/clock.ts';

export interface Flying {
  readonly signal: AbortSignal;
  /** By the monotonic clock, milliseconds. */
  due: number;
  /** Called once at most, unless the flight was removed before. */
  onAbort(): void;
  onDue(): void;
}

/** A signal that is listened to, and how many flights want to know. */
interface Heard {
  readonly signal: AbortSignal;
  readonly listener: () => void;
  flights: number;
}

/** A reason of its own spares making one, with its stack, each time. */
const NO_LONGER = 'no request is waited for any more';

export class Flights {
  readonly #clock: Clock;
  readonly #ms: number;
  /** In the order of their deadlines. */
  readonly #under = new Set<Flying>();
  readonly #heard = new Map<AbortSignal, Heard>();
  /** Nearly always there is one signal for all. */
  #latest: Heard | undefined;
  #sleeper: AbortController | undefined;

  /** `ms`: how long a flight may take. */
  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Sets the deadline. The signal has not aborted yet. */
  add(flight: Flying): void {
    flight.due = this.#clock.monotonic() + this.#ms;
    this.#under.add(flight);
    const heard = this.#hear(flight.signal);
    heard.flights += 1;
    this.#latest = heard;
    if (this.#sleeper === undefined) void this.#watch();
  }

  remove(flight: Flying): void {
    if (!this.#under.delete(flight)) return;
    const heard = this.#heardOf(flight.signal);
    if (heard === undefined || --heard.flights > 0) return;
    heard.signal.removeEventListener('abort', heard.listener);
    this.#heard.delete(heard.signal);
    if (this.#latest === heard) this.#latest = undefined;
  }

  /** Drops all of them without a word. */
  close(): void {
    for (const flight of this.#under) this.remove(flight);
    this.#sleeper?.abort(NO_LONGER);
  }

  #heardOf(signal: AbortSignal): Heard | undefined {
    return this.#latest?.signal === signal ? this.#latest : this.#heard.get(signal);
  }

  #hear(signal: AbortSignal): Heard {
    const known = this.#heardOf(signal);
    if (known !== undefined) return known;
    const listener = () => {
      for (const flight of this.#under) if (flight.signal === signal) this.#end(flight).onAbort();
    };
    const heard = { signal, listener, flights: 0 };
    this.#heard.set(signal, heard);
    signal.addEventListener('abort', listener, { once: true });
    return heard;
  }

  #end(flight: Flying): Flying {
    this.remove(flight);
    return flight;
  }

  async #watch(): Promise<void> {
    const sleeper = new AbortController();
    this.#sleeper = sleeper;
    try {
      for (let first = this.#first(); first !== undefined; first = this.#first()) {
        const wait = first.due - this.#clock.monotonic();
        if (wait > 0) await this.#clock.sleep(wait, sleeper.signal);
        else this.#end(first).onDue();
      }
    } catch (error) {
      if (!sleeper.signal.aborted) throw error;
    } finally {
      this.#sleeper = undefined;
    }
    if (this.#under.size > 0) void this.#watch();
  }

  #first(): Flying | undefined {
    for (const flight of this.#under) return flight;
    return undefined;
  }
}
