/** A clock that moves only when a test moves it; sleeps end when it has moved far enough. */
import type { Clock } from '../../src/domain/ports.ts';

export const START = Date.parse('2026-03-01T12:00:00.000Z');

export class ManualClock implements Clock {
  #time = START;
  readonly #sleepers = new Set<{ until: number; wake: () => void }>();

  now(): number {
    return this.#time;
  }

  monotonic(): number {
    return this.#time - START;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper = {
      until: this.#time + ms,
      wake: () => {
        signal?.removeEventListener('abort', cut);
        this.#sleepers.delete(sleeper);
        resolve();
      },
    };
    const cut = () => {
      this.#sleepers.delete(sleeper);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', cut, { once: true });
    this.#sleepers.add(sleeper);
    return promise;
  }

  advance(ms: number): void {
    this.#time += ms;
    for (const sleeper of [...this.#sleepers]) if (sleeper.until <= this.#time) sleeper.wake();
  }
}
