/** A waiting line: first come, first served; an aborted signal leaves it. */
import type { Limiter } from '../domain/limits.ts';

interface Waiting {
  readonly go: () => void;
  readonly fail: (reason: unknown) => void;
}

/** Only the line: its owner decides when the next one may go. */
export class WaitQueue {
  readonly #line = new Set<Waiting>();
  readonly #onEmpty: () => void;

  /** `onEmpty` runs when the last one steps out by itself, so that nothing waits in vain. */
  constructor(onEmpty: () => void = () => {}) {
    this.#onEmpty = onEmpty;
  }

  get length(): number {
    return this.#line.size;
  }

  /** Resolves when it is this one's turn; rejects with the signal's reason when it aborts before. */
  enter(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#line.delete(waiting);
        signal.removeEventListener('abort', onAbort);
      };
      const onAbort = () => {
        leave();
        reject(signal.reason);
        if (this.#line.size === 0) this.#onEmpty();
      };
      const waiting: Waiting = {
        go: () => {
          leave();
          resolve();
        },
        fail: (reason) => {
          leave();
          reject(reason);
        },
      };
      this.#line.add(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Lets the first one go. Returns false if the line is empty. */
  next(): boolean {
    for (const waiting of this.#line) {
      waiting.go();
      return true;
    }
    return false;
  }

  all(): void {
    for (const waiting of [...this.#line]) waiting.go();
  }

  failAll(reason: unknown): void {
    for (const waiting of [...this.#line]) waiting.fail(reason);
  }
}

/** At most `limit` at a time. */
export function createFixedLimiter(limit: number): Limiter {
  const line = new WaitQueue();
  let inFlight = 0;
  const tryAcquire = () => {
    if (line.length > 0 || inFlight >= limit) return false;
    inFlight += 1;
    return true;
  };
  return {
    tryAcquire,
    acquire(signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      return tryAcquire() ? Promise.resolve() : line.enter(signal);
    },
    release() {
      inFlight = Math.max(0, inFlight - 1);
      if (inFlight < limit && line.next()) inFlight += 1;
    },
    limit,
    get inFlight() {
      return inFlight;
    },
  };
}
