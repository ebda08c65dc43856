/**
 * The gate that every request passes, reads, repeats and probes too: first come, first served.
 *
 * Spacing. Requests go out evenly. One that was late keeps its place, so that the next ones catch up; but the departures of the
 * last full budget are remembered, so no window, wherever it begins, has more than its requests, even where some arrive 0.8% of it
 * later than others. A new process waits one spacing before its first request, so a restart keeps to the budget.
 *
 * Pauses. After a 429 nothing goes out for as long as `Retry-After` says; where it says nothing, for a growing pause.
 *
 * Outage. While the target is down (no connection, 503), everything waits, and after growing pauses one harmless read goes
 * out: a create might be answered so that its outcome is open. The first sign of life lets all go on.
 *
 * One clock bounds all of it: it starts anew with every good answer, and with the first request after an idle minute. After
 * `giveUpAfterMs` all who wait and all who come later get AppError `unreachable`.
 */
import pLimit from 'p-limit';
import type { Clock, Random } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import type { Rate } from '../domain/limits.ts';
import type { Emit } from '../domain/run-events.ts';
import { GIVE_UP_AFTER_MS, inTimeUnits, steadyBackoff, stopReason, untilAborted } from './backoff.ts';

/** What a reply says about the target. `askedMs` is the pause that it asks for; `cause` is a phrase for a person. */
export type News =
  /** It works, whatever it says to this request. */
  | { readonly is: 'good' }
  /** 429 to a request that was sent at this monotonic time. */
  | { readonly is: 'limited'; readonly sentAt: number; readonly askedMs: number }
  /** It is there and does not work (5xx), or it may be (no answer in time). */
  | { readonly is: 'answering' | 'silent'; readonly cause: string }
  /** It takes no requests: no connection, 503. */
  | { readonly is: 'down'; readonly cause: string; readonly askedMs: number };

export interface PacerOptions {
  readonly budgets: readonly Rate[];
  readonly clock: Clock;
  readonly random: Random;
  readonly emit?: Emit | undefined;
  /** What cannot be reached, for a person. */
  readonly address?: string | undefined;
  /** Sends one harmless read, of whose reply `came` hears. A rejection counts as down, unless the signal aborted. */
  readonly probe: (signal: AbortSignal) => Promise<unknown>;
  /** Default: ten minutes. */
  readonly giveUpAfterMs?: number | undefined;
  /** When aborted: long waits reject with its reason. */
  readonly stopping?: AbortSignal | undefined;
}

/** Windows are taken to be longer, as some requests reach the service later than others. */
const MARGIN = 1.009;
/** Of a window: so much of it may be caught up at once. Less than the margin, as what was late may be late on its way too. */
const CATCH_UP = 0.005;
/** The pause after a 429 without a usable pause: missing, zero, in the past or not a time. */
const UNNAMED_PAUSE = { firstMs: 2_000, maxMs: 60_000 };
const SHORTEST_PAUSE_MS = 1_000;
const BETWEEN_PROBES = { firstMs: 500, maxMs: 30_000 };
/** After so long without a request, earlier answers say nothing about the target. */
const IDLE_MS = 60_000;
/** A wait worth telling: shorter ones are the ordinary spacing of requests. */
const TELL_FROM_MS = 500;
/** Timers cannot be longer than 24.8 days; looking again once an hour costs nothing. */
const LONGEST_SLEEP_MS = 3_600_000;
/** After a stop a call waits for its turn, and for nothing longer. */
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
  /** When the last requests of each window went out, in rings. */
  readonly #windows: readonly { readonly ms: number; readonly departures: Float64Array }[];
  readonly #line = pLimit(1);
  /** Aborted when something has changed for those who wait. */
  #change = new AbortController();
  /** When the next request goes out, in perfect spacing. */
  #due: number;
  /** Requests that had their turn so far. */
  #turns = 0;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #heldAt = Number.NEGATIVE_INFINITY;
  #refusals = 0;
  #outage: Outage | undefined;
  /** When the clock that bounds all waiting started. */
  #since: number;
  #lastAt: number;
  #announcedUntil = Number.NEGATIVE_INFINITY;
  #gaveUp: AppError | undefined;

  /** Throws RangeError for a budget that no request could use. */
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
      departures: new Float64Array(requests).fill(Number.NEGATIVE_INFINITY),
    }));
    this.#spacingMs = Math.max(0, ...this.#windows.map(({ ms, departures }) => ms / departures.length));
    this.#catchUpMs = CATCH_UP * Math.min(...this.#windows.map(({ ms }) => ms), 300_000);
    this.#since = clock.monotonic();
    this.#lastAt = this.#since;
    this.#due = this.#since + this.#spacingMs;
    stopping?.addEventListener('abort', () => this.#lookAgain(), { once: true });
  }

  /** The number of its turn where a request may go out at once; else a promise of it, which rejects with the signal's reason or AppError. */
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

  /** The request that had this turn goes out only now. */
  left(turn: number): void {
    const now = this.#clock.monotonic();
    for (const { departures } of this.#windows)
      if (this.#turns - turn < departures.length) departures[turn % departures.length] = now;
  }

  /** A reply came, to whichever request. */
  came(news: News): void {
    const now = this.#clock.monotonic();
    this.#lastAt = now;
    if (news.is === 'down') {
      // Requests that were under way when it went down are no news, but what they were asked is.
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

  /** Why nothing is sent any more, once it has given up. */
  get gaveUp(): AppError | undefined {
    return this.#gaveUp;
  }

  #nextAt(): number {
    let at = Math.max(this.#due, this.#heldUntil);
    for (const { ms, departures } of this.#windows)
      at = Math.max(at, (departures[(this.#turns + 1) % departures.length] ?? 0) + ms);
    return at;
  }

  #take(now: number): number {
    this.#lastAt = now;
    this.#due = Math.max(this.#due, now - this.#catchUpMs) + this.#spacingMs;
    this.#turns += 1;
    for (const { departures } of this.#windows) departures[this.#turns % departures.length] = now;
    return this.#turns;
  }

  #lookAgain(): void {
    this.#change.abort();
    this.#change = new AbortController();
  }

  #hold({ sentAt, askedMs }: Extract<News, { is: 'limited' }>, now: number): void {
    // Those that were under way together are refused together, and counted as one.
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
        ? `The target has let nothing through for ${lasting}: it asks to wait until ${until}.`
        : this.#outage === undefined
          ? `The target has given no answer that can be used for ${lasting}: ${cause}.`
          : `The target could not be reached for ${lasting}: ${this.#outage.cause}.`;
    const hint =
      heldMs > 0
        ? 'Run the same command again then: it continues where it stopped.'
        : 'Check the base URL and the network, then run the same command again: it continues where it stopped.';
    this.#gaveUp = new AppError('unreachable', message, { hint });
    this.#lookAgain();
    return this.#gaveUp;
  }

  /** The first in the line. It looks again after every sleep, so a pause that grew meanwhile only makes it sleep once more. */
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
          // A broken clock is a failure; an ended sleep is not.
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
    const { emit = () => {}, address = 'the target' } = this.#options;
    const untilMs = this.#clock.now() + (at - now);
    if (this.#outage !== undefined) {
      const outage = { address, cause: this.#outage.cause, givesUpMs: end - now };
      emit({ type: 'waiting', reason: 'target-down', untilMs, outage });
    } else if (at - now >= TELL_FROM_MS)
      emit({ type: 'waiting', reason: this.#heldUntil >= at ? 'retry-after' : 'rate-budget', untilMs });
  }
}
