/** How fast each host of the source is asked: requests in flight, pauses that it asked for, and whether it answers at all. */
import type { Clock } from '../domain/clock.ts';

interface Host {
  limit: number;
  active: number;
  /** Monotonic milliseconds before which nothing is asked. */
  notBefore: number;
  /** Answers that say "slow down" in a row. */
  refusals: number;
  /** Connections that failed since the last answer. */
  failures: number;
  answered: boolean;
}

/** Connections that may fail in a row, with never an answer, before the host counts as gone. */
const GONE_AFTER = 12;
const LONGEST_PAUSE_MS = 300_000;

export class HostPaces {
  readonly #clock: Clock;
  readonly #perHost: number;
  readonly #hosts = new Map<string, Host>();

  constructor(clock: Clock, perHost: number) {
    this.#clock = clock;
    this.#perHost = perHost;
  }

  tryEnter(name: string): boolean {
    const host = this.#host(name);
    if (host.active >= Math.floor(host.limit) || host.notBefore > this.#clock.monotonic()) return false;
    host.active += 1;
    return true;
  }

  leave(name: string): void {
    this.#host(name).active -= 1;
  }

  /** It answered, whatever it said. */
  answered(name: string): void {
    const host = this.#host(name);
    host.answered = true;
    host.failures = 0;
    host.refusals = 0;
    host.limit = Math.min(this.#perHost, host.limit + 0.1);
  }

  /** It asked to be left alone for a while. */
  slowDown(name: string, retryAfterMs: number | undefined): void {
    const host = this.#host(name);
    host.answered = true;
    host.refusals += 1;
    host.limit = Math.max(1, host.limit / 2);
    const pause = retryAfterMs ?? 500 * 2 ** Math.min(host.refusals, 8);
    host.notBefore = Math.max(host.notBefore, this.#clock.monotonic() + Math.min(pause, LONGEST_PAUSE_MS));
  }

  failed(name: string): void {
    this.#host(name).failures += 1;
  }

  isGone(name: string): boolean {
    const { failures, answered } = this.#host(name);
    return !answered && failures >= GONE_AFTER;
  }

  /** When a host may be asked again, monotonic. */
  notBefore(name: string): number {
    return this.#host(name).notBefore;
  }

  #host(name: string): Host {
    let host = this.#hosts.get(name);
    if (host === undefined) {
      host = { limit: this.#perHost, active: 0, notBefore: 0, refusals: 0, failures: 0, answered: false };
      this.#hosts.set(name, host);
    }
    return host;
  }
}
