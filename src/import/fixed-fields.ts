/** Changes of imported tickets that the API has no call for: named once, with both values. */
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { recordOf } from '../domain/ledger.ts';
import type { TicketPayload } from '../domain/payload.ts';
import { isoOf, reportedInstant, reportedString, sameInstant } from '../domain/snapshot.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import { ApiFailure, type Snapshot, type TicketApi } from '../domain/ticket-api.ts';
import { nameOf } from './read.ts';
import type { Run, Source } from './run.ts';

const TIMES = { createdAt: 'created', resolvedAt: 'resolved', closedAt: 'closed' } as const;
/** Digits of `Fingerprints.fields` for the fields that no call changes. */
const REST = 8;

/** A delta has no call for them, so the helpdesk's values are read. */
export async function tellFixedFields(
  { ports, problems }: Run,
  source: Source,
  checkpoint: Checkpoint,
  api: TicketApi,
): Promise<void> {
  for (const page of source.plan.entries('leftOut IS NULL AND isFixed'))
    for (const entry of page) {
      if (ports.soft.aborted) return;
      const { checked } = (entry.kind === 'ticket' && entry.result) || {};
      const known = recordOf(checkpoint, entry.externalId ?? '');
      if (checked === undefined || known.ticketId === undefined) continue;
      const { externalId, ref, fingerprints: now, ticket } = checked;
      const place = { ticket: externalId, file: nameOf(source, ref), line: ref.line };
      try {
        const has = await api.readTicket(known.ticketId, ports.hard);
        const differences = differencesOf(ticket, has);
        const data = { differences: differences.join('; ') };
        if (differences.length > 0) problems.tell(problemOf('field-not-updatable:differs', data, place));
        else problems.tell(problemOf('field-not-updatable:hidden', {}, place));
      } catch (error) {
        if (!(error instanceof ApiFailure)) throw error;
        problems.tell(problemOf('field-not-updatable:hidden', {}, place));
        continue;
      }
      const { fingerprints: then } = known;
      // A held text is compared with these fields again.
      if (then === undefined || then.messages !== now.messages) continue;
      const { fields = '' } = now;
      const state = then.fields === undefined ? undefined : fields.slice(0, REST) + then.fields.slice(REST);
      await checkpoint.put({ ...known, fingerprints: { ...then, ticket: now.ticket, fields: state } });
    }
}

/** "created 2025-03-01 11:00 UTC in the export, 2025-03-01 10:00 UTC in the helpdesk" */
function differencesOf(sent: TicketPayload, has: Snapshot): string[] {
  const both = (field: string, here: string, there: string) =>
    `${field} ${here} in the export, ${there} in the helpdesk`;
  const times = Object.entries(TIMES).flatMap(([field, word]) => {
    const at = sent[field as keyof typeof TIMES];
    const there = reportedInstant(has, field);
    if (at === undefined || typeof there !== 'number' || sameInstant(at, there)) return [];
    return both(word, minute(at), minute(isoOf(there)));
  });
  const subject = reportedString(has, 'subject');
  const isOther = typeof subject === 'string' && subject !== sent.subject;
  return [
    ...times,
    ...(isOther ? [both('subject', JSON.stringify(sent.subject), JSON.stringify(subject))] : []),
  ];
}

function minute(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}
