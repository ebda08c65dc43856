/**
 * The gate that every request passes, reads, repeats and probes too: first come, first served.
 *
 * Spacing. Requests go out evenly, 1.009 × window ÷ requests apart by the slowest budget. A request that was late (a timer, a
 * busy process) keeps its place, so that the next ones catch up, but by no more than 0.4% of the shortest window: so in
 * no window, wherever it begins, arrive more than its requests, even where some arrive 0.4% of it later than others. A request
 * that was held up after its turn moves the places of those behind it (`left`).
 * Nothing has to be remembered: a new process waits one spacing before its first request, so a restart keeps to the budget.
 *
 * Pauses. After a 429 nothing goes out for as long as `Retry-After` says; where it says nothing, for a growing pause.
 *
 * Outage. While the target is down (no connection, 503), everything waits, and after growing pauses one harmless read goes
 * out: a create might be answered so that its outcome is open. The first sign of life lets all go on.
 *
 * One clock bounds all of it: it starts with the first answer that is no use (429, 5xx, none), ends with the first
 * good one, and after `giveUpAfterMs` all who wait and all who come later get AppError `unreachable`.
 */
import type { Clock, Random } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import type { Rate } from '../domain/limits.ts';
import type { Emit } from '../domain/run-events.ts';
import { type BackoffRules, GIVE_UP_AFTER_MS, inTimeUnits, steadyBackoff, stopReason } from './backoff.ts';
import { WaitQueue } from './slots.ts';

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
  /** Aborted: nobody waits long any more; whoever would, gets its reason. */
  readonly stopping?: AbortSignal | undefined;
}

const STRETCH = 1.009;
const CATCH_UP = 0.004;
/** The pause after a 429 that names none, or one of no length: a date in the past, a zero, something that is no time. */
const UNNAMED_PAUSE: BackoffRules = { firstMs: 2_000, maxMs: 60_000 };
const SHORTEST_PAUSE_MS = 1_000;
const BETWEEN_PROBES: BackoffRules = { firstMs: 500, maxMs: 30_000 };
/** A wait worth telling: shorter ones are the ordinary spacing of requests. */
const TELL_FROM_MS = 500;
/** Timers cannot be longer than 24.8 days; looking again once an hour costs nothing. */
const LONGEST_SLEEP_MS = 3_600_000;
/** Who has been told to stop still waits for its turn in a line, and for nothing that takes longer. */
const LONGEST_WHEN_STOPPING_MS = 1_000;

interface Trouble {
  readonly since: number;
  cause: string;
  isDown: boolean;
  probes: number;
  nextProbe: number;
}

export class Pacer {
  readonly #options: PacerOptions;
  readonly #clock: Clock;
  readonly #giveUpAfterMs: number;
  readonly #spacingMs: number;
  readonly #catchUpMs: number;
  readonly #line = new WaitQueue(() => this.#serving?.abort());
  #serving: AbortController | undefined;
  /** When the next request goes out, in perfect spacing. */
  #due: number;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #heldAt = Number.NEGATIVE_INFINITY;
  #refusals = 0;
  /** Requests that had their turn so far. */
  #turns = 0;
  /** Of those who waited and do not know it yet, the number of each turn. */
  readonly #given: number[] = [];
  #trouble: Trouble | undefined;
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
    this.#spacingMs = Math.max(
      0,
      ...budgets.map(({ requests, seconds }) => (STRETCH * seconds * 1000) / requests),
    );
    this.#catchUpMs = CATCH_UP * 1000 * Math.min(...budgets.map(({ seconds }) => seconds), 300);
    this.#due = clock.monotonic() + this.#spacingMs;
    stopping?.addEventListener('abort', () => this.#serving?.abort(), { once: true });
  }

  /** The number of its turn where a request may go out at once; else a promise of it, which rejects with the signal's reason or AppError. */
  turn(signal: AbortSignal): number | Promise<number> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#gaveUp !== undefined) return Promise.reject(this.#gaveUp);
    const now = this.#clock.monotonic();
    if (this.#line.length === 0 && this.#trouble?.isDown !== true && this.#nextAt() <= now) {
      return this.#take(now);
    }
    const turn = this.#line.enter(signal).then(() => this.#given.shift() ?? this.#turns);
    if (this.#serving === undefined) void this.#serve();
    return turn;
  }

  /** The request that had this turn goes out only now. */
  left(turn: number): void {
    const behind = this.#turns - turn;
    this.#due = Math.max(
      this.#due,
      this.#clock.monotonic() - this.#catchUpMs + (behind + 1) * this.#spacingMs,
    );
  }

  /** A reply came, to whichever request. */
  came(news: News): void {
    if (news.is === 'good') {
      this.#refusals = 0;
      this.#isOver();
      return;
    }
    const now = this.#clock.monotonic();
    const cause = news.is === 'limited' ? 'it answers with 429' : news.cause;
    const trouble = this.#trouble ?? { since: now, cause, isDown: false, probes: 0, nextProbe: now };
    this.#trouble = trouble;
    trouble.cause = cause;
    if (news.is === 'limited') this.#hold(news, now);
    if (news.is === 'limited' || news.is === 'answering') this.#lets(trouble);
    if (news.is === 'down') {
      // Requests that were under way when it went down are no news, but what they were asked is.
      if (!trouble.isDown) this.#scheduleProbe(trouble, now);
      trouble.isDown = true;
      trouble.nextProbe = Math.max(trouble.nextProbe, now + news.askedMs);
    }
    const isUseless = news.is === 'answering' || news.is === 'silent';
    if (isUseless && now - trouble.since >= this.#giveUpAfterMs) this.#giveUp(trouble);
  }

  /** Why nothing is sent any more, once it has given up. */
  get gaveUp(): AppError | undefined {
    return this.#gaveUp;
  }

  #nextAt(): number {
    return Math.max(this.#due, this.#heldUntil);
  }

  #take(now: number): number {
    this.#due = Math.max(this.#due, now - this.#catchUpMs) + this.#spacingMs;
    this.#turns += 1;
    return this.#turns;
  }

  #isOver(): void {
    const trouble = this.#trouble;
    this.#trouble = undefined;
    if (trouble !== undefined) this.#lets(trouble);
  }

  /** The target is not down, or not any more. */
  #lets(trouble: Trouble): void {
    if (!trouble.isDown) return;
    trouble.isDown = false;
    this.#serving?.abort();
  }

  #hold({ sentAt, askedMs }: Extract<News, { is: 'limited' }>, now: number): void {
    // Those that were under way together are refused together, and counted as one.
    if (sentAt >= this.#heldAt) this.#refusals += 1;
    this.#heldAt = now;
    const pauseMs =
      askedMs < SHORTEST_PAUSE_MS
        ? steadyBackoff(this.#refusals, this.#options.random, UNNAMED_PAUSE)
        : askedMs;
    this.#heldUntil = Math.max(this.#heldUntil, now + pauseMs);
    this.#options.emit?.({ type: 'rate-limited', waitMs: pauseMs });
  }

  #scheduleProbe(trouble: Trouble, now: number): void {
    const pauseMs = steadyBackoff(trouble.probes + 1, this.#options.random, BETWEEN_PROBES);
    trouble.nextProbe = Math.max(trouble.nextProbe, now + pauseMs);
  }

  #giveUp(trouble: Trouble): void {
    const lasting = inTimeUnits(this.#clock.monotonic() - trouble.since);
    const heldMs = this.#heldUntil - this.#clock.monotonic();
    const [message, hint] =
      heldMs > 0
        ? [
            `The target has let nothing through for ${lasting}: it asks to wait until ${new Date(this.#clock.now() + heldMs).toISOString()}.`,
            'Run the same command again then: it continues where it stopped.',
          ]
        : [
            trouble.isDown
              ? `The target could not be reached for ${lasting}: ${trouble.cause}.`
              : `The target has given no answer that can be used for ${lasting}: ${trouble.cause}.`,
            'Check the base URL and the network, then run the same command again: it continues where it stopped.',
          ];
    this.#gaveUp = new AppError('unreachable', message, { hint });
    this.#line.failAll(this.#gaveUp);
    this.#serving?.abort();
  }

  /** One loop serves the whole line. It looks again after every sleep, so a pause that grew meanwhile only makes it sleep once more. */
  async #serve(): Promise<void> {
    const serving = new AbortController();
    this.#serving = serving;
    let told = Number.NEGATIVE_INFINITY;
    try {
      while (this.#line.length > 0) {
        const now = this.#clock.monotonic();
        const trouble = this.#trouble;
        const isDown = trouble?.isDown === true;
        const at = Math.max(this.#nextAt(), isDown ? trouble.nextProbe : now);
        const { stopping } = this.#options;
        if (stopping?.aborted === true && (isDown || at - now > LONGEST_WHEN_STOPPING_MS)) {
          this.#line.failAll(stopReason(stopping));
          break;
        }
        const isStuck = isDown || this.#heldUntil > now;
        const end =
          isStuck && trouble !== undefined ? trouble.since + this.#giveUpAfterMs : Number.POSITIVE_INFINITY;
        if (trouble !== undefined && now >= end) {
          this.#giveUp(trouble);
          break;
        }
        if (at > now) {
          if (at > told) this.#tell(Math.min(at, end), now, end);
          told = Math.max(told, at);
          await this.#clock.sleep(Math.min(at - now, end - now, LONGEST_SLEEP_MS), serving.signal);
          continue;
        }
        const turn = this.#take(now);
        if (isDown) {
          await this.#probe(trouble, serving.signal);
          continue;
        }
        this.#given.push(turn);
        this.#line.next();
      }
    } catch (error) {
      // Only this class ends the loop; anything else is a broken clock, and nobody may wait for it for ever.
      if (!serving.signal.aborted) this.#line.failAll(error);
    }
    this.#serving = undefined;
    // Someone may have come while the loop was being ended.
    if (this.#line.length > 0) void this.#serve();
  }

  async #probe(trouble: Trouble, signal: AbortSignal): Promise<void> {
    trouble.probes += 1;
    try {
      await this.#options.probe(signal);
    } catch (error) {
      if (signal.aborted) throw error;
      trouble.cause = error instanceof Error ? error.message : String(error);
    }
    if (trouble.isDown) this.#scheduleProbe(trouble, this.#clock.monotonic());
  }

  #tell(at: number, now: number, end: number): void {
    const { emit = () => {}, address = 'the target' } = this.#options;
    const untilMs = this.#clock.now() + (at - now);
    if (this.#trouble?.isDown === true) {
      const outage = { address, cause: this.#trouble.cause, givesUpMs: end - now };
      emit({ type: 'waiting', reason: 'target-down', untilMs, outage });
    } else if (at - now >= TELL_FROM_MS)
      emit({ type: 'waiting', reason: this.#heldUntil >= at ? 'retry-after' : 'rate-budget', untilMs });
  }
}
