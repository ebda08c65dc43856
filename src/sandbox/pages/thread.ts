/** The thread: customers left, agents right, notes marked, events between. */

import { html } from 'hono/html';
import { TICKET_STATUSES } from '../../domain/payload.ts';
import { eventTypeWords, eventValueText, isStatusChange } from '../../view/conversation/event-words.ts';
import { ownPath } from '../../view/conversation/sanitize-body.ts';
import { type EventView, eventView, type MessageView, messageView } from '../core/answers.ts';
import type { EventRow, MessageRow } from '../store/thread.ts';
import { messageBody, sourceLink } from './message-body.ts';
import { type AgentName, avatar, fileSize, gapWords, statusPill, time } from './page-parts.ts';
import { icon, type Markup } from './page-shell.ts';

type TimelineEntry =
  | { kind: 'message'; at: number; message: MessageView }
  | { kind: 'event'; at: number; event: EventView };

/** By time; at the same time messages first, then in the order of sending. */
export function timeline(messages: readonly MessageRow[], events: readonly EventRow[]): TimelineEntry[] {
  const entries: TimelineEntry[] = [
    ...messages.map(
      (row): TimelineEntry => ({ kind: 'message', at: row.occurred_ms, message: messageView(row) }),
    ),
    ...events.map((row): TimelineEntry => ({ kind: 'event', at: row.occurred_ms, event: eventView(row) })),
  ];
  // A stable sort keeps the order within equal times.
  return entries.sort((one, other) => one.at - other.at);
}

/** `before`: time of the last entry of the previous page, milliseconds since the epoch. */
export function threadList(
  entries: readonly TimelineEntry[],
  before: number | undefined,
  agentName: AgentName,
): Markup {
  return html`<ol class="thread">${entries.map((entry, index) => {
    const earlier = index === 0 ? before : entries[index - 1]?.at;
    const gap = earlier === undefined ? undefined : gapWords(entry.at - earlier);
    return html`${gap === undefined ? '' : html`<li class="gap">${gap}</li>`}${entryMarkup(entry, agentName)}`;
  })}</ol>`;
}

function entryMarkup(entry: TimelineEntry, agentName: AgentName): Markup {
  if (entry.kind === 'event') return eventLine(entry.event, authorName(entry.event, agentName), agentName);
  return messageMarkup(entry.message, agentName);
}

function messageMarkup(message: MessageView, agentName: AgentName): Markup {
  const author = authorName(message, agentName);
  const { actorType, isInternal, contact } = message;
  return html`<li class="message ${actorType}${isInternal ? ' internal' : ''}" id="${message.id}">
${actorType === 'system' ? '' : avatar({ key: contact?.email ?? message.agentId ?? '', name: author, kind: actorType === 'agent' ? 'agent' : 'contact' })}
<div class="bubble">
${isInternal ? html`<p class="note-label">${icon('lock')}Internal note, not visible to the customer</p>` : ''}
<header><b><bdi>${author}</bdi></b>${address(message)}${time(message.occurredAt)}${sourceLink(message)}</header>
${messageBody(message, author)}${attachmentLinks(message.attachments)}
</div>
</li>`;
}

/** The customer's address, unless the name shows it. */
function address(message: MessageView): Markup | string {
  const { contact } = message;
  return contact === null || contact.name === null ? '' : html`<span class="email">${contact.email}</span>`;
}

function authorName(item: MessageView | EventView, agentName: AgentName): string {
  if (item.actorType === 'agent') return agentName(item.agentId);
  if (item.actorType === 'system') return 'System';
  return item.contact?.name ?? item.contact?.email ?? 'Customer';
}

function eventLine(event: EventView, author: string, agentName: AgentName): Markup {
  return html`<li class="event" id="${event.id}"><span><b><bdi>${author}</bdi></b> ${words(event)}</span>${change(event, agentName)}${time(event.occurredAt)}</li>`;
}

function words({ type }: EventView): string {
  return isStatusChange(type) ? 'changed the status' : eventTypeWords(type);
}

function change(event: EventView, agentName: AgentName): Markup | string {
  if (event.oldValue === null && event.newValue === null) return '';
  const [before, after] = [valueText(event.oldValue), valueText(event.newValue)];
  const shown = (text: string) => {
    if (isStatusChange(event.type) && TICKET_STATUSES.some((status) => status === text))
      return statusPill(text);
    // Values of other types are passed through, so an ID may be an agent's.
    return html`<span><bdi>${agentName(text)}</bdi></span>`;
  };
  if (event.oldValue === null) return shown(after);
  return html`${shown(before)}<span aria-hidden="true">→</span><span class="unseen">to</span>${shown(after)}`;
}

const LONGEST_VALUE = 200;

function valueText(value: Record<string, unknown> | null): string {
  if (value === null) return '–';
  const text = eventValueText(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE).toWellFormed()}…` : text;
}

function attachmentLinks(attachments: MessageView['attachments']): Markup | string {
  if (attachments.length === 0) return '';
  return html`<ul class="files" aria-label="Attachments">${attachments.map((attachment) => html`<li>${link(attachment)}</li>`)}</ul>`;
}

/** The schemas allow http and https only, so an address is no script. */
function link(attachment: MessageView['attachments'][number]): Markup {
  const name = attachment.name?.trim() || nameIn(attachment.url);
  const { contentType, sizeBytes } = attachment;
  const about = [
    contentType === undefined ? undefined : (contentType.split(';')[0] ?? '').trim(),
    sizeBytes === undefined ? undefined : fileSize(sizeBytes),
  ].filter((part) => part !== undefined && part !== '');
  return html`<a href="${ownPath(attachment.url) ?? attachment.url}" title="${attachment.url}" rel="noopener noreferrer nofollow" target="_blank">
<span class="kind ${kindOf(contentType ?? '', name)}" aria-hidden="true">${extension(name)}</span>
<span><span class="name"><bdi>${name}</bdi></span><span class="about">${about.join(' · ')}</span></span></a>`;
}

function nameIn(url: string): string {
  const last = url.split(/[?#]/)[0]?.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || url;
  } catch {
    return last || url;
  }
}

/** `PDF`, or `FILE` for a name without an ending. */
export function extension(name: string): string {
  return /\.([a-z\d]{1,4})$/i.exec(name)?.[1]?.toUpperCase() ?? 'FILE';
}

function kindOf(contentType: string, name: string): string {
  if (contentType.startsWith('image/') || /^(?:PNG|JPE?G|GIF|WEBP|HEIC|SVG)$/.test(extension(name)))
    return 'image';
  if (/^(?:video|audio)\//.test(contentType)) return 'media';
  return /pdf|text|word|sheet|document|presentation|csv/.test(contentType) ? 'document' : '';
}
