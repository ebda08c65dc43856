import { hash } from 'node:crypto';
import type { EventBody, MessageBody } from '../core/bodies.ts';
import { openDatabase, Sql, Table } from './database.ts';
import { Agents, Contacts } from './people.ts';
import { Review } from './review.ts';
import { Entries, type EventView, type MessageView } from './thread.ts';
import { Tickets } from './tickets.ts';

export type SandboxStore = ReturnType<typeof openStore>;

/** In memory without `dir`. Throws AppError `usage`. */
export function openStore(dir: string | undefined) {
  const database = openDatabase(dir);
  const sql = new Sql(database);
  return {
    database: database as Sql['database'],
    sql,
    settings: new SandboxSettings(sql),
    contacts: new Contacts(sql),
    agents: new Agents(sql),
    tickets: new Tickets(sql),
    messages: new Entries<MessageView, MessageBody>(sql, 'messages'),
    events: new Entries<EventView, EventBody>(sql, 'events'),
    tokens: new Tokens(sql),
    usage: new UsageEvents(sql),
    review: new Review(sql),
    write: <T>(work: () => T): T => sql.write(work),
    committed: () => sql.committed(),
    // So that a folder at rest holds one file.
    close: () => sql.close(),
  };
}

export class SandboxSettings extends Table {
  get(name: string): string | undefined {
    return this.sql.value('SELECT value FROM settings WHERE name = ?', name);
  }

  set(name: string, value: string): void {
    this.sql.insert('settings', { name, value }, 'OR REPLACE');
  }

  getOrMake(name: string, make: () => string): string {
    const kept = this.get(name);
    if (kept !== undefined) return kept;
    const made = make();
    this.set(name, made);
    return made;
  }
}

// As digests, so that the file holds no usable token.

interface KeptToken {
  readonly kind: 'access' | 'refresh';
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly expiresMs?: number | undefined;
}

export class Tokens extends Table {
  find(token: string): KeptToken | undefined {
    const body = this.sql.value<string>('SELECT body FROM tokens WHERE digest = ?', digest(token));
    return body === undefined ? undefined : (JSON.parse(body) as KeptToken);
  }

  keep(token: string, kept: KeptToken): void {
    this.sql.insert('tokens', { digest: digest(token), body: JSON.stringify(kept) }, 'OR REPLACE');
  }

  expire(token: string, now: number): void {
    this.sql.run(
      "UPDATE tokens SET body = json_replace(body, '$.expiresMs', ?) WHERE digest = ?",
      now,
      digest(token),
    );
  }
}

function digest(token: string): string {
  return hash('sha256', token);
}

export interface UsageEvent {
  readonly event_id: string;
  readonly customer_id: string;
  readonly event_name: string;
  readonly at_ms: number;
  readonly properties: string;
}

const DAY_MS = 86_400_000;

/** Public facts. The month begins at midnight UTC; future events do not count. */
function windowsAt(now: number): Record<string, number> {
  const date = new Date(now);
  const lastDays = (days: number) => now - days * DAY_MS + 1;
  return {
    currentValue: Number.MIN_SAFE_INTEGER,
    monthToDateValue: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1),
    last24HoursValue: lastDays(1),
    last7DaysValue: lastDays(7),
    last30DaysValue: lastDays(30),
    last90DaysValue: lastDays(90),
    last365DaysValue: lastDays(365),
    allTimeValue: Number.MIN_SAFE_INTEGER,
  };
}

export class UsageEvents extends Table {
  /** The first event with an ID is kept. Call inside a write. */
  add(event: UsageEvent): void {
    this.sql.insert('usage_events', event, 'OR IGNORE');
  }

  metrics(customerId: string | undefined, now: number): Record<string, Record<string, unknown>> {
    const windows = windowsAt(now);
    const sums = Object.keys(windows).map(
      (field) => `count(*) FILTER (WHERE at_ms >= @${field}) AS ${field}`,
    );
    const rows = this.sql.all<{ eventName: string }>(
      `SELECT event_name AS eventName, ${sums.join(', ')} FROM usage_events
       WHERE (@id IS NULL OR customer_id = @id) AND at_ms <= @now GROUP BY 1 ORDER BY 1`,
      { ...windows, id: customerId ?? null, now },
    );
    return Object.fromEntries(
      rows.map((row) => [row.eventName, { id: `metric_${row.eventName}`, name: row.eventName, ...row }]),
    );
  }
}
