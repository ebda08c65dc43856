/** Pieces that several pages share: addresses with parameters, numbers in words, the search field, the pager. */
import { html } from 'hono/html';
import { icon } from './icons.ts';
import type { Markup } from './page-shell.ts';

/** Parameters of a page's address, by name; an empty one is left out of it. */
export type Query = Readonly<Record<string, string>>;

/** The same page with some parameters changed; an empty value leaves its parameter out. */
export function hrefWith(path: string, query: Query, changed: Query): string {
  const all = Object.entries({ ...query, ...changed }).filter(([, value]) => value !== '');
  const text = new URLSearchParams(all).toString();
  return text === '' ? path : `${path}?${text}`;
}

export function searchForm(action: string, query: Query, label: string): Markup {
  return html`<form class="find" role="search" action="${action}">
${icon('search')}<input type="search" name="search" value="${query['search'] ?? ''}" placeholder="${label}" aria-label="${label}" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd>
${hiddenFields(query, ['search'])}
</form>`;
}

/** What a form keeps of the address it is on, its own fields aside. */
export function hiddenFields(query: Query, own: readonly string[]): Markup[] {
  return Object.entries(query)
    .filter(([name, value]) => value !== '' && !own.includes(name))
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

export function pager(path: string, query: Query, page: number, pages: number): Markup {
  if (pages <= 1) return html``;
  const to = (number: number, rel: 'prev' | 'next', label: string) =>
    number < 1 || number > pages
      ? html`<span class="empty-place"></span>`
      : html`<a class="button" rel="${rel}" href="${hrefWith(path, query, {
          page: number === 1 ? '' : String(number),
        })}">${label}</a>`;
  return html`<nav class="pager" aria-label="Pages">${to(page - 1, 'prev', 'Previous')}
<span class="soft number">Page ${page.toLocaleString('en')} of ${pages.toLocaleString('en')}</span>${to(page + 1, 'next', 'Next')}</nav>`;
}

/** A page number from the address: 1 where there is none or it makes no sense. */
export function pageNumber(text: string | undefined): number {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 1;
}

export function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}

/** `810 kB`, `1.2 MB`: decimal, as file managers count. */
export function fileSize(bytes: number): string {
  if (bytes < 1000) return count(bytes, 'byte', 'bytes');
  const units = ['kB', 'MB', 'GB', 'TB', 'PB'];
  let size = bytes;
  let unit = -1;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}
