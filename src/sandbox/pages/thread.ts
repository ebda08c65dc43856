/** The thread of a ticket as the helpdesk would show it, drawn by the conversation that the report shows too. */
import { html } from 'hono/html';
import { type MessagePayload, TICKET_STATUSES } from '../../domain/payload.ts';
import {
  type ConversationEvent,
  type ConversationMessage,
  shownEvent,
} from '../../view/conversation/conversation.ts';
import { ownPath } from '../../view/conversation/sanitize-body.ts';
import { type ThreadEntry, type ThreadParts, threadMarkup } from '../../view/conversation/thread.ts';
import type { EventView, MessageView } from '../store/thread.ts';
import { messageBody, sourceLink } from './message-body.ts';
import { type AgentName, avatar, fileSize, gapWords, statusPill, time } from './page-parts.ts';
import { icon, type Markup } from './page-shell.ts';

interface TimelineEntry {
  readonly at: number;
  readonly message?: MessageView;
  readonly event?: EventView;
}

/** By time; at the same time messages first, then in the order in which they were sent. */
export function timeline(messages: readonly MessageView[], events: readonly EventView[]): TimelineEntry[] {
  return [
    ...messages.map((message) => ({ at: Date.parse(message.occurredAt), message })),
    ...events.map((event) => ({ at: Date.parse(event.occurredAt), event })),
  ].sort((one, other) => one.at - other.at);
}

type ShownMessage = ConversationMessage & { readonly id: string; readonly view: MessageView };
type ShownEvent = ConversationEvent & { readonly id: string };

/** `before` is the time of the entry before these, on the page before; milliseconds since the epoch. */
export function threadList(
  entries: readonly TimelineEntry[],
  before: number | undefined,
  agentName: AgentName,
): Markup {
  const shown = entries.flatMap(({ at, message, event }, index): ThreadEntry<ShownMessage, ShownEvent>[] => {
    const earlier = index === 0 ? before : entries[index - 1]?.at;
    const words = earlier === undefined ? undefined : gapWords(at - earlier);
    return [
      ...(words === undefined ? [] : [{ kind: 'pause' as const, words }]),
      ...(message === undefined ? [] : [shownMessage(message, agentName)]),
      ...(event === undefined ? [] : [historyEntry(event, agentName)]),
    ];
  });
  return threadMarkup(shown, partsOf(agentName));
}

function shownMessage(view: MessageView, agentName: AgentName): ShownMessage {
  return {
    kind: 'message',
    id: view.id,
    view,
    author: view.actorType as MessagePayload['actorType'],
    name: authorName(view, agentName),
    email: view.contact?.name == null ? undefined : view.contact.email,
    isInternal: view.isInternal,
    occurredAt: view.occurredAt,
    contentType: view.contentType as ShownMessage['contentType'],
    content: view.content,
    attachments: view.attachments,
    moreAttachments: 0,
    pictures: [],
  };
}

function historyEntry(view: EventView, agentName: AgentName): ShownEvent {
  const { type, occurredAt, id } = view;
  const actorType = view.actorType as ConversationEvent['author'];
  const [oldValue, newValue] = [view.oldValue ?? undefined, view.newValue ?? undefined];
  const event = shownEvent({ type, oldValue, newValue, actorType, occurredAt });
  return { ...event, id, name: authorName(view, agentName) };
}

function authorName(item: MessageView | EventView, agentName: AgentName): string {
  if (item.actorType === 'agent') return agentName(item.agentId);
  if (item.actorType === 'system') return 'System';
  return item.contact?.name ?? item.contact?.email ?? 'Customer';
}

function partsOf(agentName: AgentName): ThreadParts<ShownMessage, ShownEvent> {
  return {
    time,
    body: ({ view, name = '' }) => messageBody(view, name),
    behind: ({ view }) => sourceLink(view),
    files: ({ view }) => attachmentLinks(view.attachments),
    noteMark: icon('lock'),
    avatar: ({ view, author, name = '' }) =>
      author === 'system'
        ? html``
        : avatar({
            key: view.contact?.email ?? view.agentId ?? '',
            name,
            kind: author === 'agent' ? 'agent' : 'contact',
          }),
    change: ({ before, after, isStatus }) => {
      const shown = (text: string) =>
        isStatus && TICKET_STATUSES.some((status) => status === text)
          ? statusPill(text)
          : // The values of other types are passed through, so an id may be an agent's.
            html`<span><bdi>${agentName(text)}</bdi></span>`;
      if (before === undefined) return after === undefined ? '' : shown(after);
      return html`${shown(before)}<span aria-hidden="true">→</span><span class="unseen">to</span>${shown(after ?? '–')}`;
    },
  };
}

function attachmentLinks(attachments: MessageView['attachments']): Markup | string {
  if (attachments.length === 0) return '';
  return html`<ul class="files" aria-label="Attachments">${attachments.map((attachment) => html`<li>${link(attachment)}</li>`)}</ul>`;
}

/** The schemas let http and https in only, so an address is no script. */
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

/** `PDF`; `FILE` where a name ends in none. */
export function extension(name: string): string {
  return /\.([a-z\d]{1,4})$/i.exec(name)?.[1]?.toUpperCase() ?? 'FILE';
}

function kindOf(contentType: string, name: string): string {
  if (contentType.startsWith('image/') || /^(?:PNG|JPE?G|GIF|WEBP|HEIC|SVG)$/.test(extension(name)))
    return 'image';
  if (/^(?:video|audio)\//.test(contentType)) return 'media';
  return /pdf|text|word|sheet|document|presentation|csv/.test(contentType) ? 'document' : '';
}
