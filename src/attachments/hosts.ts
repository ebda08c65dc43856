/** The hosts of the source: how many files each is asked for at a time, pauses that it asked for, and whether it answers. */
import pLimit from 'p-limit';
import type { Clock } from '../domain/clock.ts';

/** Files that are fetched from one host at a time. */
const FILES_PER_HOST = 8;
/** Connections that may fail in a row before the host counts as gone. */
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
  /** It is not asked any more, unless one that is under way is answered. */
  isGone = false;

  constructor(clock: Clock, giveUpAfterMs: number) {
    this.#clock = clock;
    this.#giveUpAfterMs = giveUpAfterMs;
  }

  /** It gave a file, or said why there is none. */
  answered(): void {
    this.#silences = 0;
    this.#pauses = 0;
    this.#troubledSince = undefined;
    this.isGone = false;
  }

  /** `silent`: there was not even an answer. */
  failed(silent: boolean): void {
    this.#silences = silent ? this.#silences + 1 : 0;
    const now = this.#clock.monotonic();
    this.#troubledSince ??= now;
    this.isGone ||= this.#silences >= GONE_AFTER || now - this.#troubledSince >= this.#giveUpAfterMs;
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
    for (;;) {
      const left = this.#pausedUntil - this.#clock.monotonic();
      if (left <= 0) return;
      await this.#clock.sleep(left, signal);
    }
  }
}
