import { normalizeEmail } from '../../check/people.ts';
import { PARAMETER } from '../../domain/database.ts';
import { Table } from './database.ts';
import { rowNumber } from './kept-values.ts';

export interface Person {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
}
export type Contact = Person & { readonly email: string };

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

export interface NamedEmail {
  readonly email: string;
  readonly name?: string | undefined;
}

/** One for each trimmed, lowercased address (2.5). Call changes inside a write. */
export class Contacts extends Table {
  find(email: string): ContactRow | undefined {
    return this.sql.get(
      `SELECT * FROM contacts WHERE email = ${PARAMETER} ORDER BY seq LIMIT 1`,
      normalizeEmail(email),
    );
  }

  get(id: string): ContactRow | undefined {
    return this.sql.get('SELECT * FROM contacts WHERE seq = ?', rowNumber('contact', id) ?? -1);
  }

  /** Takes over a different name that is not empty. */
  matchOrCreate(ref: NamedEmail, now: number): ContactRow {
    const known = this.find(ref.email);
    const email = normalizeEmail(ref.email);
    const name = ref.name?.trim() || (known?.name ?? null);
    if (known !== undefined && name === known.name) return known;
    const row = { email, name, created_at: known?.created_at ?? now, updated_at: now };
    if (known === undefined) return { ...row, seq: this.sql.insert('contacts', row) };
    this.sql.run('UPDATE contacts SET name = ?, updated_at = ? WHERE seq = ?', name, now, known.seq);
    return { ...row, seq: known.seq };
  }

  list({ emails, offset, take }: { emails?: readonly string[] | undefined; offset: number; take: number }): {
    contacts: ContactRow[];
    total: number;
  } {
    const asked = emails && JSON.stringify(emails.map(normalizeEmail));
    const [where, ...values] =
      asked === undefined ? [''] : ['WHERE email IN (SELECT value FROM json_each(?))', asked];
    return {
      contacts: this.sql.all(
        `SELECT * FROM contacts ${where} ORDER BY email, seq LIMIT ? OFFSET ?`,
        ...values,
        take,
        offset,
      ),
      total: this.sql.value<number>(`SELECT count(*) FROM contacts ${where}`, ...values) ?? 0,
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

  all(): Agent[] {
    return this.sql.all('SELECT id, email, name FROM agents ORDER BY email');
  }

  keepNames(names: ReadonlyMap<string, string>): void {
    this.sql.write(() => {
      for (const [id, name] of names) this.sql.insert('agent_names', { id, name }, 'OR REPLACE');
    });
  }

  /** The service's name, else the export's, else the address or ID. */
  nameOf(id: string): string {
    const agent = this.byId(id);
    const named = () => this.sql.value<string>('SELECT name FROM agent_names WHERE id = ?', id);
    return agent?.name ?? named() ?? agent?.email ?? id;
  }

  /** An agent with this address is renamed. Its ID never changes. */
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
