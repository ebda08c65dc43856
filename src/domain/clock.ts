/** Milliseconds. */
export interface Clock {
  now(): number;
  /** Monotonic: only differences mean something. */
  monotonic(): number;
  /** Rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Uniform in [0, 1). */
export type Random = () => number;
