import type { Limiter } from '../../domain/limits.ts';
import { WaitQueue } from './admission.ts';

// How many requests in flight a target can use: additive growth, multiplicative shrinking (AIMD), with the latency as
// the sign of the knee. Pure: state and sample in, state out.
//
// Samples are gathered in rounds of at least `limit` requests, so that a round has seen the effect of the present limit.
// The baseline is the lowest mean latency of a round, the latency without a queue. By Little's law a target that can
// work on K requests at once makes the rest wait: mean = baseline × limit / K, so `limit × (1 − baseline / mean)` is the
// length of the queue that our own requests form. Growing fills only that queue once K is passed. Therefore, per round:
//
// - a short queue, and the limit was in use: grow; doubling until the first sign of the knee, then by one step
// - a long queue: shrink a little, to let it drain
// - a time-out, a reset or a 5xx in the round: shrink to 70 %, at most once a round
// - the limit was not in use (nothing to do, or the rate budget is the bound): no growth; an idle limit says nothing
//
// The baseline is not for ever: a target may become slower for good. So after a number of rounds with signs of a queue it
// is measured anew, at half the limit: one round for the queue to drain, one that counts. A limit at the knee or not far
// beyond it leaves the target enough to do in those two rounds; where there are no signs, nothing is measured.

export interface RequestSample {
  readonly milliseconds: number;
  /** Requests in flight when this one was sent, itself included. */
  readonly inFlight: number;
  readonly outcome: 'ok' | 'overload' | 'ignore';
}

interface ConcurrencyRules {
  readonly min: number;
  readonly max: number;
  readonly initial: number;
}

export const CONCURRENCY_RULES: ConcurrencyRules = { min: 4, max: 256, initial: 16 };

export interface ConcurrencyState {
  readonly limit: number;
  /** Until the first sign of the knee the limit doubles. */
  readonly probing: boolean;
  /** Lowest mean latency of a round so far, milliseconds. */
  readonly baselineMs: number | undefined;
  /** Rounds with signs of a queue since the baseline was measured. */
  readonly queued: number;
  /** While the baseline is measured: the limit to return to, and the rounds until then. */
  readonly measuring: { readonly limit: number; readonly roundsLeft: number } | undefined;
  readonly round: {
    readonly samples: number;
    readonly totalMs: number;
    readonly peakInFlight: number;
    readonly overloads: number;
  };
}

const NO_SAMPLES = { samples: 0, totalMs: 0, peakInFlight: 0, overloads: 0 };
const SHRINK = 0.7;
const DRAIN = 0.9;
const MEASURE_AFTER_ROUNDS = 30;

export function startConcurrency(rules: ConcurrencyRules = CONCURRENCY_RULES): ConcurrencyState {
  return {
    limit: clamp(rules.initial, rules),
    probing: true,
    baselineMs: undefined,
    queued: 0,
    measuring: undefined,
    round: NO_SAMPLES,
  };
}

export function learnConcurrency(
  state: ConcurrencyState,
  sample: RequestSample,
  rules: ConcurrencyRules = CONCURRENCY_RULES,
): ConcurrencyState {
  if (sample.outcome === 'ignore') return state;
  const overload = sample.outcome === 'overload';
  const round = {
    // The latency of a time-out is our own patience and no property of the target.
    samples: state.round.samples + (overload ? 0 : 1),
    totalMs: state.round.totalMs + (overload ? 0 : sample.milliseconds),
    peakInFlight: Math.max(state.round.peakInFlight, sample.inFlight),
    overloads: state.round.overloads + (overload ? 1 : 0),
  };
  // The first overload of a round counts at once: the target is in trouble now.
  if (overload && round.overloads === 1)
    return {
      ...state,
      limit: clamp(state.limit * SHRINK, rules),
      probing: false,
      measuring: undefined,
      round,
    };
  if (round.samples < Math.max(8, state.limit)) return { ...state, round };
  return closeRound({ ...state, round }, rules);
}

function closeRound(state: ConcurrencyState, rules: ConcurrencyRules): ConcurrencyState {
  const { limit, round, probing, measuring } = state;
  const mean = Math.max(round.totalMs / round.samples, 0.001);
  if (measuring !== undefined) return measure(state, measuring, mean);
  const baselineMs = Math.min(mean, state.baselineMs ?? mean);
  const next = { ...state, baselineMs, round: NO_SAMPLES };
  if (round.overloads > 0) return next;
  const queue = limit * (1 - baselineMs / mean);
  const short = Math.max(3, limit / 4);
  if (queue > short) {
    if (state.queued + 1 >= MEASURE_AFTER_ROUNDS)
      return { ...next, limit: clamp(limit / 2, rules), probing: false, measuring: { limit, roundsLeft: 2 } };
    const drained = queue > 2 * short ? clamp(limit * DRAIN, rules) : limit;
    return { ...next, limit: drained, probing: false, queued: state.queued + 1 };
  }
  if (round.peakInFlight < limit * 0.9) return next;
  const grown = probing ? limit * 2 : limit + Math.max(1, Math.sqrt(limit) / 2);
  return { ...next, limit: clamp(grown, rules) };
}

function measure(
  state: ConcurrencyState,
  { limit, roundsLeft }: { readonly limit: number; readonly roundsLeft: number },
  mean: number,
): ConcurrencyState {
  if (roundsLeft > 1)
    return { ...state, measuring: { limit, roundsLeft: roundsLeft - 1 }, round: NO_SAMPLES };
  return { ...state, limit, baselineMs: mean, queued: 0, measuring: undefined, round: NO_SAMPLES };
}

function clamp(limit: number, rules: ConcurrencyRules): number {
  return Math.max(rules.min, Math.min(rules.max, Math.floor(limit)));
}

// Limiters for the push: a fixed number of slots, or one that follows the target (concurrency-limit.ts).
//
// Slots stand for tickets, but what tells how the target is doing are single requests: a ticket's time also holds waits
// for the rate budget, for its contacts and for the disk. So the adaptive limiter learns from `observe`, which the Core
// API's client calls for each request on the wire, and takes from `release` only that a slot is free.

interface AdaptiveLimiter extends Limiter {
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
