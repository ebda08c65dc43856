/**
 * A ticket on its way, its result, and how a run stops. After a stop nothing new begins and requests under way are finished,
 * for at most the time-out; then, or at a second signal, they are cut off. The first reason is kept.
 */
import { setMaxListeners } from 'node:events';
import type { AppError } from '../domain/errors.ts';
import type { Ledger, TicketProblem } from '../domain/ledger.ts';
import type { Clock, Emit, Random } from '../domain/ports.ts';
import { stop } from '../domain/text/stops.ts';
import type { PlannedTicket } from '../domain/ticket.ts';
import type { KnownFacts, Snapshot, TicketApi } from '../domain/ticket-api.ts';
import { stopReason } from '../helpdesk/backoff.ts';
import type { Slots } from '../helpdesk/pacer.ts';
import type { HeldContacts } from './contacts.ts';
import { RunEnds } from './failure-meaning.ts';
import type { TargetFacts } from './target-facts.ts';

export interface PushDeps {
  readonly api: TicketApi;
  readonly ledger: Ledger;
  readonly names: { nameOf(email: string): string | undefined };
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  /** Called once for each fact, for later runs. */
  readonly learnt?: ((facts: KnownFacts) => void) | undefined;
}

export interface CarryDeps extends PushDeps {
  readonly control: RunControl;
  readonly facts: TargetFacts;
  readonly creates: Creates;
  /** How long a request of unknown outcome may still take effect: the time-out and a margin, milliseconds. */
  readonly lateMs: number;
}

export interface TicketJob {
  readonly planned: PlannedTicket;
  readonly contacts: HeldContacts;
  readonly slot: Slot;
  creates: number;
}

export interface TicketResult {
  readonly outcome: 'done' | 'failed' | 'inDoubt' | 'pending';
  /** The helpdesk does not have it, so this run creates it again. */
  readonly again?: boolean;
  readonly ticketId?: string | undefined;
  readonly problem?: TicketProblem | undefined;
  readonly warnings?: readonly TicketProblem[];
  /** Messages and events of the export that arrived now. */
  readonly messages: number;
  readonly events: number;
  readonly updated?: boolean | undefined;
  readonly isGone?: true;
}

export function ticketResult(
  outcome: TicketResult['outcome'],
  details: Partial<TicketResult> = {},
): TicketResult {
  return { messages: 0, events: 0, ...details, outcome };
}

export interface Proof {
  /** A code: why it proves nothing. */
  readonly lacks: 'list-incomplete' | 'not-proven-absent' | undefined;
  readonly upTo: number;
  readonly statuses: ReadonlySet<string | undefined>;
  readonly unclaimed: readonly Snapshot[];
}

export interface Creates {
  created(job: TicketJob): void;
  opened(job: TicketJob): void;
  /** The proof of the list once nothing is being created. Rejects if it cannot be read and when the run stops. */
  proof(job: TicketJob): Promise<Proof>;
  closed(job: TicketJob): void;
}

/** The slot of one ticket, acquired already; given back while it waits, and only once. */
export class Slot {
  readonly #limiter: Slots;
  readonly #onFree: () => void;
  #isHeld = true;

  constructor(limiter: Slots, onFree: () => void = () => undefined) {
    this.#limiter = limiter;
    this.#onFree = onFree;
  }

  /** Throws RunEnds when the run stops first. */
  async take(control: Pick<RunControl, 'taking' | 'orEnds'>): Promise<void> {
    if (!this.#isHeld) await control.orEnds(this.#limiter.acquire(control.taking));
    this.#isHeld = true;
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#limiter.release();
    this.#onFree();
  }
}

export interface PushSignals {
  /** Take nothing new, finish requests under way. An AppError as reason says why. */
  readonly soft: AbortSignal;
  readonly hard: AbortSignal;
}

export class RunControl {
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #signals: PushSignals;
  readonly #taking = new AbortController();
  readonly #hard = new AbortController();
  readonly #over = new AbortController();
  #reason: unknown;

  constructor(signals: PushSignals, clock: Clock, graceMs: number) {
    this.#signals = signals;
    this.#clock = clock;
    this.#graceMs = graceMs;
    setMaxListeners(0, this.#taking.signal, this.#hard.signal);
    signals.soft.addEventListener('abort', this.#onSoft, { once: true });
    signals.hard.addEventListener('abort', this.#onHard, { once: true });
    if (signals.soft.aborted) this.#onSoft();
    if (signals.hard.aborted) this.#onHard();
  }

  get taking(): AbortSignal {
    return this.#taking.signal;
  }

  get hard(): AbortSignal {
    return this.#hard.signal;
  }

  get isStopping(): boolean {
    return this.#taking.signal.aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  stop(reason: unknown): void {
    if (this.isStopping) return;
    this.#reason = reason;
    this.#taking.abort(reason);
    this.#clock.sleep(this.#graceMs, this.#over.signal).then(
      () => this.#hard.abort(reason),
      () => undefined,
    );
  }

  stopFor(error: unknown): void {
    const reason = error instanceof RunEnds ? error.reason : error;
    if (reason !== undefined) this.stop(reason);
  }

  async orEnds<T>(waiting: Promise<T>): Promise<T> {
    try {
      return await waiting;
    } catch (error) {
      throw this.isStopping ? new RunEnds() : error;
    }
  }

  async sleep(ms: number): Promise<void> {
    await this.orEnds(this.#clock.sleep(ms, this.taking));
  }

  end(): void {
    this.#over.abort();
    this.#signals.soft.removeEventListener('abort', this.#onSoft);
    this.#signals.hard.removeEventListener('abort', this.#onHard);
  }

  readonly #onSoft = () => this.stop(stopReason(this.#signals.soft));

  readonly #onHard = () => {
    this.stop(stopReason(this.#signals.hard));
    this.#hard.abort(this.#reason);
  };
}

export type ErrorLimit = { readonly count: number } | { readonly percent: number };

export function allowedErrors(limit: ErrorLimit, total: number): number {
  return 'count' in limit ? limit.count : Math.floor((limit.percent / 100) * total);
}

/** How many tickets may fail before the run stops (`run.maxErrors`). */
export interface ErrorBudget {
  readonly allowed: number;
  readonly already: number;
}

/** AppError `error-budget` when the budget is exceeded. `what`: the counted records, in the plural. */
export function exceeded(
  budget: ErrorBudget | undefined,
  failed: number,
  what = 'tickets',
): AppError | undefined {
  if (budget === undefined || budget.already + failed <= budget.allowed) return undefined;
  return stop('too-many-errors', { failed: budget.already + failed, what, allowed: budget.allowed });
}
