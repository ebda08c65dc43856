/** The inbox: all tickets, newest first, by status, tag, contact and assignee, with search. */
import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import { TICKET_STATUSES } from '../../domain/payload.ts';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { rowNumber } from '../store/ids.ts';
import type { TicketFilter } from '../store/ticket-list.ts';
import { type TicketView, ticketView } from '../store/tickets.ts';
import { badge, count, hrefWith, pageNumber, pager, searchForm, time } from './page-parts.ts';
import { answerPage, type Markup } from './page-shell.ts';

const PER_PAGE = 50;
const PARAMETERS = ['search', 'status', 'tag', 'contact', 'assignee'] as const;

export function inboxPage(service: Service): (c: Context<SandboxEnv>) => Promise<Response> {
  const { list } = service.store;
  return (c) => {
    const query = Object.fromEntries(PARAMETERS.map((name) => [name, c.req.query(name) ?? '']));
    const filter = inboxFilter(query);
    const counts = list.countsByStatus(filter);
    const total = Object.entries(counts).reduce(
      (sum, [status, number]) => (query['status'] === '' || query['status'] === status ? sum + number : sum),
      0,
    );
    const pages = Math.max(1, Math.ceil(total / PER_PAGE));
    const page = Math.min(pageNumber(c.req.query('page')), pages);
    const rows = list.rows(filter, { order: 'newest', take: PER_PAGE, offset: (page - 1) * PER_PAGE });
    const content = html`<h1>Inbox</h1>
${searchForm('/', query, 'Subject, name or e-mail')}
${statusTabs(query, counts)}
${filtersInForce(query)}
<p class="soft">${count(total, 'ticket', 'tickets')}</p>
${rows.length === 0 ? html`<p>Nothing here yet.</p>` : html`<ul class="list">${rows.map((row) => line(ticketView(row)))}</ul>`}
${pager('/', query, page, pages)}`;
    return answerPage(c, { title: 'Inbox', section: 'inbox', content });
  };
}

/** An unknown contact matches nothing, as any other id that no ticket has. */
function inboxFilter(query: Readonly<Record<string, string>>): TicketFilter {
  const filter: TicketFilter = {};
  const { search, status, tag, contact, assignee } = query;
  if (search) filter.search = search;
  if (status) filter.statuses = [status];
  if (tag) filter.tags = [tag];
  if (contact) filter.contactSeq = rowNumber('contact', contact) ?? -1;
  if (assignee) filter.assignedToId = assignee;
  return filter;
}

function statusTabs(
  query: Readonly<Record<string, string>>,
  counts: Readonly<Record<string, number>>,
): Markup {
  const all = Object.values(counts).reduce((sum, number) => sum + number, 0);
  const tab = (status: string, number: number) =>
    html`<a href="${hrefWith('/', query, { status })}"${
      (query['status'] ?? '') === status ? raw(' aria-current="page"') : ''
    }>${status === '' ? 'all' : status} <span class="soft">${number.toLocaleString('en')}</span></a>`;
  return html`<nav class="tabs" aria-label="Status">${tab('', all)}${TICKET_STATUSES.map((status) =>
    tab(status, counts[status] ?? 0),
  )}</nav>`;
}

function filtersInForce(query: Readonly<Record<string, string>>): Markup {
  const inForce = (['tag', 'contact', 'assignee'] as const).filter((name) => query[name] !== '');
  if (inForce.length === 0) return html``;
  return html`<p class="tabs">${inForce.map(
    (name) =>
      html`<span class="badge">${name}: ${query[name] ?? ''} <a href="${hrefWith('/', query, { [name]: '' })}" aria-label="Remove the filter ${name}">×</a></span>`,
  )}</p>`;
}

function line(ticket: TicketView): Markup {
  const who = ticket.contact === null ? 'no contact' : (ticket.contact.name ?? ticket.contact.email);
  return html`<li><div class="row"><a href="/tickets/${ticket.id}">${ticket.subject}</a>${badge(ticket.status)}</div>
<div class="row soft"><span>${who} · ${count(ticket.messageCount, 'message', 'messages')}${
    ticket.priority === 'normal' ? '' : ` · ${ticket.priority}`
  }${ticket.readOnly ? ' · read-only' : ''}</span>${time(ticket.createdAt)}</div>${
    ticket.tags.length === 0
      ? ''
      : html`<div>${ticket.tags.map((tag) => html`<a href="${hrefWith('/', {}, { tag })}">${badge(tag)}</a> `)}</div>`
  }</li>`;
}
