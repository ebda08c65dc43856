/**
 * The body of a message, html or markdown, made harmless twice: sanitized to what formats text, and shown in a sandboxed frame without
 * scripts, forms or an origin of its own.
 *
 * A frame without scripts cannot tell its height. So the same text, escaped and invisible, stands below it in the flow
 * of the page with the same measure and line height, and the frame is laid over it: it is as high as its text at any width. On paper,
 * where a frame may be cut, the text itself is shown instead.
 */
import { sanitizedBody } from '../../conversation/sanitize-body.ts';
import type { ContentType } from '../../domain/payload.ts';
import { escapeText, html, type Markup, trusted } from './markup.ts';

/** The frame's whole style; margins are whole lines, so that the text below the frame can follow them. */
export const FRAME_STYLE = `:root{color-scheme:light dark}
body{margin:0;color:#171b21;font:15px/22px ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
p,h1,h2,h3,h4,h5,h6,ul,ol,dl,dd,pre,table,blockquote,hr{margin:0 0 22px;font-size:inherit}
body>:last-child,li>:last-child,td>:last-child,blockquote>:last-child{margin-bottom:0}
ul,ol{padding-left:1.3em}
li>ul,li>ol{margin:0}
blockquote{padding-left:.8em;border-left:3px solid #8886;opacity:.8}
pre,code,samp,kbd{font:13px/22px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre-wrap}
table{border-collapse:collapse}
td,th{padding:0 .6em 0 0;text-align:left;vertical-align:top}
samp{opacity:.75}
hr{border:0;border-top:1px solid #8886}
a{text-decoration:underline;text-decoration-style:dotted}
@media (prefers-color-scheme:dark){body{color:#e7eaee}}`;

/** `label`: what the frame is called for those who cannot see it. */
export function messageBody(content: string, contentType: ContentType, label: string): Markup {
  if (contentType === 'text') return html`<div class="body" dir="auto">${content}</div>`;
  const body = sanitizedBody(content, contentType, 'document');
  const document = `<!doctype html><html lang="" dir="auto"><meta charset="utf-8"><title>Message</title><style>${FRAME_STYLE}</style><body dir="auto">${body}`;
  return html`<div class="body framed"><div class="below" dir="auto">${textOf(body)}</div><iframe title="${label}" sandbox="" referrerpolicy="no-referrer" srcdoc="${document}"></iframe></div>`;
}

const ENDS_BLOCK = /<\/(?:p|h[1-6]|ul|ol|dl|pre|table|blockquote)>/g;
const ENDS_LINE = /<(?:br|hr)\s*\/?>|<\/(?:div|li|dt|dd|tr|caption)>/g;

/** The text of sanitized markup with its line breaks, still escaped as the sanitizer left it. */
function textOf(body: string): Markup {
  const text = withMarks(body.replace(/\s+/g, ' '))
    .replace(ENDS_BLOCK, '\n\n')
    .replace(ENDS_LINE, '\n')
    .replace(/<\/t[dh]>/g, '  ')
    .replace(/<[^>]*>/g, '')
    .replace(/ *\n */g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  // What the sanitizer leaves has no angle bracket outside of a tag; should it ever, it is text all the same.
  return trusted(text.replace(/[<>"']/g, escapeText));
}

/** List items with their bullet or number. */
function withMarks(body: string): string {
  const counters: (number | undefined)[] = [];
  return body.replace(
    /<(\/?)(ol|ul|li)\b([^>]*)>/g,
    (tag: string, end: string, name: string, more: string) => {
      if (name !== 'li') {
        const start = Number(/start="(\d{1,6})"/.exec(more)?.[1] ?? 1);
        if (end === '') counters.push(name === 'ol' ? start - 1 : undefined);
        else counters.pop();
        return tag;
      }
      if (end !== '') return tag;
      const last = counters.pop();
      const count = last === undefined ? undefined : last + 1;
      counters.push(count);
      return count === undefined ? '• ' : `${count}. `;
    },
  );
}
