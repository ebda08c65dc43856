/**
 * What a failed call means for its ticket and for the run: a pure table, apart from the loop (contract, "What an answer
 * means"). The Core API has already sent again whatever may be sent again, so every failure here is final for this run.
 */
import { AppError } from '../domain/errors.ts';
import type { TicketProblem } from '../domain/ledger.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import type { CreateEnd } from './create-gate.ts';

export interface CreateFailure {
  /** `refused`: the target will not have it. `nothing`: it was not created, through no fault of its own. `unknown`: in doubt. */
  readonly outcome: 'refused' | 'nothing' | 'unknown';
  readonly problem: TicketProblem;
  /** The run stops for this. */
  readonly stop?: unknown;
}

export interface StepFailure {
  /** `refused`: failed, the ticket id is kept. `unfinished`: nothing is wrong with the ticket, the next run goes on with it. */
  readonly outcome: 'refused' | 'unfinished';
  readonly problem: TicketProblem;
  readonly stop?: unknown;
}

export interface ReadFailure {
  /** `unreadable`: it was refused. `again`: this one look failed. `stopped`: nothing is read any more. */
  readonly outcome: 'unreadable' | 'again' | 'stopped';
  readonly problem: TicketProblem;
  readonly stop?: unknown;
}

/** A create failed. `hard` is the signal that was handed to the call; `mayHaveArrived`: from the wire (OnWire). */
export function createFailure(error: unknown, hard: AbortSignal, mayHaveArrived = true): CreateFailure {
  const problem = problemOf(error);
  const stop = stopOf(error, hard);
  if (error instanceof ApiFailure) {
    if (error.effect === 'unknown') return { outcome: 'unknown', problem, ...stop };
    const blameless = 'stop' in stop || error.code === 'cut-off';
    return { outcome: blameless ? 'nothing' : 'refused', problem, ...stop };
  }
  // The port promises an abort before anything was sent; for any other exception ask the wire.
  const notSent = isAbort(error, hard) || !mayHaveArrived;
  return { outcome: notSent ? 'nothing' : 'unknown', problem, ...stop };
}

/** What a failed create shows of the target, apart from this ticket. */
export function endOf({ outcome, problem, ...stop }: CreateFailure): CreateEnd {
  if ('stop' in stop || outcome === 'nothing') return 'neither';
  if (outcome === 'unknown') return 'unknown';
  const { status = 0 } = problem;
  if (status === 404 || status === 405) return 'nowhere';
  // Without a status it was never written.
  return status === 0 ? 'neither' : 'answered';
}

/** Likewise of messages or events that a ticket in the target did not get. */
export function endOfRest({ code, status }: TicketProblem): CreateEnd {
  if (code === 'unknown-outcome') return 'unknown';
  return status === 404 || status === 405 ? 'nowhere' : 'neither';
}

/** Replacing messages or events failed. */
export function stepFailure(error: unknown, hard: AbortSignal): StepFailure {
  const problem = problemOf(error);
  const stop = stopOf(error, hard);
  const ofTicket = error instanceof ApiFailure && error.code !== 'cut-off' && !('stop' in stop);
  return { outcome: ofTicket ? 'refused' : 'unfinished', problem, ...stop };
}

/** Reading the target failed. */
export function readFailure(error: unknown, hard: AbortSignal): ReadFailure {
  const problem = problemOf(error);
  const stop = stopOf(error, hard);
  if ('stop' in stop) return { outcome: 'stopped', problem, ...stop };
  if (!(error instanceof ApiFailure) || error.code === 'cut-off') return { outcome: 'stopped', problem };
  return { outcome: error.code === 'target-unreadable' ? 'unreadable' : 'again', problem };
}

function stopOf(error: unknown, hard: AbortSignal): { stop: unknown } | Record<never, never> {
  if (isAbort(error, hard)) return {};
  // Not as promised, but an abort all the same: no defect, and nothing is known of what was sent.
  if (hard.aborted && error instanceof Error && error.name === 'AbortError') return {};
  if (!(error instanceof ApiFailure)) return { stop: error };
  const stop = stopOfRun(error);
  return stop === undefined ? {} : { stop };
}

/** What a failure says that stops the whole run; undefined for one that is about this request only. */
export function stopOfRun(error: ApiFailure): AppError | undefined {
  if (error.code === 'auth')
    return new AppError('auth', error.message, {
      hint: 'Check the token and its scopes (write:tickets), then run the same command again.',
      cause: error,
    });
  if (error.code === 'unreachable')
    return new AppError('unreachable', error.message, {
      hint:
        (error.cause instanceof AppError ? error.cause.hint : undefined) ??
        'Check the base URL and the network, then run the same command again: it continues where it stopped.',
      cause: error,
    });
  return undefined;
}

function isAbort(error: unknown, hard: AbortSignal): boolean {
  return hard.aborted && error === hard.reason;
}

function problemOf(error: unknown): TicketProblem {
  if (error instanceof ApiFailure) {
    const said =
      error.detail === undefined || error.message.includes(error.detail) ? '' : ` (${error.detail})`;
    const message = error.message + said;
    return { code: error.code, ...(error.status === undefined ? {} : { status: error.status }), message };
  }
  const code = error instanceof AppError ? error.code : 'cut-off';
  return { code, message: error instanceof Error ? error.message : String(error) };
}
