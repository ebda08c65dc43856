/** The thread as the helpdesk would show it: customers left, agents right, notes marked, events between. */
import { html } from 'hono/html';
import type { EventView, MessageView } from '../store/thread.ts';
import type { AgentName } from './agent-names.ts';
import { attachmentLinks } from './attachment-links.ts';
import { avatar } from './avatar.ts';
import { eventLine } from './event-line.ts';
import { icon } from './icons.ts';
import { messageBody, sourceLink } from './message-body.ts';
import type { Markup } from './page-shell.ts';
import type { TimelineEntry } from './timeline.ts';
import { gapWords, time } from './times.ts';

/** `before` is the time of the entry that stands before these, on the page before; milliseconds since the epoch. */
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

/** The address that a customer wrote from, where the name does not say it already. */
function address(message: MessageView): Markup | string {
  const { contact } = message;
  return contact === null || contact.name === null ? '' : html`<span class="email">${contact.email}</span>`;
}

function authorName(item: MessageView | EventView, agentName: AgentName): string {
  if (item.actorType === 'agent') return agentName(item.agentId);
  if (item.actorType === 'system') return 'System';
  return item.contact?.name ?? item.contact?.email ?? 'Customer';
}
