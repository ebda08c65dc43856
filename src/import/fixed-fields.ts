/** Changes of imported tickets that the API has no call for: named once, with both values. */
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { recordOf } from '../domain/ledger.ts';
import type { TicketPayload } from '../domain/payload.ts';
import { isoOf, reportedInstant, reportedString, sameInstant } from '../domain/snapshot.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import { ApiFailure, type Snapshot, type TicketApi } from '../domain/ticket-api.ts';
import { idsIn } from '../plan/queries.ts';
import { examineExport } from './examine.ts';
import type { ImportJob } from './import-job.ts';

const TIMES = { createdAt: 'created', resolvedAt: 'resolved', closedAt: 'closed' } as const;
/** Digits of `Fingerprints.fields` for the fields that no call changes. */
const REST = 8;

export async function tellFixedFields(job: ImportJob, checkpoint: Checkpoint, api: TicketApi): Promise<void> {
  const { fixed, ports, problem, source } = job;
  if (fixed.size === 0) return;
  for await (const chunk of examineExport(job, ports.hard, checkpoint, idsIn(fixed)))
    for (const { externalId, ref, result, record, ...examined } of chunk.filter(
      (one) => one.kind === 'ticket',
    )) {
      if (ports.soft.aborted) return;
      const { checked } = result;
      if (checked === undefined || record?.ticketId === undefined || examined.step.held !== undefined)
        continue;
      const place = { ticket: externalId, file: source.nameOf(ref), line: ref.line };
      try {
        const has = await api.readTicket(record.ticketId, ports.hard);
        const differences = differencesOf(checked.ticket, has);
        const data = { differences: differences.join('; ') };
        if (differences.length > 0) problem(problemOf('field-not-updatable:differs', data, place));
        else problem(problemOf('field-not-updatable:hidden', {}, place));
      } catch (error) {
        if (!(error instanceof ApiFailure)) throw error;
        problem(problemOf('field-not-updatable:hidden', {}, place));
        continue;
      }
      const known = recordOf(checkpoint, externalId);
      const { fingerprints: then } = known;
      const { ticket, fields = '' } = checked.fingerprints;
      if (then === undefined) continue;
      const state = then.fields === undefined ? undefined : fields.slice(0, REST) + then.fields.slice(REST);
      await checkpoint.put({ ...known, fingerprints: { ...then, ticket, fields: state } });
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
