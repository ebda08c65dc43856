import { html, raw } from 'hono/html';
import type { ContentType } from '../../domain/payload.ts';
import { countOf } from '../../domain/printable.ts';
import type { ConversationBlock } from '../blocks.ts';
import * as c from '../conversation/conversation.ts';
import { htmlLines } from '../conversation/html-text.ts';
import { type BodyPlace, ownPath, sanitizedBody } from '../conversation/sanitize-body.ts';
import { frameStyle, type Markup, type ThreadParts, threadMarkup } from '../conversation/thread.ts';
import { formatBytes, formatMinute } from '../format.ts';

export function conversationMarkup({ ticket, ticketId }: ConversationBlock, below: Markup): Markup {
  const { subject, status, priority, readOnly, tags, why, entries } = ticket;
  return html`<article class="ticket">
<div class="head"><h3>${value(subject)}</h3>
<p><span class="tag">${status}</span> <span class="tag">${priority}</span>${
    readOnly && html` <span class="tag">read-only</span>`
  }${tags.map((tag) => html` <span class="tag">${value(tag, 60)}</span>`)}</p>
<dl class="facts">${facts(ticket, ticketId)}</dl>
${why.length > 0 && html`<p class="why">Shown for: ${value(why.join('; '))}</p>`}
${below}</div>
${threadMarkup(entries, threadParts('document'))}
</article>
`;
}

export function threadParts(place: BodyPlace): ThreadParts {
  return { body: (message) => body(message, place), time, files: (message) => files(message, place), change };
}

function facts(ticket: c.Conversation, ticketId: string | undefined): (Markup | string)[] {
  const { contact, createdAt, resolvedAt, closedAt, assignee, managedBy, externalId, messages, events } =
    ticket;
  const fact = (label: string, text: string | undefined, show: (text: string) => Markup = value) =>
    text === undefined ? '' : html`<div><dt>${label}</dt><dd>${show(text)}</dd></div>`;
  return [
    fact('Customer', contact?.email ?? 'none', (email) =>
      contact?.name === undefined
        ? value(email)
        : html`${value(contact.name)} <span class="soft">${value(email)}</span>`,
    ),
    fact('Created', createdAt, time),
    fact('Resolved', resolvedAt, time),
    fact('Closed', closedAt, time),
    fact('Assignee', assignee),
    fact('Managed by', managedBy),
    fact(
      'In the export',
      externalId,
      (id) => html`ticket ${value(id)}, ${countOf(messages, 'message')}, ${countOf(events, 'event')}`,
    ),
    fact('In the helpdesk', ticketId),
  ];
}

export function value(text: string, most = 300): Markup {
  return html`<bdi>${c.cut(text, most)}</bdi>`;
}

export function time(iso: string): Markup {
  return html`<time datetime="${iso}">${formatMinute(iso)}</time>`;
}

function change({ before, after }: c.ConversationEvent): Markup | string {
  if (before === undefined && after === undefined) return '';
  return html`<span>${value(before ?? '–', 120)} → ${value(after ?? '–', 120)}</span>`;
}

function body(message: c.ConversationMessage, place: BodyPlace): Markup {
  const { author, content, contentType, cutFrom } = message;
  return html`${messageBody(content, contentType, `Message of the ${author || 'unknown author'}`, place)}${
    cutFrom !== undefined &&
    html`<p class="more">The beginning of ${countOf(cutFrom, 'character')}; the whole message is sent.</p>`
  }`;
}

function files({ attachments, moreAttachments }: c.ConversationMessage, place: BodyPlace): Markup | string {
  if (attachments.length === 0) return '';
  return html`<ul class="files">${attachments.map((file) => fileMarkup(file, place))}${
    moreAttachments > 0 && html`<li>and ${countOf(moreAttachments, 'more', 'more')}</li>`
  }</ul>`;
}

const CLIP = html`<svg class="clip" viewBox="0 0 16 16" aria-hidden="true"><path d="M11.5 5.5 6.7 10.3a1.3 1.3 0 0 0 1.9 1.9l5-5a2.6 2.6 0 0 0-3.7-3.7L4.7 8.7a3.9 3.9 0 0 0 5.5 5.5l4-4"/></svg>`;

function fileMarkup({ url, name, contentType, sizeBytes }: c.ShownAttachment, place: BodyPlace): Markup {
  const address = place === 'page' ? (ownPath(url) ?? url) : url;
  const label = value(name ?? (url === '' ? 'a file' : url));
  const link = /^https?:\/\//i.test(url)
    ? html`<a href="${address}" rel="noopener noreferrer nofollow" target="_blank">${label}</a>`
    : label;
  const about = [contentType, sizeBytes === undefined ? undefined : formatBytes(sizeBytes)];
  return html`<li>${CLIP}${link} <span class="soft">${about.filter((part) => part !== undefined).join(', ')}</span></li>`;
}

export const FRAME_STYLE = frameStyle(15);

/** Nothing but lines of text: it formats nothing, so it needs no frame. A hundred frames take seconds. */
const PLAIN = /^(?:[^<]|<\/?(?:p|br|div|span)(?: dir="(?:ltr|rtl|auto)")?(?: \/)?>)*$/;

/**
 * Harmless twice: sanitized, and in a sandboxed frame without scripts, forms or an origin. Such a frame cannot report its
 * height, so the same text, invisible, is below it in the page and the frame lies over it. Paper shows the text.
 */
export function messageBody(
  content: string,
  contentType: ContentType,
  label: string,
  place: BodyPlace = 'document',
): Markup {
  if (contentType === 'text') return html`<div class="text" dir="auto">${content}</div>`;
  const shown = printableText(sanitizedBody(content, contentType, place));
  const text = htmlLines(shown);
  if (text.trim() === '' && !/<(?:img|samp|hr|li)\b/.test(shown))
    return html`<div class="text soft">Nothing in it can be shown</div>`;
  if (PLAIN.test(shown)) return html`<div class="rich" dir="auto">${raw(shown)}</div>`;
  const document = `<!doctype html><html lang="" dir="auto"><meta charset="utf-8"><title>Message</title><style>${FRAME_STYLE}</style><body dir="auto">${shown}`;
  const may = place === 'page' ? 'allow-popups allow-popups-to-escape-sandbox' : '';
  return html`<div class="text framed"><div class="below" dir="auto">${text}</div><iframe title="${label}" sandbox="${may}" referrerpolicy="no-referrer" srcdoc="${document}"></iframe></div>`;
}

/** Characters that no document may hold, and those that mean something to a terminal: line feed and tab may stay. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/g;

function printableText(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROL, '\ufffd');
}

export function documentTexts<T>(given: T): T {
  if (typeof given === 'string') return printableText(given) as T;
  if (Array.isArray(given)) return given.map(documentTexts) as T;
  if (typeof given !== 'object' || given === null) return given;
  return Object.fromEntries(Object.entries(given).map(([key, part]) => [key, documentTexts(part)])) as T;
}
