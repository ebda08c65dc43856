/** One ticket as the target tells it, with its messages and events, compared with what was sent. */
import type { EventPayload, MessagePayload, TicketPayload } from '../domain/payload.ts';
import { ApiFailure, type Snapshot, type TicketApi } from '../domain/ticket-api.ts';
import { type Check, mergeChecks, passed } from './check.ts';
import { compareEvents, compareMessages } from './compare-messages.ts';
import { type ContactIds, compareTicket } from './compare-ticket.ts';

/** What was sent for a ticket, or would be. */
export interface Sent {
  readonly ticket: TicketPayload;
  readonly messages: readonly MessagePayload[];
  readonly events: readonly EventPayload[];
}

export type ReadBack =
  /** Lists that the target does not tell are undefined. */
  | {
      readonly kind: 'read';
      readonly ticket: Snapshot;
      readonly messages: readonly Snapshot[] | undefined;
      readonly events: readonly Snapshot[] | undefined;
    }
  | Unread;

type Unread =
  /** 403, 404 or 405: it is not there, or the target cannot be read. What it is shows in the other tickets. */
  | { readonly kind: 'hidden'; readonly status: number | undefined; readonly detail: string }
  /** This ticket could not be read: a refusal, or an answer that makes no sense. */
  | { readonly kind: 'failed'; readonly detail: string };

/** Throws ApiFailure `auth`, `unreachable` and `cut-off`, which concern the whole, and the signal's reason. */
export async function readBack(
  { events: sent }: Sent,
  ticketId: string,
  api: TicketApi,
  signal: AbortSignal,
): Promise<ReadBack> {
  const ticket = await attempt(() => api.readTicket(ticketId, signal), signal);
  if (ticket.kind !== 'value') return ticket;
  const messages = await attempt(() => api.readMessages(ticketId, signal), signal);
  if (messages.kind === 'failed') return messages;
  const events =
    sent.length === 0 ? undefined : await attempt(() => api.readEvents(ticketId, signal), signal);
  if (events?.kind === 'failed') return events;
  return {
    kind: 'read',
    ticket: ticket.value,
    messages: messages.kind === 'value' ? messages.value : undefined,
    events: events?.kind === 'value' ? events.value : undefined,
  };
}

async function attempt<T>(
  read: () => Promise<T>,
  signal: AbortSignal,
): Promise<{ readonly kind: 'value'; readonly value: T } | Unread> {
  try {
    return { kind: 'value', value: await read() };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ApiFailure)) throw error;
    const { code, status, message } = error;
    if (code === 'target-unreadable') return { kind: 'hidden', status, detail: message };
    if (code === 'refused' || code === 'unknown-outcome') return { kind: 'failed', detail: message };
    throw error;
  }
}

/** In the order of CHECK_NAMES. The first of them, `read back`, says what could not be read. */
export function compareRead(
  sent: Sent,
  { ticket, messages, events }: Extract<ReadBack, { kind: 'read' }>,
  contactIds: ContactIds,
): { readonly checks: Check[]; readonly isWhole: boolean } {
  const unread = [
    ...(messages === undefined ? ['messages'] : []),
    ...(events === undefined && sent.events.length > 0 ? ['events'] : []),
  ];
  const how = unread.length === 0 ? '' : ` Its ${unread.join(' and ')} cannot be read.`;
  return {
    isWhole: unread.length === 0,
    checks: mergeChecks([
      passed('read back', `The ticket was read back.${how}`),
      ...compareTicket(sent.ticket, ticket),
      ...(messages === undefined ? [] : compareMessages(sent.messages, messages)),
      ...(events === undefined ? [] : compareEvents(sent.events, events)),
      ...contactIds.see(sent, ticket, messages ?? []),
    ]),
  };
}
