/** Small pieces that several pages show: times, badges, pagers, a search field. */
import { html } from 'hono/html';
import type { Markup } from './page-shell.ts';

/** An instant in UTC, to the minute; the exact one stands in the element. */
export function time(iso: string): Markup {
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}

export function badge(text: string): Markup {
  return html`<span class="badge">${text}</span>`;
}

/** The same page with some parameters changed; an empty value leaves its parameter out. */
export function hrefWith(
  path: string,
  query: Readonly<Record<string, string>>,
  changed: Record<string, string>,
): string {
  const all = Object.entries({ ...query, ...changed }).filter(([, value]) => value !== '');
  const text = new URLSearchParams(all).toString();
  return text === '' ? path : `${path}?${text}`;
}

export function searchForm(action: string, query: Readonly<Record<string, string>>, label: string): Markup {
  const kept = Object.entries(query).filter(
    ([name, value]) => value !== '' && !['search', 'page'].includes(name),
  );
  return html`<form class="search" role="search" action="${action}">
<input type="search" name="search" value="${query['search'] ?? ''}" placeholder="${label}" aria-label="${label}">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button>Search</button>
</form>`;
}

export function pager(
  path: string,
  query: Readonly<Record<string, string>>,
  page: number,
  pages: number,
): Markup {
  if (pages <= 1) return html``;
  const to = (number: number, label: string) =>
    number < 1 || number > pages
      ? html``
      : html`<a href="${hrefWith(path, query, { page: number === 1 ? '' : String(number) })}">${label}</a>`;
  return html`<nav class="pager" aria-label="Pages">${to(page - 1, '← Previous')}
<span class="soft">Page ${page.toLocaleString('en')} of ${pages.toLocaleString('en')}</span>${to(page + 1, 'Next →')}</nav>`;
}

/** A page number from the address: 1 where there is none or it makes no sense. */
export function pageNumber(text: string | undefined): number {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 1;
}

export function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}
