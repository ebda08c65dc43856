/** Rejected tickets and records with their rows, for the pages of the sandbox. */

import type { Ledger, TicketRecord } from '../domain/ledger.ts';
import type { Problem } from '../domain/problem.ts';
import type { RecordRef, Row } from '../domain/source.ts';
import { wordsOf } from '../domain/text/problem-words.ts';
import { type Outcome, outcomeOf } from '../domain/ticket-state.ts';
import { reasonOf } from '../plan/reject-reason.ts';
import type { PlannedEntry } from '../plan/ticket-plan.ts';
import type { LeftOut, LeftOutcome, Review, SourceRow } from '../sandbox/store/review.ts';
import type { FilesView } from './known-files.ts';
import { looseRows } from './problem-places.ts';
import { nameOf, rowAt } from './read.ts';
import type { Source } from './run.ts';

const MOST_WITH_ROWS = 1_000;
const MOST_ROWS = 200;
const MOST_CHARACTERS = 64_000;
const LONGEST_VALUE = 4_000;

export async function noteForReview(
  source: Source,
  view: FilesView,
  review: Review,
  ledger: Pick<Ledger, 'get' | 'counts'>,
  signal: AbortSignal,
): Promise<void> {
  const { files, plan } = source;
  const counts = ledger.counts();
  const open =
    plan.steps.counts().rejected +
    counts.rejected +
    counts.refused +
    counts.incomplete +
    counts.inDoubt +
    counts.creating;
  const isNoted = review.begin();
  let kept = 0;
  const recordAt = (ref: RecordRef, reason: string, code: string): LeftOut => {
    const file = files.files[ref.file];
    const text = kept++ < MOST_WITH_ROWS && file !== undefined ? file.raw(ref) : '';
    const place = placeOf(ref, source);
    const rows = text === '' ? [] : [{ place, fields: [['record', cut(text)] as const] }];
    const nothing = { external_id: null, subject: null, ticket_id: null };
    return { ...nothing, outcome: 'rejected', reason, advice: adviceOf(code), place, rows };
  };
  if (open > 0 || isNoted)
    for (const page of plan.entries('leftOut IS NULL')) {
      signal.throwIfAborted();
      review.note(
        page.map((entry) => {
          if (entry.kind === 'unreadable') return recordAt(entry.ref, entry.message, entry.code);
          const record = ledger.get(entry.externalId);
          const outcome = leftAs(entry.outcome, record);
          if (outcome === undefined) return entry.externalId;
          const result = view(entry.result, nameOf(source, entry.ref));
          return {
            external_id: entry.externalId,
            outcome,
            subject: entry.subject === undefined ? null : cut(entry.subject),
            reason: reasonOf({ ...entry, result, record }, 'page') ?? record?.problem?.message ?? UNKNOWN,
            advice: adviceOf(codeOf(entry.result.problems) ?? record?.problem?.code),
            place: placeOf(entry.ref, source),
            ticket_id: record?.ticketId ?? null,
            rows: kept++ < MOST_WITH_ROWS ? sourceRows(entry, source) : [],
          };
        }),
      );
    }
  for (const { ref, message, problem } of looseRows(source))
    review.note([recordAt(ref, message, problem.code)]);
}

function codeOf(problems: readonly Problem[]): string | undefined {
  return problems.find(({ severity }) => severity === 'error')?.code;
}

function adviceOf(code = ''): string {
  return wordsOf(code)?.todo ?? '';
}

const UNKNOWN = 'An earlier run ended while this ticket was being created.';

function leftAs(planned: Outcome, record: TicketRecord | undefined): LeftOutcome | undefined {
  const outcome = planned === 'rejected' || record === undefined ? planned : outcomeOf(record.state, false);
  if (outcome === 'inDoubt') return 'in-doubt';
  return outcome === 'rejected' || outcome === 'failed' ? outcome : undefined;
}

function placeOf(ref: RecordRef, source: Pick<Source, 'files'>): string {
  return `${nameOf(source, ref)}:${ref.line}`;
}

function sourceRows({ rows: places }: Pick<PlannedEntry, 'rows'>, source: Source): SourceRow[] {
  const rows = places.slice(0, MOST_ROWS).flatMap((place) => rowAt(place, source) ?? []);
  const kept: SourceRow[] = [];
  let room = MOST_CHARACTERS;
  for (const each of rows) {
    const fields = fieldsOf(each, source).map(([name, value]) => [cut(name), cut(value)] as const);
    room -= fields.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    if (room < 0 && kept.length > 0) break;
    kept.push({ place: placeOf(each.ref, source), fields });
  }
  return kept;
}

export function fieldsOf(
  { ref, cells = [], object = {} }: Row,
  { files }: Pick<Source, 'files'>,
): (readonly [string, string])[] {
  const header = files.files[ref.file]?.header ?? [];
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
