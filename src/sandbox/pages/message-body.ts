/**
 * A message's body as a reader sees it: text with its links, html and markdown in a frame that cannot do harm. Frames ask for their
 * bodies when they come into view, so that a thread of a thousand messages is there at once.
 */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { htmlText } from '../../view/conversation/html-text.ts';
import { sanitizedBody } from '../../view/conversation/sanitize-body.ts';
import type { MessageView } from '../core/answers.ts';
import type { SandboxEnv } from '../core/sandbox-env.ts';
import type { MessageRow } from '../store/thread.ts';
import { FRAME_STYLE, type Markup, PAGE_HEADERS } from './page-shell.ts';

/** Characters of a body that are shown in its thread; the whole is behind a link. */
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

/** What a frame shows. A body of nothing but styles, scripts or empty elements is an empty frame to a reader. */
export function bodyPage(c: Context<SandboxEnv>, { content, content_type: type }: MessageRow): Response {
  const body = sanitizedBody(shownOf(content), type === 'markdown' ? 'markdown' : 'html', 'page');
  const isEmpty = !/<(?:img|samp|hr|li)\b/.test(body) && htmlText(body).trim() === '';
  const shown = isEmpty ? '<p class="no-text">Nothing in it can be shown</p>' : body;
  return c.html(bodyDocument(shown), 200, BODY_HEADERS);
}

function whole(message: MessageView): Markup {
  const { length } = message.content;
  return html`<p class="cut">The first ${LONGEST_BODY.toLocaleString('en')} of ${length.toLocaleString('en')} characters are shown. <a href="${sourceAddress(message)}" target="_blank" rel="noopener">The whole message</a></p>`;
}

/** What was sent, to the letter, where other things are shown than that. */
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
 * What the frame in which sanitized html is shown may do: the second defence, which holds where the first one has a hole.
 *
 * `sandbox` takes everything from it except two things.
 * - `allow-same-origin`, so that the page can measure how tall the body is (browser/frames.js). By itself that flag
 *   gives the body nothing: an origin matters to scripts, forms and navigation of the page, and none of them is allowed
 *   in the frame, so there is nobody inside who could use it. The other way to a height, a script in the frame that
 *   reports it (`allow-scripts`), would put the one ability that attacks need next to hostile markup. The two flags
 *   together would undo the sandbox, and must never meet here.
 * - `allow-popups` and its `-to-escape-sandbox`, so that a link that is clicked opens a usual tab, without an opener.
 *
 * The answer has a policy of its own, with the same sandbox, so that it holds wherever the address is opened: no scripts, no request
 * but for pictures that were brought here. The page lets frames lead to this service alone, which also stops a refresh.
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

/** `body` is sanitized html. */
export function bodyDocument(body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Message</title><style>${FRAME_STYLE.text}</style><div class="content" dir="auto">${body}</div></html>`;
}

/** `title` names the frame for those who hear the page. */
export function bodyFrame(address: string, title: string): Markup {
  return html`<iframe title="${title}" sandbox="${SANDBOX}" referrerpolicy="no-referrer" loading="lazy" src="${address}"></iframe>`;
}

const ADDRESS = /https?:\/\/[^\s<>"'`]+/gi;
/** More links than this in one message are left as text. */
const MOST_LINKS = 500;

/** Plain text with its web addresses as links; linear in the text. */
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

/** Marks at the end belong to the sentence, and so does a bracket that the address does not open. */
function withoutSentence(address: string): string {
  const marks = `.,;:!?*_~${address.includes('(') ? '' : ')'}${address.includes('[') ? '' : ']'}`;
  let end = address.length;
  while (end > 0 && marks.includes(address.charAt(end - 1))) end--;
  return address.slice(0, end);
}
