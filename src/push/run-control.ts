/**
 * What all of the push shares: one ticket on its way and what came of it, and how a run stops. Whatever stops it (a signal, the
 * error budget, a target that refuses all, a full disk), nothing new is taken from then on and what is in flight is finished, for at
 * most as long as a request may take; then, or at a second signal, it is cut off. The first reason is kept.
 */
import { setMaxListeners } from 'node:events';
import type { Clock, Random } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import type { Ledger, TicketProblem } from '../domain/ledger.ts';

import type { Emit } from '../domain/run-events.ts';
import type { PlannedTicket } from '../domain/ticket.ts';
import type { TargetFacts as KnownFacts, TicketApi } from '../domain/ticket-api.ts';
import type { Slots } from '../target/slots.ts';
import type { HeldContacts } from './contacts.ts';
import type { TargetFacts } from './target-facts.ts';
import type { Held } from './words.ts';

export interface PushDeps {
  readonly api: TicketApi;
  readonly ledger: Ledger;
  /** The newest name that the export has for a contact. */
  readonly names: { nameOf(email: string): string | undefined };
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  /** Called once for each fact that the first tickets showed, for later runs. */
  readonly learnt?: ((facts: KnownFacts) => void) | undefined;
}

export interface CarryDeps extends PushDeps {
  readonly control: RunControl;
  readonly facts: TargetFacts;
  readonly creates: Creates;
  /** For so long the target may still carry out a request whose outcome is unknown: the time-out and a margin, milliseconds. */
  readonly lateMs: number;
}

export interface TicketJob {
  readonly planned: PlannedTicket;
  /** Its contacts, held until they are known or given back. */
  readonly contacts: HeldContacts;
  readonly slot: Slot;
  /** Creates that were sent for it by this process. */
  creates: number;
}

export interface TicketResult {
  readonly outcome: 'done' | 'failed' | 'inDoubt' | 'pending';
  /** It is known not to exist, and is to be created anew by this run: this was not its end. */
  readonly again?: boolean;
  readonly ticketId?: string;
  readonly problem?: TicketProblem;
  /** What a person should know although nothing went wrong. */
  readonly warnings?: readonly TicketProblem[];
  /** Messages and events of the export that the target has now, and had not before. */
  readonly messages: number;
  readonly events: number;
  /** A delta changed fields of the ticket itself. */
  readonly updated?: boolean | undefined;
  /** People deleted it in the target. */
  readonly isGone?: true;
  /** The run stops for this. */
  readonly stop?: unknown;
}

export function ticketResult(
  outcome: TicketResult['outcome'],
  details: Partial<TicketResult> = {},
): TicketResult {
  return { messages: 0, events: 0, ...details, outcome };
}

/** How a create of unknown outcome was settled. */
export type Settlement =
  | { readonly is: 'there'; readonly ticketId: string }
  | { readonly is: 'absent' }
  | { readonly is: 'held'; readonly problem: TicketProblem }
  /** The run stopped meanwhile; `stop`: it stops for what this reading met. */
  | { readonly is: 'stopped'; readonly stop?: unknown };

/** What the list has proved, for all doubts at once. */
export type Proof =
  | { readonly upTo: number; readonly statuses: ReadonlySet<string> }
  | { readonly lacks: Held }
  | { readonly failed: Settlement };

/** What the loop keeps of creates. */
export interface Creates {
  /** It is in the target now. */
  created(job: TicketJob): void;
  /** From here to `closed` its outcome is unknown, and it waits without a slot. */
  opened(job: TicketJob): void;
  /** Resolves when nothing is being created, with what the list of the target proves then; with undefined when the run stops. */
  proof(job: TicketJob): Promise<Proof | undefined>;
  closed(job: TicketJob): void;
}

/** The slot of one ticket, acquired already: held while it works, given back while it waits, and never given back twice. */
export class Slot {
  readonly #limiter: Slots;
  readonly #onFree: () => void;
  #isHeld = true;

  constructor(limiter: Slots, onFree: () => void = () => undefined) {
    this.#limiter = limiter;
    this.#onFree = onFree;
  }

  /** Whether it is held: not where the run stops before it is free. */
  async taken({ taking }: Pick<RunControl, 'taking'>): Promise<boolean> {
    if (this.#isHeld) return true;
    try {
      await this.#limiter.acquire(taking);
    } catch (error) {
      if (taking.aborted) return false;
      throw error;
    }
    this.#isHeld = true;
    return true;
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#limiter.release();
    this.#onFree();
  }
}

export interface PushSignals {
  /** Take nothing new, finish what is in flight. Its reason, where it is an AppError, is why the run stopped. */
  readonly soft: AbortSignal;
  /** Cut off what is in flight. */
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

  /** Aborted when nothing new may be begun. */
  get taking(): AbortSignal {
    return this.#taking.signal;
  }

  /** Aborted when what is in flight must end. */
  get hard(): AbortSignal {
    return this.#hard.signal;
  }

  get isStopping(): boolean {
    return this.#taking.signal.aborted;
  }

  /** Why it stops: an AppError, or a defect. Undefined where it does not. */
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

  /** The run is over: leaves no timer and no listener behind. */
  end(): void {
    this.#over.abort();
    this.#signals.soft.removeEventListener('abort', this.#onSoft);
    this.#signals.hard.removeEventListener('abort', this.#onHard);
  }

  readonly #onSoft = () => this.stop(reasonOf(this.#signals.soft));

  readonly #onHard = () => {
    this.stop(reasonOf(this.#signals.hard));
    this.#hard.abort(this.#reason);
  };
}

/** False when the signal ended it. */
export async function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

function reasonOf(signal: AbortSignal): AppError {
  if (signal.reason instanceof AppError) return signal.reason;
  return new AppError('interrupted', 'The import was interrupted.', {
    hint: 'Run the same command again: it continues where it stopped.',
  });
}

// How many tickets may be rejected or fail before the run stops (`--max-errors`). Pure.

export type ErrorLimit = { readonly count: number } | { readonly percent: number };

/** The number of tickets that may go wrong out of `total`, rounded down. */
export function allowedErrors(limit: ErrorLimit, total: number): number {
  return 'count' in limit ? limit.count : Math.floor((limit.percent / 100) * total);
}

export interface ErrorBudget {
  /** Tickets that may be rejected or fail; one more stops the run. */
  readonly allowed: number;
  /** Tickets that were rejected before the push began. */
  readonly already: number;
}

/** AppError `error-budget` when the budget is exceeded. `what`: the records that are counted, in the plural. */
export function exceeded(
  budget: ErrorBudget | undefined,
  failed: number,
  what = 'tickets',
): AppError | undefined {
  if (budget === undefined || budget.already + failed <= budget.allowed) return undefined;
  return new AppError(
    'error-budget',
    `${budget.already + failed} ${what} were rejected or failed, more than the ${budget.allowed} allowed by --max-errors.`,
    {
      hint: 'Look at the problems and the rejects; then run the same command again: it continues where it stopped.',
    },
  );
}
