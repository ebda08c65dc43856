/**
 * An html body, made harmless twice: sanitized to what formats text, and shown in a sandboxed frame without scripts,
 * forms, links that leave it or an origin of its own.
 */
import { html } from 'hono/html';
import sanitizeHtml from 'sanitize-html';
import type { Markup } from './page-shell.ts';

export const BODY_STYLE = `:root{color-scheme:light dark}
body{margin:0;font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
blockquote{margin:.5em 0;padding-left:.8em;border-left:3px solid #8888}
pre{white-space:pre-wrap}table{border-collapse:collapse}td,th{border:1px solid #8886;padding:.1em .4em}`;

const SANITIZER: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['p', 'br', 'hr', 'div', 'span', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'code'],
    ...['b', 'strong', 'i', 'em', 'u', 's', 'del', 'ins', 'small', 'sub', 'sup', 'mark', 'abbr', 'cite', 'q'],
    ...[
      'ul',
      'ol',
      'li',
      'dl',
      'dt',
      'dd',
      'table',
      'caption',
      'thead',
      'tbody',
      'tfoot',
      'tr',
      'td',
      'th',
      'a',
    ],
  ],
  allowedAttributes: { a: ['href', 'rel', 'target'], td: ['colspan', 'rowspan'], th: ['colspan', 'rowspan'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  nestingLimit: 100,
  transformTags: {
    a: sanitizeHtml.simpleTransform('a', { rel: 'noopener noreferrer nofollow', target: '_blank' }),
    // Pictures are not loaded: their address would tell the sender who looks at the ticket, and when.
    img: (_, attributes) => ({ tagName: 'span', attribs: {}, text: `[picture${named(attributes['alt'])}]` }),
  },
};

/** Beyond this, a body is shown from its beginning only: sanitizing is linear, and so is a browser's patience. */
const LONGEST_BODY = 500_000;

export function sanitizedBody(content: string): string {
  return sanitizeHtml(content.slice(0, LONGEST_BODY), SANITIZER);
}

export function bodyFrame(content: string): Markup {
  const body = sanitizedBody(content);
  const document = `<!doctype html><meta charset="utf-8"><style>${BODY_STYLE}</style>${body}`;
  return html`<iframe class="${heightClass(body)}" title="Message" sandbox="" referrerpolicy="no-referrer" loading="lazy" srcdoc="${document}"></iframe>`;
}

/** A frame without scripts cannot tell its height: it is guessed from the text, and the reader can pull it. */
function heightClass(body: string): 'h1' | 'h2' | 'h3' | 'h4' {
  const breaks = body.match(/<(?:br|\/p|\/div|\/li|\/tr|\/h[1-6]|hr)/g)?.length ?? 0;
  const lines = breaks + body.replace(/<[^>]*>/g, '').length / 75;
  if (lines <= 2) return 'h1';
  if (lines <= 6) return 'h2';
  return lines <= 13 ? 'h3' : 'h4';
}

function named(alt: string | undefined): string {
  return alt === undefined || alt.trim() === '' ? '' : `: ${alt.trim().slice(0, 100)}`;
}
