/**
 * The service's rate limits: several windows at once, each exact. A request is let in when no window would hold more
 * than its number; one that is refused counts nowhere. Pure but for its own memory; times are given.
 */
export interface RateLimit {
  requests: number;
  seconds: number;
}

interface Window {
  readonly requests: number;
  readonly ms: number;
  /** Arrival times of the last `requests` requests that were let in; a ring. */
  readonly times: Float64Array;
  next: number;
}

export class SlidingWindows {
  readonly #windows: readonly Window[];

  constructor(limits: readonly RateLimit[]) {
    this.#windows = limits.map(({ requests, seconds }) => ({
      requests,
      ms: seconds * 1000,
      times: new Float64Array(requests).fill(Number.NEGATIVE_INFINITY),
      next: 0,
    }));
  }

  /** 0 when the request is let in, else the milliseconds until one would be. `now` never goes back. */
  admit(now: number): number {
    let wait = 0;
    for (const window of this.#windows) {
      // The slot about to be overwritten holds the oldest of the last n: it must have left the window.
      const oldest = window.times[window.next] ?? Number.NEGATIVE_INFINITY;
      wait = Math.max(wait, oldest + window.ms - now);
    }
    if (wait > 0) return wait;
    for (const window of this.#windows) {
      window.times[window.next] = now;
      window.next = (window.next + 1) % window.requests;
    }
    return 0;
  }
}
