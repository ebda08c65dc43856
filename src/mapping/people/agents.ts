/** Who is an agent in the target: source ids, addresses or names to agent ids, and the fallback for those who left. */
import { comparable } from '../compile/text-forms.ts';

export interface AgentSettings {
  /** Source ID, address or name → agent ID. */
  readonly agents: Readonly<Record<string, string>>;
  /** Agent id for messages and events of agents that have none. */
  readonly fallbackAgent: string | undefined;
}

/** What an agent may be known by. */
interface AgentNames {
  readonly id?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
}

export class AgentDirectory {
  readonly fallback: string | undefined;
  readonly #ids = new Map<string, string>();
  readonly #called = new Map<string, { readonly name: string; readonly who: string; isShared: boolean }>();

  constructor(settings: AgentSettings) {
    this.fallback = settings.fallbackAgent;
    for (const [source, id] of Object.entries(settings.agents)) this.add(source, id);
  }

  add(source: string, agentId: string): void {
    this.#ids.set(comparable(source), agentId);
  }

  /** By the id in the source first, then by address, then by name; without the fallback. Remembers what the export calls the agent. */
  find(person: AgentNames): string | undefined {
    const { id, email, name } = person;
    for (const key of [id, email, name]) {
      const found = key === undefined ? undefined : this.#ids.get(comparable(key));
      if (found === undefined) continue;
      this.noteName(found, person);
      return found;
    }
    return undefined;
  }

  /** The first name counts. An id for several people, as one may be for all who left, has no name. */
  noteName(agentId: string, { id, email, name }: AgentNames): void {
    if (name === undefined) return;
    const before = this.#called.get(agentId);
    const who = comparable(id ?? email ?? name);
    if (before === undefined) this.#called.set(agentId, { name, who, isShared: false });
    else if (before.name !== name) before.isShared ||= before.who !== who;
  }

  /** What agents are called in the export, by their id in the target: for eyes only, nothing of it is sent. */
  names(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#called].filter(([, { isShared }]) => !isShared).map(([agentId, { name }]) => [agentId, name]),
    );
  }
}
