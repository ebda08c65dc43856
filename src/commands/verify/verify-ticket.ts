/** One imported ticket: read back with its messages and events, and compared with what the export says now. */
import type { CheckedTicket } from '../../domain/ticket.ts';
import { ApiFailure, type Snapshot, type TicketApi } from '../../domain/ticket-api.ts';
import { type Check, mergeChecks } from '../../verify/check.ts';
import { compareEvents, compareMessages } from '../../verify/compare-messages.ts';
import { compareTicket } from '../../verify/compare-ticket.ts';
import { type ContactIds, seenContacts } from '../../verify/contact-ids.ts';

export type TicketVerdict =
  /** It was read back; `checks` in the order of CHECK_NAMES. */
  | { readonly kind: 'compared'; readonly checks: readonly Check[] }
  /** 403, 404 or 405: it is not there, or the target cannot be read. What it is shows in the other tickets. */
  | { readonly kind: 'hidden'; readonly status: number | undefined; readonly detail: string }
  /** This ticket could not be read: a refusal, or an answer that makes no sense. */
  | { readonly kind: 'failed'; readonly detail: string };

/** Contacts whose ids are compared over all tickets; beyond that the memory of it would grow with the export. */
const MOST_CONTACTS = 200_000;

/** Throws ApiFailure `auth`, `unreachable` and `cut-off`, which concern the whole, and the signal's reason. */
export async function verifyTicket(
  sent: CheckedTicket,
  ticketId: string,
  api: TicketApi,
  contactIds: ContactIds,
  signal: AbortSignal,
): Promise<TicketVerdict> {
  const ticket = await attempt(() => api.readTicket(ticketId, signal));
  if (ticket.kind !== 'read') return ticket;
  const messages = await attempt(() => api.readMessages(ticketId, signal));
  if (messages.kind === 'failed') return messages;
  const events = sent.events.length === 0 ? undefined : await attempt(() => api.readEvents(ticketId, signal));
  if (events?.kind === 'failed') return events;

  const told = messages.kind === 'read' ? messages.value : undefined;
  const untold = [
    ...(told === undefined ? ['messages'] : []),
    ...(events?.kind === 'hidden' ? ['events'] : []),
  ];
  const how = untold.length === 0 ? '' : ` Its ${untold.join(' and ')} cannot be read.`;
  return {
    kind: 'compared',
    checks: mergeChecks([
      { name: 'read back', ok: untold.length === 0, detail: `The ticket was read back.${how}` },
      ...compareTicket(sent.ticket, ticket.value),
      ...(told === undefined ? [] : compareMessages(sent.messages, told)),
      ...(events?.kind === 'read' ? compareEvents(sent.events, events.value) : []),
      ...contactChecks(sent, ticket.value, told ?? [], contactIds),
    ]),
  };
}

type Attempt<T> = { readonly kind: 'read'; readonly value: T } | Exclude<TicketVerdict, { kind: 'compared' }>;

async function attempt<T>(read: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { kind: 'read', value: await read() };
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    const { code, status, message } = error;
    if (code === 'target-unreadable') return { kind: 'hidden', status, detail: message };
    if (code === 'refused' || code === 'unknown-outcome') return { kind: 'failed', detail: message };
    throw error;
  }
}

/** One address is one contact, and one contact one address (2.5), over all tickets that were read. */
function contactChecks(
  sent: CheckedTicket,
  ticket: Snapshot,
  messages: readonly Snapshot[],
  contactIds: ContactIds,
): Check[] {
  if (contactIds.size() >= MOST_CONTACTS) return [];
  return seenContacts(sent, ticket, messages, contactIds);
}
