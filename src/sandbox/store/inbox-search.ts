import { Table } from './database.ts';
import { allTags, bound, type Condition, searchConditions, where } from './search.ts';
import { TICKET_ROWS, type TicketRow, type TicketView, ticketView } from './tickets.ts';

export interface InboxFilter {
  readonly search?: string;
  readonly status?: string;
  readonly tag?: string;
  readonly assignee?: string | null;
  readonly contact?: number;
  readonly orSeqs?: readonly number[];
}

export interface Facet {
  readonly value: string;
  readonly tickets: number;
}

export type ListedTicket = TicketView & { readonly excerpt: string | null };

export interface Found {
  readonly total: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly tags: readonly Facet[];
  readonly assignees: readonly Facet[];
  readonly unassigned: number;
  rows(by: 'created' | 'active', order: 'newest' | 'oldest', take: number, offset: number): ListedTicket[];
}

const MOST_OFFERED = 100;
const FEW = 10;

export class TicketSearch extends Table {
  find({ search = '', status, tag, assignee, contact, orSeqs = [] }: InboxFilter): Found {
    const others = this.#found(search, contact, orSeqs);
    if (tag !== undefined) others.push(allTags([tag]));
    if (assignee !== undefined) others.push({ sql: 'tickets.assigned_to_id IS ?', values: [assignee] });
    const conditions =
      status === undefined ? others : [...others, { sql: 'tickets.status = ?', values: [status] }];
    const statuses = Object.fromEntries(
      this.sql
        .all<Facet>(
          `SELECT status AS value, count(*) AS tickets FROM tickets ${where(others)} GROUP BY 1`,
          ...bound(others),
        )
        .map(({ value, tickets }) => [value, tickets]),
    );
    const all = Object.values(statuses).reduce((sum, tickets) => sum + tickets, 0);
    const assignees = this.#menu('SELECT assigned_to_id AS value FROM tickets');
    return {
      total: status === undefined ? all : (statuses[status] ?? 0),
      statuses,
      tags: this.#menu('SELECT tag AS value FROM ticket_tags WHERE offered = 1'),
      unassigned: assignees.find(({ value }) => value === null)?.tickets ?? 0,
      assignees: assignees.filter(({ value }) => value !== null),
      rows: (by, order, take, offset) => {
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
    const offered = this.#menu('SELECT tag AS value FROM ticket_tags WHERE offered = 1');
    return new Set(offered.filter(({ tickets }) => tickets === all).map(({ value }) => value));
  }

  #menu(values: string): Facet[] {
    return this.sql.all(
      `SELECT value, count(*) AS tickets FROM (${values}) GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${MOST_OFFERED}`,
    );
  }

  /** Searched once, as it looks at every text. */
  #found(search: string, contact: number | undefined, orSeqs: readonly number[]): Condition[] {
    const texts = searchConditions(search, 'everywhere');
    if (contact !== undefined) texts.push({ sql: 'tickets.contact_seq = ?', values: [contact] });
    if (texts.length === 0) return [];
    const found = this.sql.column<number>(`SELECT seq FROM tickets ${where(texts)}`, ...bound(texts));
    const values = [JSON.stringify([...found, ...orSeqs])];
    return [{ sql: 'tickets.seq IN (SELECT value FROM json_each(?))', values }];
  }
}
