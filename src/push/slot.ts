/** The slot of one ticket: taken while it works, given back while it waits, and never given back twice. */
import type { Limiter, LimiterSample } from '../domain/limiter.ts';

export class Slot {
  readonly #limiter: Limiter;
  #isHeld: boolean;

  /** `isHeld`: it was acquired already. */
  constructor(limiter: Limiter, isHeld: boolean) {
    this.#limiter = limiter;
    this.#isHeld = isHeld;
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
  }
}
