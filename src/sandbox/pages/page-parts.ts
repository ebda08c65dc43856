import { html } from 'hono/html';
import { TICKET_STATUSES } from '../../domain/payload.ts';
import type { Agents } from '../store/people.ts';
import { icon, type Markup } from './page-shell.ts';

export type Query = Readonly<Record<string, string>>;

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

export function hiddenFields(query: Query, own: readonly string[]): Markup[] {
  return Object.entries(query)
    .filter(([name, value]) => value !== '' && !own.includes(name))
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

export function pager(path: string, query: Query, { page, pages }: Paging): Markup {
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

export interface Paging {
  readonly page: number;
  readonly pages: number;
  readonly take: number;
  readonly offset: number;
}

export function paging(asked: string | undefined, total: number, take: number): Paging {
  const pages = Math.max(1, Math.ceil(total / take));
  const page = Math.min(pageNumber(asked), pages);
  return { page, pages, take, offset: (page - 1) * take };
}

export function pageNumber(text: string | undefined): number {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 1;
}

export function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}

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

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'];

export function utcDay(iso: string): string {
  const date = new Date(iso);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

export function time(iso: string): Markup {
  const clock = new Date(iso).toISOString().slice(-13, -8);
  return html`<time datetime="${iso}" data-show="full">${utcDay(iso)}, ${clock}</time>`;
}

export function day(iso: string): Markup {
  return html`<time datetime="${iso}" data-show="day">${utcDay(iso)}</time>`;
}

const DAY_MS = 86_400_000;

export function gapWords(milliseconds: number): string | undefined {
  const days = Math.round(milliseconds / DAY_MS);
  if (milliseconds < DAY_MS) return undefined;
  if (days < 45) return days === 1 ? 'a day later' : `${days} days later`;
  const months = Math.round(days / 30.44);
  if (months < 24) return `${months} months later`;
  return `${Math.round(days / 365.25)} years later`;
}

const HUES = 4;

export interface Person {
  readonly key: string;
  readonly name: string;
  readonly kind: 'contact' | 'agent';
}

export function avatar(person: Person, size: 'small' | 'usual' = 'usual'): Markup {
  const classes = `avatar hue-${hueOf(person.key)}${size === 'usual' ? '' : ` ${size}`}${person.kind === 'agent' ? ' agent' : ''}`;
  return html`<span class="${classes}" aria-hidden="true">${initials(person.name)}</span>`;
}

/** In a script without spaces, the first letter. */
export function initials(name: string): string {
  const words = name
    .slice(0, 200)
    .split(/[\s@._-]+/u)
    .map((word) => /[\p{L}\p{N}]/u.exec(word)?.[0])
    .filter((letter) => letter !== undefined);
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined) return '?';
  return `${first}${words.length > 1 && last !== undefined ? last : ''}`.toUpperCase();
}

function hueOf(key: string): number {
  let sum = 0;
  for (let index = 0; index < Math.min(key.length, 200); index++)
    sum = (sum * 31 + key.charCodeAt(index)) >>> 0;
  return sum % HUES;
}

export function marked(text: string, search: string): Markup | string {
  const words = search.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (words.length === 0) return text;
  const either = words.slice(0, 16).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  const parts = text.split(new RegExp(`((?<![\\p{L}\\p{N}])(?:${either.join('|')}))`, 'giu'));
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<mark>${part}</mark>` : part))}`;
}

export type AgentName = (agentId: string | null) => string;

export function agentNames(agents: Agents): AgentName {
  return (agentId) => (agentId === null ? 'An agent' : agents.nameOf(agentId));
}

function statusClass(status: string): string {
  return TICKET_STATUSES.find((known) => known === status) ?? '';
}

export function statusPill(status: string): Markup {
  return html`<span class="pill ${statusClass(status)}">${status}</span>`;
}

export function priorityMark(priority: string): Markup | string {
  if (priority === 'normal') return '';
  const known = priority === 'urgent' || priority === 'high' ? ` ${priority}` : '';
  return html`<span class="priority${known}">${known === '' ? '' : icon('flag')}${priority}</span>`;
}

export function tagLink(tag: string): Markup {
  return html`<a class="tag" href="${hrefWith('/', {}, { tag })}">${tag}</a>`;
}
