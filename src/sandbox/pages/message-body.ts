/** A message's body as a reader sees it: text with its links, html and markdown in a frame that cannot do harm. */
import { html } from 'hono/html';
import { sanitizedBody } from '../../conversation/sanitize-body.ts';
import type { MessageView } from '../store/thread.ts';
import { bodyFrame } from './body-frame.ts';
import type { Markup } from './page-shell.ts';
import { linkedText } from './plain-text.ts';

/** Characters of a body that are shown in its thread; the whole is behind a link. */
const LONGEST_BODY = 100_000;

export function messageBody(message: MessageView, author: string): Markup {
  const { content, contentType } = message;
  if (content === '') return html`<p class="no-text">No text</p>`;
  const shown = content.length > LONGEST_BODY ? content.slice(0, LONGEST_BODY).toWellFormed() : content;
  const cut = content.length - shown.length;
  return html`${formatted(shown, contentType, author)}${cut === 0 ? '' : whole(message)}`;
}

function formatted(content: string, contentType: string, author: string): Markup {
  if (contentType === 'html' || contentType === 'markdown')
    return framed(sanitizedBody(content, contentType, 'page'), author);
  return html`<p class="text" dir="auto">${linkedText(content)}</p>`;
}

/** A body of nothing but styles, scripts or empty elements is an empty frame to a reader. */
function framed(body: string, author: string): Markup {
  if (!/<(?:img|samp|hr|li)\b/.test(body) && body.replace(/<[^>]*>|&nbsp;|\u00a0/g, '').trim() === '')
    return html`<p class="no-text">Nothing in it can be shown</p>`;
  return bodyFrame(body, `Message of ${author}`);
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
