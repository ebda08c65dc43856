import { html } from 'hono/html';
import { TICKET_STATUSES } from '../../domain/payload.ts';
import * as conversations from '../../view/conversation/conversation.ts';
import { ownPath } from '../../view/conversation/sanitize-body.ts';
import { type ThreadEntry, type ThreadParts, threadMarkup } from '../../view/conversation/thread.ts';
import type { EventView, MessageView } from '../store/thread.ts';
import { messageBody, sourceLink } from './message-body.ts';
import { type AgentName, avatar, fileSize, gapWords, statusPill, time } from './page-parts.ts';
import { icon, type Markup } from './page-shell.ts';

/** At one time messages come first, then the order of sending. */
export function timeline(messages: readonly MessageView[], events: readonly EventView[]): Entry[] {
  return [...messages, ...events].sort((one, other) => timeOf(one) - timeOf(other));
}

type Entry = MessageView | EventView;
type ShownMessage = conversations.ConversationMessage & MessageView;
type ShownEvent = conversations.ConversationEvent & { readonly id: string };

const timeOf = ({ occurredAt }: Entry) => Date.parse(occurredAt);

/** `before`: the last entry of the page before. */
export function threadList(
  entries: readonly Entry[],
  before: Entry | undefined,
  agentName: AgentName,
): Markup {
  const shown = entries.flatMap((entry, index): ThreadEntry<ShownMessage, ShownEvent>[] => {
    const earlier = index === 0 ? before : entries[index - 1];
    const words = earlier === undefined ? undefined : gapWords(timeOf(entry) - timeOf(earlier));
    return [
      ...(words === undefined ? [] : [{ kind: 'pause' as const, words }]),
      'type' in entry ? shownChange(entry, agentName) : shownMessage(entry, agentName),
    ];
  });
  return threadMarkup(shown, partsOf(agentName));
}

function shownMessage(message: MessageView, agentName: AgentName): ShownMessage {
  const { actorType: author, contact } = message;
  const email = contact?.name == null ? undefined : contact.email;
  const name = authorName(message, agentName);
  return { ...message, kind: 'message', author, name, email, moreAttachments: 0, pictures: [] };
}

function shownChange(event: EventView, agentName: AgentName): ShownEvent {
  const [oldValue, newValue] = [event.oldValue ?? undefined, event.newValue ?? undefined];
  return {
    ...conversations.shownEvent({ ...event, oldValue, newValue }),
    id: event.id,
    name: authorName(event, agentName),
  };
}

function authorName(item: Entry, agentName: AgentName): string {
  if (item.actorType === 'agent') return agentName(item.agentId);
  if (item.actorType === 'system') return 'System';
  return item.contact?.name ?? item.contact?.email ?? 'Customer';
}

function partsOf(agentName: AgentName): ThreadParts<ShownMessage, ShownEvent> {
  return {
    time,
    body: (message) => messageBody(message, message.name ?? ''),
    behind: sourceLink,
    files: ({ attachments }) => attachmentLinks(attachments),
    noteMark: icon('lock'),
    avatar: ({ contact, agentId, author, name = '' }) => {
      if (author === 'system') return html``;
      const key = contact?.email ?? agentId ?? '';
      return avatar({ key, name, kind: author === 'agent' ? 'agent' : 'contact' });
    },
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

/** The schemas let only http and https in, so the address is no script. */
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

export function extension(name: string): string {
  return /\.([a-z\d]{1,4})$/i.exec(name)?.[1]?.toUpperCase() ?? 'FILE';
}

function kindOf(contentType: string, name: string): string {
  if (contentType.startsWith('image/') || /^(?:PNG|JPE?G|GIF|WEBP|HEIC|SVG)$/.test(extension(name)))
    return 'image';
  if (/^(?:video|audio)\//.test(contentType)) return 'media';
  return /pdf|text|word|sheet|document|presentation|csv/.test(contentType) ? 'document' : '';
}
