/**
 * Contacts (specification, 2.5): one per e-mail, trimmed and lowercased; found ones are updated, others created.
 *
 * `matchOrCreate` is atomic: it runs inside one write and the process has the database to itself. `find` and `create`
 * apart are what a racy service does, and what the fault `racy-contacts` plays.
 */
import { normalizeEmail } from '../../check/email.ts';
import type { SqliteDatabase, Statement } from './database.ts';
import { publicId } from './ids.ts';
import { searchExpressions } from './search-terms.ts';
import { searchableMarks, searchableWords } from './searchable.ts';

export interface ContactRow {
  seq: number;
  email: string;
  name: string | null;
  created_at: number;
  updated_at: number;
}

export interface ContactView {
  id: string;
  email: string;
  name: string | null;
  createdAt: string;
  updatedAt: string;
}

export const CONTACT_ORDERS = ['email', 'tickets'] as const;
export type ContactOrder = (typeof CONTACT_ORDERS)[number];

export interface CountedContact extends ContactRow {
  tickets: number;
  /** When its newest ticket was created, milliseconds since the epoch; null without one. */
  last_ms: number | null;
}

export function contactView(row: ContactRow): ContactView {
  return {
    id: publicId('contact', row.seq),
    email: row.email,
    name: row.name,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}

export class Contacts {
  readonly #database: SqliteDatabase;
  readonly #byEmail: Statement;
  readonly #bySeq: Statement;
  readonly #insert: Statement;
  readonly #rename: Statement;
  readonly #index: Statement;
  readonly #unindex: Statement;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#byEmail = database.prepare('SELECT * FROM contacts WHERE email = ? ORDER BY seq LIMIT 1');
    this.#bySeq = database.prepare('SELECT * FROM contacts WHERE seq = ?');
    this.#insert = database.prepare(
      'INSERT INTO contacts (email, name, created_at, updated_at) VALUES (?, ?, ?, ?)',
    );
    this.#rename = database.prepare('UPDATE contacts SET name = ?, updated_at = ? WHERE seq = ?');
    this.#index = database.prepare('INSERT INTO contacts_fts (rowid, words, marks) VALUES (?, ?, ?)');
    this.#unindex = database.prepare('DELETE FROM contacts_fts WHERE rowid = ?');
  }

  find(email: string): ContactRow | undefined {
    return this.#byEmail.get(normalizeEmail(email)) as ContactRow | undefined;
  }

  /** The oldest contact of a mail domain: what a service goes by that merges people. */
  firstOf(domain: string): ContactRow | undefined {
    const statement = this.#database.prepare(
      "SELECT * FROM contacts WHERE substr(email, instr(email, '@') + 1) = ? ORDER BY seq LIMIT 1",
    );
    return statement.get(domain) as ContactRow | undefined;
  }

  bySeq(seq: number): ContactRow | undefined {
    return this.#bySeq.get(seq) as ContactRow | undefined;
  }

  /** The contact with this e-mail, created or renamed as needed. To be called inside a write. */
  matchOrCreate(ref: { email: string; name?: string }, now: number): ContactRow {
    const found = this.find(ref.email);
    return found === undefined ? this.create(ref, now) : this.update(found, ref.name, now);
  }

  /** Creates without looking. To be called inside a write. */
  create(ref: { email: string; name?: string }, now: number): ContactRow {
    const email = normalizeEmail(ref.email);
    const name = meaningfulName(ref.name);
    const seq = Number(this.#insert.run(email, name, now, now).lastInsertRowid);
    this.#addToIndex(seq, `${name ?? ''} ${email}`);
    return { seq, email, name, created_at: now, updated_at: now };
  }

  /** Takes over a name that is not empty and differs. To be called inside a write. */
  update(row: ContactRow, newName: string | undefined, now: number): ContactRow {
    const name = meaningfulName(newName);
    if (name === null || name === row.name) return row;
    this.#rename.run(name, now, row.seq);
    this.#unindex.run(row.seq);
    this.#addToIndex(row.seq, `${name} ${row.email}`);
    return { ...row, name, updated_at: now };
  }

  #addToIndex(seq: number, text: string): void {
    this.#index.run(seq, searchableWords(text), searchableMarks(text));
  }

  /** A page of contacts, with their tickets counted. */
  list(query: { search?: string; order?: ContactOrder; offset: number; take: number }): {
    contacts: CountedContact[];
    total: number;
  } {
    const expressions = searchExpressions(query.search ?? '');
    const where =
      expressions === undefined
        ? ''
        : 'WHERE contacts.seq IN (SELECT rowid FROM contacts_fts WHERE contacts_fts MATCH ?)';
    const values = expressions === undefined ? [] : [expressions.join(' AND ')];
    const contacts = this.#database
      .prepare(LISTS[query.order ?? 'email'](where))
      .all(...values, query.take, query.offset) as CountedContact[];
    const total = this.#database
      .prepare(`SELECT count(*) FROM contacts ${where}`)
      .pluck()
      .get(...values);
    return { contacts, total: Number(total) };
  }
}

/** By e-mail, the page is found first and only its contacts are counted; by number of tickets, one walk counts all. */
const LISTS: Record<ContactOrder, (where: string) => string> = {
  email: (where) => `
    SELECT *, (SELECT count(*) FROM tickets WHERE contact_seq = contacts.seq) AS tickets,
      (SELECT max(created_ms) FROM tickets WHERE contact_seq = contacts.seq) AS last_ms
    FROM contacts ${where} ORDER BY email, seq LIMIT ? OFFSET ?`,
  tickets: (where) => `
    SELECT contacts.*, coalesce(counted.n, 0) AS tickets, counted.last_ms
    FROM contacts LEFT JOIN (
      SELECT contact_seq, count(*) AS n, max(created_ms) AS last_ms FROM tickets
      WHERE contact_seq IS NOT NULL GROUP BY contact_seq
    ) AS counted ON counted.contact_seq = contacts.seq
    ${where} ORDER BY tickets DESC, email, contacts.seq LIMIT ? OFFSET ?`,
};

function meaningfulName(name: string | undefined): string | null {
  const trimmed = name?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}
