/** The tickets behind the counts of checkpoints: failed or rejected and why, and in doubt. */
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import type { TicketRecord } from '../../domain/ledger.ts';
import type { DoubtfulTicket, FailedTicket as Refused } from '../../view/run-view.ts';

export interface FailedTicket extends Refused {
  readonly outcome: 'failed' | 'rejected';
}

/** One reason with the number of tickets that have it. */
export interface Reason extends Pick<FailedTicket, 'outcome' | 'code' | 'reason'> {
  readonly count: number;
  readonly example: string;
}

const STATES = ['failed', 'rejected'] as const;

/** A list without a limit. */
export const ALL_TICKETS = 2 ** 31 - 1;

/** At most `limit` tickets, by external id. */
export function listFailed(
  reader: Pick<CheckpointReader, 'page'>,
  limit: number,
  states: readonly ('failed' | 'rejected')[] = STATES,
): FailedTicket[] {
  return reader.page(states, limit).map(failedTicket);
}

/** Why tickets failed or were rejected, most frequent first. */
export function failureReasons(readers: readonly Pick<CheckpointReader, 'inStates'>[]): Reason[] {
  const reasons = new Map<string, { -readonly [K in keyof Reason]: Reason[K] }>();
  for (const reader of readers)
    for (const record of reader.inStates(STATES)) {
      const { outcome, code, reason, externalId } = failedTicket(record);
      const key = JSON.stringify([outcome, code, reason]);
      const known = reasons.get(key) ?? { outcome, code, reason, count: 0, example: externalId };
      known.count++;
      reasons.set(key, known);
    }
  return [...reasons.values()].sort((a, b) => b.count - a.count);
}

function failedTicket({ externalId, state, ticketId, problem }: TicketRecord): FailedTicket {
  return {
    externalId,
    outcome: state === 'rejected' ? 'rejected' : 'failed',
    ticketId,
    code: problem?.code ?? 'unknown',
    status: problem?.status,
    reason: problem?.message ?? 'The reason is not recorded.',
  };
}

/** A ticket in doubt: what to look for in the target, since when, and why its outcome is unknown. */
export interface Doubt extends DoubtfulTicket {
  readonly reason: string;
}

export const INTERRUPTED = 'An earlier run ended while this ticket was being created.';

/** At most `limit` tickets in doubt, by external id. */
export function listDoubts(reader: Pick<CheckpointReader, 'page' | 'writer'>, limit: number): Doubt[] {
  // A create that no process is carrying out was interrupted; while a process writes, it may just wait for its answer.
  const states = reader.writer() === undefined ? (['creating', 'inDoubt'] as const) : (['inDoubt'] as const);
  return reader.page(states, limit).map(({ externalId, sent, problem }) => ({
    externalId,
    tag: sent?.tag,
    sentAt: sent && new Date(sent.at).toISOString(),
    reason: problem?.message ?? INTERRUPTED,
  }));
}
