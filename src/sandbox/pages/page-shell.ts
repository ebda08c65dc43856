/** The frame of every page: head, navigation, the headers that keep it harmless. */
import { hash } from 'node:crypto';
import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import type { SandboxEnv } from '../core/sandbox-env.ts';
import { BODY_STYLE } from './message-frame.ts';
import { PAGE_STYLE } from './page-style.ts';

/** Escaped markup, as hono's `html` makes it. */
export type Markup = ReturnType<typeof html>;

/**
 * No scripts, no requests to anywhere else, no frames by others. The styles are named by their hashes: the page's, and
 * that of the frames in which bodies are shown (a `srcdoc` frame inherits this policy).
 */
const POLICY = [
  "default-src 'none'",
  `style-src ${[PAGE_STYLE, BODY_STYLE].map((style) => `'sha256-${hash('sha256', style, 'base64')}'`).join(' ')}`,
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
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

export type Section = 'inbox' | 'contacts';

export async function answerPage(
  c: Context<SandboxEnv>,
  page: { title: string; section?: Section; content: Markup; status?: 200 | 404 | 500 },
): Promise<Response> {
  const link = (section: Section, href: string, label: string) =>
    html`<a href="${href}"${section === page.section ? raw(' aria-current="page"') : ''}>${label}</a>`;
  const markup = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · Sandbox helpdesk</title>
<link rel="icon" href="data:,">
<style>${raw(PAGE_STYLE)}</style>
</head>
<body>
<header class="top">
<strong>Sandbox helpdesk</strong>
<nav aria-label="Sections">${link('inbox', '/', 'Inbox')}${link('contacts', '/contacts', 'Contacts')}</nav>
</header>
<main>${page.content}</main>
</body>
</html>`;
  return c.html(String(markup), page.status ?? 200, PAGE_HEADERS);
}
