/** Asks the target for agents' ids by e-mail address, where a layout needs them and the target can tell (`GET /agents`). */

import type { Problem } from '../domain/problem.ts';
import type { LossReport } from '../domain/survey.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import type { Mapper } from '../mapping/compile/mapper.ts';
import { isAddress } from '../mapping/people/people.ts';
import type { Settings } from '../settings/settings.ts';
import type { CoreApi } from '../target/core-api/client.ts';
import type { ImportPorts } from './import-job.ts';
import type { TargetAddress } from './target.ts';

interface AgentFinder extends AsyncDisposable {
  find(email: string, signal: AbortSignal): Promise<string | undefined>;
}

/**
 * A dry run asks nobody. What the embedded service would answer is known all the same: it takes any agent. Where the target does not answer such questions, nobody is asked a second time: the agents that
 * the settings do not list are then without an id, and mapping says so. The connection is opened with the first question.
 */
export function agentFinder(
  settings: Settings,
  target: TargetAddress | undefined,
  ports: ImportPorts,
): AgentFinder | undefined {
  if (settings.mode === 'dry-run' && settings.sandbox !== undefined)
    return { find: standIn, [Symbol.asyncDispose]: async () => {} };
  if (settings.mode === 'dry-run' || target === undefined) return undefined;
  let connecting: Promise<CoreApi> | undefined;
  const open = async () => {
    const { connect } = await import('./target.ts');
    return connect(target, settings, ports, undefined).api;
  };
  let answers = true;
  return {
    find: async (email, signal) => {
      if (!answers) return undefined;
      connecting ??= open();
      try {
        const api = await connecting;
        return await api.findAgent(email, signal);
      } catch (error) {
        if (!(error instanceof ApiFailure) || error.code !== 'target-unreadable') throw error;
        answers = false;
        return undefined;
      }
    },
    [Symbol.asyncDispose]: async () => (await connecting)?.close(),
  };
}

/** An id that nothing is sent with. */
async function standIn(email: string): Promise<string> {
  return `agent:${email}`;
}

/** What a dry run says of agents whose ids it did not ask for: a run does, so its outcome may be better. */
export function agentsAsked({ agentsWithoutId }: LossReport): Problem | undefined {
  const asked = agentsWithoutId.filter(({ agent, fallback }) => fallback === undefined && isAddress(agent));
  const [first] = asked;
  if (first === undefined) return undefined;
  const { length } = asked;
  return {
    severity: 'warning',
    code: 'agents-asked',
    message: `${length === 1 ? `The agent ${first.agent} is` : `${length} agents, e.g. ${first.agent}, are`} not listed under agents: a run asks the target for ${length === 1 ? 'the id' : 'their ids'} first, and imports what is theirs where it knows them.`,
    count: 1,
  };
}

/** The names that an export has for agents, for whoever looks at the preview. A real service is told nothing of them. To be called when all tickets have been mapped once. */
export function nameAgents({ sandbox }: TargetAddress, mapper: Mapper): void {
  if (sandbox === undefined) return;
  const names = mapper.agentNames();
  if (names.size > 0) sandbox.store.agents.keepNames(names);
}
