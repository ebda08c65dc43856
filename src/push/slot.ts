/** The slot of one ticket: taken while it works, given back while it waits, and never given back twice. */
import type { Limiter, LimiterSample } from '../domain/limiter.ts';

export class Slot {
  readonly #limiter: Limiter;
  readonly #onFree: (() => void) | undefined;
  #isHeld: boolean;

  /** `isHeld`: it was acquired already. `onFree` is called whenever it is given back. */
  constructor(limiter: Limiter, isHeld: boolean, onFree?: () => void) {
    this.#limiter = limiter;
    this.#isHeld = isHeld;
    this.#onFree = onFree;
  }

  async hold(signal: AbortSignal): Promise<void> {
    if (this.#isHeld) return;
    await this.#limiter.acquire(signal);
    this.#isHeld = true;
  }

  release(outcome: LimiterSample['outcome']): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#limiter.release({ outcome });
    this.#onFree?.();
  }
}
