/** The requests that a ticket takes, and how long a plan takes. */
import type { Rate } from '../domain/limits.ts';
import type { CheckedTicket, DeltaPart, PlannedAction } from '../domain/ticket.ts';

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
