import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import { TICKET_STATUSES } from '../../domain/payload.ts';
import type { SandboxEnv, Service } from '../core/request.ts';
import type { SandboxStore } from '../store/store.ts';
import * as tickets from '../store/tickets.ts';
import * as parts from './page-parts.ts';
import { answerPage, current, icon, type Markup } from './page-shell.ts';

const PER_PAGE = 50;

export function inboxPage({ store }: Service, c: Context<SandboxEnv>): Promise<Response> {
  const query = inboxQuery((name) => c.req.query(name));
  const inbox = store.tickets.inbox(inboxFilter(query));
  const place = parts.paging(c.req.query('page'), inbox.total, PER_PAGE);
  const rows = inbox.rows(query.sort === 'oldest' ? 'oldest' : 'newest', place.take, place.offset);
  const agentName = parts.agentNames(store.agents);
  const { search } = query;
  const content = html`<div class="head"><h1>Inbox</h1>${parts.searchForm('/', query, 'Search tickets and messages')}</div>
${filterBar(query, inbox, agentName)}
${rows.length === 0 ? nothing(query) : ticketRows(rows, agentName, inbox.dull, search, store.messages)}
${parts.pager('/', query, place)}`;
  const title = search === '' ? 'Inbox' : `${search} – Inbox`;
  const views = statusViews(query, inbox.statuses);
  return answerPage(c, { title, section: 'inbox', hasSearch: true, content, views });
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, number) => sum + number, 0);
}

function nothing(query: InboxQuery): Markup {
  if (!isNarrowed(query))
    return html`<div class="empty card"><h2>Nothing has been imported yet</h2>
<p>Tickets appear here as they arrive: <code>helpdesk-import run export.jsonl --sandbox</code></p></div>`;
  const elsewhere =
    query.status === ''
      ? ''
      : html`<p><a href="${parts.hrefWith('/', query, { status: '' })}">Look in all statuses</a></p>`;
  return html`<div class="empty card"><h2>No ticket matches</h2>
<p>Search looks for words in subjects, messages, names, e-mail addresses, tags and agents, and for the number of a ticket here or where it came from.</p>${elsewhere}
<p><a href="${parts.hrefWith('/', {}, { sort: query.sort })}">Clear search and filters</a></p></div>`;
}

const NARROWING = ['search', 'status', 'tag', 'assignee'] as const;
const PARAMETERS = [...NARROWING, 'sort'] as const;
type InboxQuery = Readonly<Record<(typeof PARAMETERS)[number], string>> & parts.Query;

/** No ID looks like this. */
const UNASSIGNED = '(unassigned)';

function inboxQuery(parameter: (name: string) => string | undefined): InboxQuery {
  const value = (name: string) => parameter(name)?.trim() ?? '';
  return {
    search: value('search'),
    status: value('status'),
    tag: parameter('tag') ?? '',
    assignee: parameter('assignee') ?? '',
    sort: value('sort') === 'oldest' ? 'oldest' : '',
  };
}

function inboxFilter({ search, status, tag, assignee }: InboxQuery): tickets.InboxFilter {
  return {
    search,
    ...(status === '' ? {} : { status }),
    ...(tag === '' ? {} : { tag }),
    ...(assignee === '' ? {} : { assignee: assignee === UNASSIGNED ? null : assignee }),
  };
}

function isNarrowed(query: InboxQuery): boolean {
  return NARROWING.some((name) => query[name] !== '');
}

/** `counts`: under the other filters. Without a query they link to the whole inbox. */
export function statusViews(query: InboxQuery | undefined, counts: Readonly<Record<string, number>>): Markup {
  const view = (status: string, label: string, number: number) =>
    html`<li><a href="${parts.hrefWith('/', query ?? {}, { status })}"${current(query?.status === status)}><span class="dot ${status}"></span>${label}<span class="number">${number.toLocaleString('en')}</span></a></li>`;
  return html`<nav class="views" aria-label="Status"><h2>Status</h2><ul>${view('', 'All', sumOf(counts))}${TICKET_STATUSES.map(
    (status) => view(status, `${status.charAt(0).toUpperCase()}${status.slice(1)}`, counts[status] ?? 0),
  )}</ul></nav>`;
}

function filterBar(query: InboxQuery, facets: tickets.Inbox, agentName: parts.AgentName): Markup {
  const unassigned: tickets.Facet = { value: UNASSIGNED, tickets: facets.unassigned };
  return html`<form class="filters" action="/" aria-label="Filters">
${menu('tag', 'Any tag', query.tag, facets.tags, (tag) => tag)}
${menu('assignee', 'Any assignee', query.assignee, [...facets.assignees, unassigned], (id) =>
  id === UNASSIGNED ? 'Unassigned' : agentName(id),
)}
${orderMenu(query)}
${parts.hiddenFields(query, ['tag', 'assignee', 'sort'])}
<button class="apply">Apply</button>
${isNarrowed(query) ? html`<a href="${parts.hrefWith('/', {}, { sort: query.sort })}">Clear filters</a>` : ''}
<span class="sum soft">${parts.count(facets.total, 'ticket', 'tickets')}</span>
</form>`;
}

function menu(
  name: 'tag' | 'assignee',
  any: string,
  value: string,
  facets: readonly tickets.Facet[],
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

function orderMenu({ sort }: InboxQuery): Markup {
  return html`<select name="sort" aria-label="Order"><option value="">Newest first</option><option value="oldest"${
    sort === 'oldest' ? raw(' selected') : ''
  }>Oldest first</option></select>`;
}

function chosen(value: string): Markup | string {
  return value === '' ? '' : raw(' class="set"');
}

const MOST_TAGS = 3;

function ticketRows(
  rows: readonly tickets.ListedTicket[],
  agentName: parts.AgentName,
  dull: ReadonlySet<string>,
  search: string,
  messages: SandboxStore['messages'],
): Markup {
  return html`<ul class="rows card">${rows.map((row) => html`<li>${ticketRow(row, agentName, dull, search, messages)}</li>`)}</ul>`;
}

function ticketRow(
  row: tickets.ListedTicket,
  agentName: parts.AgentName,
  dull: ReadonlySet<string>,
  search: string,
  messages: SandboxStore['messages'],
): Markup {
  const words = search.split(/\s+/u).filter((word) => word !== '');
  const excerpt = (words.length === 0 ? undefined : messages.passage(row.ticketNumber, words)) ?? row.excerpt;
  const active = row.lastMessageAt;
  const who = row.contact?.name ?? row.contact?.email ?? 'No contact';
  const assignee = row.assignedToId;
  const number = tickets.sourceNumber(row.tags);
  return html`<article class="ticket">
${parts.avatar({ key: row.contact?.email ?? '', name: who, kind: 'contact' })}
<a class="subject" data-row href="/tickets/${row.id}" dir="auto">${parts.marked(row.subject, search)}</a>
<div class="marks">${parts.priorityMark(row.priority)}${parts.statusPill(row.status)}${parts.day(row.createdAt)}</div>
<p class="line">${number === undefined ? '' : html`<span class="number soft" title="Number where it came from"><bdi>#${number}</bdi></span> `}<b><bdi>${parts.marked(who, search)}</bdi></b>${excerpt === null ? '' : html` · <bdi>${parts.marked(excerpt, search)}</bdi>`}</p>
<div class="more">${tags(row.tags, dull)}<span class="replies" title="${parts.count(row.messageCount, 'message', 'messages')}">${icon('replies')}${row.messageCount}</span>${
    active.slice(0, 10) === row.createdAt.slice(0, 10)
      ? ''
      : html`<span class="soft" title="Last message">last ${parts.day(active)}</span>`
  }${
    assignee === null
      ? ''
      : html`<span title="Assigned to ${agentName(assignee)}">${parts.avatar(
          { key: assignee, name: agentName(assignee), kind: 'agent' },
          'small',
        )}<span class="unseen">Assigned to ${agentName(assignee)}</span></span>`
  }</div>
</article>`;
}

function tags(own: readonly string[], dull: ReadonlySet<string>): Markup {
  const all = own.filter((tag) => !dull.has(tag) && !tickets.isImportTag(tag, own));
  const rest = all.length - MOST_TAGS;
  return html`${all.slice(0, MOST_TAGS).map(parts.tagLink)}${rest > 0 ? html`<span class="soft rest">+${rest}</span>` : ''}`;
}
