/** Usage events: one for each event ID, listed, and counted over windows. */
import { Table } from '../store/database.ts';

export interface UsageEventRow {
  seq: number;
  event_id: string;
  customer_id: string;
  event_name: string;
  at_ms: number;
  /** JSON, or null. */
  properties: string | null;
}

export type UsageEventToKeep = Omit<UsageEventRow, 'seq'>;

export interface UsageEventFilter {
  readonly customerId?: string | undefined;
  readonly eventName?: string | undefined;
  readonly eventId?: string | undefined;
}

/** The end of a page, where the next one begins. */
export interface UsageEventPlace {
  readonly atMs: number;
  readonly seq: number;
}

const FILTER = `(@customerId IS NULL OR customer_id = @customerId)
  AND (@eventName IS NULL OR event_name = @eventName) AND (@eventId IS NULL OR event_id = @eventId)`;

const valuesOf = ({ customerId, eventName, eventId }: UsageEventFilter) => ({
  customerId: customerId ?? null,
  eventName: eventName ?? null,
  eventId: eventId ?? null,
});

const DAY_MS = 86_400_000;

/**
 * First millisecond of each window of an answer (public facts). The month begins at its first midnight in UTC; future events do not count.
 */
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
  add(event: UsageEventToKeep): void {
    this.sql.insert('usage_events', event, 'OR IGNORE');
  }

  /** Newest first. */
  list(
    filter: UsageEventFilter,
    { take, after }: { take: number; after?: UsageEventPlace | undefined },
  ): UsageEventRow[] {
    return this.sql.all(
      `SELECT * FROM usage_events WHERE ${FILTER} AND (@seq IS NULL OR (at_ms, seq) < (@atMs, @seq))
       ORDER BY at_ms DESC, seq DESC LIMIT @take`,
      { ...valuesOf(filter), atMs: after?.atMs ?? null, seq: after?.seq ?? null, take },
    );
  }

  count(filter: UsageEventFilter = {}): number {
    return this.sql.value(`SELECT count(*) FROM usage_events WHERE ${FILTER}`, valuesOf(filter)) ?? 0;
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
