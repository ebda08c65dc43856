/** Time from outside, so that decisions can be tested without waiting. All times in milliseconds. */
export interface Clock {
  /** Wall clock, Unix epoch. May jump. */
  now(): number;
  /** Monotonic; never goes back. Only differences mean something. */
  monotonic(): number;
  /** Resolves after `ms`, or rejects with the signal's reason at once when it aborts. Leaves no timer or listener behind. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Uniform in [0, 1). */
export type Random = () => number;
