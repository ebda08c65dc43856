/** From a checked ticket and its action to an entry of the plan, and what sending it takes. */
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

/** Addresses that this ticket may create as contacts (2.5): its own first, each once. */
export function contactsOf({ ticket, messages }: Pick<CheckedTicket, 'ticket' | 'messages'>): string[] {
  const contacts = new Set<string>();
  if (ticket.contact !== undefined) contacts.add(ticket.contact.email);
  for (const { contact } of messages) if (contact !== undefined) contacts.add(contact.email);
  return [...contacts];
}

/** Most requests of a run that belong to no single ticket (target-check.ts, message-ids.ts). */
export const MOST_CHECKS = 20;

/**
 * Requests of an action if all goes well. A ticket in doubt counts like a new one. A ticket of an earlier run is read first, and so is each
 * list that is replaced; a history that has grown is read once more.
 */
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

/**
 * Seconds from the first request to the last, sent evenly: the smallest budget decides. Undefined without a budget.
 */
export function estimateSeconds(requests: number, budgets: readonly Rate[]): number | undefined {
  if (budgets.length === 0) return undefined;
  const secondsEach = Math.max(...budgets.map(({ requests: most, seconds }) => seconds / most));
  return Math.max(0, requests - 1) * secondsEach;
}
