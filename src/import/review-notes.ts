/** Rejected tickets and records with their rows, for the pages of the sandbox. */

import type { Ledger } from '../domain/ledger.ts';
import type { RecordRef, Row } from '../domain/source.ts';
import { outcomeOf } from '../domain/ticket-state.ts';
import type { LeftOut, LeftOutcome, Review, SourceRow } from '../sandbox/store/review.ts';
import { type ExaminedTicket, examineExport } from './examine.ts';
import type { ImportJob } from './import-job.ts';
import { looseRows } from './problem-places.ts';
import { rowAt } from './source.ts';
import { reasonOf } from './write-rejects.ts';

const MOST_WITH_ROWS = 1_000;
const MOST_ROWS = 200;
const MOST_CHARACTERS = 64_000;
const LONGEST_VALUE = 4_000;

type Job = Pick<ImportJob, 'source' | 'selection' | 'check' | 'view' | 'ports'>;

export async function noteForReview(
  job: Job,
  review: Review,
  ledger: Pick<Ledger, 'get' | 'counts'>,
): Promise<void> {
  const { files } = job.source;
  const counts = ledger.counts();
  const open =
    job.source.plan.steps.counts().rejected +
    counts.rejected +
    counts.refused +
    counts.incomplete +
    counts.inDoubt +
    counts.creating;
  const isNoted = review.begin();
  let kept = 0;
  const recordAt = (ref: RecordRef, reason: string): LeftOut => {
    const file = files.files[ref.file];
    const text = kept++ < MOST_WITH_ROWS && file !== undefined ? file.raw(ref) : '';
    const place = placeOf(ref, job);
    const rows = text === '' ? [] : [{ place, fields: [['record', cut(text)] as const] }];
    const nothing = { external_id: null, subject: null, ticket_id: null };
    return { ...nothing, outcome: 'rejected', reason, place, rows };
  };
  if (open > 0 || isNoted)
    for await (const chunk of examineExport(job, job.ports.hard, ledger, 'leftOut IS NULL'))
      review.note(
        chunk.map((examined) => {
          if (examined.kind === 'unreadable') return recordAt(examined.ref, examined.message);
          const outcome = leftAs(examined);
          if (outcome === undefined) return examined.externalId;
          return {
            external_id: examined.externalId,
            outcome,
            subject: subjectOf(examined),
            reason: reasonOf(examined, 'page') ?? examined.record?.problem?.message ?? UNKNOWN,
            place: placeOf(examined.ref, job),
            ticket_id: examined.record?.ticketId ?? null,
            rows: kept++ < MOST_WITH_ROWS ? sourceRows(examined, job) : [],
          };
        }),
      );
  for (const { ref, message } of looseRows(job.source)) review.note([recordAt(ref, message)]);
}

const UNKNOWN = 'An earlier run ended while this ticket was being created.';

function leftAs({ step, record }: ExaminedTicket): LeftOutcome | undefined {
  const outcome =
    step.outcome === 'rejected' || record === undefined ? step.outcome : outcomeOf(record.state, false);
  if (outcome === 'inDoubt') return 'in-doubt';
  return outcome === 'rejected' || outcome === 'failed' ? outcome : undefined;
}

function subjectOf({ subject }: ExaminedTicket): string | null {
  return subject === undefined ? null : cut(subject);
}

function placeOf(ref: RecordRef, { source }: Job): string {
  return `${source.nameOf(ref)}:${ref.line}`;
}

function sourceRows({ rows: places }: ExaminedTicket, job: Job): SourceRow[] {
  const rows = places.slice(0, MOST_ROWS).flatMap((place) => rowAt(place, job.source) ?? []);
  const kept: SourceRow[] = [];
  let room = MOST_CHARACTERS;
  for (const each of rows) {
    const fields = fieldsOf(each, job).map(([name, value]) => [cut(name), cut(value)] as const);
    room -= fields.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    if (room < 0 && kept.length > 0) break;
    kept.push({ place: placeOf(each.ref, job), fields });
  }
  return kept;
}

export function fieldsOf(
  { ref, cells = [], object = {} }: Row,
  { source }: { readonly source: Pick<Job['source'], 'files'> },
): (readonly [string, string])[] {
  const header = source.files.files[ref.file]?.outline.header ?? [];
  const values: (readonly [string, unknown])[] =
    cells.length > 0
      ? cells.map((cell, at) => [header[at] ?? `column ${at + 1}`, cell])
      : Object.entries(object);
  return values
    .filter(([, value]) => value !== '' && value !== null && value !== undefined)
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value, null, 1)]);
}

function cut(text: string): string {
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE).toWellFormed()}…` : text;
}
