/** The list, the counts and the menus of the inbox, in SQL. */
import { type Sql, Table } from './database.ts';
import { allTags, bound, type Condition, searchConditions, type TextIndex, where } from './search.ts';
import { TICKET_ROWS, type TicketRow, type TicketView, ticketView } from './tickets.ts';

export interface InboxFilter {
  readonly search?: string;
  readonly status?: string;
  readonly tag?: string;
  /** Null: no assignee. */
  readonly assignee?: string | null;
  readonly contact?: number;
  /** Tickets found by number, besides those of the search. */
  readonly orSeqs?: readonly number[];
}

export interface Facet {
  readonly value: string;
  readonly tickets: number;
}

/** A ticket of a list, with the beginning of its thread. */
export type ListedTicket = TicketView & { readonly excerpt: string | null };

export interface Found {
  readonly total: number;
  /** Each under all other filters, most frequent first. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly tags: readonly Facet[];
  readonly assignees: readonly Facet[];
  readonly unassigned: number;
  rows(by: 'created' | 'active', order: 'newest' | 'oldest', take: number, offset: number): ListedTicket[];
}

/** Most entries of a menu. */
const MOST_OFFERED = 100;
/** In fewer tickets, a tag that all have is chance. */
const FEW = 10;

type Part = 'text' | 'status' | 'tag' | 'assignee';

/** The pages' view of all tickets. */
export class TicketSearch extends Table {
  readonly #texts: TextIndex;

  constructor(sql: Sql, texts: TextIndex) {
    super(sql);
    this.#texts = texts;
  }

  find(filter: InboxFilter): Found {
    const parts = this.#parts(filter);
    const without = (own?: Part) => [...parts].flatMap(([name, part]) => (name === own ? [] : [part]));
    const counted = (column: 'status' | 'assigned_to_id', own: Part) => {
      const conditions = without(own);
      return this.sql.all<{ value: string | null; tickets: number }>(
        `SELECT ${column} AS value, count(*) AS tickets FROM tickets ${where(conditions)}
         GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?`,
        ...bound(conditions),
        MOST_OFFERED + 1,
      );
    };
    const statuses = Object.fromEntries(
      counted('status', 'status').map(({ value, tickets }) => [value ?? '', tickets]),
    );
    const assignees = counted('assigned_to_id', 'assignee');
    const all = Object.values(statuses).reduce((sum, tickets) => sum + tickets, 0);
    return {
      total: filter.status === undefined ? all : (statuses[filter.status] ?? 0),
      statuses,
      tags: this.#tags(without('tag')),
      unassigned: assignees.find(({ value }) => value === null)?.tickets ?? 0,
      assignees: assignees.flatMap(({ value, tickets }) => (value === null ? [] : [{ value, tickets }])),
      rows: (by, order, take, offset) => {
        const conditions = without();
        const column = by === 'created' ? 'created_ms' : 'last_message_ms';
        const direction = order === 'newest' ? 'DESC' : 'ASC';
        return this.sql
          .all<TicketRow>(
            `${TICKET_ROWS} ${where(conditions)}
             ORDER BY tickets.${column} ${direction}, tickets.seq ${direction} LIMIT ? OFFSET ?`,
            ...bound(conditions),
            take,
            offset,
          )
          .map((row) => ({ ...ticketView(row), excerpt: row.excerpt }));
      },
    };
  }

  /** Tags that every ticket has do not help to filter. */
  everywhere(): ReadonlySet<string> {
    const all = this.sql.value<number>('SELECT count(*) FROM tickets') ?? 0;
    if (all <= FEW) return new Set();
    const ofFirst = this.sql.column<string>(
      'SELECT tag FROM ticket_tags WHERE offered = 1 AND ticket_seq = (SELECT min(seq) FROM tickets)',
    );
    const count = 'SELECT count(*) FROM ticket_tags WHERE tag = ?';
    return new Set(ofFirst.filter((tag) => this.sql.value<number>(count, tag) === all));
  }

  #tags(conditions: readonly Condition[]): Facet[] {
    const from = conditions.length === 0 ? '' : 'JOIN tickets ON tickets.seq = ticket_tags.ticket_seq';
    return this.sql.all(
      `SELECT tag AS value, count(*) AS tickets FROM ticket_tags ${from}
       ${where([{ sql: 'offered = 1', values: [] }, ...conditions])} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?`,
      ...bound(conditions),
      MOST_OFFERED,
    );
  }

  #parts({ search = '', status, tag, assignee, contact, orSeqs = [] }: InboxFilter): Map<Part, Condition> {
    const parts = new Map<Part, Condition>();
    if (search !== '') this.#texts.bringUpToDate();
    const texts = searchConditions(search, 'everywhere');
    if (contact !== undefined) texts.push({ sql: 'tickets.contact_seq = ?', values: [contact] });
    if (texts.length > 0) {
      // Once for all counts of the page.
      const found = this.sql.column<number>(`SELECT seq FROM tickets ${where(texts)}`, ...bound(texts));
      parts.set('text', {
        sql: 'tickets.seq IN (SELECT value FROM json_each(?))',
        values: [JSON.stringify([...found, ...orSeqs])],
      });
    }
    if (status !== undefined) parts.set('status', { sql: 'tickets.status = ?', values: [status] });
    if (tag !== undefined) parts.set('tag', allTags([tag]));
    if (assignee !== undefined)
      parts.set('assignee', { sql: 'tickets.assigned_to_id IS ?', values: [assignee] });
    return parts;
  }
}
