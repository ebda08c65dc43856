/**
 * Bodies: text with links, or HTML and Markdown in a safe frame. Frames load when they come into view, so that a long thread
 * opens at once.
 */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { htmlText } from '../../view/conversation/html-text.ts';
import { sanitizedBody } from '../../view/conversation/sanitize-body.ts';
import type { SandboxEnv } from '../core/request.ts';
import type { MessageView } from '../store/thread.ts';
import { FRAME_STYLE, type Markup, PAGE_HEADERS } from './page-shell.ts';

const LONGEST_BODY = 100_000;

export function messageBody(message: MessageView, author: string): Markup {
  const { content, contentType } = message;
  if (content === '') return html`<p class="no-text">No text</p>`;
  const cut = content.length <= LONGEST_BODY ? '' : whole(message);
  if (contentType === 'text')
    return html`<p class="text" dir="auto">${linkedText(shownOf(content))}</p>${cut}`;
  const frame = bodyFrame(`${sourceAddress(message)}/body`, `Message of ${author}`);
  return html`<div class="framed"><template>${frame}</template><noscript>${frame}</noscript></div>${cut}`;
}

function shownOf(content: string): string {
  return content.length <= LONGEST_BODY ? content : content.slice(0, LONGEST_BODY).toWellFormed();
}

/** A body of styles, scripts or empty elements counts as empty. */
export function bodyPage(c: Context<SandboxEnv>, { content, contentType: type }: MessageView): Response {
  const body = sanitizedBody(shownOf(content), type === 'markdown' ? 'markdown' : 'html', 'page');
  const isEmpty = !/<(?:img|samp|hr|li)\b/.test(body) && htmlText(body).trim() === '';
  const shown = isEmpty ? '<p class="no-text">Nothing in it can be shown</p>' : body;
  return c.html(bodyDocument(shown), 200, BODY_HEADERS);
}

function whole(message: MessageView): Markup {
  const { length } = message.content;
  return html`<p class="cut">The first ${LONGEST_BODY.toLocaleString('en')} of ${length.toLocaleString('en')} characters are shown. <a href="${sourceAddress(message)}" target="_blank" rel="noopener">The whole message</a></p>`;
}

export function sourceLink(message: MessageView): Markup | string {
  const { contentType, content } = message;
  if (contentType === 'text' || content === '') return '';
  return html`<a class="source" href="${sourceAddress(message)}" target="_blank" rel="noopener">${
    contentType === 'html' ? 'Html' : 'Markdown'
  } as it was sent</a>`;
}

function sourceAddress(message: MessageView): string {
  return `/tickets/${message.ticketId}/messages/${message.id}`;
}

/**
 * Permissions of the frame for sanitized HTML: the second defence, if the first one has a hole. `sandbox` allows two things:
 *
 * - `allow-same-origin`, so that the page can measure the height (browser/frames.js). Without scripts, forms and navigation the body cannot
 *   use its origin. Never add `allow-scripts`: both flags together undo the sandbox.
 * - `allow-popups` with `-to-escape-sandbox`, so that a clicked link opens a usual tab, without an opener.
 *
 * The answer has the same sandbox as a policy, so it holds wherever the address is opened: no scripts, and only pictures of this service.
 * The page lets frames lead to this service only, which also stops a refresh.
 */
const SANDBOX = 'allow-same-origin allow-popups allow-popups-to-escape-sandbox';

export const BODY_HEADERS: Readonly<Record<string, string>> = {
  ...PAGE_HEADERS,
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${FRAME_STYLE.source}`,
    "img-src data: 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    `sandbox ${SANDBOX}`,
  ].join('; '),
  'x-frame-options': 'SAMEORIGIN',
};

export function bodyDocument(body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Message</title><style>${FRAME_STYLE.text}</style><div class="content" dir="auto">${body}</div></html>`;
}

export function bodyFrame(address: string, title: string): Markup {
  return html`<iframe title="${title}" sandbox="${SANDBOX}" referrerpolicy="no-referrer" loading="lazy" src="${address}"></iframe>`;
}

const ADDRESS = /https?:\/\/[^\s<>"'`]+/gi;
const MOST_LINKS = 500;

export function linkedText(text: string): (string | Markup)[] {
  const parts: (string | Markup)[] = [];
  let at = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = withoutSentence(match[0]);
    if (!URL.canParse(address)) continue;
    if (parts.length >= MOST_LINKS * 2) break;
    parts.push(
      text.slice(at, match.index),
      html`<a href="${address}" target="_blank" rel="noopener noreferrer nofollow">${address}</a>`,
    );
    at = match.index + address.length;
  }
  parts.push(text.slice(at));
  return parts;
}

/** Trailing punctuation, and a bracket that the address does not open, belong to the sentence. */
function withoutSentence(address: string): string {
  const marks = `.,;:!?*_~${address.includes('(') ? '' : ')'}${address.includes('[') ? '' : ']'}`;
  let end = address.length;
  while (end > 0 && marks.includes(address.charAt(end - 1))) end--;
  return address.slice(0, end);
}
