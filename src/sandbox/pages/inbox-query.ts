/** The inbox's address as a filter. Lenient: an address typed by hand answers a page, if an empty one. Pure. */
import { rowNumber } from '../store/ids.ts';
import type { TicketFilter } from '../store/ticket-filter.ts';
import type { Query } from './page-parts.ts';

const PARAMETERS = ['search', 'status', 'tag', 'assignee', 'contact', 'sort'] as const;
export type InboxQuery = Readonly<Record<(typeof PARAMETERS)[number], string>> & Query;

/** Stands for the tickets that nobody is assigned to. No id looks like this. */
export const NOBODY = '(nobody)';

export function inboxQuery(parameter: (name: string) => string | undefined): InboxQuery {
  const value = (name: string) => parameter(name)?.trim() ?? '';
  return {
    search: value('search'),
    status: value('status'),
    // Tags and ids are compared to the letter.
    tag: parameter('tag') ?? '',
    assignee: parameter('assignee') ?? '',
    contact: value('contact'),
    sort: value('sort') === 'oldest' ? 'oldest' : '',
  };
}

/** `contact` is an id, or words of a name or e-mail. An id that no contact has matches nothing. */
export function inboxFilter(query: InboxQuery): TicketFilter {
  const { search, status, tag, contact, assignee } = query;
  const filter: TicketFilter = {};
  if (search !== '') filter.search = search;
  if (status !== '') filter.statuses = [status];
  if (tag !== '') filter.tags = [tag];
  if (assignee !== '') filter.assignedToId = assignee === NOBODY ? null : assignee;
  if (contact.startsWith('con_')) filter.contactSeq = rowNumber('contact', contact) ?? -1;
  else if (contact !== '') filter.contactSearch = contact;
  return filter;
}

/** Whether anything narrows the inbox. */
export function isNarrowed(query: InboxQuery): boolean {
  return PARAMETERS.some((name) => name !== 'sort' && query[name] !== '');
}
