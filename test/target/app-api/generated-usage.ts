/** Usage events for tests, the same each time: many at the edges of windows, some twice, some without an id. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { seeded } from '../../support/seeded.ts';

export const NOW = Date.parse('2026-03-17T09:30:15.250Z');
const DAY = 86_400_000;
const EDGES = [1, 7, 30, 90, 365].map((days) => NOW - days * DAY).concat(Date.UTC(2026, 2, 1), NOW);
const NAMES = ['order_created', 'api_call', 'page_view', 'email "sent", ok'];

/**
 * Writes `count` distinct events as CSV, and as many rows more as are repeated; and the distinct ones into a database of
 * their own, table `events (customer, name, at, total)`: what is true, by other means than the program's.
 */
export async function generateUsage(
  path: string,
  count: number,
  truth: DatabaseSync,
): Promise<{ readonly rows: number; readonly customers: number }> {
  const { random, pick } = seeded(11);
  const customers = Math.max(3, Math.floor(count / 2_000));
  truth.exec('CREATE TABLE events (customer TEXT, name TEXT, at INTEGER, total INTEGER)');
  truth.exec('BEGIN');
  const insert = truth.prepare('INSERT INTO events VALUES (?, ?, ?, ?)');
  const out = createWriteStream(path);
  out.write('event_id,event_name,customer_id,timestamp,properties\n');
  let rows = 0;
  let text = '';
  for (let index = 0; index < count; index++) {
    // Few customers have most events, as in life.
    const customer = `shop-${Math.floor(customers * random() ** 3)}.example.com`;
    const name = pick(NAMES);
    const at =
      index % 50 === 0
        ? pick(EDGES) + Math.floor(random() * 3) - 1
        : NOW + DAY - Math.floor(random() ** 2 * 500 * DAY);
    const total = Math.floor(random() * 10_000);
    insert.run(customer, name, at, total);
    const time = index % 3 === 0 ? String(at) : new Date(at).toISOString();
    const id = index % 5 === 0 ? '' : `evt-${index}`;
    // What has no id is told apart by what is in it.
    const properties = `"{""total"":${total},""n"":${index}}"`;
    const row = `${id},"${name.replaceAll('"', '""')}",${customer},${time},${properties}\n`;
    text += row;
    rows++;
    if (index % 1000 === 7 && id !== '') {
      text += row;
      rows++;
    }
    if (text.length < 1 << 20) continue;
    if (!out.write(text)) await once(out, 'drain');
    text = '';
  }
  out.end(text);
  await once(out, 'finish');
  truth.exec('COMMIT');
  truth.exec('CREATE INDEX by_customer ON events (customer, name, at)');
  return { rows, customers };
}

/** First moment of each window that counts, by its name in an answer. */
export const WINDOW_BEGINS: Readonly<Record<string, number>> = {
  last24HoursValue: NOW - DAY + 1,
  last7DaysValue: NOW - 7 * DAY + 1,
  last30DaysValue: NOW - 30 * DAY + 1,
  last90DaysValue: NOW - 90 * DAY + 1,
  last365DaysValue: NOW - 365 * DAY + 1,
  monthToDateValue: Date.parse('2026-03-01T00:00:00.000Z'),
  allTimeValue: 0,
  currentValue: 0,
};
