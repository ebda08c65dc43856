/** The shell of every page: no script, styles by digest, so markup that got past the sanitizer does nothing. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { html, raw } from 'hono/html';
import type { Markup } from '../conversation/thread.ts';
import { FRAME_STYLE } from './conversation.ts';

const css = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

export const REPORT_STYLE = css('report.css');
const LOCAL_STYLE = REPORT_STYLE + css('pages.css');

export function stylesOf(style: string): string {
  const digests = [style, FRAME_STYLE].map((text) => `'sha256-${hash('sha256', text, 'base64')}'`);
  return `style-src ${digests.join(' ')}`;
}

/** With `no-referrer` browsers post forms without their origin. */
export const LOCAL_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': `default-src 'none'; ${stylesOf(LOCAL_STYLE)}; img-src data: 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

export function pageMarkup(title: string, style: string, head: Markup | string, body: Markup): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${head}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${raw(style)}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** A page of this computer: what leads elsewhere at the left, the matter at the right. */
export function localPage(title: string, nav: Markup, main: Markup): string {
  const body = html`<a class="skip" href="#main">Skip to the content</a>
<div class="sheet local">
${nav}
<main id="main" tabindex="-1">
${main}
</main>
</div>`;
  return String(pageMarkup(title, LOCAL_STYLE, '', body));
}
