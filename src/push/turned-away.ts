/** Writes that the helpdesk, or a proxy in front of it, refuses to accept: sending them again does not help. */
import type { TicketProblem } from '../domain/ledger.ts';
import type { MessagePayload } from '../domain/payload.ts';
import { ApiFailure } from '../domain/ticket-api.ts';

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
  const thread = `The thread of ticket ${ticket} (${messages.length === 1 ? '1 message' : `${messages.length.toLocaleString('en-US')} messages`}, ${size})`;
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
