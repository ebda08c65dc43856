/** The pages of the sandbox: the list of tickets, a ticket, the tickets that were left out. */
import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import { TICKET_STATUSES } from '../domain/payload.ts';
import { capitalized, countOf, formatCount } from '../domain/printable.ts';
import * as b from '../view/blocks.ts';
import {
  type ConversationEntry,
  type ConversationMessage,
  cut,
  shownEvent,
} from '../view/conversation/conversation.ts';
import { type Markup, threadMarkup } from '../view/conversation/thread.ts';
import { formatDay, formatMinute } from '../view/format.ts';
import { blocksMarkup } from '../view/html/blocks.ts';
import { threadParts } from '../view/html/conversation.ts';
import { LOCAL_HEADERS, localPage } from '../view/html/page.ts';
import type { SandboxEnv, Service } from './core/request.ts';
import { publicId } from './store/kept-values.ts';
import { LEFT_OUT, type LeftKind, type LeftOut, type LeftOutcome } from './store/review.ts';
import type { EventView, MessageView } from './store/thread.ts';
import {
  type InboxFilter,
  isImportTag,
  type ListedTicket,
  sourceNumber,
  type TicketView,
} from './store/tickets.ts';

type Query = Readonly<Record<string, string>>;
type Answer = Response | Promise<Response>;

const PER_PAGE = { tickets: 50, entries: 100 } as const;
const PER_KIND = 25;
const LONGEST_BODY = 100_000;

function answer(c: Context<SandboxEnv>, title: string, nav: Markup, main: Markup, status: 200 | 404 = 200) {
  return c.html(localPage(`${title} · Sandbox helpdesk`, nav, main), status, LOCAL_HEADERS);
}

function hrefWith(path: string, query: Query): string {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return text === '' ? path : `${path}?${text}`;
}

interface View {
  readonly href: string;
  readonly label: string;
  readonly count?: number | undefined;
  readonly swatch?: string;
  readonly isHere: boolean;
}

function sideBar(store: Service['store'], here: string, title: string, views: readonly View[]): Markup {
  const left = Object.values(store.review.counts()).reduce((sum, number) => sum + number, 0);
  const pages = [
    { href: '/', label: 'Inbox', isHere: here === '/' },
    {
      href: '/left-out',
      label: 'Not imported',
      count: left === 0 ? undefined : left,
      isHere: here === '/left-out',
    },
  ];
  return html`<nav class="views" aria-label="Sandbox helpdesk"><ul>${pages.map(viewMarkup)}</ul>
<p>${title}</p><ul>${views.map(viewMarkup)}</ul></nav>`;
}

function viewMarkup({ href, label, count, swatch, isHere }: View): Markup {
  return html`<li><a href="${href}"${isHere && raw(' aria-current="page"')}>${
    swatch !== undefined && html`<i class="swatch tone-${swatch}"></i>`
  }<span>${label}</span>${count !== undefined && html`<span class="count">${formatCount(count)}</span>`}</a></li>`;
}

function statusBar(
  store: Service['store'],
  here: string,
  query: Query,
  counts: Readonly<Record<string, number>>,
) {
  const all = Object.values(counts).reduce((sum, number) => sum + number, 0);
  const view = (status: string, label: string, count: number): View => {
    const isHere = here === '/' && query['status'] === status;
    return { href: hrefWith('/', { ...query, status }), label, count, swatch: status || 'plain', isHere };
  };
  const named = TICKET_STATUSES.map((status) => view(status, capitalized(status), counts[status] ?? 0));
  return sideBar(store, here, 'Status', [view('', 'All', all), ...named]);
}

function pageOf(c: Context<SandboxEnv>, path: string, query: Query, total: number, take: number) {
  const pages = Math.max(1, Math.ceil(total / take));
  const asked = Number(/^[1-9]\d{0,8}$/.exec(c.req.query('page') ?? '')?.[0] ?? 1);
  const page = Math.min(asked, pages);
  const to = (number: number, label: string) =>
    number >= 1 &&
    number <= pages &&
    html`<a class="button" href="${hrefWith(path, { ...query, page: String(number) })}">${label}</a>`;
  const pager = html`<div class="pager" role="navigation" aria-label="Pages">${to(page - 1, 'Previous')}<span class="soft">Page ${formatCount(page)} of ${formatCount(pages)}</span>${to(page + 1, 'Next')}</div>`;
  return { offset: (page - 1) * take, pager: pages > 1 && pager };
}

const FILTERS = ['search', 'status', 'tag', 'assignee', 'sort'] as const;

export function inbox({ store }: Service, c: Context<SandboxEnv>): Answer {
  const given = FILTERS.map((name) => [name, c.req.query(name)?.trim() ?? ''] as const);
  const query = Object.fromEntries(given) as Record<(typeof FILTERS)[number], string>;
  const filter = Object.fromEntries(given.filter(([, value]) => value !== '')) as InboxFilter;
  const found = store.tickets.inbox(filter);
  const { offset, pager } = pageOf(c, '/', query, found.total, PER_PAGE.tickets);
  const rows = found.rows(query.sort === 'oldest' ? 'oldest' : 'newest', PER_PAGE.tickets, offset);
  const main = html`${findForm(query, found.total)}
${rows.length === 0 ? nothing(given.some(([, value]) => value !== '')) : html`<ol class="rows">${rows.map((row) => rowMarkup(row, store))}</ol>`}
${pager}`;
  return answer(c, 'Inbox', statusBar(store, '/', query, found.statuses), main);
}

function findForm(
  { search, status, tag, assignee, sort }: Readonly<Record<(typeof FILTERS)[number], string>>,
  total: number,
) {
  const isOpen = tag + assignee + sort !== '';
  const typed = (name: string, label: string, value: string) =>
    html`<label>${label} <input class="typed" name="${name}" value="${value}" autocomplete="off"></label>`;
  return html`<form class="find" role="search" action="/"><h1>Inbox</h1><input class="typed" type="search" name="search" value="${search}" aria-label="Search tickets and messages" placeholder="Search tickets and messages" autocomplete="off">
${status !== '' && html`<input type="hidden" name="status" value="${status}">`}<details${isOpen && raw(' open')}><summary class="button">Filter</summary><div>${typed('tag', 'Tag', tag)}${typed('assignee', 'Assigned to', assignee)}<label>Order <select class="typed" name="sort"><option value="">Newest first</option><option value="oldest"${sort === 'oldest' && raw(' selected')}>Oldest first</option></select></label><button class="button">Apply</button></div></details><span class="soft">${countOf(total, 'ticket')}</span></form>`;
}

function nothing(isNarrowed: boolean): Markup {
  return isNarrowed
    ? html`<p class="empty">No ticket matches. <a href="/">Show all tickets</a></p>`
    : html`<p class="empty">Nothing has been imported yet. Tickets appear here as they arrive: <code>npx helpdesk-import run export/ --sandbox</code></p>`;
}

const MOST_TAGS = 2;

function rowMarkup(ticket: ListedTicket, { agents }: Service['store']): Markup {
  const { contact, tags, priority, status, assignedToId } = ticket;
  const who = contact?.name ?? contact?.email ?? 'No customer';
  const shown = tags.filter((tag) => !isImportTag(tag, tags)).slice(0, MOST_TAGS);
  return html`<li class="row">${avatar(contact?.email ?? '', who)}
<a href="/tickets/${ticket.id}" dir="auto">${ticket.subject}</a><span class="when"><time datetime="${ticket.createdAt}">${formatDay(ticket.createdAt)}</time></span>
<p><span>${numberOf(ticket)}</span> <b><bdi>${who}</bdi></b>${ticket.excerpt !== null && html` · <bdi>${ticket.excerpt}</bdi>`}</p>
<span class="marks">${shown.map((tag) => html`<span class="tag"><bdi>${tag}</bdi></span> `)}${priorityMark(priority)}${statusMark(status)} <span class="soft">${countOf(ticket.messageCount, 'message')}${assignedToId !== null && html` · <bdi>${agents.nameOf(assignedToId)}</bdi>`}</span></span></li>\n`;
}

/** In the old helpdesk, if its import says so. */
function numberOf({ tags, ticketNumber }: TicketView): string {
  return `#${sourceNumber(tags) ?? ticketNumber}`;
}

function statusMark(status: string): Markup {
  return html`<span class="tag"><i class="swatch tone-${status}"></i>${status}</span>`;
}

function priorityMark(priority: string): Markup | false {
  return (priority === 'high' || priority === 'urgent') && html`<b class="bad">${priority}</b> `;
}

const HUES = 4;

function avatar(key: string, name: string): Markup {
  const hue = [...key.slice(0, 200)].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % HUES;
  return html`<span class="avatar hue-${hue}" aria-hidden="true">${initials(name)}</span>`;
}

/** In a script without spaces, the first letter. */
export function initials(name: string): string {
  const letters = name
    .slice(0, 200)
    .split(/[\s@._-]+/u)
    .flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? []);
  const [first = '?'] = letters;
  return `${first}${letters.length > 1 ? letters.at(-1) : ''}`.toUpperCase();
}

export function ticketPage({ store }: Service, c: Context<SandboxEnv>): Answer {
  const { tickets } = store;
  const id = c.req.param('ticketId') ?? '';
  const ticket = tickets.get(id);
  const [only, ...more] = ticket === undefined ? tickets.numbered(id) : [];
  if (only !== undefined && more.length === 0) return c.redirect(`/tickets/${publicId('ticket', only)}`);
  const nav = statusBar(store, '', {}, tickets.inbox({}).statuses);
  if (ticket === undefined) {
    const main = html`<h1>There is no ticket ${id.slice(0, 100)}</h1><p><a href="/">To the inbox</a></p>`;
    return answer(c, 'No such ticket', nav, main, 404);
  }
  const main = html`<p class="eyebrow"><a href="/">Inbox</a> <b><bdi>${numberOf(ticket)}</bdi></b>${statusMark(ticket.status)}${priorityMark(ticket.priority)}${
    ticket.readOnly && html`<span class="tag">read-only</span>`
  }</p>
<h1 dir="auto">${ticket.subject}</h1>
<div class="columns"><div>${thread(store, c, ticket)}</div>
<aside aria-label="About the ticket">${blocksMarkup([about(ticket, store)])}</aside></div>`;
  return answer(c, ticket.subject, nav, main);
}

function about({ contact, ...ticket }: TicketView, { agents }: Service['store']): b.Block {
  const { assignedToId, tags } = ticket;
  const fact = (label: string, value: string | null) => value !== null && { label, value };
  const when = (iso: string | null) => (iso === null ? null : formatMinute(iso));
  const ids = [ticket.id, contact?.id ?? '', assignedToId ?? ''].filter((id) => id !== '');
  return b.facts([
    {
      label: 'Customer',
      value: contact?.name ?? contact?.email ?? 'none',
      remarks: contact?.name == null ? [] : [contact.email],
    },
    fact('Assigned to', assignedToId === null ? 'nobody' : agents.nameOf(assignedToId)),
    fact('Priority', ticket.priority),
    fact('Created', when(ticket.createdAt)),
    fact('Resolved', when(ticket.resolvedAt)),
    fact('Closed', when(ticket.closedAt)),
    tags.length > 0 && {
      label: 'Tags',
      value: tags.flatMap((tag): (b.Span | string)[] => [{ text: tag, look: 'tag' }, ' ']),
    },
    fact('Managed by', ticket.managedBy),
    fact('Customer ID', ticket.customerId),
    fact('App', ticket.appId),
    {
      label: 'Thread',
      value: `${countOf(ticket.messageCount, 'message')}, ${countOf(ticket.eventCount, 'event')}`,
    },
    { label: 'IDs', value: ids.join(' · '), tone: 'soft' },
  ]);
}

type Entry = MessageView | EventView;

function thread(store: Service['store'], c: Context<SandboxEnv>, { id, ticketNumber }: TicketView): Markup {
  const timeOf = ({ occurredAt }: Entry) => Date.parse(occurredAt);
  // At one time messages come first, then the order of sending.
  const all: Entry[] = [...store.messages.ofTicket(ticketNumber), ...store.events.ofTicket(ticketNumber)];
  all.sort((one, other) => timeOf(one) - timeOf(other));
  if (all.length === 0)
    return html`<p class="empty">No messages. The ticket was created, and nothing more was sent for it.</p>`;
  const { offset, pager } = pageOf(c, `/tickets/${id}`, {}, all.length, PER_PAGE.entries);
  const entries = all.slice(offset, offset + PER_PAGE.entries).map((entry) => shownEntry(entry, store));
  const parts = {
    ...threadParts('page'),
    avatar: ({ email, name = '' }: ConversationMessage) => avatar(email ?? name, name),
  };
  return html`${threadMarkup(entries, parts)}${pager}`;
}

function shownEntry(entry: Entry, { agents }: Service['store']): ConversationEntry {
  const name = authorName(entry, agents);
  if ('type' in entry) {
    const { oldValue, newValue } = entry;
    return {
      ...shownEvent({ ...entry, oldValue: oldValue ?? undefined, newValue: newValue ?? undefined }),
      name,
    };
  }
  const { actorType: author, contact, content, contentType, isInternal, occurredAt, attachments } = entry;
  const whole = content.length;
  return {
    ...{ kind: 'message', author, name, isInternal, occurredAt, contentType, attachments },
    content: cut(content, LONGEST_BODY),
    ...(whole > LONGEST_BODY && { cutFrom: whole }),
    email: contact?.name == null ? undefined : contact.email,
    moreAttachments: 0,
  };
}

function authorName({ actorType, agentId, contact }: Entry, agents: Service['store']['agents']): string {
  if (actorType === 'agent') return agentId === null ? 'An agent' : agents.nameOf(agentId);
  if (actorType === 'system') return 'System';
  return contact?.name ?? contact?.email ?? 'Customer';
}

const OUTCOMES: Readonly<Record<LeftOutcome, readonly [label: string, meaning: string]>> = {
  rejected: ['Rejected', 'Something in it is invalid, so it was not sent.'],
  failed: ['Failed', 'It was sent, and the helpdesk refused it or a part of it.'],
  'in-doubt': ['In doubt', 'Its create was sent and no answer came: it may be here or not.'],
};

export function leftOut({ store }: Service, c: Context<SandboxEnv>): Answer {
  const outcome = LEFT_OUT.find((each) => each === c.req.query('outcome'));
  const counts = store.review.counts();
  const all = LEFT_OUT.reduce((sum, each) => sum + (counts[each] ?? 0), 0);
  const view = (value: LeftOutcome | undefined, label: string, count: number): View => {
    const href = hrefWith('/left-out', { outcome: value ?? '' });
    return { href, label, count, isHere: value === outcome };
  };
  const views = LEFT_OUT.map((each) => view(each, OUTCOMES[each][0], counts[each] ?? 0));
  const kinds = store.review.kinds(outcome);
  const main = html`<h1>Not imported</h1>
${kinds.length === 0 ? html`<p class="empty">Nothing was left out.</p>` : kinds.map(kindMarkup)}`;
  return answer(
    c,
    'Not imported',
    sideBar(store, '/left-out', 'Outcome', [view(undefined, 'All', all), ...views]),
    main,
  );
}

function kindMarkup({ count, tickets: [first, ...others] }: LeftKind): Markup | false {
  if (first === undefined) return false;
  const [label, meaning] = OUTCOMES[first.outcome];
  const shown = [first, ...others].slice(0, PER_KIND);
  return html`<article class="problem ${first.outcome === 'rejected' ? 'bad' : 'warn'}"><div class="times">${countOf(count, 'ticket')}${count > shown.length && ` (${formatCount(shown.length)} shown)`}</div><div><h2><bdi>${first.reason}</bdi></h2>
<p class="soft">${label}. ${meaning}</p>${first.advice !== '' && html`<p class="advice">${first.advice}</p>`}${shown.map((left) => leftMarkup(left, first.reason))}
${count > shown.length && html`<p class="more">and ${formatCount(count - shown.length)} more, in the rejects file</p>`}</div></article>\n`;
}

function leftMarkup(left: LeftOut, reason: string): Markup {
  const { subject, external_id: id, place, ticket_id: there, rows } = left;
  const line = html`<bdi>${subject ?? id ?? 'A record without a ticket'}</bdi> <span class="soft">${id !== null && html`#<bdi>${id}</bdi> · `}${place}</span>`;
  const more = html`${left.reason !== reason && html`<p><bdi>${left.reason}</bdi></p>`}${there !== null && html`<p><a href="/tickets/${there}">What is here of it</a></p>`}`;
  if (rows.length === 0) return html`<div>${line}${more}</div>`;
  return html`<details><summary>${line}</summary>${more}${rows.map((row) =>
    blocksMarkup([
      b.paragraph(row.place, { tone: 'soft' }),
      b.facts(row.fields.map(([name, value]) => ({ label: name, value }))),
    ]),
  )}</details>`;
}
