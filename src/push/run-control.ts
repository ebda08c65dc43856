/**
 * How a run stops. Whatever stops it (a signal, the error budget, a target that refuses everybody, a full disk), nothing new is
 * taken from then on and what is in flight is finished, for at most as long as a request may take; then, or at a second
 * signal, it is cut off. The first reason is kept.
 */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';

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

/** The number of tickets that may go wrong out of `total`. A share of a ticket is none. */
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
