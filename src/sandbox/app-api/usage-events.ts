/** Usage events as they are kept: one per event id, whatever is sent how often, and added up over windows. */
import type { Sql } from '../store/database.ts';
import type { SeededMetric } from './catalog.ts';

export interface UsageEventToKeep {
  readonly eventId: string;
  readonly customerId: string;
  readonly eventName: string;
  readonly atMs: number;
  readonly properties: Readonly<Record<string, unknown>> | undefined;
}

export interface UsageEventRow {
  seq: number;
  event_id: string;
  customer_id: string;
  event_name: string;
  at_ms: number;
  properties: string | null;
  received_ms: number;
}

export interface UsageEventFilter {
  readonly customerId?: string | undefined;
  readonly eventName?: string | undefined;
  readonly eventId?: string | undefined;
}

/** Where a page ends: the next one begins behind it. */
export interface UsageEventPlace {
  readonly atMs: number;
  readonly seq: number;
}

interface ListedUsageEvents {
  readonly filter: UsageEventFilter;
  readonly take: number;
  readonly offset?: number;
  readonly after?: UsageEventPlace | undefined;
}

interface ListedCustomers {
  readonly search?: string;
  readonly take: number;
  readonly offset?: number;
}

export interface CustomerRow {
  customerId: string;
  name: string | null;
  events: number;
  /** Time of the newest event, milliseconds since the epoch. */
  last_ms: number | null;
}

const CUSTOMERS = `
  SELECT id AS customerId, max(name) AS name, sum(events) AS events, max(last_ms) AS last_ms FROM (
    SELECT customer_id AS id, NULL AS name, count(*) AS events, max(at_ms) AS last_ms FROM usage_events GROUP BY 1
    UNION ALL SELECT id, json_extract(body, '$.name'), 0, NULL FROM app_customers)
  GROUP BY id
  HAVING @search = '' OR instr(lower(id), lower(@search)) > 0 OR instr(lower(max(name)), lower(@search)) > 0`;

/** Jumps from name to name in the index instead of walking through all events. */
const NAMES_OF_CUSTOMER = `
  WITH RECURSIVE names (name) AS (
    SELECT min(event_name) FROM usage_events WHERE customer_id = @customer
    UNION ALL
    SELECT (SELECT min(event_name) FROM usage_events WHERE customer_id = @customer AND event_name > name)
    FROM names WHERE name IS NOT NULL)
  SELECT name FROM names WHERE name IS NOT NULL`;

export class UsageEvents {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** True where the event is new. To be called inside a write. */
  add(event: UsageEventToKeep, now: number): boolean {
    const { eventId, customerId, eventName, atMs, properties } = event;
    const text = properties === undefined ? null : JSON.stringify(properties);
    const { changes } = this.#sql.run(
      `INSERT INTO usage_events (event_id, customer_id, event_name, at_ms, properties, received_ms)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (event_id) DO NOTHING`,
      eventId,
      customerId,
      eventName,
      atMs,
      text,
      now,
    );
    return changes === 1;
  }

  knowsCustomer(customerId: string): boolean {
    return (
      this.#sql.get('SELECT 1 FROM usage_events WHERE customer_id = ? LIMIT 1', customerId) !== undefined
    );
  }

  /** Names of the events that a customer has, in order; of all customers without one. */
  eventNames(customerId?: string): string[] {
    const rows =
      customerId === undefined
        ? this.#sql.all<{ name: string }>('SELECT DISTINCT event_name AS name FROM usage_events ORDER BY 1')
        : this.#sql.all<{ name: string }>(NAMES_OF_CUSTOMER, { customer: customerId });
    return rows.map(({ name }) => name);
  }

  /**
   * The customers that have events or were seeded, the busiest first, then by id. `search`: a part of the id or the name,
   * capitals or not.
   */
  customers({ search = '', take, offset = 0 }: ListedCustomers): CustomerRow[] {
    return this.#sql.all(`${CUSTOMERS} ORDER BY events DESC, customerId LIMIT @take OFFSET @offset`, {
      search,
      take,
      offset,
    });
  }

  countCustomers(search = ''): number {
    return this.#sql.value(`SELECT count(*) FROM (${CUSTOMERS})`, { search }) ?? 0;
  }

  /** A metric of one customer (or of all) over each window, up to `now`. */
  aggregate(
    metric: Pick<SeededMetric, 'eventName' | 'aggregate' | 'property'>,
    customerId: string | undefined,
    windows: readonly UsageWindow[],
    now: number,
  ): Record<WindowField, number> {
    const { aggregate, property, eventName } = metric;
    const row = this.#sql.get<Record<WindowField, number>>(sums(aggregate, customerId !== undefined), {
      name: eventName,
      now,
      ...(customerId === undefined ? {} : { customer: customerId }),
      ...(property === undefined ? {} : { path: `$.${JSON.stringify(property)}` }),
      ...Object.fromEntries(windows.map(({ field, fromMs }) => [field, fromMs])),
    });
    return row as Record<WindowField, number>;
  }

  /** Newest first. */
  list({ filter, take, offset = 0, after }: ListedUsageEvents): UsageEventRow[] {
    const { where, values } = conditions(filter);
    const behind = after === undefined ? '' : `${where === '' ? 'WHERE' : 'AND'} (at_ms, seq) < (?, ?)`;
    return this.#sql.all(
      `SELECT * FROM usage_events ${where} ${behind} ORDER BY at_ms DESC, seq DESC LIMIT ? OFFSET ?`,
      ...values,
      ...(after === undefined ? [] : [after.atMs, after.seq]),
      take,
      offset,
    );
  }

  count(filter: UsageEventFilter = {}): number {
    const { where, values } = conditions(filter);
    return this.#sql.value(`SELECT count(*) FROM usage_events ${where}`, ...values) ?? 0;
  }
}

/** Values of a property that are no numbers count as 0 in sums; numbers written as text count as numbers. */
const EXPRESSIONS: Record<SeededMetric['aggregate'], (filter: string) => string> = {
  count: (filter) => `count(*) ${filter}`,
  sum: (filter) => `coalesce(sum(CAST(json_extract(properties, @path) AS NUMERIC)) ${filter}, 0)`,
  max: (filter) => `coalesce(max(CAST(json_extract(properties, @path) AS NUMERIC)) ${filter}, 0)`,
  unique: (filter) => `count(DISTINCT json_extract(properties, @path)) ${filter}`,
};

function sums(aggregate: SeededMetric['aggregate'], ofCustomer: boolean): string {
  const values = WINDOW_FIELDS.map(
    (field) => `${EXPRESSIONS[aggregate](`FILTER (WHERE at_ms >= @${field})`)} AS ${field}`,
  );
  const customer = ofCustomer ? 'customer_id = @customer AND' : '';
  return `SELECT ${values.join(', ')} FROM usage_events WHERE ${customer} event_name = @name AND at_ms <= @now`;
}

function conditions(filter: UsageEventFilter): { where: string; values: string[] } {
  const parts = [
    ['customer_id', filter.customerId],
    ['event_name', filter.eventName],
    ['event_id', filter.eventId],
  ] as const;
  const given = parts.flatMap(([column, value]) => (value === undefined ? [] : [[column, value] as const]));
  return {
    where: given.length === 0 ? '' : `WHERE ${given.map(([column]) => `${column} = ?`).join(' AND ')}`,
    values: given.map(([, value]) => value),
  };
}

// The windows over which usage is aggregated (public facts). Pure.
//
// A window of so many days reaches from exactly that long ago, not included, to now, included: an event is in it for
// exactly so long. The month begins at its first midnight, included, in UTC. What lies in the future counts nowhere yet.

export const DAY_MS = 86_400_000;

/** Each value of an answer with the first millisecond that counts. */
export interface UsageWindow {
  readonly field: WindowField;
  readonly fromMs: number;
}

export const WINDOW_FIELDS = [
  'currentValue',
  'monthToDateValue',
  'last24HoursValue',
  'last7DaysValue',
  'last30DaysValue',
  'last90DaysValue',
  'last365DaysValue',
  'allTimeValue',
] as const;
export type WindowField = (typeof WINDOW_FIELDS)[number];

/** @param periodStart where the billing period of the customer begins, included; without one all time is current */
export function usageWindows(now: number, periodStart: number | undefined): readonly UsageWindow[] {
  const date = new Date(now);
  const ago = (ms: number) => now - ms + 1;
  const from: Record<WindowField, number> = {
    currentValue: periodStart ?? Number.MIN_SAFE_INTEGER,
    monthToDateValue: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1),
    last24HoursValue: ago(DAY_MS),
    last7DaysValue: ago(7 * DAY_MS),
    last30DaysValue: ago(30 * DAY_MS),
    last90DaysValue: ago(90 * DAY_MS),
    last365DaysValue: ago(365 * DAY_MS),
    allTimeValue: Number.MIN_SAFE_INTEGER,
  };
  return WINDOW_FIELDS.map((field) => ({ field, fromMs: from[field] }));
}
