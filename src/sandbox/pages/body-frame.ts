/**
 * The frame in which sanitized html is shown: the second defence, which holds where the first one has a hole.
 *
 * `sandbox` takes everything from it except two things.
 * - `allow-same-origin`, so that the page can measure how tall the body is (browser/frames.js). By itself that flag
 *   gives the body nothing: an origin matters to scripts, forms and navigation of the page, and none of them is allowed
 *   in the frame, so there is nobody inside who could use it. The other way to a height, a script in the frame that
 *   reports it (`allow-scripts`), would put the one ability that attacks need next to hostile markup. The two flags
 *   together would undo the sandbox, and must never meet here.
 * - `allow-popups` and its `-to-escape-sandbox`, so that a link that is clicked opens a usual tab, without an opener.
 *
 * The page's policy is inherited: no scripts but the page's own, no request but `data:` pictures, and no frame can be
 * navigated anywhere (`default-src 'none'`), which also stops a refresh.
 */
import { html } from 'hono/html';
import { FRAME_STYLE } from './page-assets.ts';
import type { Markup } from './page-shell.ts';

const SANDBOX = 'allow-same-origin allow-popups allow-popups-to-escape-sandbox';

/** `body` is sanitized html; `title` names the frame for those who hear the page. */
export function bodyFrame(body: string, title: string): Markup {
  const document = `<!doctype html><meta charset="utf-8"><title>Message</title><style>${FRAME_STYLE.text}</style><div class="content" dir="auto">${body}</div>`;
  return html`<iframe class="${heightClass(body)}" title="${title}" sandbox="${SANDBOX}" referrerpolicy="no-referrer" loading="lazy" srcdoc="${document}"></iframe>`;
}

/** A guess from the text, for the moment until the page has measured the frame, and for browsers without scripts. */
function heightClass(body: string): string {
  const breaks = body.match(/<(?:br|\/p|\/div|\/li|\/tr|\/h[1-6]|hr)/g)?.length ?? 0;
  const lines = breaks + body.length / 90;
  if (lines <= 2) return 'lines-2';
  if (lines <= 6) return 'lines-6';
  return lines <= 13 ? 'lines-13' : 'lines-many';
}
