/** What a service shows that is not all it has: lists that lag, hide and ignore, threads that shorten. Pure. */
import type { MessageView } from '../store/thread.ts';
import type { Condition, TicketFilter } from '../store/ticket-list.ts';
import type { Traits } from './fault-plan.ts';

/** The filter that is really applied where `asked` was asked for. */
export function shownFilter(asked: TicketFilter, traits: Traits, now: number): TicketFilter {
  const { tags, search, ...rest } = asked;
  const hidden: Condition[] = [];
  const lagSeconds = traits['list-lags'];
  if (lagSeconds !== undefined)
    hidden.push({ sql: 'tickets.received_ms <= ?', values: [now - lagSeconds * 1000] });
  const lagTickets = wholePart(traits['list-lags-tickets'], 0);
  if (lagTickets !== undefined)
    hidden.push({ sql: 'tickets.seq <= (SELECT max(seq) FROM tickets) - ?', values: [lagTickets] });
  const every = wholePart(traits['list-hides']);
  if (every !== undefined) hidden.push({ sql: 'tickets.seq % ? <> 0', values: [every] });
  if (traits['list-hides-closed'] !== undefined)
    hidden.push({ sql: "tickets.status <> 'closed'", values: [] });
  if (traits['list-empty'] !== undefined) hidden.push({ sql: '0', values: [] });
  return {
    ...rest,
    ...(tags === undefined || traits['tags-ignored'] !== undefined ? {} : { tags }),
    ...(search === undefined || traits['search-ignored'] !== undefined ? {} : { search }),
    ...(hidden.length === 0 ? {} : { hidden }),
  };
}

/** A message as a thread shows it. */
export function shownMessage(view: MessageView, traits: Traits): MessageView & { fullContent?: string } {
  const { content } = view;
  const shortened = wholePart(traits['texts-shortened']);
  if (shortened !== undefined)
    return {
      ...view,
      content: content.length > shortened ? `${content.slice(0, shortened)}…` : content,
      fullContent: content,
    };
  const cut = wholePart(traits['texts-cut']);
  return cut === undefined ? view : { ...view, content: content.slice(0, cut) };
}

/** The number of a trait as one that can be counted by. */
export function wholePart(value: number | undefined, least = 1): number | undefined {
  return value === undefined ? undefined : Math.max(least, Math.floor(value));
}
