/**
 * How many requests may be sent, and when: any number of budgets `{requests, seconds}` at once, each an exact sliding
 * window. In no window of that length, wherever it begins, are more than `requests` sent. A decision structure only:
 * it has no clock and no timer, and time is what the caller says it is.
 *
 * The margin. A service counts arrivals, and requests do not all take equally long to arrive: one that was held up on
 * its way arrives together with one that was not. With sends that are legal in every window of length W + J, arrivals
 * are legal in every window of length W as long as delays on the way differ by no more than J. So every window is
 * stretched by J. It costs J / W of the budget; with 0.9 % of the window and at most 500 ms, between 99.1 % and 99.8 %
 * is left, and delays that differ by 45 ms (5 seconds) to half a second (a minute) do no harm. A stall beyond that, of
 * the network or of a service that counts late, may still earn a 429 in a short window; then its Retry-After is obeyed.
 * J is at least one millisecond: then windows that count both of their ends hold too, and so do clocks that round.
 *
 * Smoothness. A thousand requests at once and then a minute of silence would be legal. Instead requests are spaced
 * evenly by the slowest budget (W + J) / requests, and a sender that fell behind (a slow disk, a late timer) may catch
 * up by at most the slack. The windows hold whatever the spacing does.
 *
 * Memory: eight bytes for each request of the greatest budget, in a ring.
 */
import type { Rate } from '../../domain/limits.ts';

export interface WindowBudgetOptions {
  /** Stretch of each window in milliseconds; default `defaultMarginMs`. */
  readonly marginMs?: ((budget: Rate) => number) | undefined;
  /** How far a sender may catch up, milliseconds; default `defaultSlackMs` of the slowest budget. */
  readonly slackMs?: number | undefined;
}

/** Sends of an earlier process, by second of the wall clock. */
export interface RecentSends {
  readonly second: number;
  readonly requests: number;
}

export function defaultMarginMs(budget: Rate): number {
  return Math.min(500, Math.max(1, budget.seconds * 9));
}

/** Two per cent of the window, between 20 ms (timers are no finer) and half a second. */
function defaultSlackMs(budget: Rate): number {
  return Math.min(500, Math.max(20, budget.seconds * 20));
}

interface Window {
  readonly requests: number;
  /** Window and margin, milliseconds. */
  readonly length: number;
}

export class WindowBudget {
  readonly #windows: readonly Window[];
  /** Times of the last sends; slot `n % length` holds send number n. */
  readonly #ring: Float64Array;
  readonly #slack: number;
  #sends = 0;
  #last = Number.NEGATIVE_INFINITY;
  /** Milliseconds between two sends by the slowest budget; 0 without budgets. */
  readonly spacingMs: number;
  /** When the next send would go in perfect spacing. */
  #due = Number.NEGATIVE_INFINITY;

  /** Without budgets everything may go at once. Throws RangeError for a budget that no request could use. */
  constructor(budgets: readonly Rate[], options: WindowBudgetOptions = {}) {
    for (const { requests, seconds } of budgets)
      if (!Number.isSafeInteger(requests) || requests < 1 || !(seconds > 0) || !Number.isFinite(seconds))
        throw new RangeError(`not a request budget: ${requests}/${seconds}`);
    const margin = options.marginMs ?? defaultMarginMs;
    this.#windows = budgets.map((budget) => ({
      requests: budget.requests,
      length: budget.seconds * 1000 + margin(budget),
    }));
    this.#ring = new Float64Array(Math.max(1, ...budgets.map((budget) => budget.requests)));
    let slowest: Rate | undefined;
    let spacing = 0;
    this.#windows.forEach((window, index) => {
      if (window.length / window.requests <= spacing) return;
      spacing = window.length / window.requests;
      slowest = budgets[index];
    });
    this.spacingMs = spacing;
    this.#slack = options.slackMs ?? (slowest === undefined ? 0 : defaultSlackMs(slowest));
  }

  /** The earliest time, not before `now`, at which one more request may be sent. Changes nothing. */
  admitAt(now: number): number {
    // A request is never put before one that was already taken, even if the caller's clock says so.
    let at = Math.max(now, this.#last, this.#due);
    for (const { requests, length } of this.#windows) {
      if (this.#sends < requests) continue;
      at = Math.max(at, this.#sendNumber(this.#sends - requests) + length);
    }
    return at;
  }

  /** Counts a request that is sent at `at`: a time that `admitAt` gave, or a later one. */
  take(at: number): void {
    this.#record(at);
    // Whoever is late keeps its place in the spacing, so that the next ones catch up; but by no more than the slack.
    // The first one of all is not late.
    const place = this.#due === Number.NEGATIVE_INFINITY ? at : Math.max(this.#due, at - this.#slack);
    this.#due = place + this.spacingMs;
  }

  /**
   * A request that was taken at `from` really went out at `until` only: a busy process, or a connection that had to be
   * made first. All that were taken in between count as sent then, since what held this one up held them up too.
   */
  wentOutLate(from: number, until: number): void {
    const oldest = Math.max(0, this.#sends - this.#ring.length);
    for (let n = this.#sends - 1; n >= oldest && this.#sendNumber(n) >= from; n--)
      if (this.#sendNumber(n) < until) this.#ring[n % this.#ring.length] = until;
    this.#last = Math.max(this.#last, this.#sendNumber(this.#sends - 1));
  }

  /**
   * Counts what an earlier process sent. All requests of a second are taken as sent at its end, the latest that they
   * can have been, and seconds that lie in the future (the wall clock was set back) as sent now: too late is safe.
   * @param now both clocks at this moment, milliseconds
   * @param unrecorded how many more that process may have sent after its last record, when it died before writing it
   */
  restore(recent: readonly RecentSends[], now: { wall: number; monotonic: number }, unrecorded = 0): void {
    const sorted = recent
      .filter(({ requests }) => requests > 0)
      .map(({ second, requests }) => ({
        at: Math.min(now.monotonic, now.monotonic - (now.wall - (second + 1) * 1000)),
        requests,
      }))
      .sort((a, b) => a.at - b.at);
    sorted.forEach(({ at, requests }, index) => {
      const all = requests + (index === sorted.length - 1 ? unrecorded : 0);
      const count = Math.min(all, this.#ring.length);
      for (let n = 0; n < count; n++) this.#record(at);
    });
  }

  #record(at: number): void {
    // Non-decreasing, so that "the n-th last send" is also the n-th latest one.
    this.#last = Math.max(this.#last, at);
    this.#ring[this.#sends % this.#ring.length] = this.#last;
    this.#sends++;
  }

  #sendNumber(n: number): number {
    return this.#ring[n % this.#ring.length] ?? Number.NEGATIVE_INFINITY;
  }
}
