/** What stands beside a thread: the contact with its other tickets, and every field of the ticket. */
import { html } from 'hono/html';
import { publicId } from '../store/ids.ts';
import type { TicketRow, TicketView } from '../store/tickets.ts';
import type { AgentName } from './agent-names.ts';
import { avatar } from './avatar.ts';
import { statusDot, statusPill, tagLink } from './labels.ts';
import { hrefWith } from './page-parts.ts';
import type { Markup } from './page-shell.ts';
import { time } from './times.ts';

export interface OtherTickets {
  /** Newest first, the ticket itself left out. */
  readonly rows: readonly TicketRow[];
  /** All tickets of the contact, this one included. */
  readonly total: number;
}

export function ticketFacts(ticket: TicketView, others: OtherTickets, agentName: AgentName): Markup {
  return html`<aside class="facts" aria-label="About the ticket">
${ticket.contact === null ? '' : contactCard(ticket.contact, others)}
<section class="card"><h2>Ticket</h2><dl>${facts(ticket, agentName)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></section>
</aside>`;
}

function contactCard(contact: NonNullable<TicketView['contact']>, others: OtherTickets): Markup {
  const name = contact.name ?? contact.email;
  const href = `/contacts/${contact.id}`;
  const list = html`<ul class="others">${others.rows.map(
    (row) =>
      html`<li><a href="/tickets/${publicId('ticket', row.seq)}">${statusDot(row.status)}<span dir="auto">${row.subject}</span></a></li>`,
  )}<li><a class="all" href="${href}">All ${others.total.toLocaleString('en')} tickets</a></li></ul>`;
  return html`<section class="card"><h2>Contact</h2>
<div class="person">${avatar({ key: contact.email, name, kind: 'contact' })}<div><a href="${href}"><b><bdi>${name}</bdi></b></a>${
    contact.name === null ? '' : html`<p class="soft">${contact.email}</p>`
  }</div></div>${others.rows.length === 0 ? '' : list}</section>`;
}

function facts(ticket: TicketView, agentName: AgentName): [string, Markup | string | null][] {
  const when = (iso: string | null) => (iso === null ? null : time(iso));
  return [
    ['Status', statusPill(ticket.status)],
    ['Priority', ticket.priority],
    ['Assignee', ticket.assignedToId === null ? 'Nobody' : assignee(ticket.assignedToId, agentName)],
    ['Created', time(ticket.createdAt)],
    ['Resolved', when(ticket.resolvedAt)],
    ['Closed', when(ticket.closedAt)],
    ['Tags', ticket.tags.length === 0 ? null : html`<span class="tags">${ticket.tags.map(tagLink)}</span>`],
    ['Read-only', ticket.readOnly ? 'yes' : null],
    ['Managed by', ticket.managedBy],
    ['Customer', ticket.customerId],
    ['App', ticket.appId],
    ['Id', html`<code>${ticket.id}</code>`],
  ];
}

function assignee(id: string, agentName: AgentName): Markup {
  const name = agentName(id);
  return html`<a href="${hrefWith('/', {}, { assignee: id })}"><bdi>${name}</bdi></a>${
    name === id ? '' : html` <span class="soft">${id}</span>`
  }`;
}
