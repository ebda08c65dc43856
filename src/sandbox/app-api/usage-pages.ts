/** Usage events to look through and to take away, and each customer with its plan, features and usage. They only read. */
import { type Context, Hono } from 'hono';
import { html, raw } from 'hono/html';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { icon } from '../pages/icons.ts';
import { count, hrefWith, pageNumber, pager, type Query } from '../pages/page-parts.ts';
import { answerPage, current, type Markup } from '../pages/page-shell.ts';
import { usageCustomerPage } from './usage-customer-page.ts';
import { usageCustomersPage } from './usage-customers-page.ts';
import { usageEventTable } from './usage-event-table.ts';
import type { CustomerRow, UsageEventFilter } from './usage-events.ts';
import { usageExport } from './usage-export.ts';

const PER_PAGE = 100;
/** Customers that the side names; a page of their own names all. */
const MOST_CUSTOMERS = 12;
const LONGEST_NAME = 80;

export function usagePages(service: Service): Hono<SandboxEnv> {
  const routes = new Hono<SandboxEnv>();
  routes.get('/usage', usagePage(service));
  routes.get('/usage/customers', usageCustomersPage(service));
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
  const { usage, catalog } = service.store;
  return (c) => {
    const filter = usageFilter(service, c);
    const query = { customer: c.req.query('customer')?.trim() ?? '', event: filter.eventName ?? '' };
    const total = usage.count(filter);
    const pages = Math.max(1, Math.ceil(total / PER_PAGE));
    const page = Math.min(pageNumber(c.req.query('page')), pages);
    const events = usage.list({ filter, take: PER_PAGE, offset: (page - 1) * PER_PAGE });
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
${pager('/usage', query, page, pages)}`;
    return answerPage(c, {
      title: 'Usage events',
      section: 'usage',
      content,
      views: customerViews(customers, filter.customerId, query),
    });
  };
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
<code>helpdesk-import usage-events usage.csv --sandbox</code></p></div>`
    : html`<div class="empty card"><h2>No event matches</h2><p><a href="/usage">All usage events</a></p></div>`;
}
