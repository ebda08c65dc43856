/** Contacts, one per e-mail (specification, 2.5), and team members: those the user names, and on wish any that is asked for. */
import { normalizeEmail } from '../../check/email.ts';
import type { Sql, WriteGroup } from './database.ts';
import { publicId } from './kept-values.ts';
import { searchableMarks, searchableWords, searchExpressions } from './search.ts';

export interface ContactRow {
  seq: number;
  email: string;
  name: string | null;
  /** JSON array, or null for none. */
  tags: string | null;
  created_at: number;
  updated_at: number;
}

export type ContactOrder = 'email' | 'tickets';

export interface CountedContact extends ContactRow {
  tickets: number;
  /** When its newest ticket was created, milliseconds since the epoch; null without one. */
  last_ms: number | null;
}

export interface NamedEmail {
  email: string;
  name?: string | undefined;
}

/**
 * One per e-mail, trimmed and lowercased; found ones are updated, others created. What changes them is to be called inside a
 * write.
 *
 * `matchOrCreate` is atomic: it runs inside one write and the process has the database to itself. `find` and `create`
 * apart are what a racy service does, and what the fault `racy-contacts` plays.
 */
export class Contacts {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  find(email: string): ContactRow | undefined {
    return this.#sql.get(
      'SELECT * FROM contacts WHERE email = ? ORDER BY seq LIMIT 1',
      normalizeEmail(email),
    );
  }

  /** The oldest contact of a mail domain: what a service goes by that merges people. */
  firstOf(domain: string): ContactRow | undefined {
    return this.#sql.get(
      "SELECT * FROM contacts WHERE substr(email, instr(email, '@') + 1) = ? ORDER BY seq LIMIT 1",
      domain,
    );
  }

  bySeq(seq: number): ContactRow | undefined {
    return this.#sql.get('SELECT * FROM contacts WHERE seq = ?', seq);
  }

  /** The contact with this e-mail, created or renamed as needed. */
  matchOrCreate(ref: NamedEmail, now: number): ContactRow {
    const found = this.find(ref.email);
    return found === undefined ? this.create(ref, now) : this.update(found, { name: ref.name }, now);
  }

  /** Creates without looking. */
  create(ref: NamedEmail, now: number): ContactRow {
    const row = {
      email: normalizeEmail(ref.email),
      name: meaningfulName(ref.name),
      tags: null,
      created_at: now,
      updated_at: now,
    };
    const seq = this.#sql.insert(
      'INSERT INTO contacts (email, name, created_at, updated_at) VALUES (@email, @name, @created_at, @updated_at)',
      row,
    );
    return this.#indexed({ seq, ...row });
  }

  /** Takes over what is given and differs; a name that is empty is none. */
  update(
    row: ContactRow,
    given: { email?: string | undefined; name?: string | undefined; tags?: string | null },
    now: number,
  ): ContactRow {
    const changed = {
      ...row,
      email: given.email === undefined ? row.email : normalizeEmail(given.email),
      name: meaningfulName(given.name) ?? row.name,
      tags: given.tags === undefined ? row.tags : given.tags,
    };
    if (changed.email === row.email && changed.name === row.name && changed.tags === row.tags) return row;
    changed.updated_at = now;
    this.#sql.run(
      'UPDATE contacts SET email = @email, name = @name, tags = @tags, updated_at = @updated_at WHERE seq = @seq',
      changed,
    );
    this.#sql.run('DELETE FROM contacts_fts WHERE rowid = ?', row.seq);
    return this.#indexed(changed);
  }

  /** Its tickets and messages stay, without a contact. */
  delete(seq: number): void {
    for (const table of ['tickets', 'messages', 'events'])
      this.#sql.run(`UPDATE ${table} SET contact_seq = NULL WHERE contact_seq = ?`, seq);
    this.#sql.run('DELETE FROM contacts_fts WHERE rowid = ?', seq);
    this.#sql.run('DELETE FROM contacts WHERE seq = ?', seq);
  }

  #indexed(row: ContactRow): ContactRow {
    const text = `${row.name ?? ''} ${row.email}`;
    this.#sql.run(
      'INSERT INTO contacts_fts (rowid, words, marks) VALUES (?, ?, ?)',
      row.seq,
      searchableWords(text),
      searchableMarks(text),
    );
    return row;
  }

  /** A page of contacts, with their tickets counted. `emails`: any of these, to the letter. */
  list({
    search = '',
    emails,
    order = 'email',
    offset,
    take,
  }: {
    search?: string | undefined;
    emails?: readonly string[] | undefined;
    order?: ContactOrder;
    offset: number;
    take: number;
  }): { contacts: CountedContact[]; total: number } {
    const expressions = searchExpressions(search);
    const conditions: string[] = [];
    const values: string[] = [];
    if (expressions !== undefined) {
      conditions.push('contacts.seq IN (SELECT rowid FROM contacts_fts WHERE contacts_fts MATCH ?)');
      values.push(expressions.join(' AND '));
    }
    if (emails !== undefined) {
      conditions.push(`contacts.email IN (${emails.map(() => '?').join(', ')})`);
      values.push(...emails.map(normalizeEmail));
    }
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    return {
      contacts: this.#sql.all(LISTS[order](where), ...values, take, offset),
      total: this.#sql.value<number>(`SELECT count(*) FROM contacts ${where}`, ...values) ?? 0,
    };
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
  return name?.trim() || null;
}

export interface Agent {
  id: string;
  email: string;
  name: string | null;
}

export interface AgentToSeed extends NamedEmail {
  id?: string;
}

export class Agents {
  readonly #sql: Sql;
  readonly #group: WriteGroup;

  constructor(sql: Sql, group: WriteGroup) {
    this.#sql = sql;
    this.#group = group;
  }

  byEmail(email: string): Agent | undefined {
    return this.#sql.get('SELECT id, email, name FROM agents WHERE email = ?', normalizeEmail(email));
  }

  byId(id: string): Agent | undefined {
    return this.#sql.get('SELECT id, email, name FROM agents WHERE id = ?', id);
  }

  /** By e-mail. `search`: a part of the e-mail or the name. */
  all(search = ''): Agent[] {
    return this.#sql.all(
      `SELECT id, email, name FROM agents
       WHERE @search = '' OR instr(lower(email), lower(@search)) > 0 OR instr(lower(name), lower(@search)) > 0
       ORDER BY email`,
      { search: search.trim() },
    );
  }

  /** Keeps what an export calls its agents, by id, for the pages. What the API answers stays as it is. */
  keepNames(names: ReadonlyMap<string, string>): void {
    this.#group.write(() => {
      for (const [id, name] of names)
        this.#sql.run(
          'INSERT INTO agent_names (id, name) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name',
          id,
          name,
        );
    });
  }

  /** What the agent is called: by the service itself, else by the export that was imported; undefined for no name. */
  nameOf(id: string): string | undefined {
    return this.byId(id)?.name ?? this.#sql.value<string>('SELECT name FROM agent_names WHERE id = ?', id);
  }

  /** Adds an agent, or takes over the name of one that is known by this e-mail. Its id never changes. */
  add(agent: AgentToSeed): Agent {
    return this.#group.write(() => {
      const email = normalizeEmail(agent.email);
      const known = this.byEmail(email);
      const name = agent.name ?? known?.name ?? null;
      if (known !== undefined) {
        this.#sql.run('UPDATE agents SET name = ? WHERE email = ?', name, email);
        return { ...known, name };
      }
      const next = this.#sql.value<number>('SELECT coalesce(max(seq), 0) + 1 FROM agents') ?? 1;
      const id = agent.id ?? publicId('agent', next);
      this.#sql.run('INSERT INTO agents (id, email, name) VALUES (?, ?, ?)', id, email, name);
      return { id, email, name };
    });
  }
}
