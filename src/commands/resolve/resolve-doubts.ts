/** Tickets in doubt as a person needs them: what to look for in the target, and since when. */
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import type { TicketRecord } from '../../domain/ledger.ts';
import type { TicketState } from '../../domain/ticket-state.ts';

export interface Doubt {
  readonly externalId: string;
  /** What the ticket looks like in the target, if it is there. Absent in a checkpoint that lost it. */
  readonly subject?: string;
  /** UTC ISO-8601. */
  readonly createdAt?: string;
  readonly email?: string;
  readonly contactId?: string;
  /** When the create was sent, UTC ISO-8601: the ticket was made then, if it was. */
  readonly sentAt?: string;
  /** Why its outcome is not known. */
  readonly reason: string;
}

/**
 * The states that are in doubt. A create that no process is carrying out was interrupted; while a process writes to
 * the checkpoint, it may just be waiting for its answer.
 */
export function doubtStates(isBeingWritten: boolean): readonly TicketState[] {
  return isBeingWritten ? ['inDoubt'] : ['creating', 'inDoubt'];
}

export const INTERRUPTED = 'An earlier run ended while this ticket was being created.';

export function doubtOf({ externalId, intent, problem }: TicketRecord): Doubt {
  return {
    externalId,
    ...(intent === undefined
      ? {}
      : {
          subject: intent.subject,
          createdAt: intent.createdAt,
          ...(intent.email === undefined ? {} : { email: intent.email }),
          ...(intent.contactId === undefined ? {} : { contactId: intent.contactId }),
          sentAt: new Date(intent.at).toISOString(),
        }),
    reason: problem?.message ?? INTERRUPTED,
  };
}

/** At most `limit` tickets in doubt, by external id, behind `after`. */
export function listDoubts(
  reader: Pick<CheckpointReader, 'page' | 'writer'>,
  limit: number,
  after?: string,
): Doubt[] {
  return reader.page(doubtStates(reader.writer() !== undefined), limit, after).map(doubtOf);
}
