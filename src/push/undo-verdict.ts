/** Compares what a ticket shows with what was sent, before an undo empties it. Pure. */
import { hasTag, identityTag, isMarked, UNDONE_TAG } from '../domain/identity.ts';
import type { TicketRecord } from '../domain/ledger.ts';
import type { MessagePayload } from '../domain/payload.ts';
import { isNote, reportedString } from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import {
  comparedWith,
  FIELD_WORDS,
  isAsSent,
  reportedFields,
  TICKET_FIELDS,
} from '../domain/ticket-fields.ts';
import { differences } from './thread-record.ts';

/**
 * The state of a ticket in the helpdesk:
 *
 *   untouched   it shows what was sent, and nothing else
 *   emptied     an earlier try emptied it already; `isAnswered`: it has a newer message, or got one in that moment
 *   touched     people, or the service, wrote or changed something there: it stays
 *   unknown     edits cannot be ruled out: it is left as it is
 */
export type Verdict =
  /** `compared`: parts of the ticket, in words. */
  | { readonly is: 'untouched'; readonly compared: string }
  | { readonly is: 'emptied'; readonly isAnswered: boolean }
  | { readonly is: 'touched' | 'unknown'; readonly why: string };

export interface UndoQuestion {
  readonly run: string;
  readonly source: string;
  readonly record: TicketRecord | undefined;
  readonly ticket: Snapshot;
  readonly thread: readonly Snapshot[];
  /** Emptying began, so it may show the fields and the note of that. */
  readonly isBegun: boolean;
}

export function verdictOf({ run, source, record, ticket, thread, isBegun }: UndoQuestion): Verdict {
  const unknown = (why: string): Verdict => ({ is: 'unknown', why });
  const touched = (why: string): Verdict => ({ is: 'touched', why });
  if (record === undefined) return unknown('it is not a ticket of this checkpoint');
  const { tags } = ticket;
  const isTagged = isBegun && hasTag(tags, UNDONE_TAG);
  if (!isTagged) {
    if (!hasTag(tags, run)) return unknown(`it no longer shows the tag ${run}`);
    if (isMarked(tags) && !hasTag(tags, identityTag(source, record.externalId)))
      return unknown('it carries the tag of another ticket');
  }
  if (record.reopened === true)
    return unknown('a delta of it was not finished: run the delta again, then the undo');
  const written = thread.filter((message) => !isUndoNote(message));
  const { added, missing, changed: otherParts, unknown: notRecorded } = differences(record.thread, written);
  if (isBegun && written.length < thread.length)
    return written.length === added
      ? { is: 'emptied', isAnswered: added > 0 || (reportedString(ticket, 'status') ?? CLOSED) !== CLOSED }
      : unknown('the helpdesk did not replace its messages');
  if (record.thread === undefined && written.length > 0)
    return unknown('finish its import first: some of its messages may be missing');
  if (added > 0)
    return touched(missing > 0 ? 'a message was changed or written there' : 'a message was written there');
  if (missing > 0) return touched('a message was deleted there');
  if (otherParts > 0) return touched('a link or a file of a message was changed there');
  const others = comparedWith(record.shown, ticket);
  const { fields } = record.fingerprints ?? {};
  if (fields === undefined) return unknown('its imported fields are not recorded');
  const shown = reportedFields(ticket, record.externalId);
  const changed = TICKET_FIELDS.filter((field) => {
    const reported = shown[field];
    if (reported === undefined || isAsSent(fields, field, reported)) return false;
    if (isTagged && field === 'status') return reportedString(ticket, 'status') !== CLOSED;
    return !(isTagged && field === 'tags');
  });
  const names = [...changed.map((field) => FIELD_WORDS[field]), ...others.changed];
  if (names.length > 0) return touched(`${names.join(' and ')} changed there`);
  const compared = [
    notRecorded > 0 ? 'texts of messages (not their links and files)' : 'messages with their links and files',
    ...TICKET_FIELDS.filter((field) => shown[field] !== undefined).map((field) => FIELD_WORDS[field]),
    ...others.compared,
  ];
  return { is: 'untouched', compared: compared.join(', ') };
}

export const CLOSED = 'closed';

const BEGINS = 'Undone by helpdesk-import';

export function undoNote(run: string, whose: string, now: number, compared: string): MessagePayload {
  const at = new Date(now).toISOString();
  return {
    actorType: 'system',
    content: `${BEGINS} on ${at.slice(0, 10)}: this was ${whose}, imported by run ${run}. It was as the import had written it (compared: ${compared}), so the ticket was closed and its messages were removed. The export still has them; a later import may have created the ticket again.`,
    contentType: 'text',
    occurredAt: at,
    isInternal: true,
  };
}

/** Services may add markup. */
function isUndoNote(message: Snapshot): boolean {
  return isNote(message, BEGINS);
}
