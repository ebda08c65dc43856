/** A ticket: its head, its thread, and its facts beside. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { rowNumber } from '../store/ids.ts';
import { type TicketRow, type TicketView, ticketView } from '../store/tickets.ts';
import { agentNames } from './agent-names.ts';
import { icon } from './icons.ts';
import { statusViews } from './inbox-filters.ts';
import { priorityMark, statusPill } from './labels.ts';
import { count, pageNumber, pager } from './page-parts.ts';
import { answerPage, type Markup } from './page-shell.ts';
import { threadList } from './thread-list.ts';
import { type OtherTickets, ticketFacts } from './ticket-facts.ts';
import { timeline } from './timeline.ts';

/** Messages and events on one page; a thread of thousands has several. */
const ENTRIES_PER_PAGE = 200;
/** Other tickets of the contact that are named beside the thread. */
const OTHERS = 5;

export function ticketPage(service: Service): (c: Context<SandboxEnv>) => Promise<Response> {
  const { tickets, messages, events, agents, facets } = service.store;
  return (c) => {
    const id = c.req.param('ticketId') ?? '';
    const seq = rowNumber('ticket', id);
    const row = seq === undefined ? undefined : tickets.get(seq);
    if (row === undefined) {
      const content = html`<div class="empty card"><h1>There is no ticket ${id.slice(0, 100)}</h1><p><a href="/">To the inbox</a></p></div>`;
      return answerPage(c, { title: 'No such ticket', section: 'inbox', content, status: 404 });
    }
    const ticket = ticketView(row);
    const entries = timeline(messages.ofTicket(row.seq), events.ofTicket(row.seq));
    const pages = Math.max(1, Math.ceil(entries.length / ENTRIES_PER_PAGE));
    const page = Math.min(pageNumber(c.req.query('page')), pages);
    const from = (page - 1) * ENTRIES_PER_PAGE;
    const agentName = agentNames(agents);
    const views = statusViews(undefined, facets.all().statuses);
    const content = html`${head(ticket)}
<div class="columns"><div>${
      entries.length === 0
        ? html`<div class="empty card"><h2>No messages</h2><p>The ticket was created, and nothing more was sent for it.</p></div>`
        : threadList(entries.slice(from, from + ENTRIES_PER_PAGE), entries[from - 1]?.at, agentName)
    }${pager(`/tickets/${ticket.id}`, {}, page, pages)}</div>
${ticketFacts(ticket, otherTickets(service, row), agentName)}</div>`;
    return answerPage(c, { title: ticket.subject, section: 'inbox', content, views });
  };
}

function head(ticket: TicketView): Markup {
  const { contact } = ticket;
  return html`<div class="path" data-path><a class="button" href="/" data-back>${icon('back')}Inbox</a>
<a class="button square" data-previous hidden aria-label="Previous ticket" title="Previous ticket (k)">${icon('up')}</a>
<a class="button square" data-next hidden aria-label="Next ticket" title="Next ticket (j)">${icon('down')}</a>
<span class="id">${ticket.id}</span></div>
<h1 dir="auto">${ticket.subject}</h1>
<p class="title">${statusPill(ticket.status)}${priorityMark(ticket.priority)}${
    ticket.readOnly ? html`<span class="pill outlined">read-only</span>` : ''
  }<span>${
    contact === null
      ? ''
      : html`<a href="/contacts/${contact.id}"><bdi>${contact.name ?? contact.email}</bdi></a> · `
  }${count(ticket.messageCount, 'message', 'messages')}, ${count(ticket.eventCount, 'event', 'events')} · times in <span data-zone>UTC</span></span></p>`;
}

function otherTickets(service: Service, row: TicketRow): OtherTickets {
  if (row.contact_seq === null) return { rows: [], total: 0 };
  const { list } = service.store;
  const filter = { contactSeq: row.contact_seq };
  // One more than shown: the ticket itself may be among them.
  const rows = list.rows(filter, { order: 'newest', take: OTHERS + 1, offset: 0 });
  return { rows: rows.filter(({ seq }) => seq !== row.seq).slice(0, OTHERS), total: list.count(filter) };
}
