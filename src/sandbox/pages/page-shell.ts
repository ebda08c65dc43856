/**
 * Styles and scripts are inline and named by hash in the policy, so that no address of this origin is trusted with scripts:
 * uploaded files are served from it too.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import { frameStyle, THREAD_STYLE } from '../../view/conversation/thread.ts';
import type { SandboxEnv } from '../core/request.ts';

interface Asset {
  readonly text: string;
  readonly source: string;
}

function named(text: string): Asset {
  return { text, source: `'sha256-${hash('sha256', text, 'base64')}'` };
}

function asset(file: string, shared = ''): Asset {
  return named(shared + readFileSync(new URL(`browser/${file}`, import.meta.url), 'utf8'));
}

export const PAGE_STYLE = asset('page.css', THREAD_STYLE);
export const FRAME_STYLE = named(frameStyle(14));
export const PAGE_SCRIPTS: readonly Asset[] = ['times.js', 'frames.js', 'filters.js', 'keys.js'].map((file) =>
  asset(file),
);

const PATHS = {
  inbox: '<path d="M4 13h4l1.5 3h5L16 13h4"/><path d="M6.2 5h11.6L20 13v6H4v-6z"/>',
  left: '<circle cx="12" cy="12" r="8.5"/><path d="m6 6 12 12"/>',
  search: '<circle cx="11" cy="11" r="6.5"/><path d="m20 20-4.3-4.3"/>',
  lock: '<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>',
  back: '<path d="M19 12H5m6-6-6 6 6 6"/>',
  up: '<path d="m6 15 6-6 6 6"/>',
  down: '<path d="m6 9 6 6 6-6"/>',
  replies: '<path d="M20 15a2 2 0 0 1-2 2H9l-5 4V6a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2z"/>',
  flag: '<path d="M5 21V4m0 1h13l-3 4.500L18 14H5"/>',
  keyboard:
    '<rect x="2.5" y="6" width="19" height="12" rx="2"/><path d="M6.5 10h.01M10 10h.01M13.8 10h.01M17.5 10h.01M8 14h8"/>',
} as const;
type IconName = keyof typeof PATHS;

export function icon(name: IconName): ReturnType<typeof raw> {
  return raw(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${PATHS[name]}</svg>`);
}

const BRAND_MARK = raw(
  `<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#2a53c8"/><path d="M9 8.500h14a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2h-6.500L11.5 23v-4H9a2 2 0 0 1-2-2v-6.500a2 2 0 0 1 2-2z" fill="#fff"/><path d="M16 10.800v5m-2.3-2.1 2.3 2.3 2.3-2.3" fill="none" stroke="#2a53c8" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/></svg>`,
);

const SHORTCUTS: readonly { keys: readonly string[]; does: string }[] = [
  { keys: ['j', 'k'], does: 'next and previous ticket' },
  { keys: ['Enter', 'o'], does: 'open the ticket' },
  { keys: ['u'], does: 'back to the list' },
  { keys: ['n', 'p'], does: 'next and previous page' },
  { keys: ['/'], does: 'search' },
  { keys: ['?'], does: 'these keys' },
];

const SHORTCUTS_DIALOG = html`<dialog aria-labelledby="shortcuts-title">
<header><h2 id="shortcuts-title">Shortcuts</h2><form method="dialog"><button>Close</button></form></header>
<dl>${SHORTCUTS.map(
  ({ keys, does }) =>
    html`<dt>${keys.map((key, index) => html`${index === 0 ? '' : ' '}<kbd>${key}</kbd>`)}</dt><dd>${does}</dd>`,
)}</dl>
</dialog>`;

export type Markup = ReturnType<typeof html>;

/** Only hashed styles and scripts, no requests elsewhere, no framing by others, no markup from script (trusted types). */
const POLICY = [
  "default-src 'none'",
  `style-src ${PAGE_STYLE.source}`,
  `script-src ${PAGE_SCRIPTS.map((script) => script.source).join(' ')}`,
  "img-src data: 'self'",
  "frame-src 'self'",
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
  { name: 'left-out', href: '/left-out', label: 'Not imported', icon: 'left' },
] as const;
type Section = (typeof SECTIONS)[number]['name'];

interface Page {
  readonly title: string;
  readonly section?: Section;
  readonly content: Markup;
  readonly views?: Markup;
  readonly status?: 200 | 404;
  readonly hasSearch?: boolean;
}

export async function answerPage(c: Context<SandboxEnv>, page: Page): Promise<Response> {
  const main = html`<main id="main" tabindex="-1">
${page.content}
<p class="zone">Times in <span data-zone>UTC</span></p>
</main>`;
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
${main}
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
${page.hasSearch === true ? '' : html`<form class="find" role="search" action="/">${icon('search')}<input type="search" name="search" placeholder="Search tickets" aria-label="Search tickets and messages" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd></form>`}
<div class="foot">
<button type="button" class="button" data-shortcuts hidden>${icon('keyboard')}Shortcuts</button>
<p>What was imported, on this computer only. Nothing here reaches a customer.</p>
</div>
</header>`;
}

export function current(here: boolean): Markup | string {
  return here ? raw(' aria-current="page"') : '';
}
