/**
 * The gate that every request passes, whatever it is for: reads, repeats and probes too. First come, first served,
 * within the rate budgets, and never while the service has asked for a pause.
 *
 * One sleeper serves the whole line. It looks again after every sleep, so that a pause that grew meanwhile, or a timer
 * that fired early, only makes it sleep once more. When the line empties, the sleeper is woken and nothing is left behind.
 *
 * A service that asks to wait is waited for, but not for ever: after `giveUpAfterMs` in which it let nothing through, whoever
 * waits gets AppError `unreachable`, however often it answered and whatever it asked for meanwhile.
 */

import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../domain/errors.ts';
import type { Rate } from '../../domain/limits.ts';
import type { Emit } from '../../domain/run-events.ts';
import { GIVE_UP_AFTER_MS, httpDate, inTimeUnits, stopReason } from './backoff.ts';
import {
  type Headers,
  parseRateLimit,
  type Slowdown,
  saysRateLimit,
  slowdown,
} from './rate-limit-headers.ts';
import { type RecentSends, WindowBudget, type WindowBudgetOptions } from './window-budget.ts';

export interface AdmissionOptions {
  readonly budgets: readonly Rate[];
  readonly clock: Clock;
  readonly emit?: Emit | undefined;
  /** Called for each request as it is admitted, with the second of the wall clock (Ledger.noteSends). */
  readonly onSend?: ((secondsSinceEpoch: number, requests: number) => void) | undefined;
  /** Called right before each request goes out. Throws where none may any more. */
  readonly aboutToSend?: (() => void) | undefined;
  /** What an earlier process sent (Ledger.recentSends), so that a restart keeps to the budgets. */
  readonly recent?: readonly RecentSends[] | undefined;
  /** How many requests that process may have sent without recording them. */
  readonly unrecorded?: number | undefined;
  readonly window?: WindowBudgetOptions | undefined;
  /** How long a service may let nothing through; default ten minutes. */
  readonly giveUpAfterMs?: number | undefined;
  /** Aborted: nobody waits long any more; whoever would, gets its reason. */
  readonly stopping?: AbortSignal | undefined;
}

export interface Admission {
  /** Counts one request and gives true where it may be sent at once; else it has to wait in line with `admit`. */
  tryAdmit(): boolean;
  /** Resolves when one request may be sent, which it counts. Rejects with the signal's reason; then nothing is counted. */
  admit(signal: AbortSignal): Promise<void>;
  /** A request that was admitted is about to go out. Throws where none may any more. */
  leaving(): void;
  /** A request that was admitted at this monotonic time goes out only now; told for those that were held up after the gate. */
  wentOut(admittedAt: number): void;
  /** Nothing is admitted for `ms` from now. Pauses do not add up; the latest end counts. */
  hold(ms: number): void;
  /** A request was let through: what is waited for from now on is a new pause. */
  letThrough(): void;
  /** Takes in the rate-limit headers of an answer; slows down where they say so. */
  learn(headers: Headers): void;
  /** Requests admitted so far. */
  readonly admitted: number;
  readonly waiting: number;
}

/** A wait worth telling: shorter ones are the ordinary spacing of requests. */
const TELL_FROM_MS = 500;
/** Between the gate and the wire nearly every request loses less than this. */
const UNNOTICED_MS = 1;
/** Timers cannot be longer than 24.8 days; looking again once an hour costs nothing. */
const LONGEST_SLEEP_MS = 3_600_000;
/** Who has been told to stop still waits for its turn in a line, and for nothing that takes longer. */
const LONGEST_WHEN_STOPPING_MS = 1_000;

export function createAdmission(options: AdmissionOptions): Admission {
  const { clock, emit = () => {}, onSend, stopping, giveUpAfterMs = GIVE_UP_AFTER_MS } = options;
  const budget = new WindowBudget(options.budgets, options.window);
  budget.restore(
    options.recent ?? [],
    { wall: clock.now(), monotonic: clock.monotonic() },
    options.unrecorded,
  );

  let admitted = 0;
  let lastSend = Number.NEGATIVE_INFINITY;
  let heldUntil = Number.NEGATIVE_INFINITY;
  /** Since when nothing was let through. */
  let heldSince: number | undefined;
  let spacing: { ms: number; until: number } = { ms: 0, until: Number.NEGATIVE_INFINITY };
  let sleeper: AbortController | undefined;
  const line = new WaitQueue(() => sleeper?.abort());
  stopping?.addEventListener('abort', () => sleeper?.abort(), { once: true });

  const next = (now: number) => {
    const learned = now < spacing.until ? Math.min(lastSend + spacing.ms, spacing.until) : now;
    return Math.max(budget.admitAt(now), heldUntil, learned);
  };

  const count = (now: number) => {
    budget.take(now);
    lastSend = now;
    admitted++;
    onSend?.(Math.floor(clock.now() / 1000), 1);
  };

  const tell = (now: number, at: number) => {
    if (at - now < TELL_FROM_MS) return;
    const reason = heldUntil >= at ? 'retry-after' : 'rate-budget';
    emit({ type: 'waiting', reason, untilMs: clock.now() + (at - now) });
  };

  const giveUpAt = (now: number) => {
    if (heldUntil <= now) return Number.POSITIVE_INFINITY;
    heldSince ??= now;
    return heldSince + giveUpAfterMs;
  };

  const letNothingThrough = (now: number) =>
    new AppError(
      'unreachable',
      `The target has let nothing through for ${inTimeUnits(giveUpAfterMs)}: it asks to wait until ${new Date(clock.now() + heldUntil - now).toISOString()}.`,
      { hint: 'Run the same command again then: it continues where it stopped.' },
    );

  const tooLong = (waitMs: number) =>
    stopping?.aborted === true && waitMs > LONGEST_WHEN_STOPPING_MS ? stopReason(stopping) : undefined;

  const serve = async () => {
    const controller = new AbortController();
    sleeper = controller;
    let reported = Number.NEGATIVE_INFINITY;
    try {
      while (line.length > 0) {
        const now = clock.monotonic();
        const at = next(now);
        if (at <= now) {
          if (line.next()) count(now);
          continue;
        }
        const end = giveUpAt(now);
        const enough = tooLong(at - now) ?? (now >= end ? letNothingThrough(now) : undefined);
        if (enough !== undefined) {
          line.failAll(enough);
          break;
        }
        if (at > reported) {
          tell(now, at);
          reported = at;
        }
        await clock.sleep(Math.min(at - now, end - now, LONGEST_SLEEP_MS), controller.signal);
      }
    } catch (error) {
      // Only the empty line ends the sleep; anything else is a broken clock, and nobody may wait for it for ever.
      if (!controller.signal.aborted) line.failAll(error);
    } finally {
      sleeper = undefined;
    }
    // Someone may have come while the sleeper was being sent home.
    if (line.length > 0) void serve();
  };

  const apply = (slower: Slowdown, now: number) => {
    if (slower.holdMs !== undefined) heldUntil = Math.max(heldUntil, now + slower.holdMs);
    if (slower.spacingMs === undefined) return;
    spacing = { ms: slower.spacingMs, until: now + (slower.forMs ?? LONGEST_SLEEP_MS) };
  };

  const tryAdmit = () => {
    const now = clock.monotonic();
    if (line.length > 0 || next(now) > now) return false;
    count(now);
    return true;
  };

  return {
    tryAdmit,

    admit(signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (tryAdmit()) return Promise.resolve();
      const turn = line.enter(signal);
      if (sleeper === undefined) void serve();
      return turn;
    },

    leaving() {
      options.aboutToSend?.();
    },

    wentOut(admittedAt) {
      if (options.budgets.length === 0) return;
      const now = clock.monotonic();
      // The caller's idea of when it was admitted is a moment younger than ours.
      if (now - admittedAt > UNNOTICED_MS) budget.wentOutLate(admittedAt - UNNOTICED_MS, now);
    },

    hold(ms) {
      heldSince ??= clock.monotonic();
      heldUntil = Math.max(heldUntil, clock.monotonic() + ms);
    },

    letThrough() {
      heldSince = undefined;
    },

    learn(headers) {
      if (!saysRateLimit(headers)) return;
      const date = headers['date'];
      const sent = typeof date === 'string' ? httpDate(date) : undefined;
      const news = parseRateLimit(headers, sent ?? clock.now());
      const slower = news && slowdown(news, options.budgets, budget.spacingMs);
      if (slower !== undefined) apply(slower, clock.monotonic());
    },

    get admitted() {
      return admitted;
    },
    get waiting() {
      return line.length;
    },
  };
}

/**
 * People standing in line: first come, first served, and whoever loses patience (its signal aborts) steps out without a
 * trace. Admission, the breaker and the limiter each decide when the next one may go; this is only the line.
 */
interface Waiting {
  readonly go: () => void;
  readonly fail: (reason: unknown) => void;
}

export class WaitQueue {
  readonly #line = new Set<Waiting>();
  readonly #onEmpty: () => void;

  /** `onEmpty` runs when the last one steps out by itself, so that nothing goes on waiting for nobody. */
  constructor(onEmpty: () => void = () => {}) {
    this.#onEmpty = onEmpty;
  }

  get length(): number {
    return this.#line.size;
  }

  /** Resolves when it is this one's turn; rejects with the signal's reason when it aborts before. */
  enter(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#line.delete(waiting);
        signal.removeEventListener('abort', onAbort);
      };
      const onAbort = () => {
        leave();
        reject(signal.reason);
        if (this.#line.size === 0) this.#onEmpty();
      };
      const waiting: Waiting = {
        go: () => {
          leave();
          resolve();
        },
        fail: (reason) => {
          leave();
          reject(reason);
        },
      };
      this.#line.add(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Lets the first one go. False when nobody waits. */
  next(): boolean {
    for (const waiting of this.#line) {
      waiting.go();
      return true;
    }
    return false;
  }

  all(): void {
    for (const waiting of [...this.#line]) waiting.go();
  }

  failAll(reason: unknown): void {
    for (const waiting of [...this.#line]) waiting.fail(reason);
  }
}
