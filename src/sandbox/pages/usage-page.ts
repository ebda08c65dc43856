/** Usage events: browsed by customer and event, and exported in the formats that `billing usage-events` reads. */
import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import { csvCell } from '../../domain/printable.ts';
import { usageEventView } from '../app-api/app-calls.ts';
import type { UsageEventFilter, UsageEventPlace, UsageEventRow } from '../app-api/usage-events.ts';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { count, hrefWith, pager, paging, type Query, time } from './page-parts.ts';
import { answerPage, icon, type Markup } from './page-shell.ts';

const PER_PAGE = 100;
const LONGEST = 60;

export function usagePage({ store: { usage } }: Service, c: Context<SandboxEnv>): Promise<Response> {
  const { query, filter } = asked(c);
  const total = usage.count(filter);
  const place = paging(c.req.query('page'), total, PER_PAGE);
  const rows = usage.list(filter, place);
  const customers = usage.customers();
  const content = html`<div class="head"><h1>Usage events</h1>${total === 0 ? '' : exports(query)}</div>
<form class="filters" action="/usage" aria-label="Filters">
<input name="customer" value="${query['customer']}" placeholder="Customer id" aria-label="Customer id" list="customers" autocomplete="off" spellcheck="false">
<datalist id="customers">${customers.map(({ id }) => html`<option value="${id}"></option>`)}</datalist>
<select name="event" aria-label="Event"><option value="">Any event</option>${usage
    .eventNames(filter.customerId)
    .map(
      (name) =>
        html`<option value="${name}"${name === filter.eventName ? raw(' selected') : ''}>${short(name)}</option>`,
    )}</select>
<button class="apply">Apply</button>
<span class="sum soft">${count(total, 'event', 'events')}</span>
</form>
${rows.length === 0 ? nothing() : table(rows)}
${pager('/usage', query, place)}`;
  return answerPage(c, { title: 'Usage events', section: 'usage', content });
}

function asked(c: Context<SandboxEnv>): { query: Query; filter: UsageEventFilter } {
  const [customer, event] = [c.req.query('customer')?.trim() ?? '', c.req.query('event') ?? ''];
  return {
    query: { customer, event },
    filter: { customerId: customer || undefined, eventName: event || undefined },
  };
}

function exports(query: Query): Markup {
  const file = (format: 'csv' | 'jsonl') =>
    html`<a class="button" href="${hrefWith(`/usage/events.${format}`, {}, query)}" download>${icon('download')}${format.toUpperCase()}</a>`;
  return html`${file('csv')}${file('jsonl')}`;
}

function nothing(): Markup {
  return html`<div class="empty card"><h2>No usage events</h2>
<p>They appear here as they are sent: <code>helpdesk-import billing usage-events usage.csv --sandbox</code></p></div>`;
}

function table(rows: readonly UsageEventRow[]): Markup {
  return html`<div class="card"><table class="people usage">
<thead><tr><th scope="col">Event</th><th scope="col">Customer</th><th scope="col" class="wide">Properties</th><th scope="col" class="wide">Event id</th><th scope="col">Time</th></tr></thead>
<tbody>${rows.map((row) => {
    const { eventName, customerId, eventId, timestamp, properties } = usageEventView(row);
    const shown = Object.keys(properties).length === 0 ? '' : JSON.stringify(properties);
    return html`<tr><td><bdi>${eventName}</bdi></td><td><a href="${hrefWith('/usage', {}, { customer: customerId })}"><bdi>${customerId}</bdi></a></td>
<td class="wide soft">${short(shown)}</td><td class="wide soft"><bdi>${eventId}</bdi></td><td>${time(timestamp)}</td></tr>`;
  })}</tbody></table></div>`;
}

function short(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text;
}

const ROWS_AT_A_TIME = 1_000;
const HEADER = 'eventId,eventName,customerId,timestamp,properties\r\n';

/** Newest first, streamed: a million events take no more memory than a page. */
export function usageExport({ store }: Service, c: Context<SandboxEnv>, format: 'csv' | 'jsonl'): Response {
  const { filter } = asked(c);
  let after: UsageEventPlace | undefined;
  let header = format === 'csv' ? HEADER : '';
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const rows = store.usage.list(filter, { take: ROWS_AT_A_TIME, after });
      const text = header + rows.map(format === 'csv' ? csvLine : jsonLine).join('');
      header = '';
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
  const { eventId, eventName, customerId, timestamp } = usageEventView(row);
  const cells = [eventId, eventName, customerId, timestamp, row.properties ?? ''];
  return `${cells.map((text) => csvCell(text)).join(',')}\r\n`;
}

function jsonLine(row: UsageEventRow): string {
  return `${JSON.stringify(usageEventView(row))}\n`;
}
