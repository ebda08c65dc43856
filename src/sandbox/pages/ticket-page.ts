/** A ticket: its facts, and its thread as the helpdesk would show it. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { AttachmentPayload } from '../../domain/payload.ts';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { rowNumber } from '../store/ids.ts';
import type { EventView, MessageView } from '../store/thread.ts';
import { type TicketView, ticketView } from '../store/tickets.ts';
import { bodyFrame } from './message-frame.ts';
import { badge, count, hrefWith, pageNumber, pager, time } from './page-parts.ts';
import { answerPage, type Markup } from './page-shell.ts';
import { eventWords, type TimelineEntry, timeline } from './timeline.ts';

/** Messages and events on one page; a thread of thousands has several. */
const ENTRIES_PER_PAGE = 200;

export function ticketPage(service: Service): (c: Context<SandboxEnv>) => Promise<Response> {
  const { tickets, messages, events, agents } = service.store;
  return (c) => {
    const id = c.req.param('ticketId') ?? '';
    const seq = rowNumber('ticket', id);
    const row = seq === undefined ? undefined : tickets.get(seq);
    if (seq === undefined || row === undefined) {
      const content = html`<h1>There is no ticket ${id.slice(0, 100)}</h1><p><a href="/">To the inbox</a></p>`;
      return answerPage(c, { title: 'No such ticket', content, status: 404 });
    }
    const ticket = ticketView(row);
    const entries = timeline(messages.ofTicket(seq), events.ofTicket(seq));
    const pages = Math.max(1, Math.ceil(entries.length / ENTRIES_PER_PAGE));
    const page = Math.min(pageNumber(c.req.query('page')), pages);
    const shown = entries.slice((page - 1) * ENTRIES_PER_PAGE, page * ENTRIES_PER_PAGE);
    const agentName = (agentId: string | null) => {
      const agent = agentId === null ? undefined : agents.byId(agentId);
      return agent?.name ?? agent?.email ?? agentId ?? 'an agent';
    };
    const content = html`<h1>${ticket.subject}</h1>
${facts(ticket, agentName)}
<p class="soft">${count(ticket.messageCount, 'message', 'messages')}, ${count(ticket.eventCount, 'event', 'events')}</p>
<ol class="thread">${shown.map((entry) => entryMarkup(entry, agentName))}</ol>
${pager(`/tickets/${ticket.id}`, {}, page, pages)}`;
    return answerPage(c, { title: ticket.subject, section: 'inbox', content });
  };
}

function facts(ticket: TicketView, agentName: (id: string | null) => string): Markup {
  const { contact } = ticket;
  const rows: [string, Markup | string | null][] = [
    [
      'Status',
      html`${badge(ticket.status)} ${badge(ticket.priority)}${ticket.readOnly ? html` ${badge('read-only')}` : ''}`,
    ],
    [
      'Contact',
      contact === null
        ? 'none'
        : html`<a href="${hrefWith('/', {}, { contact: contact.id })}">${contact.name ?? contact.email}</a> ${
            contact.name === null ? '' : html`<span class="soft">${contact.email}</span>`
          }`,
    ],
    ['Assignee', ticket.assignedToId === null ? null : agentName(ticket.assignedToId)],
    ['Created', time(ticket.createdAt)],
    ['Resolved', ticket.resolvedAt === null ? null : time(ticket.resolvedAt)],
    ['Closed', ticket.closedAt === null ? null : time(ticket.closedAt)],
    [
      'Tags',
      ticket.tags.length === 0
        ? null
        : html`${ticket.tags.map((tag) => html`<a href="${hrefWith('/', {}, { tag })}">${badge(tag)}</a> `)}`,
    ],
    ['Managed by', ticket.managedBy],
    ['Customer', ticket.customerId],
    ['App', ticket.appId],
    ['Ticket', ticket.id],
  ];
  return html`<dl class="facts">${rows
    .filter(([, value]) => value !== null)
    .map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

function entryMarkup(entry: TimelineEntry, agentName: (id: string | null) => string): Markup {
  return entry.kind === 'message'
    ? messageMarkup(entry.message, agentName)
    : eventMarkup(entry.event, agentName);
}

function messageMarkup(message: MessageView, agentName: (id: string | null) => string): Markup {
  const internal = message.isInternal ? ' internal' : '';
  return html`<li class="message ${message.actorType}${internal}" id="${message.id}">
<header><b>${author(message, agentName)}</b><span>${message.actorType}</span>${
    message.isInternal ? badge('internal note') : ''
  }${time(message.occurredAt)}</header>
${message.contentType === 'html' ? bodyFrame(message.content) : html`<p class="text">${message.content}</p>`}
${message.attachments.length === 0 ? '' : html`<ul class="files">${message.attachments.map(file)}</ul>`}
</li>`;
}

function eventMarkup(event: EventView, agentName: (id: string | null) => string): Markup {
  return html`<li class="event">${eventWords(event)} · ${author(event, agentName)} · ${time(event.occurredAt)}</li>`;
}

function author(item: MessageView | EventView, agentName: (id: string | null) => string): string {
  if (item.actorType === 'agent') return agentName(item.agentId);
  if (item.actorType === 'system') return 'System';
  return item.contact?.name ?? item.contact?.email ?? 'Customer';
}

/** The schemas let http and https in only, so an address is no script. */
function file(attachment: AttachmentPayload): Markup {
  const size =
    attachment.sizeBytes === undefined ? '' : ` · ${attachment.sizeBytes.toLocaleString('en')} bytes`;
  return html`<li>📎 <a href="${attachment.url}" rel="noopener noreferrer nofollow" target="_blank">${
    attachment.name ?? attachment.url
  }</a><span class="soft">${attachment.contentType === undefined ? '' : ` · ${attachment.contentType}`}${size}</span></li>`;
}
