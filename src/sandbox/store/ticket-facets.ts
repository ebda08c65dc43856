/**
 * What tickets can be narrowed by: the most frequent tags, assignees and contacts, with their numbers. Status, tags,
 * assignee and contact of a ticket never change once it is there, so what was counted stands until there is another.
 */
import type { SqliteDatabase, Statement } from './database.ts';

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
