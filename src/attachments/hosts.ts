/** Hosts of files: files at a time, requested pauses, and whether they answer. */
import pLimit from 'p-limit';
import type { Clock } from '../domain/clock.ts';

/** Files at a time from one host. */
const FILES_PER_HOST = 8;
/** Failed connections in a row until a host is given up. */
const GONE_AFTER = 40;
const LONGEST_PAUSE_MS = 300_000;

export class FileHost {
  readonly limit = pLimit(FILES_PER_HOST);
  readonly #clock: Clock;
  readonly #giveUpAfterMs: number;
  /** Monotonic milliseconds. */
  #pausedUntil = 0;
  #pauses = 0;
  #silences = 0;
  #troubledSince: number | undefined;
  /** Given up, unless a request under way is answered. */
  isGone = false;

  constructor(clock: Clock, giveUpAfterMs: number) {
    this.#clock = clock;
    this.#giveUpAfterMs = giveUpAfterMs;
  }

  /** It answered. */
  answered(): void {
    this.#silences = 0;
    this.#pauses = 0;
    this.#troubledSince = undefined;
    this.isGone = false;
  }

  /** `silent`: without any answer. */
  failed(silent: boolean): void {
    this.#silences = silent ? this.#silences + 1 : 0;
    const now = this.#clock.monotonic();
    this.#troubledSince ??= now;
    this.isGone ||= this.#silences >= GONE_AFTER || now - this.#troubledSince >= this.#giveUpAfterMs;
  }

  /** It asked for a pause. Requests that are refused together count once. */
  pause(ms: number | undefined): void {
    this.failed(false);
    const now = this.#clock.monotonic();
    if (this.#pausedUntil <= now) this.#pauses += 1;
    const asked = ms ?? 500 * 2 ** Math.min(this.#pauses, 8);
    const longest = Math.min(LONGEST_PAUSE_MS, this.#giveUpAfterMs);
    this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.min(asked, longest));
  }

  /** Resolves after the pause. */
  async paused(signal: AbortSignal): Promise<void> {
    for (;;) {
      const left = this.#pausedUntil - this.#clock.monotonic();
      if (left <= 0) return;
      await this.#clock.sleep(left, signal);
    }
  }
}
