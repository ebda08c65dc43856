/**
 * Limiters for the push: a fixed number of slots, or one that follows the target (concurrency-limit.ts).
 *
 * Slots stand for tickets, but what tells how the target is doing are single requests: a ticket's time also holds waits
 * for the rate budget, for its contacts and for the disk. So the adaptive limiter learns from `observe`, which the Core
 * API's client calls for each request on the wire, and takes from `release` only that a slot is free.
 */
import type { Limiter } from '../../domain/limiter.ts';
import {
  CONCURRENCY_RULES,
  type ConcurrencyRules,
  learnConcurrency,
  type RequestSample,
  startConcurrency,
} from './concurrency-limit.ts';
import { WaitQueue } from './wait-queue.ts';

export interface AdaptiveLimiter extends Limiter {
  /** One request that came back, or did not. */
  observe(sample: RequestSample): void;
}

export function createFixedLimiter(slots: number): Limiter {
  return slotsOf(() => slots).limiter;
}

export function createAdaptiveLimiter(rules: ConcurrencyRules = CONCURRENCY_RULES): AdaptiveLimiter {
  let state = startConcurrency(rules);
  const { limiter, refill } = slotsOf(() => state.limit);
  return {
    tryAcquire: limiter.tryAcquire,
    acquire: limiter.acquire,
    release: limiter.release,
    get limit() {
      return state.limit;
    },
    get inFlight() {
      return limiter.inFlight;
    },
    observe(sample) {
      const before = state.limit;
      state = learnConcurrency(state, sample, rules);
      if (state.limit > before) refill();
    },
  };
}

function slotsOf(limit: () => number): { limiter: Limiter; refill: () => void } {
  const line = new WaitQueue();
  let inFlight = 0;
  const refill = () => {
    while (inFlight < limit() && line.next()) inFlight++;
  };
  const tryAcquire = () => {
    if (line.length > 0 || inFlight >= limit()) return false;
    inFlight++;
    return true;
  };
  return {
    refill,
    limiter: {
      tryAcquire,
      acquire(signal) {
        if (signal.aborted) return Promise.reject(signal.reason);
        return tryAcquire() ? Promise.resolve() : line.enter(signal);
      },
      release() {
        inFlight = Math.max(0, inFlight - 1);
        refill();
      },
      get limit() {
        return limit();
      },
      get inFlight() {
        return inFlight;
      },
    },
  };
}
