/** Usage events as a file, newest first, written as it is read: a million events take no more memory than a page of them. */
import type { Context } from 'hono';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import type { UsageEventPlace, UsageEventRow } from './usage-events.ts';
import { usageFilter } from './usage-pages.ts';

const ROWS_AT_A_TIME = 1_000;
const HEADER = 'eventId,eventName,customerId,timestamp,properties\r\n';

/** Both formats are those that `helpdesk-import usage-events` reads. */
export function usageExport(service: Service, format: 'csv' | 'jsonl'): (c: Context<SandboxEnv>) => Response {
  return (c) => {
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
  };
}

function csvLine(row: UsageEventRow): string {
  const cells = [row.event_id, row.event_name, row.customer_id, timeOf(row), row.properties ?? ''];
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
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
