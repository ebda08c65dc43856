/** Usage events to look through and to take away. The pages only read. */

import { type Context, Hono } from 'hono';
import { html, raw } from 'hono/html';
import { csvCell } from '../../domain/printable.ts';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { count, hrefWith, pager, paging, type Query, time } from '../pages/page-parts.ts';
import { answerPage, current, icon, type Markup } from '../pages/page-shell.ts';
import { usageCustomerPage, usageCustomersPage } from './usage-customer-pages.ts';
import type { CustomerRow, UsageEventFilter, UsageEventPlace, UsageEventRow } from './usage-events.ts';

const PER_PAGE = 100;
/** Customers that the side names; a page of their own names all. */
const MOST_CUSTOMERS = 12;
const LONGEST_NAME = 80;

export function usagePages(service: Service): Hono<SandboxEnv> {
  const routes = new Hono<SandboxEnv>();
  routes.get('/usage', (c) => usagePage(service, c));
  routes.get('/usage/customers', (c) => usageCustomersPage(service, c));
  routes.get('/usage/customer', (c) => usageCustomerPage(service, c));
  routes.get('/usage/events.csv', (c) => usageExport(service, c, 'csv'));
  routes.get('/usage/events.jsonl', (c) => usageExport(service, c, 'jsonl'));
  return routes;
}

/** The events that an address asks for: `customer` by whatever it is called, `event` by its name. */
function usageFilter({ store }: Service, c: Context<SandboxEnv>): UsageEventFilter {
  const customer = c.req.query('customer')?.trim() ?? '';
  return {
    customerId: customer === '' ? undefined : store.catalog.idOf(customer),
    eventName: c.req.query('event') || undefined,
  };
}

function usagePage(service: Service, c: Context<SandboxEnv>): Promise<Response> {
  const { usage, catalog } = service.store;
  const filter = usageFilter(service, c);
  const query = { customer: c.req.query('customer')?.trim() ?? '', event: filter.eventName ?? '' };
  const total = usage.count(filter);
  const place = paging(c.req.query('page'), total, PER_PAGE);
  const events = usage.list({ filter, ...place });
  const customers = usage.customers({ take: MOST_CUSTOMERS });
  const names = new Map<string, string>();
  const nameOf = (id: string) => {
    const name = names.get(id) ?? catalog.find(id)?.name ?? id;
    names.set(id, name);
    return name;
  };
  const content = html`<div class="head"><h1>Usage events</h1>${total === 0 ? '' : takeAway(query)}</div>
${usage.count() === 0 ? '' : filterBar(query, usage.eventNames(filter.customerId), customers, total)}
${events.length === 0 ? nothing(query) : usageEventTable(events, nameOf)}
${pager('/usage', query, place)}`;
  const views = customerViews(customers, filter.customerId, query);
  return answerPage(c, { title: 'Usage events', section: 'usage', content, views });
}

/** What is shown, all of it, as a file. */
function takeAway(query: Query): Markup {
  const file = (format: 'csv' | 'jsonl') =>
    html`<a class="button" href="${hrefWith(`/usage/events.${format}`, {}, query)}" download>${icon('download')}${format.toUpperCase()}</a>`;
  return html`<p class="take-away" aria-label="Export">${file('csv')}${file('jsonl')}</p>`;
}

function filterBar(
  query: Query,
  names: readonly string[],
  customers: readonly CustomerRow[],
  total: number,
): Markup {
  const { customer = '', event = '' } = query;
  const option = (name: string) =>
    html`<option value="${name}"${name === event ? raw(' selected') : ''}>${name.slice(0, LONGEST_NAME)}</option>`;
  const isListed = event === '' || names.includes(event);
  const set = (value: string) => (value === '' ? '' : raw(' class="set"'));
  return html`<form class="filters" action="/usage" aria-label="Filters">
<input name="customer" value="${customer}" placeholder="Customer: id or domain" aria-label="Customer: id or domain" list="customers" autocomplete="off" spellcheck="false"${set(customer)}>
<datalist id="customers">${customers.map(({ customerId, name }) => html`<option value="${customerId}">${name ?? ''}</option>`)}</datalist>
<select name="event" aria-label="Event"${set(event)}><option value="">Any event</option>${isListed ? '' : option(event)}${names.map(option)}</select>
<button class="apply">Apply</button>
${customer === '' && event === '' ? '' : html`<a href="/usage">Clear filters</a>`}
<span class="sum soft">${count(total, 'event', 'events')}</span>
</form>`;
}

/** The busiest customers at the side. */
function customerViews(busiest: readonly CustomerRow[], chosen: string | undefined, query: Query): Markup {
  if (busiest.length === 0) return html``;
  const to = (customer: string) => hrefWith('/usage', query, { customer });
  return html`<nav class="views" aria-label="Customers"><h2>Customers</h2><ul>
<li><a href="${to('')}"${current(chosen === undefined)}>Everybody</a></li>${busiest.map(
    ({ customerId, name, events }) =>
      html`<li><a href="${to(customerId)}"${current(chosen === customerId)}><bdi class="name">${name ?? customerId}</bdi><span class="number">${events.toLocaleString('en')}</span></a></li>`,
  )}
<li><a class="all" href="/usage/customers">All customers</a></li></ul></nav>`;
}

function nothing({ customer = '', event = '' }: Query): Markup {
  return customer === '' && event === ''
    ? html`<div class="empty card"><h2>No usage events yet</h2>
<p>They appear here as they are sent, by an app with <code>POST /v1/usage_events</code> or from a file:
<code>helpdesk-import billing usage-events usage.csv --sandbox</code></p></div>`
    : html`<div class="empty card"><h2>No event matches</h2><p><a href="/usage">All usage events</a></p></div>`;
}

// Usage events as rows: when, what, whose, and their properties one by one. On a phone each row becomes a small card.

/** Properties that a row shows; the rest is counted, and stands in the files. */
const MOST_PROPERTIES = 4;
const LONGEST_VALUE = 60;

/** `nameOf`: what a customer is called. */
function usageEventTable(events: readonly UsageEventRow[], nameOf: (id: string) => string): Markup {
  return html`<div class="card"><table class="people usage-events">
<thead><tr><th scope="col">Event</th><th scope="col">Customer</th><th scope="col">Properties</th><th scope="col">Event id</th><th scope="col">Time</th></tr></thead>
<tbody>${events.map((row) => eventRow(row, nameOf(row.customer_id)))}</tbody></table></div>`;
}

function eventRow(row: UsageEventRow, name: string): Markup {
  return html`<tr><td class="what"><bdi>${row.event_name}</bdi></td>
<td class="whose"><a href="${hrefWith('/usage/customer', {}, { id: row.customer_id })}" title="${row.customer_id}"><bdi>${name}</bdi></a></td>
<td class="with">${properties(row.properties)}</td>
<td class="id soft"><bdi>${row.event_id}</bdi></td><td class="when">${time(new Date(row.at_ms).toISOString())}</td></tr>`;
}

function properties(text: string | null): Markup | string {
  if (text === null) return '';
  const all = Object.entries(JSON.parse(text) as Record<string, unknown>);
  const rest = all.length - MOST_PROPERTIES;
  return html`${all.slice(0, MOST_PROPERTIES).map(([key, value]) => html`<span class="property"><span>${short(key)}</span> <bdi>${short(asText(value))}</bdi></span> `)}${
    rest > 0 ? html`<span class="soft">+${rest}</span>` : ''
  }`;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function short(text: string): string {
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE).toWellFormed()}…` : text;
}

/** Usage events as a file, newest first, written as it is read: a million events take no more memory than a page of them. */
const ROWS_AT_A_TIME = 1_000;
const HEADER = 'eventId,eventName,customerId,timestamp,properties\r\n';

/** Both formats are those that `helpdesk-import billing usage-events` reads. */
function usageExport(service: Service, c: Context<SandboxEnv>, format: 'csv' | 'jsonl'): Response {
  const filter = usageFilter(service, c);
  let after: UsageEventPlace | undefined;
  let isFirst = true;
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const rows = service.store.usage.list({ filter, take: ROWS_AT_A_TIME, after });
      const lines = rows.map(format === 'csv' ? csvLine : jsonLine).join('');
      const text = isFirst && format === 'csv' ? HEADER + lines : lines;
      isFirst = false;
      if (text !== '') controller.enqueue(encoder.encode(text));
      const last = rows.at(-1);
      if (last === undefined || rows.length < ROWS_AT_A_TIME) controller.close();
      else after = { atMs: last.at_ms, seq: last.seq };
    },
  });
  return c.body(body, 200, {
    'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
    'content-disposition': `attachment; filename="usage-events.${format}"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
}

function csvLine(row: UsageEventRow): string {
  const cells = [row.event_id, row.event_name, row.customer_id, timeOf(row), row.properties ?? ''];
  return `${cells.map((text) => csvCell(text)).join(',')}\r\n`;
}

function jsonLine(row: UsageEventRow): string {
  const { event_id: eventId, event_name: eventName, customer_id: customerId, properties } = row;
  const event = { eventId, eventName, customerId, timestamp: timeOf(row) };
  // The properties are JSON already.
  const text = JSON.stringify(event);
  return properties === null ? `${text}\n` : `${text.slice(0, -1)},"properties":${properties}}\n`;
}

function timeOf(row: UsageEventRow): string {
  return new Date(row.at_ms).toISOString();
}
