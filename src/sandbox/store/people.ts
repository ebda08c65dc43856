/** Contacts, one per e-mail (specification, 2.5), and team members. */
import { normalizeEmail } from '../../check/email.ts';
import { Table } from './database.ts';
import { rowNumber } from './kept-values.ts';
import { folded } from './search.ts';

export interface Person {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
}
export type Contact = Person & { readonly email: string };

/** The columns `contact` and `agent` as JSON, where contacts and agents are joined. */
export const PEOPLE = `
  iif(contacts.seq IS NULL, NULL, json_object(
    'id', format('con_%012d', contacts.seq), 'email', contacts.email, 'name', contacts.name)) AS contact,
  iif(agents.id IS NULL, NULL, json_object('id', agents.id, 'email', agents.email, 'name', agents.name)) AS agent`;

export interface ContactRow {
  readonly seq: number;
  readonly email: string;
  readonly name: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface CountedContact extends ContactRow {
  readonly tickets: number;
  /** When its newest ticket was created, milliseconds since the epoch; null without one. */
  readonly last_ms: number | null;
}

export interface NamedEmail {
  readonly email: string;
  readonly name?: string | undefined;
}

/** One for each trimmed, lowercased address. Call changes inside a write. */
export class Contacts extends Table {
  find(email: string): ContactRow | undefined {
    return this.sql.get('SELECT * FROM contacts WHERE email = ? ORDER BY seq LIMIT 1', normalizeEmail(email));
  }

  /** By its ID. */
  get(id: string): ContactRow | undefined {
    return this.sql.get('SELECT * FROM contacts WHERE seq = ?', rowNumber('contact', id) ?? -1);
  }

  /** The contact with this address, created as needed. It takes over a different name that is not empty. */
  matchOrCreate(ref: NamedEmail, now: number): ContactRow {
    const known = this.find(ref.email);
    const email = normalizeEmail(ref.email);
    const name = ref.name?.trim() || (known?.name ?? null);
    if (known !== undefined && name === known.name) return known;
    const search = folded(`${name ?? ''} ${email}`);
    const row = { email, name, created_at: known?.created_at ?? now, updated_at: now };
    if (known === undefined) return { ...row, seq: this.sql.insert('contacts', { ...row, search }) };
    this.sql.run('UPDATE contacts SET name = @name, search = @search, updated_at = @now WHERE seq = @seq', {
      name,
      search,
      now,
      seq: known.seq,
    });
    return { ...row, seq: known.seq };
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
      contacts: this.sql.all(
        `SELECT *, (SELECT count(*) FROM tickets WHERE contact_seq = contacts.seq) AS tickets,
           (SELECT max(created_ms) FROM tickets WHERE contact_seq = contacts.seq) AS last_ms
         FROM contacts ${where} ORDER BY email, seq LIMIT @take OFFSET @offset`,
        { ...values, take, offset },
      ),
      total: this.sql.value<number>(`SELECT count(*) FROM contacts ${where}`, values) ?? 0,
    };
  }
}

export type Agent = Person & { readonly email: string };
export type AgentToSeed = NamedEmail & { readonly id?: string };

export class Agents extends Table {
  byEmail(email: string): Agent | undefined {
    return this.sql.get('SELECT id, email, name FROM agents WHERE email = ?', normalizeEmail(email));
  }

  byId(id: string): Agent | undefined {
    return this.sql.get('SELECT id, email, name FROM agents WHERE id = ?', id);
  }

  /** By e-mail. */
  all(): Agent[] {
    return this.sql.all('SELECT id, email, name FROM agents ORDER BY email');
  }

  /** Keeps agents' names in the export, by ID, for the pages only. */
  keepNames(names: ReadonlyMap<string, string>): void {
    this.sql.write(() => {
      for (const [id, name] of names) this.sql.insert('agent_names', { id, name }, 'OR REPLACE');
    });
  }

  /** The name in the service, else the one in the export, else the address or the ID. */
  nameOf(id: string): string {
    const agent = this.byId(id);
    const named = () => this.sql.value<string>('SELECT name FROM agent_names WHERE id = ?', id);
    return agent?.name ?? named() ?? agent?.email ?? id;
  }

  /** Adds an agent, or renames the one with this address. Its ID never changes. */
  add({ id, email, name }: AgentToSeed): Agent {
    return this.sql.get<Agent>(
      `INSERT INTO agents (id, email, name)
       VALUES (coalesce(?, (SELECT format('agt_%012d', coalesce(max(seq), 0) + 1) FROM agents)), ?, ?)
       ON CONFLICT (email) DO UPDATE SET name = coalesce(excluded.name, name) RETURNING id, email, name`,
      id ?? null,
      normalizeEmail(email),
      name ?? null,
    ) as Agent;
  }
}
