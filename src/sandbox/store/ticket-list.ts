/**
 * Finding tickets: the list of the Core API (paged by cursor) and the inbox (paged by number) ask here.
 * Built for 100,000 tickets: every order is an index's order, and words are looked up in full-text indexes.
 */
import type { SqliteDatabase, Statement } from './database.ts';
import { bound, FilterConditions, type TicketFilter, where } from './ticket-filter.ts';
import { TICKET_ROWS, type TicketRow } from './tickets.ts';

/** A place in the order of creation: pages continue behind it. */
export interface ListPosition {
  createdMs: number;
  seq: number;
}

export interface ListPage {
  order: 'newest' | 'oldest';
  take: number;
  after?: ListPosition;
  offset?: number;
}

/** Statements differ by their filters; the few shapes in use stay prepared. */
const MOST_STATEMENTS = 100;

export class TicketList {
  readonly #database: SqliteDatabase;
  readonly #statements = new Map<string, Statement>();
  readonly #filters: FilterConditions;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#filters = new FilterConditions(database);
  }

  rows(filter: TicketFilter, page: ListPage): TicketRow[] {
    const direction = page.order === 'newest' ? 'DESC' : 'ASC';
    const conditions = this.#filters.of(filter, 'walking');
    if (page.after !== undefined) {
      const beyond = page.order === 'newest' ? '<' : '>';
      conditions.push({
        sql: `(tickets.created_ms, tickets.seq) ${beyond} (?, ?)`,
        values: [page.after.createdMs, page.after.seq],
      });
    }
    const order = `ORDER BY tickets.created_ms ${direction}, tickets.seq ${direction}`;
    // The inner query walks an index alone, so skipping to a far page reads no tickets on the way.
    const sql = `${TICKET_ROWS} WHERE tickets.seq IN
      (SELECT tickets.seq FROM tickets ${where(conditions)} ${order} LIMIT ? OFFSET ?) ${order}`;
    return this.#statement(sql).all(...bound(conditions), page.take, page.offset ?? 0) as TicketRow[];
  }

  count(filter: TicketFilter): number {
    const conditions = this.#filters.of(filter, 'counting');
    const sql = `SELECT count(*) AS n FROM tickets ${where(conditions)}`;
    return (this.#statement(sql).get(...bound(conditions)) as { n: number }).n;
  }

  /** Tickets per status under the rest of the filter. */
  countsByStatus(filter: TicketFilter): Record<string, number> {
    const { statuses: _, ...rest } = filter;
    const conditions = this.#filters.of(rest, 'counting');
    const sql = `SELECT status, count(*) AS n FROM tickets ${where(conditions)} GROUP BY status`;
    const rows = this.#statement(sql).all(...bound(conditions)) as { status: string; n: number }[];
    return Object.fromEntries(rows.map((row) => [row.status, row.n]));
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear();
    const made = this.#database.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }
}
