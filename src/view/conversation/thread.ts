/**
 * A conversation on a page, the same in the report and in the sandbox: customers left, agents right, notes marked, events
 * between. The pages differ in how they show a body, and in what they know of people.
 */
import { html } from 'hono/html';
import type { ConversationEntry, ConversationEvent, ConversationMessage } from './conversation.ts';

/** Escaped markup, as hono's `html` makes it. */
export type Markup = ReturnType<typeof html>;

export interface ThreadParts<M, E> {
  body(message: M): Markup;
  time(iso: string): Markup;
  /** Before the words that mark an internal note. */
  readonly noteMark?: unknown;
  /** Before the bubble. */
  avatar?(message: M): Markup;
  /** At the end of a message's head. */
  behind?(message: M): Markup | string;
  files(message: M): Markup | string;
  change(event: E): Markup | string;
}

/** Ids are there where the page has addresses for them. */
type WithId = { readonly id?: string | undefined };
export type ThreadEntry<M, E> =
  | M
  | E
  | Extract<ConversationEntry, { kind: 'gap' }>
  | { readonly kind: 'pause'; readonly words: string };

export function threadMarkup<M extends ConversationMessage & WithId, E extends ConversationEvent & WithId>(
  entries: readonly ThreadEntry<M, E>[],
  parts: ThreadParts<M, E>,
): Markup {
  return html`<ol class="thread">${
    entries.length === 0
      ? html`<li class="event">No messages</li>`
      : entries.map((entry) => entryMarkup(entry, parts))
  }</ol>`;
}

function entryMarkup<M extends ConversationMessage & WithId, E extends ConversationEvent & WithId>(
  entry: ThreadEntry<M, E>,
  parts: ThreadParts<M, E>,
): Markup {
  switch (entry.kind) {
    case 'pause':
      return html`<li class="gap">${entry.words}</li>`;
    case 'gap':
      return html`<li class="gap">${entry.entries.toLocaleString('en')} more messages and events are not shown here</li>`;
    case 'event':
      return html`<li class="event"${idOf(entry)}><span><b><bdi>${entry.name ?? entry.author}</bdi></b> ${entry.what}</span>${parts.change(entry)}${parts.time(entry.occurredAt)}</li>\n`;
    case 'message':
      return messageMarkup(entry, parts);
  }
}

function messageMarkup<M extends ConversationMessage & WithId, E>(
  message: M,
  parts: ThreadParts<M, E>,
): Markup {
  const { author, isInternal, name, email, occurredAt, contentType } = message;
  // A frame cannot say how wide its text is.
  const wide = contentType === 'text' ? '' : ' wide';
  const role = author === '' ? 'unknown author' : author;
  const shown = name ?? email ?? `${role.charAt(0).toUpperCase()}${role.slice(1)}`;
  const address = name !== undefined && author === 'customer' ? email : undefined;
  return html`<li class="message ${author}${wide}${isInternal && ' internal'}"${idOf(message)}>
${parts.avatar?.(message) ?? ''}<div class="bubble">
${isInternal && html`<p class="note-label">${parts.noteMark}Internal note, not visible to the customer</p>`}<header><b><bdi>${shown}</bdi></b>${
    address !== undefined && html`<span class="email">${address}</span>`
  }<span class="unseen">${role}</span>${parts.time(occurredAt)}${parts.behind?.(message) ?? ''}</header>
${parts.body(message)}${parts.files(message)}</div></li>\n`;
}

function idOf({ id }: WithId): Markup | string {
  return id === undefined ? '' : html` id="${id}"`;
}

/** Of the thread; the page around it has the colours. */
export const THREAD_STYLE = `
.thread { display: flex; flex-direction: column; gap: 1rem; margin: 0; padding: 0; list-style: none; }
.message { display: flex; gap: .75rem; align-self: flex-start; max-width: min(46rem, 88%); }
.message.agent { flex-direction: row-reverse; align-self: flex-end; }
.message.system { align-self: center; }
.message.wide { width: 100%; }
.bubble { min-width: 0; padding: .7rem 1rem .85rem; color: var(--text); background: var(--card); border: 1px solid var(--line);
  border-radius: 12px; overflow-wrap: anywhere; }
.wide .bubble { flex: 1; }
.agent .bubble { background: var(--agent-back); border-color: var(--agent-line); }
.internal .bubble { background: var(--note-back); border: 1px dashed var(--note-line); }
.bubble header { display: flex; flex-wrap: wrap; gap: 0 .6rem; align-items: baseline; margin-bottom: .3rem; color: var(--soft); }
.bubble header b { color: var(--text); font-weight: 600; overflow-wrap: anywhere; }
.note-label { margin: 0; color: var(--note-text); font-size: .8rem; font-weight: 600; }
.bubble .text { margin: 0; white-space: pre-wrap; }
.event, .gap { display: flex; flex-wrap: wrap; gap: .3rem .6rem; align-items: center; justify-content: center; color: var(--soft);
  font-size: .83rem; overflow-wrap: anywhere; }
.event b { color: var(--text); }
.gap::before, .gap::after { flex: 1; height: 1px; background: var(--line); content: ""; }
.gap { flex-wrap: nowrap; }
.files { margin: .7rem 0 0; padding: 0; list-style: none; }
@media (max-width: 40rem) { .message { max-width: 100%; } .message > .avatar { display: none; } }
`;
