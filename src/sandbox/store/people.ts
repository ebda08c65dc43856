/** Contacts, one per e-mail (specification, 2.5), and team members. */
import { normalizeEmail } from '../../check/email.ts';
import type { Sql } from './database.ts';
import { publicId } from './kept-values.ts';
import { folded } from './search.ts';

export interface ContactRow {
  seq: number;
  email: string;
  name: string | null;
  created_at: number;
  updated_at: number;
}

export interface CountedContact extends ContactRow {
  tickets: number;
  /** When its newest ticket was created, milliseconds since the epoch; null without one. */
  last_ms: number | null;
}

export interface NamedEmail {
  email: string;
  name?: string | undefined;
}

/** One for each trimmed, lowercased address. Call changes inside a write. */
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

  bySeq(seq: number): ContactRow | undefined {
    return this.#sql.get('SELECT * FROM contacts WHERE seq = ?', seq);
  }

  /** The contact with this address, created or renamed as needed. */
  matchOrCreate(ref: NamedEmail, now: number): ContactRow {
    const found = this.find(ref.email);
    return found === undefined ? this.#create(ref, now) : this.update(found, ref.name, now);
  }

  #create(ref: NamedEmail, now: number): ContactRow {
    const [email, name] = [normalizeEmail(ref.email), meaningfulName(ref.name)];
    const seq = this.#sql.insert(
      'INSERT INTO contacts (email, name, search, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
      email,
      name,
      searchText(email, name),
      now,
      now,
    );
    return { seq, email, name, created_at: now, updated_at: now };
  }

  /** Takes over a different name that is not empty. */
  update(row: ContactRow, given: string | undefined, now: number): ContactRow {
    const name = meaningfulName(given) ?? row.name;
    if (name === row.name) return row;
    this.#sql.run(
      'UPDATE contacts SET name = ?, search = ?, updated_at = ? WHERE seq = ?',
      name,
      searchText(row.email, name),
      now,
      row.seq,
    );
    return { ...row, name, updated_at: now };
  }

  /** A page of contacts with their number of tickets. `emails`: exactly these. */
  list({
    search = '',
    emails,
    offset,
    take,
  }: {
    search?: string | undefined;
    emails?: readonly string[] | undefined;
    offset: number;
    take: number;
  }): { contacts: CountedContact[]; total: number } {
    const values = {
      words: JSON.stringify(folded(search).split(/\s+/u).filter(Boolean)),
      emails: emails === undefined ? null : JSON.stringify(emails.map(normalizeEmail)),
    };
    const where = `WHERE (@emails IS NULL OR email IN (SELECT value FROM json_each(@emails)))
      AND NOT EXISTS (SELECT 1 FROM json_each(@words) WHERE NOT instr(search, value))`;
    return {
      contacts: this.#sql.all(
        `SELECT *, (SELECT count(*) FROM tickets WHERE contact_seq = contacts.seq) AS tickets,
           (SELECT max(created_ms) FROM tickets WHERE contact_seq = contacts.seq) AS last_ms
         FROM contacts ${where} ORDER BY email, seq LIMIT @take OFFSET @offset`,
        { ...values, take, offset },
      ),
      total: this.#sql.value<number>(`SELECT count(*) FROM contacts ${where}`, values) ?? 0,
    };
  }
}

function meaningfulName(name: string | undefined): string | null {
  return name?.trim() || null;
}

function searchText(email: string, name: string | null): string {
  return folded(`${name ?? ''} ${email}`);
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

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  byEmail(email: string): Agent | undefined {
    return this.#sql.get('SELECT id, email, name FROM agents WHERE email = ?', normalizeEmail(email));
  }

  byId(id: string): Agent | undefined {
    return this.#sql.get('SELECT id, email, name FROM agents WHERE id = ?', id);
  }

  /** By e-mail. */
  all(): Agent[] {
    return this.#sql.all('SELECT id, email, name FROM agents ORDER BY email');
  }

  /** Keeps agents' names in the export, by ID, for the pages only. */
  keepNames(names: ReadonlyMap<string, string>): void {
    this.#sql.write(() => {
      for (const [id, name] of names)
        this.#sql.run('INSERT OR REPLACE INTO agent_names (id, name) VALUES (?, ?)', id, name);
    });
  }

  /** The name in the service, else the one in the export. */
  nameOf(id: string): string | undefined {
    return this.byId(id)?.name ?? this.#sql.value<string>('SELECT name FROM agent_names WHERE id = ?', id);
  }

  /** Adds an agent, or renames the one with this address. Its ID never changes. */
  add(agent: AgentToSeed): Agent {
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
  }
}
