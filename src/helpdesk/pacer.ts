/**
 * The gate that every request passes, reads, repeats and probes too: first come, first served.
 *
 * Spacing. Requests go out evenly. One that was late keeps its place, so that the next ones catch up; but the departures of the last
 * full budget are remembered, so no window has more than its requests, even where some arrive 0.8% of it later than others. A new
 * process waits one spacing before its first request, so a restart keeps to the budget.
 *
 * Outage. While the helpdesk is down (no connection, 503), everything waits, and after growing pauses one harmless read goes out, as a
 * create might be answered so that its outcome is open. The first sign of life lets all go on.
 *
 * One clock bounds all waiting: it starts anew with every good answer, and with the first request after an idle minute. After
 * `giveUpAfterMs` all who wait and all who come later get AppError `unreachable`.
 */
import pLimit from 'p-limit';
import { AppError } from '../domain/errors.ts';
import type { Rate } from '../domain/limits.ts';
import type { Clock, Emit, Random } from '../domain/ports.ts';
import { GIVE_UP_AFTER_MS, inTimeUnits, steadyBackoff, stopReason, untilAborted } from './backoff.ts';

/** `askedMs` is the pause it asks for; `cause` is a phrase for a person. */
export type News =
  | { readonly is: 'good' }
  /** 429 to a request sent at this monotonic time. */
  | { readonly is: 'limited'; readonly sentAt: number; readonly askedMs: number }
  | { readonly is: 'answering' | 'silent'; readonly cause: string }
  | { readonly is: 'down'; readonly cause: string; readonly askedMs: number };

export interface PacerOptions {
  readonly budgets: readonly Rate[];
  readonly clock: Clock;
  readonly random: Random;
  readonly emit?: Emit | undefined;
  readonly address?: string | undefined;
  /** Sends one harmless read. A rejection counts as down, unless the signal aborted. */
  readonly probe: (signal: AbortSignal) => Promise<unknown>;
  readonly giveUpAfterMs?: number | undefined;
  readonly stopping?: AbortSignal | undefined;
}

/** Windows count as longer, as some requests travel late. */
const MARGIN = 1.009;
/** Share of a window that may be caught up; below MARGIN, because requests travel late too. */
const CATCH_UP = 0.005;
const UNNAMED_PAUSE = { firstMs: 2_000, maxMs: 60_000 };
const SHORTEST_PAUSE_MS = 1_000;
const BETWEEN_PROBES = { firstMs: 500, maxMs: 30_000 };
/** After this pause earlier answers say nothing. */
const IDLE_MS = 60_000;
const TELL_FROM_MS = 500;
/** Timers cannot be longer than 24.8 days. */
const LONGEST_SLEEP_MS = 3_600_000;
const LONGEST_WHEN_STOPPING_MS = 1_000;

interface Outage {
  cause: string;
  probes: number;
  nextProbe: number;
}

export class Pacer {
  readonly #options: PacerOptions;
  readonly #clock: Clock;
  readonly #giveUpAfterMs: number;
  readonly #spacingMs: number;
  readonly #catchUpMs: number;
  readonly #windows: readonly {
    readonly ms: number;
    readonly requests: number;
    readonly departures: number[];
  }[];
  readonly #line = pLimit(1);
  #change = new AbortController();
  #due: number;
  #turns = 0;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #heldAt = Number.NEGATIVE_INFINITY;
  #refusals = 0;
  #outage: Outage | undefined;
  #since: number;
  #lastAt: number;
  #announcedUntil = Number.NEGATIVE_INFINITY;
  #gaveUp: AppError | undefined;

  constructor(options: PacerOptions) {
    const { budgets, clock, giveUpAfterMs = GIVE_UP_AFTER_MS, stopping } = options;
    for (const { requests, seconds } of budgets)
      if (!Number.isSafeInteger(requests) || requests < 1 || !(seconds > 0) || !Number.isFinite(seconds))
        throw new RangeError(`not a request budget: ${requests}/${seconds}`);
    this.#options = options;
    this.#clock = clock;
    this.#giveUpAfterMs = giveUpAfterMs;
    this.#windows = budgets.map(({ requests, seconds }) => ({
      ms: MARGIN * seconds * 1000,
      requests,
      departures: [],
    }));
    this.#spacingMs = Math.max(0, ...this.#windows.map(({ ms, requests }) => ms / requests));
    this.#catchUpMs = CATCH_UP * Math.min(...this.#windows.map(({ ms }) => ms), 300_000);
    this.#since = clock.monotonic();
    this.#lastAt = this.#since;
    this.#due = this.#since + this.#spacingMs;
    stopping?.addEventListener('abort', () => this.#lookAgain(), { once: true });
  }

  /** Its number if a request may go out at once; else a promise of it, which rejects with the signal's reason or AppError. */
  turn(signal: AbortSignal): number | Promise<number> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const now = this.#clock.monotonic();
    if (this.#line.activeCount === 0) {
      if (now - this.#lastAt > IDLE_MS) this.#since = now;
      if (this.#gaveUp === undefined && this.#outage === undefined && this.#nextAt() <= now)
        return this.#take(now);
    }
    this.#lastAt = now;
    return untilAborted(
      this.#line(() => this.#wait(signal)),
      signal,
    );
  }

  left(turn: number): void {
    const now = this.#clock.monotonic();
    for (const { requests, departures } of this.#windows)
      if (this.#turns - turn < requests) departures[turn % requests] = now;
  }

  came(news: News): void {
    const now = this.#clock.monotonic();
    this.#lastAt = now;
    if (news.is === 'down') {
      // Failures of requests already under way say nothing new; only the pause they ask for counts.
      this.#outage ??= { cause: news.cause, probes: 0, nextProbe: now + this.#pauseBeforeProbe(0) };
      this.#outage.cause = news.cause;
      this.#outage.nextProbe = Math.max(this.#outage.nextProbe, now + news.askedMs);
      return;
    }
    if (news.is === 'good') {
      this.#refusals = 0;
      this.#since = now;
    } else if (news.is === 'limited') this.#hold(news, now);
    if (news.is !== 'silent' && this.#outage !== undefined) {
      this.#outage = undefined;
      this.#lookAgain();
    }
    if ('cause' in news && now - this.#since >= this.#giveUpAfterMs) this.#giveUp(news.cause);
  }

  get gaveUp(): AppError | undefined {
    return this.#gaveUp;
  }

  #nextAt(): number {
    let at = Math.max(this.#due, this.#heldUntil);
    for (const { ms, requests, departures } of this.#windows)
      at = Math.max(at, (departures[(this.#turns + 1) % requests] ?? Number.NEGATIVE_INFINITY) + ms);
    return at;
  }

  #take(now: number): number {
    this.#lastAt = now;
    this.#due = Math.max(this.#due, now - this.#catchUpMs) + this.#spacingMs;
    this.#turns += 1;
    for (const { requests, departures } of this.#windows) departures[this.#turns % requests] = now;
    return this.#turns;
  }

  #lookAgain(): void {
    this.#change.abort();
    this.#change = new AbortController();
  }

  #hold({ sentAt, askedMs }: Extract<News, { is: 'limited' }>, now: number): void {
    // Parallel refusals count once.
    if (sentAt >= this.#heldAt) this.#refusals += 1;
    this.#heldAt = now;
    const { random, emit } = this.#options;
    const isNamed = askedMs >= SHORTEST_PAUSE_MS;
    const waitMs = isNamed ? askedMs : steadyBackoff(this.#refusals, random, UNNAMED_PAUSE);
    this.#heldUntil = Math.max(this.#heldUntil, now + waitMs);
    emit?.({ type: 'rate-limited', waitMs });
  }

  #pauseBeforeProbe(probes: number): number {
    return steadyBackoff(probes + 1, this.#options.random, BETWEEN_PROBES);
  }

  #giveUp(cause: string | undefined): AppError {
    const now = this.#clock.monotonic();
    const lasting = inTimeUnits(now - this.#since);
    const heldMs = this.#heldUntil - now;
    const until = new Date(this.#clock.now() + Math.max(0, heldMs)).toISOString();
    const message =
      heldMs > 0
        ? `The helpdesk has limited the rate for ${lasting}. It asks to wait until ${until}.`
        : this.#outage === undefined
          ? `The helpdesk has given no usable answer for ${lasting}: ${cause}.`
          : `The helpdesk could not be reached for ${lasting}: ${this.#outage.cause}.`;
    const hint =
      heldMs > 0
        ? 'Run the same command again then: it continues where it stopped.'
        : 'Check the base URL and the network, then run the same command again: it continues where it stopped.';
    this.#gaveUp = new AppError('unreachable', message, { hint });
    this.#lookAgain();
    return this.#gaveUp;
  }

  /** It looks again after every sleep, so a pause that grew only makes it sleep once more. */
  async #wait(signal: AbortSignal): Promise<number> {
    const { stopping } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      if (this.#gaveUp !== undefined) throw this.#gaveUp;
      const now = this.#clock.monotonic();
      const outage = this.#outage;
      const at = Math.max(this.#nextAt(), outage?.nextProbe ?? now);
      if (stopping?.aborted === true && (outage !== undefined || at - now > LONGEST_WHEN_STOPPING_MS))
        throw stopReason(stopping);
      const isStuck = outage !== undefined || this.#heldUntil > now;
      const end = isStuck ? this.#since + this.#giveUpAfterMs : Number.POSITIVE_INFINITY;
      if (now >= end) throw this.#giveUp(undefined);
      const awake = AbortSignal.any([signal, this.#change.signal]);
      if (at > now) {
        this.#tell(Math.min(at, end), now, end);
        const sleep = this.#clock.sleep(Math.min(at - now, end - now, LONGEST_SLEEP_MS), awake);
        await sleep.catch((error: unknown) => {
          if (!awake.aborted) throw error;
        });
        this.#lastAt = this.#clock.monotonic();
        continue;
      }
      const turn = this.#take(now);
      if (outage === undefined) return turn;
      await this.#probe(outage, awake);
    }
  }

  async #probe(outage: Outage, awake: AbortSignal): Promise<void> {
    outage.probes += 1;
    try {
      await this.#options.probe(awake);
    } catch (error) {
      if (!awake.aborted) outage.cause = error instanceof Error ? error.message : String(error);
    }
    const next = this.#clock.monotonic() + this.#pauseBeforeProbe(outage.probes);
    outage.nextProbe = Math.max(outage.nextProbe, next);
  }

  #tell(at: number, now: number, end: number): void {
    if (at <= this.#announcedUntil) return;
    this.#announcedUntil = at;
    const { emit = () => {}, address = 'the helpdesk' } = this.#options;
    const untilMs = this.#clock.now() + (at - now);
    if (this.#outage !== undefined) {
      const outage = { address, cause: this.#outage.cause, givesUpMs: end - now };
      emit({ type: 'waiting', reason: 'target-down', untilMs, outage });
    } else if (at - now >= TELL_FROM_MS)
      emit({ type: 'waiting', reason: this.#heldUntil >= at ? 'retry-after' : 'rate-budget', untilMs });
  }
}

/** First come, first served; an aborted signal leaves the line. */

export class WaitQueue {
  readonly #line = new Set<() => void>();
  readonly #onEmpty: () => void;

  /** `onEmpty` runs when the last one leaves. */
  constructor(onEmpty: () => void = () => {}) {
    this.#onEmpty = onEmpty;
  }

  get length(): number {
    return this.#line.size;
  }

  /** Rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#line.delete(go);
        signal.removeEventListener('abort', onAbort);
      };
      const go = () => {
        leave();
        resolve();
      };
      const onAbort = () => {
        leave();
        reject(signal.reason);
        if (this.#line.size === 0) this.#onEmpty();
      };
      this.#line.add(go);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  next(): boolean {
    const [go] = this.#line;
    go?.();
    return go !== undefined;
  }

  all(): void {
    for (const go of [...this.#line]) go();
  }
}

/** One slot is one ticket, with at most one request on the wire. */
export class Slots {
  readonly limit: number;
  readonly #line = new WaitQueue();
  #taken = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  tryAcquire(): boolean {
    if (this.#line.length > 0 || this.#taken >= this.limit) return false;
    this.#taken += 1;
    return true;
  }

  acquire(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return this.tryAcquire() ? Promise.resolve() : this.#line.enter(signal);
  }

  release(): void {
    if (!this.#line.next()) this.#taken -= 1;
  }
}
