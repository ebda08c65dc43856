import type { Rate } from '../domain/limits.ts';
import type { CheckedTicket, DeltaPart, PlannedAction, PlannedTicket } from '../domain/ticket.ts';

export function planTicket(checked: CheckedTicket, action: PlannedAction, origin: string): PlannedTicket {
  const { seq, externalId, ticket, messages, events, note, fingerprints } = checked;
  return {
    seq,
    externalId,
    action,
    ticket,
    messages,
    events,
    note,
    fingerprints,
    origin,
    contacts: contactsOf(checked),
  };
}

/** Addresses that this ticket may create (2.5): its own first. */
export function contactsOf({ ticket, messages }: Pick<CheckedTicket, 'ticket' | 'messages'>): string[] {
  const contacts = new Set<string>();
  if (ticket.contact !== undefined) contacts.add(ticket.contact.email);
  for (const { contact } of messages) if (contact !== undefined) contacts.add(contact.email);
  return [...contacts];
}

/** Requests of no single ticket, at most (target-check.ts). */
export const MOST_CHECKS = 20;

/** If all goes well. A doubt counts like a new ticket. Tickets and lists of earlier runs are read first; a grown history once more. */
export function requestsOf(
  action: PlannedAction,
  { messages, events, note }: Pick<CheckedTicket, 'messages' | 'events' | 'note'>,
) {
  const isNew = action.do === 'create' || action.do === 'settle';
  const parts: readonly DeltaPart[] =
    action.do === 'reopen'
      ? action.parts
      : action.do === 'finish' && action.from === 'events'
        ? ['events']
        : ['messages', 'events'];
  const has = (part: DeltaPart) => (parts.includes(part) ? 1 : 0);
  const histories = events.length > 0 ? has('events') : 0;
  const grown = action.do === 'reopen' ? parts.length + has('events') : has('messages') + histories;
  return {
    creates: isNew ? 1 : 0,
    messages: messages.length > 0 || note !== undefined ? has('messages') : 0,
    events: histories,
    updates: has('fields'),
    reads: isNew ? 0 : 1 + grown,
  };
}

/** Sent evenly; the smallest budget decides. Undefined without a budget. */
export function estimateSeconds(requests: number, budgets: readonly Rate[]): number | undefined {
  if (budgets.length === 0) return undefined;
  const secondsEach = Math.max(...budgets.map(({ requests: most, seconds }) => seconds / most));
  return Math.max(0, requests - 1) * secondsEach;
}
