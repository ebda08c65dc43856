/** From a checked ticket and what is to be done about it to one entry of the plan. */
import type { Rate } from '../domain/limits.ts';
import type { CheckedTicket, PlannedAction, PlannedTicket } from '../domain/ticket.ts';

export function planTicket(
  checked: CheckedTicket,
  action: PlannedAction,
  batch: number,
  origin: string,
): PlannedTicket {
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
    batch,
  };
}

/** Addresses that sending this ticket may create as contacts (2.5): its own first, each once. */
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

/** The requests of a run that are for none of its tickets alone, at most (target-check.ts, message-ids.ts). */
export const MOST_CHECKS = 20;

/**
 * Requests that an action takes when all goes well. A ticket in doubt counts like a new one: it may turn out not to
 * exist; what looking for it takes is not known before. A ticket of an earlier run is read first, and so is each list of it that
 * is replaced, which takes one request unless it has pages; a history that has grown is read once more.
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

interface Batches {
  readonly size: number;
  /** Batches begun so far. */
  readonly count: number;
  /** Tickets that have got a number so far. */
  readonly tickets: number;
  /** The batch of the next ticket of the plan, from 1. */
  next(): number;
}

/** Cuts the plan into batches of `size` tickets, in its own order. */
export function planBatches(size: number): Batches {
  if (!Number.isInteger(size) || size < 1)
    throw new RangeError(`A batch of ${size} tickets is not possible.`);
  let tickets = 0;
  const countOf = (planned: number) => Math.ceil(planned / size);
  return {
    size,
    get count() {
      return countOf(tickets);
    },
    get tickets() {
      return tickets;
    },
    next: () => {
      tickets++;
      return countOf(tickets);
    },
  };
}

// How long a plan takes at least, by the rate budget alone.

/**
 * Seconds from the first request to the last one, when requests are sent evenly: the budget that allows the fewest in
 * the long run decides, and the first request waits for nothing. Undefined without a budget. What the target takes to
 * answer comes on top only where it is slower than the budget.
 */
export function estimateSeconds(requests: number, budgets: readonly Rate[]): number | undefined {
  if (budgets.length === 0) return undefined;
  const secondsEach = Math.max(...budgets.map(({ requests: most, seconds }) => seconds / most));
  return Math.max(0, requests - 1) * secondsEach;
}
