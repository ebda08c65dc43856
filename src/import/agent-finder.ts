/** Looks up agents' IDs by address (`GET /agents`), if a layout needs them. */

import type { CheckedTicket } from '../domain/ticket.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import type { Mapper } from '../mapping/compile/mapper.ts';
import { addressOfStandIn, standIn } from '../mapping/people/actors.ts';
import type { CoreApi } from '../target/api.ts';
import type { ImportPorts } from './import-job.ts';
import type { Options } from './options.ts';
import type { TargetAddress } from './target.ts';
import { connect, stopOfCommand } from './target.ts';

export interface AgentFinder extends AsyncDisposable {
  find(email: string, signal: AbortSignal): Promise<string | undefined>;
  /** Stand-ins for agents who are looked up at import: nothing is sent with them. */
  readonly later: ReadonlySet<string>;
}

export type RecordedAgents = (email: string) => string | undefined;

/** A helpdesk that does not answer is asked once. The connection opens with the first question. */
export function agentFinder(
  { mode, pace }: Pick<Options, 'mode' | 'pace'>,
  target: TargetAddress | undefined,
  ports: ImportPorts,
  recorded?: RecordedAgents,
): AgentFinder {
  if (mode === 'dry-run' || target === undefined) return laterFinder(recorded);
  let api: CoreApi | undefined;
  let answers = true;
  return {
    later: new Set(),
    find: async (email, signal) => {
      if (!answers) return undefined;
      api ??= connect(target, pace, ports);
      try {
        return await api.findAgent(email, signal);
      } catch (error) {
        if (!(error instanceof ApiFailure)) throw error;
        if (error.code === 'refused') return undefined;
        if (error.code !== 'target-unreadable') throw stopOfCommand(error);
        answers = false;
        return undefined;
      }
    },
    [Symbol.asyncDispose]: async () => api?.close(),
  };
}

/** Without a helpdesk: takes what earlier runs found; others are looked up at import, and reject no ticket. */
export function laterFinder(recorded: RecordedAgents = () => undefined): AgentFinder {
  const later = new Set<string>();
  return {
    later,
    find: async (email) => {
      const known = recorded(email);
      if (known !== undefined) return known;
      later.add(standIn(email));
      return standIn(email);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

export function openAgents({ later }: Pick<AgentFinder, 'later'>): string[] {
  return [...later].map(addressOfStandIn);
}

/** The payload cannot be compared yet. */
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

/** For previews only. Call once all tickets have been mapped. */
export async function nameAgents(
  { sandbox }: TargetAddress,
  mapper: Pick<Mapper, 'agentNames'>,
): Promise<void> {
  if (sandbox === undefined) return;
  const names = mapper.agentNames();
  if (names.size > 0) await sandbox.call('keepNames', names);
}
