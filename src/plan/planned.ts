/** From a checked ticket and its action to an entry of the plan. */
import type { Rate } from '../domain/limits.ts';
import type { CheckedTicket, PlannedAction, PlannedTicket } from '../domain/ticket.ts';

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

interface RequestCounts {
  readonly creates: number;
  readonly messages: number;
  readonly events: number;
  readonly updates: number;
  readonly reads: number;
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
): RequestCounts {
  const messageRequests = messages.length > 0 || note !== undefined ? 1 : 0;
  const eventRequests = events.length > 0 ? 1 : 0;
  switch (action.do) {
    case 'create':
    case 'settle':
      return { creates: 1, messages: messageRequests, events: eventRequests, updates: 0, reads: 0 };
    case 'finish':
      return {
        creates: 0,
        messages: action.from === 'messages' ? messageRequests : 0,
        events: eventRequests,
        updates: 0,
        reads: 1 + (action.from === 'messages' ? 1 : 0) + eventRequests,
      };
    case 'reopen':
      return {
        creates: 0,
        messages: action.parts.includes('messages') ? messageRequests : 0,
        events: action.parts.includes('events') ? eventRequests : 0,
        updates: action.parts.includes('fields') ? 1 : 0,
        reads: 1 + new Set(action.parts).size + (action.parts.includes('events') ? 1 : 0),
      };
  }
}

/**
 * Seconds from the first request to the last, sent evenly: the smallest budget decides. Undefined without a budget.
 */
export function estimateSeconds(requests: number, budgets: readonly Rate[]): number | undefined {
  if (budgets.length === 0) return undefined;
  const secondsEach = Math.max(...budgets.map(({ requests: most, seconds }) => seconds / most));
  return Math.max(0, requests - 1) * secondsEach;
}
