/** The tickets behind the counts of a checkpoint: which failed or were rejected, and why. */
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import type { TicketRecord } from '../../domain/ledger.ts';

export interface FailedTicket {
  readonly externalId: string;
  readonly outcome: 'failed' | 'rejected';
  /** There where the target has the ticket, and only its messages or events are missing. */
  readonly ticketId?: string;
  readonly code: string;
  /** HTTP status, where the target refused it. */
  readonly status?: number;
  readonly reason: string;
}

/** One reason with the number of tickets that have it. */
export interface Reason {
  readonly outcome: 'failed' | 'rejected';
  readonly code: string;
  readonly reason: string;
  readonly count: number;
  readonly example: string;
}

const STATES = ['failed', 'rejected'] as const;
/** Different reasons that are told apart; further ones are counted together. */
const MOST_REASONS = 1000;

/** At most `limit` tickets, by external id, behind `after`. */
export function listFailed(
  reader: Pick<CheckpointReader, 'page'>,
  limit: number,
  after?: string,
): FailedTicket[] {
  return reader.page(STATES, limit, after).map(failedTicket);
}

/** Why tickets failed or were rejected, most frequent first. Constant memory. */
export function failureReasons(readers: readonly Pick<CheckpointReader, 'inStates'>[]): Reason[] {
  const reasons = new Map<string, { -readonly [K in keyof Reason]: Reason[K] }>();
  for (const reader of readers) {
    for (const record of reader.inStates(STATES)) {
      const { outcome, code, reason, externalId } = failedTicket(record);
      const own = `${outcome}\u0000${code}\u0000${reason}`;
      const isFull = reasons.size >= MOST_REASONS && !reasons.has(own);
      const key = isFull ? outcome : own;
      const known = reasons.get(key);
      if (known !== undefined) known.count++;
      else
        reasons.set(key, {
          outcome,
          code: isFull ? 'other' : code,
          reason: isFull ? 'Other reasons.' : reason,
          count: 1,
          example: externalId,
        });
    }
  }
  return [...reasons.values()].sort((a, b) => b.count - a.count);
}

function failedTicket({ externalId, state, ticketId, problem }: TicketRecord): FailedTicket {
  return {
    externalId,
    outcome: state === 'rejected' ? 'rejected' : 'failed',
    ...(ticketId === undefined ? {} : { ticketId }),
    code: problem?.code ?? 'unknown',
    ...(problem?.status === undefined ? {} : { status: problem.status }),
    reason: problem?.message ?? 'The reason is not recorded.',
  };
}
