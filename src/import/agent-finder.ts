/** Looks up agents' IDs by e-mail address, if a layout needs them and the target answers (`GET /agents`). */

import type { CheckedTicket } from '../domain/ticket.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import type { Mapper } from '../mapping/compile/mapper.ts';
import type { Settings } from '../settings/settings.ts';
import type { CoreApi } from '../target/api.ts';
import type { ImportPorts } from './import-job.ts';
import type { TargetAddress } from './target.ts';
import { connect, stopOfCommand } from './target.ts';

export interface AgentFinder extends AsyncDisposable {
  find(email: string, signal: AbortSignal): Promise<string | undefined>;
  /** Stand-ins for the ids of agents who are looked up when the tickets are imported: nothing is sent with them. */
  readonly later: ReadonlySet<string>;
}

/**
 * If the target does not answer, it is asked only once: the agents that
 * the settings do not list are then without an id, and mapping says so. The connection is opened with the first question.
 */
export function agentFinder(
  settings: Settings,
  target: TargetAddress | undefined,
  ports: ImportPorts,
): AgentFinder {
  if (settings.mode === 'dry-run' || target === undefined) return laterFinder(settings);
  let api: CoreApi | undefined;
  let answers = true;
  return {
    later: new Set(),
    find: async (email, signal) => {
      if (!answers) return undefined;
      api ??= connect(target, settings, ports).api;
      try {
        return await api.findAgent(email, signal);
      } catch (error) {
        if (!(error instanceof ApiFailure)) throw error;
        // Of this one address alone.
        if (error.code === 'refused') return undefined;
        if (error.code !== 'target-unreadable') throw stopOfCommand(error);
        answers = false;
        return undefined;
      }
    },
    [Symbol.asyncDispose]: async () => api?.close(),
  };
}

/**
 * For a dry run that asks no target. Whom a run finds is not known, so no ticket is rejected for that; who has no id gets the fallback where
 * there is one. What the embedded service would answer is known all the same: it takes any agent.
 */
export function laterFinder({ sandbox, people, plan }: Settings): AgentFinder {
  const later = new Set<string>();
  return {
    later,
    find: async (email) => {
      // A plan leaves them open: its run looks them up.
      if (sandbox === undefined && people.fallbackAgent !== undefined && plan?.keep === undefined)
        return undefined;
      later.add(standIn(email));
      return standIn(email);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

const STAND_IN = 'agent:';

export function standIn(email: string): string {
  return `${STAND_IN}${email}`;
}

/** Their addresses. */
export function openAgents({ later }: Pick<AgentFinder, 'later'>): string[] {
  return [...later].map((id) => id.slice(STAND_IN.length));
}

/** Whether a ticket names an agent whose id is not known yet, so that what a run would send cannot be compared with what was sent. */
export function namesLater(
  { ticket, messages, events }: CheckedTicket,
  { later }: Pick<AgentFinder, 'later'>,
): boolean {
  if (later.size === 0) return false;
  const isLater = (id: string | undefined) => id !== undefined && later.has(id);
  return (
    isLater(ticket.assignedToId) ||
    messages.some(({ agentId }) => isLater(agentId)) ||
    events.some(({ agentId }) => isLater(agentId))
  );
}

/** Names of agents in the export, for previews only. Call once all tickets have been mapped. */
export function nameAgents({ sandbox }: TargetAddress, mapper: Pick<Mapper, 'agentNames'>): void {
  if (sandbox === undefined) return;
  const names = mapper.agentNames();
  if (names.size > 0) sandbox.store.agents.keepNames(names);
}
