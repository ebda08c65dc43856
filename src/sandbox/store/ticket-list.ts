/**
 * Finding tickets: the list of the Core API (paged by cursor) and the inbox (paged by number) ask here.
 * Built for 100,000 tickets: every order is an index's order, and words are looked up in full-text indexes.
 */
import type { SqliteDatabase, Statement } from './database.ts';
import { searchPlan } from './search-terms.ts';
import { TICKET_ROWS, type TicketRow } from './tickets.ts';

export interface TicketFilter {
  /** In the subject, the contact's name or e-mail. */
  search?: string;
  /** Any of these. */
  statuses?: readonly string[];
  /** All of these. */
  tags?: readonly string[];
  contactSeq?: number;
  assignedToId?: string;
}

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

interface Condition {
  sql: string;
  values: readonly (string | number)[];
}

/** Statements differ by their filters; the few shapes in use stay prepared. */
const MOST_STATEMENTS = 100;

export class TicketList {
  readonly #database: SqliteDatabase;
  readonly #statements = new Map<string, Statement>();
  readonly #anyContact: Statement;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#anyContact = database
      .prepare('SELECT 1 FROM contacts_fts WHERE contacts_fts MATCH ? LIMIT 1')
      .pluck();
  }

  rows(filter: TicketFilter, page: ListPage): TicketRow[] {
    const direction = page.order === 'newest' ? 'DESC' : 'ASC';
    const conditions = this.#conditions(filter);
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
    const conditions = this.#conditions(filter);
    const sql = `SELECT count(*) AS n FROM tickets ${where(conditions)}`;
    return (this.#statement(sql).get(...bound(conditions)) as { n: number }).n;
  }

  /** Tickets per status under the rest of the filter. */
  countsByStatus(filter: TicketFilter): Record<string, number> {
    const { statuses: _, ...rest } = filter;
    const conditions = this.#conditions(rest);
    const sql = `SELECT status, count(*) AS n FROM tickets ${where(conditions)} GROUP BY status`;
    const rows = this.#statement(sql).all(...bound(conditions)) as { status: string; n: number }[];
    return Object.fromEntries(rows.map((row) => [row.status, row.n]));
  }

  #conditions(filter: TicketFilter): Condition[] {
    const conditions = this.#searchConditions(filter.search ?? '');
    if (filter.statuses !== undefined && filter.statuses.length > 0) {
      const marks = filter.statuses.map(() => '?').join(', ');
      conditions.push({ sql: `tickets.status IN (${marks})`, values: filter.statuses });
    }
    for (const tag of filter.tags ?? []) {
      conditions.push({
        sql: 'EXISTS (SELECT 1 FROM ticket_tags WHERE tag = ? AND ticket_seq = tickets.seq)',
        values: [tag],
      });
    }
    if (filter.contactSeq !== undefined) {
      conditions.push({ sql: 'tickets.contact_seq = ?', values: [filter.contactSeq] });
    }
    if (filter.assignedToId !== undefined) {
      conditions.push({ sql: 'tickets.assigned_to_id = ?', values: [filter.assignedToId] });
    }
    return conditions;
  }

  /**
   * Each word must be in the subject or in the contact. Words that no contact has, which are most, must all be in the
   * subject: one look into its index instead of one for each.
   */
  #searchConditions(text: string): Condition[] {
    const plan = searchPlan(text);
    if (plan.by === 'nothing') return [];
    if (plan.by === 'pattern') {
      return [
        {
          sql: `(tickets.subject LIKE ? ESCAPE '\\' OR tickets.contact_seq IN
            (SELECT seq FROM contacts WHERE name LIKE ? ESCAPE '\\' OR email LIKE ? ESCAPE '\\'))`,
          values: [plan.pattern, plan.pattern, plan.pattern],
        },
      ];
    }
    const inSubject: string[] = [];
    const conditions: Condition[] = [];
    for (const expression of plan.expressions) {
      if (this.#anyContact.get(expression) === undefined) {
        inSubject.push(expression);
        continue;
      }
      conditions.push({
        sql: `(tickets.seq IN (SELECT rowid FROM tickets_fts WHERE tickets_fts MATCH ?)
          OR tickets.contact_seq IN (SELECT rowid FROM contacts_fts WHERE contacts_fts MATCH ?))`,
        values: [expression, expression],
      });
    }
    if (inSubject.length === 0) return conditions;
    const sql = 'tickets.seq IN (SELECT rowid FROM tickets_fts WHERE tickets_fts MATCH ?)';
    return [{ sql, values: [inSubject.join(' AND ')] }, ...conditions];
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

function where(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.map((condition) => condition.sql).join(' AND ')}`;
}

function bound(conditions: readonly Condition[]): (string | number)[] {
  return conditions.flatMap((condition) => condition.values);
}
