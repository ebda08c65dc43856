/** Contacts, one per e-mail (specification, 2.5), and team members: those the user names, and on wish any that is asked for. */
import { normalizeEmail } from '../../check/email.ts';
import type { SqliteDatabase, Statement, WriteGroup } from './database.ts';
import { publicId } from './kept-values.ts';
import { searchableMarks, searchableWords, searchExpressions } from './search.ts';

export interface ContactRow {
  seq: number;
  email: string;
  name: string | null;
  created_at: number;
  updated_at: number;
}

interface ContactView {
  id: string;
  email: string;
  name: string | null;
  createdAt: string;
  updatedAt: string;
}

const CONTACT_ORDERS = ['email', 'tickets'] as const;
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

/**
 * One per e-mail, trimmed and lowercased; found ones are updated, others created.
 *
 * `matchOrCreate` is atomic: it runs inside one write and the process has the database to itself. `find` and `create`
 * apart are what a racy service does, and what the fault `racy-contacts` plays.
 */
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

export interface Agent {
  id: string;
  email: string;
  name: string | null;
}

export interface AgentToSeed {
  id?: string;
  email: string;
  name?: string;
}

export class Agents {
  readonly #group: WriteGroup;
  readonly #byEmail: Statement;
  readonly #byId: Statement;
  readonly #all: Statement;
  readonly #insert: Statement;
  readonly #change: Statement;
  readonly #nextSeq: Statement;
  readonly #nameSeen: Statement;
  readonly #keepName: Statement;

  constructor(database: SqliteDatabase, group: WriteGroup) {
    this.#group = group;
    this.#byEmail = database.prepare('SELECT id, email, name FROM agents WHERE email = ?');
    this.#byId = database.prepare('SELECT id, email, name FROM agents WHERE id = ?');
    this.#all = database.prepare('SELECT id, email, name FROM agents ORDER BY email LIMIT 1000');
    this.#insert = database.prepare('INSERT INTO agents (id, email, name) VALUES (?, ?, ?)');
    this.#change = database.prepare('UPDATE agents SET name = coalesce(?, name) WHERE email = ?');
    this.#nameSeen = database.prepare('SELECT name FROM agent_names WHERE id = ?').pluck();
    this.#keepName = database.prepare(
      'INSERT INTO agent_names (id, name) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name',
    );
    this.#nextSeq = database.prepare('SELECT coalesce(max(seq), 0) + 1 FROM agents').pluck();
  }

  byEmail(email: string): Agent | undefined {
    return this.#byEmail.get(normalizeEmail(email)) as Agent | undefined;
  }

  byId(id: string): Agent | undefined {
    return this.#byId.get(id) as Agent | undefined;
  }

  /** By e-mail, at most 1,000. */
  all(): Agent[] {
    return this.#all.all() as Agent[];
  }

  /** Keeps what an export calls its agents, by id, for the pages. What the API answers stays as it is. */
  keepNames(names: ReadonlyMap<string, string>): void {
    this.#group.write(() => {
      for (const [id, name] of names) this.#keepName.run(id, name);
    });
  }

  /** What the agent is called: by the service itself, else by the export that was imported; undefined for no name. */
  nameOf(id: string): string | undefined {
    const name = this.byId(id)?.name ?? this.#nameSeen.get(id);
    return typeof name === 'string' ? name : undefined;
  }

  /** Adds an agent, or takes over the name of one that is known by this e-mail. Its id never changes. */
  add(agent: AgentToSeed): Agent {
    return this.#group.write(() => {
      const email = normalizeEmail(agent.email);
      const known = this.byEmail(email);
      if (known === undefined) {
        const id = agent.id ?? publicId('agent', Number(this.#nextSeq.get()));
        this.#insert.run(id, email, agent.name ?? null);
        return { id, email, name: agent.name ?? null };
      }
      this.#change.run(agent.name ?? null, email);
      return { ...known, name: agent.name ?? known.name };
    });
  }
}
