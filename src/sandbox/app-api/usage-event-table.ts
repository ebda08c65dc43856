/** Usage events as rows: when, what, whose, and their properties one by one. On a phone each row becomes a small card. */
import { html } from 'hono/html';
import { hrefWith } from '../pages/page-parts.ts';
import type { Markup } from '../pages/page-shell.ts';
import { time } from '../pages/times.ts';
import type { UsageEventRow } from './usage-events.ts';

/** Properties that a row shows; the rest is counted, and stands in the files. */
const MOST_PROPERTIES = 4;
const LONGEST_VALUE = 60;

/** `nameOf`: what a customer is called. */
export function usageEventTable(events: readonly UsageEventRow[], nameOf: (id: string) => string): Markup {
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
