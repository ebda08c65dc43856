/** Who is an agent in the target: source ids, addresses or names to agent ids, and the fallback for those who left. */
import { comparable } from '../compile/text-forms.ts';

export interface AgentSettings {
  /** Source id, e-mail address or, for exports that tell no more, name → agent id. */
  readonly agents: Readonly<Record<string, string>>;
  /** Agent id for messages and events of agents that have none. */
  readonly fallbackAgent: string | undefined;
}

/** What an agent may be known by. */
export interface AgentNames {
  readonly id?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
}

/** More than any team has; what is beyond stays without a name. */
const MOST_NAMES = 20_000;

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

  /** By the id in the source first, then by address, then by name; without the fallback. */
  find({ id, email, name }: AgentNames): string | undefined {
    for (const key of [id, email, name]) {
      const found = key === undefined ? undefined : this.#ids.get(comparable(key));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * Remembers what the export calls the agent of this id: the first name stands. An id that stands for several people, as
   * one may for all who left, has no name.
   */
  noteName(agentId: string, { id, email, name }: AgentNames): void {
    if (name === undefined) return;
    const before = this.#called.get(agentId);
    if (before?.name === name || before?.isShared === true) return;
    const who = comparable(id ?? email ?? name);
    if (before !== undefined) before.isShared = before.who !== who;
    else if (this.#called.size < MOST_NAMES) this.#called.set(agentId, { name, who, isShared: false });
  }

  /** What agents are called in the export, by their id in the target: for eyes only, nothing of it is sent. */
  names(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#called].filter(([, { isShared }]) => !isShared).map(([agentId, { name }]) => [agentId, name]),
    );
  }

  knows(person: AgentNames): boolean {
    return this.find(person) !== undefined;
  }
}
