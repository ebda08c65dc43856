/** Who is an agent in the target: source ids or e-mail addresses to agent ids, and the fallback for those who left. */
import { comparable } from './plain-value.ts';

export interface AgentSettings {
  /** Source id or e-mail address → agent id. */
  readonly agents: Readonly<Record<string, string>>;
  /** Agent id for messages and events of agents that have none. */
  readonly fallbackAgent: string | undefined;
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

  /** By the id in the source first, then by address; without the fallback. */
  find(id: string | undefined, email: string | undefined): string | undefined {
    return (id && this.#ids.get(comparable(id))) || (email && this.#ids.get(comparable(email))) || undefined;
  }

  knows(id: string | undefined, email: string | undefined): boolean {
    return this.find(id, email) !== undefined;
  }
}
