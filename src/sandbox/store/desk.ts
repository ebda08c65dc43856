/**
 * What the pages show of all tickets: which match a search and filters, how many there are of each status, tag and assignee under
 * the filters that are set, and in which order. One pass over a few fields of each ticket that are kept in memory answers all of
 * it at once; words are looked up in the full-text indexes, once each. Built for 100,000 tickets.
 */
import type { Sql } from './database.ts';
import { quoted, type SearchTerm, searchableWords, searchExpressions, searchTerms } from './search.ts';
import { parsedTags, TICKET_ROWS, type TicketRow } from './tickets.ts';

interface Entry {
  readonly seq: number;
  readonly status: string;
  readonly created: number;
  readonly active: number;
  readonly contact: number | null;
  readonly assignee: string | null;
  readonly tags: readonly number[];
}

export interface DeskFilter {
  readonly search?: string;
  readonly status?: string;
  readonly tag?: string;
  /** Null: nobody. */
  readonly assignee?: string | null;
  /** Numbers of contacts, or words of a name or e-mail. */
  readonly contact?: readonly number[] | string;
  /** Tickets that are found by the search besides, by a number. */
  readonly orSeqs?: readonly number[];
  /** No others than these. */
  readonly only?: ReadonlySet<number>;
}

export interface Facet {
  readonly value: string;
  readonly tickets: number;
}

export interface Found {
  readonly total: number;
  /** Under all filters but its own, the most frequent first. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly tags: readonly Facet[];
  readonly assignees: readonly Facet[];
  readonly unassigned: number;
  rows(by: 'created' | 'active', order: 'newest' | 'oldest', take: number, offset: number): TicketRow[];
}

/** Offered of each kind: what a menu can hold. */
const MOST = 100;
/** Of fewer tickets, what all have in common is chance. */
const FEW = 10;

export class Desk {
  readonly #sql: Sql;
  /** Tickets that are new or changed since they were read; undefined: all. */
  readonly #touched: { seqs: Set<number> | undefined };
  #entries: (Entry | undefined)[] = [];
  readonly #tags: string[] = [];
  readonly #lower: string[] = [];
  readonly #codes = new Map<string, number>();
  #sorted = new Map<'created' | 'active', readonly Entry[]>();
  #everywhere: ReadonlySet<string> = new Set();

  constructor(sql: Sql, touched: { seqs: Set<number> | undefined }) {
    this.#sql = sql;
    this.#touched = touched;
  }

  find(filter: DeskFilter): Found {
    this.#refresh();
    const within = this.#within(filter);
    const tag = filter.tag === undefined ? undefined : (this.#codes.get(filter.tag) ?? -1);
    const statuses: Record<string, number> = {};
    const assignees = new Map<string | null, number>();
    const tags = new Uint32Array(this.#tags.length);
    const matches = new Uint8Array(this.#entries.length);
    let total = 0;
    for (const entry of this.#entries) {
      if (entry === undefined || within?.[entry.seq] === 0) continue;
      const isStatus = filter.status === undefined || entry.status === filter.status;
      const isAssignee = filter.assignee === undefined || entry.assignee === filter.assignee;
      const isTag = tag === undefined || entry.tags.includes(tag);
      if (isTag && isAssignee) statuses[entry.status] = (statuses[entry.status] ?? 0) + 1;
      if (isTag && isStatus) assignees.set(entry.assignee, (assignees.get(entry.assignee) ?? 0) + 1);
      if (isAssignee && isStatus) for (const code of entry.tags) tags[code] = (tags[code] ?? 0) + 1;
      if (!isStatus || !isAssignee || !isTag) continue;
      matches[entry.seq] = 1;
      total++;
    }
    const unassigned = assignees.get(null) ?? 0;
    assignees.delete(null);
    return {
      total,
      statuses,
      unassigned,
      tags: mostFrequent(this.#counted(tags)),
      assignees: mostFrequent([...assignees].map(([value, tickets]) => ({ value: value ?? '', tickets }))),
      rows: (by, order, take, offset) => this.#rows(matches, this.#order(by), order, take, offset),
    };
  }

  /** A tag of one ticket alone, as its number where it came from, is told where there is room for it. */
  #counted(tags: Uint32Array): Facet[] {
    const counted: Facet[] = [];
    for (const least of [2, 1])
      for (let code = 0; code < tags.length && (least > 1 || counted.length < MOST); code++) {
        const tickets = tags[code] ?? 0;
        if (least > 1 ? tickets > 1 : tickets === 1) counted.push({ value: this.#tags[code] ?? '', tickets });
      }
    return counted;
  }

  /** Tags that every ticket has, as the one that an import gives: they tell no ticket from another. */
  everywhere(): ReadonlySet<string> {
    this.#refresh();
    return this.#everywhere;
  }

  #refresh(): void {
    const { seqs } = this.#touched;
    if (seqs?.size === 0) return;
    const fields = 'seq, status, created_ms, last_message_ms, contact_seq, assigned_to_id, tags FROM tickets';
    const rows =
      seqs === undefined
        ? this.#sql.all<TicketRow>(`SELECT ${fields}`)
        : this.#sql.all<TicketRow>(
            `SELECT ${fields} WHERE seq IN (SELECT value FROM json_each(?))`,
            JSON.stringify([...seqs]),
          );
    if (seqs === undefined) this.#entries = [];
    for (const row of rows)
      this.#entries[row.seq] = {
        seq: row.seq,
        status: row.status,
        created: row.created_ms,
        active: row.last_message_ms,
        contact: row.contact_seq,
        assignee: row.assigned_to_id,
        tags: parsedTags(row.tags).map((tag) => this.#code(tag)),
      };
    this.#touched.seqs = new Set();
    this.#sorted = new Map();
    const first = this.#entries.find((entry) => entry !== undefined);
    const common = first?.tags.filter((code) =>
      this.#entries.every((entry) => entry?.tags.includes(code) ?? true),
    );
    const isMany = this.#entries.length > FEW;
    this.#everywhere = new Set(isMany ? common?.map((code) => this.#tags[code] ?? '') : []);
  }

  #code(tag: string): number {
    const known = this.#codes.get(tag);
    if (known !== undefined) return known;
    this.#codes.set(tag, this.#tags.length);
    this.#lower.push(tag.toLowerCase());
    return this.#tags.push(tag) - 1;
  }

  #order(by: 'created' | 'active'): readonly Entry[] {
    const known = this.#sorted.get(by);
    if (known !== undefined) return known;
    const sorted = this.#entries
      .filter((entry) => entry !== undefined)
      .sort((one, other) => other[by] - one[by] || other.seq - one.seq);
    this.#sorted.set(by, sorted);
    return sorted;
  }

  #rows(
    matches: Uint8Array,
    newest: readonly Entry[],
    order: 'newest' | 'oldest',
    take: number,
    offset: number,
  ): TicketRow[] {
    const seqs: number[] = [];
    let passed = 0;
    for (let at = 0; at < newest.length && seqs.length < take; at++) {
      const { seq } = newest[order === 'newest' ? at : newest.length - 1 - at] as Entry;
      if (matches[seq] === 1 && ++passed > offset) seqs.push(seq);
    }
    const rows = this.#sql.all<TicketRow>(
      `${TICKET_ROWS} WHERE tickets.seq IN (SELECT value FROM json_each(?))`,
      JSON.stringify(seqs),
    );
    const place = new Map(seqs.map((seq, index) => [seq, index]));
    return rows.sort((one, other) => (place.get(one.seq) ?? 0) - (place.get(other.seq) ?? 0));
  }

  /** 1 for each ticket that the search, the contact and the choice leave; undefined: all. */
  #within({ search = '', contact, orSeqs = [], only }: DeskFilter): Uint8Array | undefined {
    const parts = (searchTerms(search) ?? []).map((term) => this.#tickets(term));
    if (parts.length > 0 && orSeqs.length > 0) {
      const found = parts.reduce(both);
      for (const seq of orSeqs) found[seq] = 1;
      parts.splice(0, parts.length, found);
    }
    if (contact !== undefined && contact !== '') {
      const people =
        typeof contact === 'string'
          ? this.#numbers(
              'SELECT rowid FROM contacts_fts WHERE contacts_fts MATCH ?',
              (searchExpressions(contact) ?? []).join(' AND '),
            )
          : contact;
      const ofPeople = new Uint8Array(this.#entries.length);
      this.#ofContacts(people, ofPeople);
      parts.push(ofPeople);
    }
    if (only !== undefined) {
      const chosen = new Uint8Array(this.#entries.length);
      for (const seq of only) chosen[seq] = 1;
      parts.push(chosen);
    }
    return parts.length === 0 ? undefined : parts.reduce(both);
  }

  /** Tickets that have a word anywhere: in the subject, the messages, the names of files, the contact, a tag, an agent. */
  #tickets({ term, expression, isWord }: SearchTerm): Uint8Array {
    const found = new Uint8Array(this.#entries.length);
    const mark = (seqs: readonly number[]) => {
      for (const seq of seqs) found[seq] = 1;
    };
    mark(this.#numbers('SELECT rowid FROM tickets_fts WHERE tickets_fts MATCH ?', expression));
    this.#ofContacts(
      this.#numbers('SELECT rowid FROM contacts_fts WHERE contacts_fts MATCH ?', expression),
      found,
    );
    if (!isWord) return found;
    const agents = this.#agentsLike(term);
    // One or two letters begin words of nearly every thread, and to gather all of these takes longest: there they are a word.
    const inThread = term.length < 3 ? expression.replace(/ \*$/, '') : expression;
    const spoke = agents.map((id) => `words : ${quoted(searchableWords(id))}`);
    mark(
      this.#numbers(
        'SELECT rowid FROM threads_fts WHERE threads_fts MATCH ?',
        [inThread, ...spoke].join(' OR '),
      ),
    );
    const beginning = term.toLowerCase();
    const tags = new Set<number>();
    for (let code = 0; code < this.#lower.length; code++)
      if (this.#lower[code]?.startsWith(beginning) === true) tags.add(code);
    const assignees = new Set<string | null>(agents);
    if (tags.size + assignees.size > 0)
      for (const entry of this.#entries)
        if (entry !== undefined && (assignees.has(entry.assignee) || entry.tags.some((tag) => tags.has(tag))))
          found[entry.seq] = 1;
    return found;
  }

  #ofContacts(contacts: readonly number[], found: Uint8Array): void {
    if (contacts.length === 0) return;
    const people = new Set<number | null>(contacts);
    for (const entry of this.#entries)
      if (entry !== undefined && people.has(entry.contact)) found[entry.seq] = 1;
  }

  #numbers(sql: string, expression: string): number[] {
    return expression === '' ? [] : this.#sql.column<number>(sql, expression);
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

function both(one: Uint8Array, other: Uint8Array): Uint8Array {
  return one.map((found, seq) => found & (other[seq] ?? 0));
}

function mostFrequent(facets: readonly Facet[]): Facet[] {
  return facets
    .toSorted((one, other) => other.tickets - one.tickets || (one.value < other.value ? -1 : 1))
    .slice(0, MOST);
}
