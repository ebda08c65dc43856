/**
 * How much work may be in flight at once. One slot stands for one ticket, and a ticket has at most one request on the
 * wire, so the number of slots taken bounds the requests in flight too.
 */
export interface LimiterSample {
  /**
   * `overload`: the work met a time-out, a reset or a 5xx, which says that the target has too much to do.
   * `ignore`: its end says nothing about the target (refused data, an abort, nothing sent).
   */
  readonly outcome: 'ok' | 'overload' | 'ignore';
  /** From acquire to release, where the holder measured it. */
  readonly milliseconds?: number;
}

export interface Limiter {
  /** Takes a slot where one is free and nobody waits for it. */
  tryAcquire(): boolean;
  /** Waits for a slot, first come first served. Rejects with the signal's reason, and then holds no slot. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Gives back one slot that was acquired, exactly once. Never throws. */
  release(sample: LimiterSample): void;
  /** Slots that may be taken at this moment; may change at any time where the limit adapts. */
  readonly limit: number;
  readonly inFlight: number;
}
