/** Time from outside, so that tests need not wait. All times in milliseconds. */
export interface Clock {
  /** Wall clock, Unix epoch. May jump. */
  now(): number;
  /** Monotonic: only differences mean something. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Uniform in [0, 1). */
export type Random = () => number;
