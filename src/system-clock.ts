import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './domain/clock.ts';

/** The machine's clock, read nowhere else. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    signal?.throwIfAborted();
    try {
      await delay(Math.max(0, ms), undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};
