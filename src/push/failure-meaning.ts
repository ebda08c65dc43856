/**
 * The meaning of a failed call for its ticket and for the run (contract, "What a reply proves"). The Core API has repeated what may
 * be repeated, so failures are final. Pure.
 */

import { AppError } from '../domain/errors.ts';
import type { TicketProblem } from '../domain/ledger.ts';
import type { MessagePayload } from '../domain/payload.ts';
import { countOf } from '../domain/printable.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import type { CreateEnd } from './create-gate.ts';

/** The run ends; the ticket stays as its record says. */
export class RunEnds extends Error {
  /** Absent if the run was ending already. */
  readonly reason: unknown;

  constructor(reason?: unknown) {
    super('The run stopped before it was known what arrived.');
    this.reason = reason;
  }
}

export interface Failure {
  readonly problem: TicketProblem;
  readonly ends?: RunEnds | undefined;
}

export interface CreateFailure extends Failure {
  /** `refused`: by the helpdesk. `nothing`: not created, through no fault of the ticket. `unknown`: in doubt. */
  readonly outcome: 'refused' | 'nothing' | 'unknown';
}

export function failureOf(error: unknown, hard: AbortSignal): Failure {
  const problem = problemOf(error);
  if (error instanceof RunEnds) return { problem, ends: error };
  // An unpromised abort: no defect, and the request may have been sent.
  const isAbort = error instanceof Error && error.name === 'AbortError';
  if (hard.aborted && (error === hard.reason || isAbort)) return { problem, ends: new RunEnds() };
  if (!(error instanceof ApiFailure)) return { problem, ends: new RunEnds(error) };
  const stop = stopOfRun(error);
  return stop === undefined && error.code !== 'cut-off' ? { problem } : { problem, ends: new RunEnds(stop) };
}

/** Throws RunEnds. */
export function problemIn(error: unknown, hard: AbortSignal): TicketProblem {
  const { problem, ends } = failureOf(error, hard);
  if (ends !== undefined) throw ends;
  return problem;
}

export function createFailure(error: unknown, hard: AbortSignal, mayHaveArrived = true): CreateFailure {
  const failure = failureOf(error, hard);
  // The port promises an abort before anything was sent; for any other exception ask the wire.
  const mayBeThere =
    error instanceof ApiFailure ? error.effect === 'unknown' : mayHaveArrived && error !== hard.reason;
  if (mayBeThere) return { ...failure, outcome: 'unknown' };
  return { ...failure, outcome: failure.ends === undefined ? 'refused' : 'nothing' };
}

export function endOf({ outcome, problem, ends }: CreateFailure): CreateEnd {
  if (ends !== undefined) return 'neither';
  if (outcome === 'unknown') return 'unknown';
  const { status = 0 } = problem;
  if (NO_SUCH_CALL.has(status)) return 'nowhere';
  return status === 0 ? 'neither' : 'answered';
}

/** As above, for messages or events of an imported ticket. */
export function endOfRest({ code, status = 0 }: TicketProblem): CreateEnd {
  if (code === 'unknown-outcome') return 'unknown';
  return NO_SUCH_CALL.has(status) ? 'nowhere' : 'neither';
}

const NO_SUCH_CALL: ReadonlySet<number> = new Set([404, 405]);

/** The error that stops the run, if it concerns more than this request. */
export function stopOfRun(error: ApiFailure): AppError | undefined {
  if (error.code !== 'auth' && error.code !== 'unreachable') return undefined;
  const hint =
    error.code === 'auth'
      ? 'Check the token and its scopes (write:tickets), then run the same command again.'
      : ((error.cause instanceof AppError ? error.cause.hint : undefined) ??
        'Check the base URL and the network, then run the same command again: it continues where it stopped.');
  return new AppError(error.code, error.message, { hint, cause: error });
}

function problemOf(error: unknown): TicketProblem {
  if (!(error instanceof ApiFailure)) {
    const code = error instanceof AppError ? error.code : 'cut-off';
    return { code, message: error instanceof Error ? error.message : String(error) };
  }
  const { code, status, detail, message } = error;
  const said = detail === undefined || message.includes(detail) ? '' : ` (${detail})`;
  return { code, ...(status === undefined ? {} : { status }), message: message + said };
}

/** Writes that the helpdesk, or a proxy in front of it, refuses to accept: sending them again does not help. */

export const MOST_TURNED_AWAY = 2;

interface Failed {
  readonly code: string;
  readonly status?: number | undefined;
}

/** These pass, although not in the service's own form. */
const MAY_PASS: ReadonlySet<number> = new Set([408, 409, 425, 429, 499]);

export function isTurnedAway({ code, status = 0 }: Failed): boolean {
  return (
    status === 413 || (code === 'unknown-outcome' && status >= 400 && status < 500 && !MAY_PASS.has(status))
  );
}

/** Names the thread and its size; returns any other error unchanged. */
export function aboutThread(error: unknown, ticket: string, messages: readonly MessagePayload[]): unknown {
  if (!(error instanceof ApiFailure) || !isTurnedAway(error)) return error;
  const { status, detail, effect } = error;
  const size = sizeOf(Buffer.byteLength(JSON.stringify(messages)));
  const thread = `The thread of ticket ${ticket} (${countOf(messages.length, 'message')}, ${size})`;
  return status === 413
    ? new ApiFailure(
        'too-large',
        effect,
        `${thread} is larger than the helpdesk, or a proxy in front of it, accepts.`,
        { status, detail },
      )
    : new ApiFailure(
        'turned-away',
        effect,
        `${thread} was refused by something in front of the helpdesk (${status}).`,
        { status, detail },
      );
}

/** A held create: the reason of the refusal comes first. */
export function withReason(held: TicketProblem, { status }: Failed): TicketProblem {
  const message = `Something in front of the helpdesk refused the ticket (${status}). ${held.message}`;
  return { ...held, message: message.slice(0, 300).toWellFormed() };
}

function sizeOf(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${Math.round(bytes / 1e6)} MB`;
}
