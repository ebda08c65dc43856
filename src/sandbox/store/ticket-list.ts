/**
 * Finding tickets: the list of the Core API (paged by cursor) and the inbox (paged by number) ask here, and what tickets can
 * be narrowed by. Built for 100,000 tickets: every order is an index's order, and words are looked up in full-text indexes.
 */
import type { SqliteDatabase, Statement } from './database.ts';
import { searchExpressions } from './search.ts';
import { TICKET_ROWS, type TicketRow } from './tickets.ts';

/** A place in the order of creation: pages continue behind it. */
export interface ListPosition {
  createdMs: number;
  seq: number;
}

interface ListPage {
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

/** What a list of tickets is narrowed by, as conditions of SQL over `tickets`. Values are always bound. */
export interface TicketFilter {
  /** In the subject, the contact's name or e-mail. */
  search?: string;
  /** Any of these. */
  statuses?: readonly string[];
  /** All of these. */
  tags?: readonly string[];
  contactSeq?: number;
  /** In the contact's name or e-mail. */
  contactSearch?: string;
  /** null: tickets that nobody is assigned to. */
  assignedToId?: string | null;
  /** What a list that lags or hides does not show, as further conditions. */
  hidden?: readonly Condition[];
}

export interface Condition {
  sql: string;
  values: readonly (string | number)[];
}

class FilterConditions {
  readonly #anyContact: Statement;

  constructor(database: SqliteDatabase) {
    this.#anyContact = database
      .prepare('SELECT 1 FROM contacts_fts WHERE contacts_fts MATCH ? LIMIT 1')
      .pluck();
  }

  /**
   * All of them must hold; none for an empty filter. Whoever counts sees all matches, and takes the tickets of a tag
   * from its index; whoever walks in the order of creation stops after a page, and asks about each ticket on the way.
   */
  of(filter: TicketFilter, way: 'counting' | 'walking'): Condition[] {
    const conditions = this.#search(filter.search ?? '');
    const people = searchExpressions(filter.contactSearch ?? '');
    if (people !== undefined) {
      conditions.push({
        sql: 'tickets.contact_seq IN (SELECT rowid FROM contacts_fts WHERE contacts_fts MATCH ?)',
        values: [people.join(' AND ')],
      });
    }
    if (filter.statuses !== undefined && filter.statuses.length > 0) {
      const marks = filter.statuses.map(() => '?').join(', ');
      conditions.push({ sql: `tickets.status IN (${marks})`, values: filter.statuses });
    }
    conditions.push(...(filter.hidden ?? []));
    for (const tag of filter.tags ?? []) {
      conditions.push({
        sql:
          way === 'counting'
            ? 'tickets.seq IN (SELECT ticket_seq FROM ticket_tags WHERE tag = ?)'
            : 'EXISTS (SELECT 1 FROM ticket_tags WHERE tag = ? AND ticket_seq = tickets.seq)',
        values: [tag],
      });
    }
    if (filter.contactSeq !== undefined)
      conditions.push({ sql: 'tickets.contact_seq = ?', values: [filter.contactSeq] });
    if (filter.assignedToId === null) conditions.push({ sql: 'tickets.assigned_to_id IS NULL', values: [] });
    else if (filter.assignedToId !== undefined)
      conditions.push({ sql: 'tickets.assigned_to_id = ?', values: [filter.assignedToId] });
    return conditions;
  }

  /**
   * Each word must be in the subject or in the contact. Words that no contact has, which are most, must all be in the
   * subject: one look into its index instead of one for each.
   */
  #search(text: string): Condition[] {
    const expressions = searchExpressions(text);
    if (expressions === undefined) return [];
    const inSubject: string[] = [];
    const conditions: Condition[] = [];
    for (const expression of expressions) {
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
}

/** The conditions as a WHERE clause, or nothing. */
export function where(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.map((condition) => condition.sql).join(' AND ')}`;
}

/** What is bound to the clause, in its order. */
export function bound(conditions: readonly Condition[]): (string | number)[] {
  return conditions.flatMap((condition) => condition.values);
}

/**
 * What tickets can be narrowed by: the most frequent tags, assignees and contacts, with their numbers. Status, tags,
 * assignee and contact of a ticket never change once it is there, so what was counted stands until there is another.
 */
export interface Facet<Value> {
  readonly value: Value;
  readonly tickets: number;
}

export interface TicketFacets {
  readonly tags: readonly Facet<string>[];
  readonly assignees: readonly Facet<string>[];
  /** E-mail addresses. */
  readonly contacts: readonly Facet<string>[];
  /** Tickets by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Tags that every ticket has, as the one that an import gives: they tell no ticket from another. */
  readonly everywhere: ReadonlySet<string>;
}

/** Offered of each kind: what a menu can hold. */
const MOST = 100;
/** Of fewer tickets, what all have in common is chance. */
const FEW = 10;

export class Facets {
  readonly #newest: Statement;
  readonly #tags: Statement;
  readonly #statuses: Statement;
  readonly #assignees: Statement;
  readonly #contacts: Statement;
  #counted: { newest: number; facets: TicketFacets } | undefined;

  constructor(database: SqliteDatabase) {
    this.#newest = database.prepare('SELECT coalesce(max(seq), 0) FROM tickets').pluck();
    this.#tags = database.prepare(
      'SELECT tag AS value, count(*) AS tickets FROM ticket_tags GROUP BY tag ORDER BY tickets DESC, tag LIMIT ?',
    );
    this.#statuses = database.prepare(
      'SELECT status AS value, count(*) AS tickets FROM tickets GROUP BY status',
    );
    this.#assignees = database.prepare(
      `SELECT assigned_to_id AS value, count(*) AS tickets FROM tickets WHERE assigned_to_id IS NOT NULL
       GROUP BY assigned_to_id ORDER BY tickets DESC, value LIMIT ?`,
    );
    this.#contacts = database.prepare(
      `SELECT email AS value, n AS tickets FROM (
         SELECT contact_seq, count(*) AS n FROM tickets WHERE contact_seq IS NOT NULL
         GROUP BY contact_seq ORDER BY n DESC LIMIT ?
       ) JOIN contacts ON contacts.seq = contact_seq ORDER BY tickets DESC, email`,
    );
  }

  /** Most frequent first. */
  all(): TicketFacets {
    const newest = Number(this.#newest.get());
    if (this.#counted?.newest !== newest) {
      const tags = this.#tags.all(MOST) as Facet<string>[];
      const statuses = this.#statuses.all() as Facet<string>[];
      const total = statuses.reduce((sum, { tickets }) => sum + tickets, 0);
      const common = total > FEW ? tags.filter(({ tickets }) => tickets === total) : [];
      const facets = {
        tags,
        statuses: Object.fromEntries(statuses.map(({ value, tickets }) => [value, tickets])),
        everywhere: new Set(common.map(({ value }) => value)),
        assignees: this.#assignees.all(MOST) as Facet<string>[],
        contacts: this.#contacts.all(MOST) as Facet<string>[],
      };
      this.#counted = { newest, facets };
    }
    return this.#counted.facets;
  }
}
