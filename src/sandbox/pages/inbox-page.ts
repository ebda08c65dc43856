/** The inbox: all tickets by status, tag, assignee and contact, with search, in pages. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { agentNames } from './agent-names.ts';
import { filterBar, statusViews } from './inbox-filters.ts';
import { type InboxQuery, inboxFilter, inboxQuery, isNarrowed } from './inbox-query.ts';
import { hrefWith, pageNumber, pager, searchForm } from './page-parts.ts';
import { answerPage, type Markup } from './page-shell.ts';
import { ticketRows } from './ticket-rows.ts';

const PER_PAGE = 50;

export function inboxPage(service: Service): (c: Context<SandboxEnv>) => Promise<Response> {
  const { list, facets, agents } = service.store;
  return (c) => {
    const query = inboxQuery((name) => c.req.query(name));
    const filter = inboxFilter(query);
    const counts = list.countsByStatus(filter);
    const total =
      query.status === ''
        ? Object.values(counts).reduce((sum, number) => sum + number, 0)
        : (counts[query.status] ?? 0);
    const pages = Math.max(1, Math.ceil(total / PER_PAGE));
    const page = Math.min(pageNumber(c.req.query('page')), pages);
    const order = query.sort === 'oldest' ? 'oldest' : 'newest';
    const rows =
      total === 0 ? [] : list.rows(filter, { order, take: PER_PAGE, offset: (page - 1) * PER_PAGE });
    const agentName = agentNames(agents);
    const known = facets.all();
    const content = html`<div class="head"><h1>Inbox</h1>${searchForm('/', query, 'Search subjects and contacts')}</div>
${filterBar(query, known, total, agentName)}
${rows.length === 0 ? nothing(query) : ticketRows(rows, agentName, known.everywhere)}
${pager('/', query, page, pages)}`;
    const title = query.search === '' ? 'Inbox' : `${query.search} – Inbox`;
    return answerPage(c, { title, section: 'inbox', content, views: statusViews(query, counts) });
  };
}

function nothing(query: InboxQuery): Markup {
  if (!isNarrowed(query))
    return html`<div class="empty card"><h2>Nothing has been imported yet</h2>
<p>Tickets appear here as they arrive: <code>helpdesk-import run export.jsonl --sandbox</code></p></div>`;
  const elsewhere =
    query.status === ''
      ? ''
      : html`<p><a href="${hrefWith('/', query, { status: '' })}">Look in all statuses</a></p>`;
  return html`<div class="empty card"><h2>No ticket matches</h2>
<p>Search looks for words in subjects, names and e-mail addresses, not in messages.</p>${elsewhere}
<p><a href="${hrefWith('/', {}, { sort: query.sort })}">Clear search and filters</a></p></div>`;
}
