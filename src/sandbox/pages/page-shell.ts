/** The frame of every page: head, navigation at the side, the headers that keep it harmless. */
import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import type { SandboxEnv } from '../core/sandbox-env.ts';
import { BRAND_MARK, icon } from './icons.ts';
import { FRAME_STYLE, PAGE_SCRIPTS, PAGE_STYLE } from './page-assets.ts';
import { SHORTCUTS_DIALOG } from './shortcuts.ts';

/** Escaped markup, as hono's `html` makes it. */
export type Markup = ReturnType<typeof html>;

/**
 * Only the project's own styles and scripts, named by their hashes; no requests to anywhere else, no frames by others,
 * and no text that becomes markup by script (trusted types). A `srcdoc` frame inherits all of it.
 */
const POLICY = [
  "default-src 'none'",
  `style-src ${[PAGE_STYLE, FRAME_STYLE].map((style) => style.source).join(' ')}`,
  `script-src ${PAGE_SCRIPTS.map((script) => script.source).join(' ')}`,
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const SECTIONS = [
  { name: 'inbox', href: '/', label: 'Inbox', icon: 'inbox' },
  { name: 'contacts', href: '/contacts', label: 'Contacts', icon: 'people' },
  { name: 'usage', href: '/usage', label: 'Usage', icon: 'usage' },
] as const;
export type Section = (typeof SECTIONS)[number]['name'];

export interface Page {
  readonly title: string;
  readonly section?: Section;
  readonly content: Markup;
  /** What the section has to choose from, at the side. */
  readonly views?: Markup;
  readonly status?: 200 | 404;
}

export async function answerPage(c: Context<SandboxEnv>, page: Page): Promise<Response> {
  const markup = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · Sandbox helpdesk</title>
<link rel="icon" href="data:,">
<style>${raw(PAGE_STYLE.text)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<div class="shell">
${side(page)}
<main id="main" tabindex="-1">
${page.content}
</main>
</div>
${SHORTCUTS_DIALOG}
${PAGE_SCRIPTS.map((script) => html`<script type="module">${raw(script.text)}</script>`)}
</body>
</html>`;
  return c.html(String(markup), page.status ?? 200, PAGE_HEADERS);
}

function side(page: Page): Markup {
  return html`<header class="side">
<a class="brand" href="/">${BRAND_MARK}<span>Sandbox helpdesk</span></a>
<nav class="sections" aria-label="Sections"><ul>${SECTIONS.map(
    ({ name, href, label, icon: picture }) =>
      html`<li><a href="${href}"${current(name === page.section)}>${icon(picture)}${label}</a></li>`,
  )}</ul></nav>
${page.views ?? ''}
<div class="foot">
<button type="button" class="button" data-shortcuts hidden>${icon('keyboard')}Keys</button>
<p>What was imported, on this computer only. Nothing here reaches a customer.</p>
</div>
</header>`;
}

/** The attribute that marks where one is. */
export function current(here: boolean): Markup | string {
  return here ? raw(' aria-current="page"') : '';
}
