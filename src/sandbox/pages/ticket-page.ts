import type { Context } from 'hono';
import { html } from 'hono/html';
import type { SandboxEnv, Service } from '../core/request.ts';
import { publicId } from '../store/kept-values.ts';
import { sourceNumber, type TicketView } from '../store/tickets.ts';
import { statusViews } from './inbox-page.ts';
import * as parts from './page-parts.ts';
import { answerPage, icon, type Markup } from './page-shell.ts';
import { threadList, timeline } from './thread.ts';

const ENTRIES_PER_PAGE = 200;

export async function ticketPage(service: Service, c: Context<SandboxEnv>): Promise<Response> {
  const { tickets, agents } = service.store;
  const id = c.req.param('ticketId') ?? '';
  const ticket = tickets.get(id);
  if (ticket === undefined) {
    const [only, ...more] = tickets.numbered(id);
    if (only !== undefined && more.length === 0) return c.redirect(`/tickets/${publicId('ticket', only)}`);
    const content = html`<div class="empty card"><h1>There is no ticket ${id.slice(0, 100)}</h1><p><a href="/">To the inbox</a></p></div>`;
    return answerPage(c, { title: 'No such ticket', section: 'inbox', content, status: 404 });
  }
  const agentName = parts.agentNames(agents);
  const content = html`${path(ticket)}${title(ticket)}
<div class="columns"><div>${thread(service, c, ticket, agentName)}</div>
<aside class="facts" aria-label="About the ticket">
${ticket.contact === null ? '' : contactCard(ticket.contact)}
${fieldsCard(ticket, agentName)}
</aside></div>`;
  const views = statusViews(undefined, tickets.inbox({ search: '' }).statuses);
  return answerPage(c, { title: ticket.subject, section: 'inbox', content, views });
}

export function thread(
  { store }: Pick<Service, 'store'>,
  c: Context<SandboxEnv>,
  { id, ticketNumber: seq }: TicketView,
  agentName: parts.AgentName,
): Markup {
  const entries = timeline(store.messages.ofTicket(seq), store.events.ofTicket(seq));
  if (entries.length === 0)
    return html`<div class="empty card"><h2>No messages</h2><p>The ticket was created, and nothing more was sent for it.</p></div>`;
  const place = parts.paging(c.req.query('page'), entries.length, ENTRIES_PER_PAGE);
  const shown = entries.slice(place.offset, place.offset + place.take);
  return html`${threadList(shown, entries[place.offset - 1], agentName)}${parts.pager(`/tickets/${id}`, {}, place)}`;
}

function path(ticket: TicketView): Markup {
  return html`<div class="path" data-path><a class="button" href="/" data-back>${icon('back')}Inbox</a>
<a class="button square" data-previous hidden aria-label="Previous ticket" title="Previous ticket (k)">${icon('up')}</a>
<a class="button square" data-next hidden aria-label="Next ticket" title="Next ticket (j)">${icon('down')}</a>
<span class="id">${ticket.id}</span></div>`;
}

function title(ticket: TicketView): Markup {
  const { contact } = ticket;
  return html`<h1 dir="auto">${ticket.subject}</h1>
<p class="title">${parts.statusPill(ticket.status)}${parts.priorityMark(ticket.priority)}${
    ticket.readOnly ? html`<span class="pill outlined">read-only</span>` : ''
  }<span>${
    contact === null
      ? ''
      : html`<a href="${ofContact(contact)}"><bdi>${contact.name ?? contact.email}</bdi></a> · `
  }${parts.count(ticket.messageCount, 'message', 'messages')}, ${parts.count(ticket.eventCount, 'event', 'events')}</span></p>`;
}

function fieldsCard(ticket: TicketView, agentName: parts.AgentName): Markup {
  return html`<section class="card"><h2>Ticket</h2><dl>${facts(ticket, agentName)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></section>`;
}

function ofContact({ email }: NonNullable<TicketView['contact']>): string {
  return parts.hrefWith('/', {}, { search: email });
}

function contactCard(contact: NonNullable<TicketView['contact']>): Markup {
  const name = contact.name ?? contact.email;
  const href = ofContact(contact);
  return html`<section class="card"><h2>Contact</h2>
<div class="person">${parts.avatar({ key: contact.email, name, kind: 'contact' })}<div><a href="${href}"><b><bdi>${name}</bdi></b></a>${
    contact.name === null ? '' : html`<p class="soft">${contact.email}</p>`
  }</div></div><p><a href="${href}">All tickets of the contact</a></p></section>`;
}

function facts(ticket: TicketView, agentName: parts.AgentName): [string, Markup | string | null][] {
  const when = (iso: string | null) => (iso === null ? null : parts.time(iso));
  return [
    ['Status', parts.statusPill(ticket.status)],
    ['Priority', ticket.priority],
    ['Assignee', ticket.assignedToId === null ? 'Unassigned' : assignee(ticket.assignedToId, agentName)],
    ['Created', parts.time(ticket.createdAt)],
    ['Resolved', when(ticket.resolvedAt)],
    ['Closed', when(ticket.closedAt)],
    [
      'Tags',
      ticket.tags.length === 0 ? null : html`<span class="tags">${ticket.tags.map(parts.tagLink)}</span>`,
    ],
    ['Read-only', ticket.readOnly ? 'yes' : null],
    ['Managed by', ticket.managedBy],
    ['Customer', ticket.customerId],
    ['App', ticket.appId],
    ['Original number', sourceNumber(ticket.tags) ?? null],
    ['Number', String(ticket.ticketNumber)],
    ['Id', html`<code>${ticket.id}</code>`],
  ];
}

function assignee(id: string, agentName: parts.AgentName): Markup {
  const name = agentName(id);
  return html`<a href="${parts.hrefWith('/', {}, { assignee: id })}"><bdi>${name}</bdi></a>${
    name === id ? '' : html` <span class="soft">${id}</span>`
  }`;
}
