/** What an agent is called on the pages: the name the service knows, else the e-mail, else the id itself. */
import type { Agents } from '../store/agents.ts';

export type AgentName = (agentId: string | null) => string;

/** Looks each agent up once; for the time of one page. */
export function agentNames(agents: Agents): AgentName {
  const known = new Map<string, string>();
  return (agentId) => {
    if (agentId === null) return 'An agent';
    const before = known.get(agentId);
    if (before !== undefined) return before;
    const agent = agents.byId(agentId);
    const name = agent?.name ?? agent?.email ?? agentId;
    known.set(agentId, name);
    return name;
  };
}
