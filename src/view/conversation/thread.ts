/** A conversation, the same in report and sandbox: customers left, agents right, notes marked, events between. */

import { readFileSync } from 'node:fs';
import { html } from 'hono/html';
import { capitalized } from '../../domain/printable.ts';
import type { ConversationEntry, ConversationEvent, ConversationMessage } from './conversation.ts';

export type Markup = ReturnType<typeof html>;

export interface ThreadParts {
  body(message: ConversationMessage): Markup;
  time(iso: string): Markup;
  avatar?(message: ConversationMessage): Markup;
  files(message: ConversationMessage): Markup | string;
  change(event: ConversationEvent): Markup | string;
}

export function threadMarkup(entries: readonly ConversationEntry[], parts: ThreadParts): Markup {
  const markup = (entry: ConversationEntry): Markup => {
    switch (entry.kind) {
      case 'gap':
        return html`<li class="gap">${entry.entries.toLocaleString('en')} more messages and events are not shown here</li>`;
      case 'event':
        return html`<li class="event"><span><b><bdi>${entry.name ?? entry.author}</bdi></b> ${entry.what}</span>${parts.change(entry)}${parts.time(entry.occurredAt)}</li>\n`;
      case 'message':
        return messageMarkup(entry, parts);
    }
  };
  return html`<ol class="thread">${
    entries.length === 0 ? html`<li class="event">No messages</li>` : entries.map(markup)
  }</ol>`;
}

function messageMarkup(message: ConversationMessage, parts: ThreadParts): Markup {
  const { author, isInternal, name, email, occurredAt, contentType } = message;
  // A frame cannot tell how wide its text is.
  const wide = contentType === 'text' ? '' : ' wide';
  const role = author || 'unknown author';
  const shown = name ?? email ?? capitalized(role);
  const address = name !== undefined && author === 'customer' ? email : undefined;
  return html`<li class="message ${author}${wide}${isInternal && ' internal'}">
${parts.avatar?.(message) ?? ''}<div class="bubble">
${isInternal && html`<p class="note-label">Internal note, not visible to the customer</p>`}<header><b><bdi>${shown}</bdi></b>${
    address !== undefined && html`<span class="email">${address}</span>`
  }<span class="unseen">${role}</span>${parts.time(occurredAt)}</header>
${parts.body(message)}${parts.files(message)}</div></li>\n`;
}

const FRAME_STYLE = styleFile('frame.css');

export function frameStyle(pixels: number): string {
  return `${FRAME_STYLE}body{font-size:${pixels}px}`;
}

/** Every frame of a report has it. */
function styleFile(name: string): string {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8');
  return text.replace(/\/\*[^*]*\*\//g, '').replace(/\s+/g, ' ');
}
