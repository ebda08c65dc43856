/** The inbox's filters: statuses at the side, and menus of the most frequent tags and assignees above the list. */
import { html, raw } from 'hono/html';
import { TICKET_STATUSES } from '../../domain/payload.ts';
import type { Facet, TicketFacets } from '../store/ticket-facets.ts';
import type { AgentName } from './agent-names.ts';
import { type InboxQuery, isNarrowed, NOBODY } from './inbox-query.ts';
import { count, hiddenFields, hrefWith } from './page-parts.ts';
import { current, type Markup } from './page-shell.ts';

/** Tickets by status under the other filters. */
export type StatusCounts = Readonly<Record<string, number>>;

/** Without a query, as beside a ticket, they lead to the whole inbox. */
export function statusViews(query: InboxQuery | undefined, counts: StatusCounts): Markup {
  const all = Object.values(counts).reduce((sum, number) => sum + number, 0);
  const view = (status: string, label: string, number: number) =>
    html`<li><a href="${hrefWith('/', query ?? {}, { status })}"${current(query?.status === status)}><span class="dot ${status}"></span>${label}<span class="number">${number.toLocaleString('en')}</span></a></li>`;
  return html`<nav class="views" aria-label="Status"><h2>Status</h2><ul>${view('', 'All', all)}${TICKET_STATUSES.map(
    (status) => view(status, `${status.charAt(0).toUpperCase()}${status.slice(1)}`, counts[status] ?? 0),
  )}</ul></nav>`;
}

export function filterBar(
  query: InboxQuery,
  facets: TicketFacets,
  total: number,
  agentName: AgentName,
): Markup {
  const unassigned: Facet<string> = { value: NOBODY, tickets: 0 };
  return html`<form class="filters" action="/" aria-label="Filters">
${menu('tag', 'Any tag', query.tag, facets.tags, (tag) => tag)}
${menu('assignee', 'Any assignee', query.assignee, [...facets.assignees, unassigned], (id) =>
  id === NOBODY ? 'Nobody' : agentName(id),
)}
<input name="contact" value="${query.contact}" placeholder="Contact: name or e-mail" aria-label="Contact: name or e-mail" list="contacts" autocomplete="off" spellcheck="false"${chosen(query.contact)}>
<datalist id="contacts">${facets.contacts.map(({ value }) => html`<option value="${value}">`)}</datalist>
${orderMenu(query)}
${hiddenFields(query, ['tag', 'assignee', 'contact', 'sort'])}
<button class="apply">Apply</button>
${isNarrowed(query) ? html`<a href="${hrefWith('/', {}, { sort: query.sort })}">Clear filters</a>` : ''}
<span class="sum soft">${count(total, 'ticket', 'tickets')}</span>
</form>`;
}

/** A menu of values; the one in force is in it, however rare it is. */
function menu(
  name: 'tag' | 'assignee',
  any: string,
  value: string,
  facets: readonly Facet<string>[],
  label: (value: string) => string,
): Markup {
  const listed = facets.some((facet) => facet.value === value);
  const shown = value === '' || listed ? facets : [{ value, tickets: 0 }, ...facets];
  return html`<select name="${name}" aria-label="${name}"${chosen(value)}><option value="">${any}</option>${shown.map(
    (facet) =>
      html`<option value="${facet.value}"${facet.value === value ? raw(' selected') : ''}>${label(facet.value).slice(0, 80)}${
        facet.tickets === 0 ? '' : ` (${facet.tickets.toLocaleString('en')})`
      }</option>`,
  )}</select>`;
}

function orderMenu(query: InboxQuery): Markup {
  return html`<select name="sort" aria-label="Order"><option value="">Newest first</option><option value="oldest"${
    query.sort === 'oldest' ? raw(' selected') : ''
  }>Oldest first</option></select>`;
}

function chosen(value: string): Markup | string {
  return value === '' ? '' : raw(' class="set"');
}
