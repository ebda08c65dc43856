/** What an agent is called on the pages: by the service, else by the export, else by e-mail, else by the id itself. */
import type { Agents } from '../store/agents.ts';

export type AgentName = (agentId: string | null) => string;

/** Looks each agent up once; for the time of one page. */
export function agentNames(agents: Agents): AgentName {
  const known = new Map<string, string>();
  return (agentId) => {
    if (agentId === null) return 'An agent';
    const before = known.get(agentId);
    if (before !== undefined) return before;
    const name = agents.nameOf(agentId) ?? agents.byId(agentId)?.email ?? agentId;
    known.set(agentId, name);
    return name;
  };
}
