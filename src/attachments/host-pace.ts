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
  /** Since when nothing came of it that counts, monotonic milliseconds. */
  troubledSince: number | undefined;
  isGone: boolean;
}

/** Connections that may fail in a row before the host counts as gone: where none was ever answered, and where some were. */
const GONE_AFTER = 12;
const GONE_AFTER_ANSWERS = 60;
const LONGEST_PAUSE_MS = 300_000;

/** Files that are fetched from one host at a time. */
export const FILES_PER_HOST = 8;

export class HostPaces {
  readonly #clock: Clock;
  readonly #perHost: number;
  readonly #giveUpAfterMs: number;
  readonly #hosts = new Map<string, Host>();

  constructor(clock: Clock, perHost: number, giveUpAfterMs: number) {
    this.#clock = clock;
    this.#perHost = perHost;
    this.#giveUpAfterMs = giveUpAfterMs;
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
    host.troubledSince = undefined;
    host.isGone = false;
    host.limit = Math.min(this.#perHost, host.limit + 0.1);
  }

  /** It asked to be left alone for a while. */
  slowDown(name: string, retryAfterMs: number | undefined): void {
    const host = this.#host(name);
    host.answered = true;
    // Those that were on their way together are refused together: one time.
    if (host.notBefore <= this.#clock.monotonic()) {
      host.refusals += 1;
      host.limit = Math.max(1, host.limit / 2);
    }
    const pause = retryAfterMs ?? 500 * 2 ** Math.min(host.refusals, 8);
    const longest = Math.min(LONGEST_PAUSE_MS, this.#giveUpAfterMs);
    host.notBefore = Math.max(host.notBefore, this.#clock.monotonic() + Math.min(pause, longest));
    this.#troubled(host);
  }

  /** `silent`: not even an answer came. */
  failed(name: string, silent: boolean): void {
    const host = this.#host(name);
    if (silent) host.failures += 1;
    this.#troubled(host);
  }

  /** A part of a file came. */
  broughtOn(name: string): void {
    this.#host(name).troubledSince = undefined;
  }

  /** It is not asked any more, unless one that is under way is answered. */
  isGone(name: string): boolean {
    return this.#host(name).isGone;
  }

  #troubled(host: Host): void {
    const now = this.#clock.monotonic();
    host.troubledSince ??= now;
    host.isGone ||=
      host.failures >= (host.answered ? GONE_AFTER_ANSWERS : GONE_AFTER) ||
      now - host.troubledSince >= this.#giveUpAfterMs;
  }

  /** When a host may be asked again, monotonic. */
  notBefore(name: string): number {
    return this.#host(name).notBefore;
  }

  #host(name: string): Host {
    let host = this.#hosts.get(name);
    if (host === undefined) {
      host = {
        limit: this.#perHost,
        active: 0,
        notBefore: 0,
        refusals: 0,
        failures: 0,
        answered: false,
        troubledSince: undefined,
        isGone: false,
      };
      this.#hosts.set(name, host);
    }
    return host;
  }
}
