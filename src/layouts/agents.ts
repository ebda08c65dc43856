/** Who is an agent in the target: source ids, addresses or names to agent ids, and the fallback for those who left. */
import { comparable } from './plain-value.ts';

export interface AgentSettings {
  /** Source id, e-mail address or, for exports that tell no more, name → agent id. */
  readonly agents: Readonly<Record<string, string>>;
  /** Agent id for messages and events of agents that have none. */
  readonly fallbackAgent: string | undefined;
}

/** What an agent may be known by. */
export interface AgentNames {
  readonly id: string | undefined;
  readonly email: string | undefined;
  readonly name: string | undefined;
}

export class AgentDirectory {
  readonly fallback: string | undefined;
  readonly #ids = new Map<string, string>();

  constructor(settings: AgentSettings) {
    this.fallback = settings.fallbackAgent;
    for (const [source, id] of Object.entries(settings.agents)) this.add(source, id);
  }

  add(source: string, agentId: string): void {
    this.#ids.set(comparable(source), agentId);
  }

  /** By the id in the source first, then by address, then by name; without the fallback. */
  find({ id, email, name }: AgentNames): string | undefined {
    for (const key of [id, email, name]) {
      const found = key === undefined ? undefined : this.#ids.get(comparable(key));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  knows(person: AgentNames): boolean {
    return this.find(person) !== undefined;
  }
}
