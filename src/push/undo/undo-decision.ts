/**
 * Whether a ticket of the target may be emptied by an undo: only where everything that it shows is what the import wrote. Pure.
 *
 *   untouched   it shows what was sent, and nothing else
 *   emptied     an earlier try emptied it already; `isAnswered`: it has a newer message, or got one in that moment
 *   touched     people, or the service, wrote or changed something there: it stays
 *   unknown     edits cannot be ruled out: it is left as it is
 */
import { hasTag, identityTag, isMarked, UNDONE_TAG } from '../../domain/identity.ts';
import type { TicketRecord } from '../../domain/ledger.ts';
import type { MessagePayload } from '../../domain/payload.ts';
import { reportedString } from '../../domain/snapshot.ts';
import type { Snapshot } from '../../domain/ticket-api.ts';
import { FIELD_WORDS, isAsSent, reportedFields, TICKET_FIELDS } from '../../domain/ticket-fields.ts';
import { isNote } from '../../domain/unmapped.ts';
import { differences } from '../thread-record.ts';

export type Verdict =
  | { readonly is: 'untouched' }
  | { readonly is: 'emptied'; readonly isAnswered: boolean }
  | { readonly is: 'touched' | 'unknown'; readonly why: string };

export interface UndoQuestion {
  readonly run: string;
  /** The name of the source, where tickets carry their identity. */
  readonly source: string | undefined;
  /** What the checkpoint knows of the ticket. */
  readonly record: TicketRecord | undefined;
  readonly ticket: Snapshot;
  readonly thread: readonly Snapshot[];
  /** Emptying it was begun: it may show the fields and the note of that. */
  readonly isBegun: boolean;
}

export function verdictOf({ run, source, record, ticket, thread, isBegun }: UndoQuestion): Verdict {
  const unknown = (why: string): Verdict => ({ is: 'unknown', why });
  const touched = (why: string): Verdict => ({ is: 'touched', why });
  if (record === undefined) return unknown('it is not a ticket of this checkpoint');
  const { tags } = ticket;
  const isTagged = isBegun && hasTag(tags, UNDONE_TAG);
  if (!isTagged) {
    if (!hasTag(tags, run)) return unknown(`it does not show the tag ${run} any more`);
    if (source !== undefined && isMarked(tags) && !hasTag(tags, identityTag(source, record.externalId)))
      return unknown('it carries the tag of another ticket');
  }
  if (record.reopened === true)
    return unknown('a delta of it was not finished: run the delta again, then the undo');
  const others = thread.filter((message) => !isUndoNote(message));
  const { added, missing } = differences(record.thread, others);
  if (isBegun && others.length < thread.length)
    return others.length === added
      ? { is: 'emptied', isAnswered: added > 0 || (reportedString(ticket, 'status') ?? CLOSED) !== CLOSED }
      : unknown('the target did not replace its messages');
  if (record.thread === undefined && others.length > 0)
    return unknown('it is not known which of its messages were imported: finish its import, then the undo');
  if (added > 0)
    return touched(missing > 0 ? 'a message was changed or written there' : 'a message was written there');
  if (missing > 0) return touched('a message was deleted there');
  const { fields } = record.fingerprints ?? {};
  if (fields === undefined) return unknown('it is not known which fields were imported');
  const shown = reportedFields(ticket, record.externalId);
  const changed = TICKET_FIELDS.filter((field) => {
    const reported = shown[field];
    if (reported === undefined || isAsSent(fields, field, reported)) return false;
    if (isBegun && field === 'status') return reportedString(ticket, 'status') !== CLOSED;
    return !(isTagged && field === 'tags');
  });
  if (changed.length === 0) return { is: 'untouched' };
  return touched(`${changed.map((field) => FIELD_WORDS[field]).join(' and ')} changed there`);
}

export const CLOSED = 'closed';

/** How the text of the one note begins that an emptied ticket has. */
const BEGINS = 'Taken back by helpdesk-import';

export function undoNote(run: string, whose: string, now: number): MessagePayload {
  const at = new Date(now).toISOString();
  return {
    actorType: 'system',
    content: `${BEGINS} on ${at.slice(0, 10)}: this was ${whose}, brought here by the import run ${run}. That run was undone, and nobody had written or changed anything here since, so the ticket was closed and its messages were removed. The export still has them; a new import may have made a new ticket of them.`,
    contentType: 'text',
    occurredAt: at,
    isInternal: true,
  };
}

/** Services may add markup to a text. */
export function isUndoNote(message: Snapshot): boolean {
  return isNote(message, BEGINS);
}
