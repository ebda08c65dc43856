/** Team members: those the user names, and on wish any that is asked for (`inventAgents`). */
import { normalizeEmail } from '../../check/email.ts';
import type { SqliteDatabase, Statement } from './database.ts';
import { publicId } from './ids.ts';
import type { WriteGroup } from './write-group.ts';

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
