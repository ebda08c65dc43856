/** The hosts of the source: how many files each is asked for at a time, pauses that it asked for, and whether it answers. */
import pLimit, { type LimitFunction } from 'p-limit';
import type { Clock } from '../domain/clock.ts';

/** Files that are fetched from one host at a time. */
const FILES_PER_HOST = 8;
/** Connections that may fail in a row before the host counts as gone: where it never answered, and where it did. */
const GONE_AFTER = 12;
const GONE_AFTER_ANSWERS = 60;
const LONGEST_PAUSE_MS = 300_000;

export class FileHost {
  readonly limit: LimitFunction;
  readonly #clock: Clock;
  readonly #giveUpAfterMs: number;
  /** Monotonic milliseconds. */
  #pausedUntil = 0;
  #pauses = 0;
  /** Connections in a row without an answer. */
  #failures = 0;
  #hasAnswered = false;
  #troubledSince: number | undefined;
  #isGone = false;

  constructor(clock: Clock, giveUpAfterMs: number) {
    this.limit = pLimit(FILES_PER_HOST);
    this.#clock = clock;
    this.#giveUpAfterMs = giveUpAfterMs;
  }

  /** It is not asked any more, unless one that is under way is answered. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** It gave a file, or said why there is none. */
  answered(): void {
    this.#hasAnswered = true;
    this.#failures = 0;
    this.#pauses = 0;
    this.#troubledSince = undefined;
    this.#isGone = false;
  }

  /** `silent`: there was not even an answer. */
  failed(silent: boolean): void {
    if (silent) this.#failures += 1;
    else this.#hasAnswered = true;
    const now = this.#clock.monotonic();
    this.#troubledSince ??= now;
    this.#isGone ||=
      this.#failures >= (this.#hasAnswered ? GONE_AFTER_ANSWERS : GONE_AFTER) ||
      now - this.#troubledSince >= this.#giveUpAfterMs;
  }

  /** It asked to be left alone for a while. Requests that are refused together count once. */
  pause(ms: number | undefined): void {
    this.failed(false);
    const now = this.#clock.monotonic();
    if (this.#pausedUntil <= now) this.#pauses += 1;
    const asked = ms ?? 500 * 2 ** Math.min(this.#pauses, 8);
    const longest = Math.min(LONGEST_PAUSE_MS, this.#giveUpAfterMs);
    this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.min(asked, longest));
  }

  /** Resolves when it may be asked again. */
  async paused(signal: AbortSignal): Promise<void> {
    for (let left = this.#left(); left > 0; left = this.#left()) await this.#clock.sleep(left, signal);
  }

  #left(): number {
    return this.#pausedUntil - this.#clock.monotonic();
  }
}
