/**
 * Finding tickets: the list of the Core API (paged by cursor) and the inbox (paged by number) ask here, and what tickets can
 * be narrowed by. Built for 100,000 tickets: every order is an index's order, and words are looked up in full-text indexes.
 */
import type { Sql } from './database.ts';
import { quoted, searchableWords, searchExpressions, searchTerms } from './search.ts';
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
  /** The search looks into messages, tags and agents too: that of the pages. */
  inThreads?: boolean;
  /** Tickets that are found by the search besides, by a number. */
  orSeqs?: readonly number[];
  /** Of each column any of these; none where it is empty. */
  any?: { readonly [C in Column]?: readonly (string | number)[] | undefined };
  /** All of these. */
  tags?: readonly string[] | undefined;
  /** In the contact's name or e-mail. */
  contactSearch?: string | undefined;
  /** Tickets that nobody is assigned to. */
  isUnassigned?: boolean;
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

  /** Tickets per status under the rest of the filter. */
  countsByStatus(filter: TicketFilter): Record<string, number> {
    const { status: _, ...any } = filter.any ?? {};
    const conditions = this.#conditions({ ...filter, any }, 'counting');
    const sql = `SELECT status, count(*) AS n FROM tickets ${where(conditions)} GROUP BY status`;
    const rows = this.#sql.all<{ status: string; n: number }>(sql, ...bound(conditions));
    return Object.fromEntries(rows.map((row) => [row.status, row.n]));
  }

  /**
   * None for an empty filter. Whoever counts sees all matches, and takes the tickets of a tag from its index; whoever walks in
   * order stops after a page, and asks about each ticket on the way.
   */
  #conditions(filter: TicketFilter, way: 'counting' | 'walking'): Condition[] {
    const conditions =
      filter.inThreads === true
        ? this.#searchAll(filter.search ?? '', filter.orSeqs ?? [])
        : this.#search(filter.search ?? '', filter.orSeqs ?? []);
    const people = searchExpressions(filter.contactSearch ?? '');
    if (people !== undefined)
      conditions.push({
        sql: 'tickets.contact_seq IN (SELECT rowid FROM contacts_fts WHERE contacts_fts MATCH ?)',
        values: [people.join(' AND ')],
      });
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
    if (filter.isUnassigned === true) conditions.push({ sql: 'tickets.assigned_to_id IS NULL', values: [] });
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
  #search(text: string, orSeqs: readonly number[]): Condition[] {
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
    return orNumbered(conditions, orSeqs);
  }

  /** The same with messages, tags and agents: each word in any of them. */
  #searchAll(text: string, orSeqs: readonly number[]): Condition[] {
    const conditions = (searchTerms(text) ?? []).map(({ term, expression, isWord }): Condition => {
      const ways: Condition[] = [
        { sql: 'SELECT rowid FROM tickets_fts WHERE tickets_fts MATCH ?', values: [expression] },
        {
          sql: 'SELECT seq FROM tickets WHERE contact_seq IN (SELECT rowid FROM contacts_fts WHERE contacts_fts MATCH ?)',
          values: [expression],
        },
      ];
      if (isWord) {
        const agents = this.#agentsLike(term);
        const spoke = agents.map((id) => `words : ${quoted(searchableWords(id))}`);
        ways.push(
          {
            sql: 'SELECT rowid FROM threads_fts WHERE threads_fts MATCH ?',
            values: [[expression, ...spoke].join(' OR ')],
          },
          {
            sql: 'SELECT ticket_seq FROM ticket_tags WHERE tag >= ? AND tag < ?',
            values: [term, `${term}\u{10ffff}`],
          },
        );
        if (agents.length > 0)
          ways.push({
            sql: `SELECT seq FROM tickets WHERE assigned_to_id IN (${agents.map(() => '?').join(', ')})`,
            values: agents,
          });
      }
      // The index that has the words of most searches is asked alone where the others have none of them.
      const leading = ways.filter(
        ({ sql, values }) => this.#sql.get(`${sql} LIMIT 1`, ...values) !== undefined,
      );
      if (leading.length === 0) return { sql: 'FALSE', values: [] };
      return {
        sql: `tickets.seq IN (${leading.map(({ sql }) => sql).join(' UNION ALL ')})`,
        values: bound(leading),
      };
    });
    return orNumbered(conditions, orSeqs);
  }

  /** Ids of agents by the beginning of an id, an e-mail or a part of a name. */
  #agentsLike(word: string): string[] {
    const like = `${word.slice(0, 100).replace(/[!%_]/g, '!$&')}%`;
    return this.#sql
      .all<{ id: string }>(
        `SELECT id FROM agents WHERE id LIKE @like ESCAPE '!' OR email LIKE @like ESCAPE '!'
           OR ' ' || name LIKE '% ' || @like ESCAPE '!'
         UNION SELECT id FROM agent_names WHERE id LIKE @like ESCAPE '!' OR ' ' || name LIKE '% ' || @like ESCAPE '!'
         LIMIT 20`,
        { like },
      )
      .map(({ id }) => id);
  }
}

/** What the words find, or one of these tickets. */
function orNumbered(conditions: Condition[], orSeqs: readonly number[]): Condition[] {
  if (conditions.length === 0 || orSeqs.length === 0) return conditions;
  const words = conditions.map(({ sql }) => sql).join(' AND ');
  const seqs = orSeqs.map(() => '?').join(', ');
  return [{ sql: `(${words} OR tickets.seq IN (${seqs}))`, values: [...bound(conditions), ...orSeqs] }];
}

/** The conditions as a WHERE clause, or nothing. */
function where(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.map((condition) => condition.sql).join(' AND ')}`;
}

/** What is bound to the clause, in its order. */
function bound(conditions: readonly Condition[]): (string | number)[] {
  return conditions.flatMap((condition) => condition.values);
}

/** What tickets can be narrowed by: the most frequent tags, assignees and contacts, with their numbers. */
export interface Facet {
  readonly value: string;
  readonly tickets: number;
}

export interface TicketFacets {
  readonly tags: readonly Facet[];
  readonly assignees: readonly Facet[];
  /** E-mail addresses. */
  readonly contacts: readonly Facet[];
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
  readonly #sql: Sql;
  #counted: { at: string; facets: TicketFacets } | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Most frequent first. What was counted stands until a ticket is new or changed. */
  all(): TicketFacets {
    const sql = this.#sql;
    const at = `${sql.value('SELECT max(seq) FROM tickets')} ${sql.value('SELECT max(updated_ms) FROM tickets')}`;
    if (this.#counted?.at === at) return this.#counted.facets;
    const tags = sql.all<Facet>(
      'SELECT tag AS value, count(*) AS tickets FROM ticket_tags GROUP BY tag ORDER BY tickets DESC, tag LIMIT ?',
      MOST,
    );
    const statuses = sql.all<Facet>(
      'SELECT status AS value, count(*) AS tickets FROM tickets GROUP BY status',
    );
    const total = statuses.reduce((sum, { tickets }) => sum + tickets, 0);
    const common = total > FEW ? tags.filter(({ tickets }) => tickets === total) : [];
    const facets = {
      tags,
      statuses: Object.fromEntries(statuses.map(({ value, tickets }) => [value, tickets])),
      everywhere: new Set(common.map(({ value }) => value)),
      assignees: sql.all<Facet>(
        `SELECT assigned_to_id AS value, count(*) AS tickets FROM tickets WHERE assigned_to_id IS NOT NULL
         GROUP BY assigned_to_id ORDER BY tickets DESC, value LIMIT ?`,
        MOST,
      ),
      contacts: sql.all<Facet>(
        `SELECT email AS value, n AS tickets FROM (
           SELECT contact_seq, count(*) AS n FROM tickets WHERE contact_seq IS NOT NULL
           GROUP BY contact_seq ORDER BY n DESC LIMIT ?
         ) JOIN contacts ON contacts.seq = contact_seq ORDER BY tickets DESC, email`,
        MOST,
      ),
    };
    this.#counted = { at, facets };
    return facets;
  }
}
