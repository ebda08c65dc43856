/**
 * Finding tickets for the Core API, whose list is paged by a cursor; the pages ask desk.ts. Built for 100,000 tickets: every order is an index's order, and words are looked up in full-text indexes.
 */
import type { Sql } from './database.ts';
import { searchExpressions } from './search.ts';
import { TICKET_ROWS, type TicketRow } from './tickets.ts';

/** The orders of a list, and the column that each goes by. */
export const TICKET_ORDERS = {
  createdAt: 'created_ms',
  updatedAt: 'updated_ms',
  lastMessageAt: 'last_message_ms',
} as const;
export type TicketOrder = keyof typeof TICKET_ORDERS;

interface ListPage {
  /** By creation where not given. */
  readonly by?: TicketOrder;
  readonly order: 'newest' | 'oldest';
  readonly take: number;
  /** A place in the order: the page begins behind it. */
  readonly after?: { readonly ms: number; readonly seq: number } | undefined;
  readonly offset?: number;
}

/** Columns of which any of several values may be asked for. */
type Column =
  | 'status'
  | 'priority'
  | 'assigned_to_id'
  | 'channel_id'
  | 'contact_seq'
  | 'customer_id'
  | 'app_id';

/** What a list of tickets is narrowed by; all of it must hold. */
export interface TicketFilter {
  /** In the subject, the contact's name or e-mail. */
  search?: string | undefined;
  /** Of each column any of these; none where it is empty. */
  any?: { readonly [C in Column]?: readonly (string | number)[] | undefined };
  /** All of these. */
  tags?: readonly string[] | undefined;
  /** When they were changed last, both included, milliseconds since the epoch. */
  updatedFrom?: number | undefined;
  updatedTo?: number | undefined;
  /** What a list that lags or hides does not show, as further conditions. */
  hidden?: readonly Condition[];
}

export interface Condition {
  sql: string;
  values: readonly (string | number)[];
}

export class TicketList {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  rows(filter: TicketFilter, { by = 'createdAt', order, take, after, offset = 0 }: ListPage): TicketRow[] {
    const [direction, beyond] = order === 'newest' ? ['DESC', '<'] : ['ASC', '>'];
    const column = `tickets.${TICKET_ORDERS[by]}`;
    const conditions = this.#conditions(filter, 'walking');
    if (after !== undefined)
      conditions.push({ sql: `(${column}, tickets.seq) ${beyond} (?, ?)`, values: [after.ms, after.seq] });
    const sorted = `ORDER BY ${column} ${direction}, tickets.seq ${direction}`;
    // The inner query walks an index alone, so skipping to a far page reads no tickets on the way.
    return this.#sql.all(
      `${TICKET_ROWS} WHERE tickets.seq IN
      (SELECT tickets.seq FROM tickets ${where(conditions)} ${sorted} LIMIT ? OFFSET ?) ${sorted}`,
      ...bound(conditions),
      take,
      offset,
    );
  }

  count(filter: TicketFilter): number {
    const conditions = this.#conditions(filter, 'counting');
    const sql = `SELECT count(*) FROM tickets ${where(conditions)}`;
    return this.#sql.value<number>(sql, ...bound(conditions)) ?? 0;
  }

  /**
   * None for an empty filter. Whoever counts sees all matches, and takes the tickets of a tag from its index; whoever walks in
   * order stops after a page, and asks about each ticket on the way.
   */
  #conditions(filter: TicketFilter, way: 'counting' | 'walking'): Condition[] {
    const conditions = this.#search(filter.search ?? '');
    for (const [column, values] of Object.entries(filter.any ?? {}))
      if (values !== undefined)
        conditions.push({ sql: `tickets.${column} IN (${values.map(() => '?').join(', ')})`, values });
    conditions.push(...(filter.hidden ?? []));
    for (const tag of filter.tags ?? [])
      conditions.push({
        sql:
          way === 'counting'
            ? 'tickets.seq IN (SELECT ticket_seq FROM ticket_tags WHERE tag = ?)'
            : 'EXISTS (SELECT 1 FROM ticket_tags WHERE tag = ? AND ticket_seq = tickets.seq)',
        values: [tag],
      });
    if (filter.updatedFrom !== undefined)
      conditions.push({ sql: 'tickets.updated_ms >= ?', values: [filter.updatedFrom] });
    if (filter.updatedTo !== undefined)
      conditions.push({ sql: 'tickets.updated_ms <= ?', values: [filter.updatedTo] });
    return conditions;
  }

  /**
   * Each word must be in the subject or in the contact. Words that no contact has, which are most, must all be in the
   * subject: one look into its index instead of one for each.
   */
  #search(text: string): Condition[] {
    const inSubject: string[] = [];
    const conditions: Condition[] = [];
    for (const expression of searchExpressions(text) ?? []) {
      if (
        this.#sql.get('SELECT 1 FROM contacts_fts WHERE contacts_fts MATCH ? LIMIT 1', expression) ===
        undefined
      )
        inSubject.push(expression);
      else
        conditions.push({
          sql: `(tickets.seq IN (SELECT rowid FROM tickets_fts WHERE tickets_fts MATCH ?)
          OR tickets.contact_seq IN (SELECT rowid FROM contacts_fts WHERE contacts_fts MATCH ?))`,
          values: [expression, expression],
        });
    }
    if (inSubject.length > 0)
      conditions.unshift({
        sql: 'tickets.seq IN (SELECT rowid FROM tickets_fts WHERE tickets_fts MATCH ?)',
        values: [inSubject.join(' AND ')],
      });
    return conditions;
  }
}

/** The conditions as a WHERE clause, or nothing. */
function where(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : `WHERE ${allOf(conditions.map(({ sql }) => sql))}`;
}

/** By halves: SQLite takes an expression of no more than 1,000 levels, and a query string may name more tags. */
function allOf(conditions: readonly string[]): string {
  if (conditions.length <= 2) return conditions.join(' AND ');
  const half = conditions.length >> 1;
  return `(${allOf(conditions.slice(0, half))}) AND (${allOf(conditions.slice(half))})`;
}

/** What is bound to the clause, in its order. */
function bound(conditions: readonly Condition[]): (string | number)[] {
  return conditions.flatMap((condition) => condition.values);
}
