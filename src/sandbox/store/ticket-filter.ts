/** What a list of tickets is narrowed by, as conditions of SQL over `tickets`. Values are always bound. */
import type { SqliteDatabase, Statement } from './database.ts';
import { searchExpressions } from './search-terms.ts';

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

export class FilterConditions {
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
