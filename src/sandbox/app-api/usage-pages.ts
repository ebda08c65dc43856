/** Usage events to look through and to take away, and each customer with its plan, features and usage. They only read. */
import { type Context, Hono } from 'hono';
import { html, raw } from 'hono/html';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { count, hrefWith, pageNumber, pager, type Query } from '../pages/page-parts.ts';
import { answerPage, current, type Markup } from '../pages/page-shell.ts';
import { time } from '../pages/times.ts';
import { usageCustomerPage } from './usage-customer-page.ts';
import type { UsageEventFilter, UsageEventRow } from './usage-events.ts';
import { usageExport } from './usage-export.ts';

const PER_PAGE = 100;
const MOST_CUSTOMERS = 15;
const LONGEST_PROPERTIES = 200;

export function usagePages(service: Service): Hono<SandboxEnv> {
  const routes = new Hono<SandboxEnv>();
  routes.get('/usage', usagePage(service));
  routes.get('/usage/customer', usageCustomerPage(service));
  routes.get('/usage/events.csv', usageExport(service, 'csv'));
  routes.get('/usage/events.jsonl', usageExport(service, 'jsonl'));
  return routes;
}

/** The events that an address asks for: `customer` by whatever it is called, `event` by its name. */
export function usageFilter({ store }: Service, c: Context<SandboxEnv>): UsageEventFilter {
  const customer = c.req.query('customer')?.trim() ?? '';
  const event = c.req.query('event') ?? '';
  return {
    ...(customer === '' ? {} : { customerId: store.catalog.idOf(customer) }),
    ...(event === '' ? {} : { eventName: event }),
  };
}

function usagePage(service: Service): (c: Context<SandboxEnv>) => Promise<Response> {
  const { usage } = service.store;
  return (c) => {
    const filter = usageFilter(service, c);
    const query = { customer: c.req.query('customer')?.trim() ?? '', event: filter.eventName ?? '' };
    const total = usage.count(filter);
    const pages = Math.max(1, Math.ceil(total / PER_PAGE));
    const page = Math.min(pageNumber(c.req.query('page')), pages);
    const events = usage.list({ filter, take: PER_PAGE, offset: (page - 1) * PER_PAGE });
    const content = html`<div class="head"><h1>Usage events</h1></div>
${filterBar(query, usage.eventNames(filter.customerId), total)}
${events.length === 0 ? nothing(query) : table(events)}
${pager('/usage', query, page, pages)}`;
    return answerPage(c, {
      title: 'Usage events',
      section: 'usage',
      content,
      views: customers(service, query),
    });
  };
}

function filterBar(query: Query, names: readonly string[], total: number): Markup {
  const { customer = '', event = '' } = query;
  const option = (name: string) =>
    html`<option value="${name}"${name === event ? raw(' selected') : ''}>${name.slice(0, 80)}</option>`;
  const isListed = event === '' || names.includes(event);
  return html`<form class="filters" action="/usage" aria-label="Filters">
<input name="customer" value="${customer}" placeholder="Customer" aria-label="Customer" autocomplete="off" spellcheck="false">
<select name="event" aria-label="Event"><option value="">Any event</option>${isListed ? '' : option(event)}${names.map(option)}</select>
<button class="apply">Apply</button>
${customer === '' && event === '' ? '' : html`<a href="/usage">Clear filters</a>`}
<span class="sum soft">${count(total, 'event', 'events')} ·
<a href="${hrefWith('/usage/events.csv', {}, query)}" download>CSV</a> ·
<a href="${hrefWith('/usage/events.jsonl', {}, query)}" download>JSONL</a></span>
</form>`;
}

/** The busiest customers at the side. */
function customers({ store }: Service, query: Query): Markup {
  const busiest = store.usage.customers(MOST_CUSTOMERS);
  const item = (id: string, label: string, events: number) =>
    html`<li><a href="${hrefWith('/usage', query, { customer: id })}"${current(query['customer'] === id)}><bdi>${label}</bdi><span class="number">${events.toLocaleString('en')}</span></a></li>`;
  return html`<nav class="views" aria-label="Customers"><h2>Customers</h2><ul>
${item('', 'All', store.usage.count())}${busiest.map(({ customerId, events }) =>
  item(customerId, store.catalog.find(customerId)?.name ?? customerId, events),
)}</ul></nav>`;
}

function table(events: readonly UsageEventRow[]): Markup {
  return html`<div class="card"><table class="people">
<thead><tr><th scope="col">Time</th><th scope="col">Event</th><th scope="col">Customer</th><th scope="col" class="wide">Properties</th><th scope="col" class="wide">Event id</th></tr></thead>
<tbody>${events.map(eventRow)}</tbody></table></div>`;
}

function eventRow(row: UsageEventRow): Markup {
  const properties = row.properties ?? '';
  const short =
    properties.length > LONGEST_PROPERTIES
      ? `${properties.slice(0, LONGEST_PROPERTIES).toWellFormed()}…`
      : properties;
  return html`<tr><td>${time(new Date(row.at_ms).toISOString())}</td><td><bdi>${row.event_name}</bdi></td>
<td><a href="${hrefWith('/usage/customer', {}, { id: row.customer_id })}"><bdi>${row.customer_id}</bdi></a></td>
<td class="wide soft">${short}</td><td class="wide soft">${row.event_id}</td></tr>`;
}

function nothing({ customer = '', event = '' }: Query): Markup {
  return customer === '' && event === ''
    ? html`<div class="empty card"><h2>No usage events yet</h2><p>They arrive by <code>POST /v1/usage_events</code>.</p></div>`
    : html`<div class="empty card"><h2>No event matches</h2><p><a href="/usage">All usage events</a></p></div>`;
}
