/**
 * One pass over the files of usage events: every record mapped, checked, given its event id, selected and compared with
 * the checkpoint. The first pass surveys with it and sends nothing, the second one sends, the third one writes rejects; all
 * see the same, because it is the same code over the same rows.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Problem, ProblemSink } from '../domain/problem.ts';
import type { RecordRef, Row } from '../domain/source.ts';
import type { ReadRecord } from '../domain/source-file.ts';
import { emptyCounts, type Outcome, type OutcomeCounts } from '../domain/ticket-state.ts';
import { selectionOf } from '../import/examine.ts';
import { digestOfBytes, digestOfRow } from '../import/standing-rejects.ts';
import type { ProcessPorts } from '../import/target.ts';
import { rowOf } from '../mapping/time/observe-times.ts';
import type { Selection } from '../plan/selection.ts';
import { MARKER } from '../rejects/reject-folder.ts';
import { rejectFoldersOf } from '../rejects/rejects-read.ts';
import type { Settings } from '../settings/settings.ts';
import type { UsageEventPayload } from '../target/app-api/client.ts';
import { appApiOf } from './app-target.ts';
import type { SurveyedRecords } from './surveyed-records.ts';
import type { KnownUsage, UsageRecord } from './usage-checkpoint.ts';
import {
  checkUsageEvent,
  EventIdentities,
  type EventIdentity,
  rowText,
  type UsageCheckRules,
} from './usage-event.ts';
import { USAGE_TABLE, type UsageSource } from './usage-source.ts';
import { createUsagePicker, type UsagePick } from './usage-trial.ts';

export interface UsageImportPorts extends ProcessPorts {
  readonly stdin?: Readable | undefined;
  /** Aborted: take nothing new, finish what is in flight. */
  readonly soft: AbortSignal;
  /** Aborted: end at once. */
  readonly hard: AbortSignal;
  /** Asked once before anything is sent. Resolves to false where the user would rather not. */
  readonly confirm?: ((survey: UsageSurvey) => Promise<boolean>) | undefined;
}

/** What the stages of one import share. */
export interface UsageJob {
  readonly settings: Settings;
  readonly ports: UsageImportPorts;
  readonly source: UsageSource;
  readonly problem: ProblemSink;
}

export interface Examined {
  readonly ref: RecordRef;
  /** Its place in the files together, from 0. */
  readonly seq: number;
  readonly row?: Row | undefined;
  /** What is to be sent; only where the outcome is `pending`, `failed` or `inDoubt`: all of these are sent. */
  readonly event?: UsageEventPayload | undefined;
  readonly digest?: Buffer | undefined;
  readonly equal?: EventIdentity['equal'];
  /** Milliseconds since the epoch, where it is known. */
  readonly atMs?: number | undefined;
  readonly problems: readonly Problem[];
  readonly record?: UsageRecord | undefined;
  /** As the checkpoint knows it; `pending` where it does not. */
  readonly outcome: Outcome;
  /** Why it is left out. */
  readonly skippedBecause?: string | undefined;
  /** The record could not be read at all. */
  readonly isUnreadable?: boolean | undefined;
}

export const DUPLICATE = 'same event id as an earlier row';

/** What one pass remembers of the rows that have come. */
interface Pass {
  readonly rules: UsageCheckRules;
  readonly selection: Selection;
  readonly identities: EventIdentities;
  /** Which files lie in rejects. */
  readonly inRejects: ReadonlySet<number>;
}

export async function* examineUsage(
  job: UsageJob,
  known: KnownUsage | undefined,
  signal: AbortSignal,
  selection = selectionOf(job.settings, job.source.files),
): AsyncGenerator<readonly Examined[]> {
  const { settings, source, ports } = job;
  const { missingTimestamp } = appApiOf(settings);
  // What this run recorded itself is not of an earlier row.
  const doneBefore = (digest: Buffer) => {
    const record = known?.get(digest);
    return record?.state === 'done' && record.run !== known?.run ? record : undefined;
  };
  using identities = new EventIdentities({
    numbers: notedNumbers(rejectFoldersOf(settings.source.files)),
    isDone: (digest) => doneBefore(digest) !== undefined,
    isOther: (digest) => doneBefore(digest)?.ofRejects === false,
  });
  const inRejects = new Set(
    source.files.files.filter(({ name }) => rejectFoldersOf([name]).length > 0).map(({ id }) => id),
  );
  const rules = { missingTimestamp, now: ports.clock.now, fileName: source.fileName };
  source.mapper.restart();
  let seq = 0;
  for (const { file, selector } of source.inputs)
    for await (const records of source.files.files.find(({ id }) => id === file)?.records(selector, signal) ??
      [])
      yield records.map((record) =>
        examine(record, seq++, job, known, { rules, selection, identities, inRejects }),
      );
}

function examine(
  record: ReadRecord,
  seq: number,
  { source }: UsageJob,
  known: KnownUsage | undefined,
  { rules, selection, identities, inRejects }: Pass,
): Examined {
  const { ref } = record;
  const row = rowOf(USAGE_TABLE, record);
  if (row === undefined) {
    const skippedBecause = selection.skip({ seq, file: ref.file });
    const message = record.error ?? 'The record cannot be read.';
    const place = { file: rules.fileName(ref.file), line: ref.line };
    return {
      ref,
      seq,
      problems: [{ severity: 'error', code: 'unreadable', ...place, message, count: 1 }],
      outcome: skippedBecause === undefined ? 'rejected' : 'skipped',
      skippedBecause,
      isUnreadable: true,
    };
  }
  const mapped = source.mapper.map(row);
  const checked = checkUsageEvent(mapped, rules);
  const { payload, atMs, problems } = checked;
  const { eventId, digest, equal } = identities.identify(
    checked.eventId,
    () => rowText(row, source.header(ref.file)),
    inRejects.has(ref.file),
  );
  const customerId = mapped.values.customerId;
  const left = selection.skip({
    seq,
    externalId: eventId,
    // All events of a customer are in one shard.
    contactId: customerId === undefined ? undefined : String(customerId),
    createdAt: atMs,
    excluded: mapped.excluded,
    file: ref.file,
  });
  const base = { ref, seq, row, digest, equal, atMs, problems };
  // Claimed by events that may be sent only: a wrong row must not stand in the way of a right one.
  if (left === undefined && payload !== undefined && !identities.claim(digest))
    return { ...base, outcome: 'skipped', skippedBecause: DUPLICATE };
  const found = known?.get(digest);
  const reported = { ...base, record: found, skippedBecause: left };
  if (found?.state === 'done') return { ...reported, outcome: 'done' };
  if (left !== undefined) return { ...reported, outcome: 'skipped' };
  if (payload === undefined) return { ...reported, outcome: 'rejected' };
  return { ...reported, event: { ...payload, eventId }, outcome: found?.state ?? 'pending' };
}

const EQUAL = 'equal';

/** What the marker of rejects says of a row whose event id was made. */
export function equalLine({ key, number }: NonNullable<EventIdentity['equal']>): string {
  return `${EQUAL} ${key} ${number}`;
}

/** By the digest of a row's values: its numbers among equal rows, as the markers of these folders have them. */
function notedNumbers(folders: readonly string[]): Map<string, number[]> {
  const numbers = new Map<string, number[]>();
  for (const folder of folders)
    for (const line of readFileSync(join(folder, MARKER), 'utf8').split('\n')) {
      const [word, key = '', number = ''] = line.split(' ');
      if (word === EQUAL) numbers.set(key, [...(numbers.get(key) ?? []), Number(number)]);
    }
  return numbers;
}

/** Of a record as the files have it. */
function contentOf({ row, ref, problems: [problem] }: Examined): number {
  if (row !== undefined) return digestOfRow(row);
  return digestOfBytes(Buffer.from(`${ref.file} ${ref.line} ${problem?.message}`));
}

/** The chunks of a later pass. Throws AppError `source` before a chunk that is not what was surveyed. */
export async function* requireSurveyed(
  chunks: AsyncIterable<readonly Examined[]>,
  content: SurveyedRecords,
): AsyncGenerator<readonly Examined[]> {
  let records = 0;
  for await (const chunk of chunks) {
    for (const examined of chunk)
      if (!content.isSame(examined.seq, contentOf(examined))) throw content.difference(examined.ref);
    records += chunk.length;
    yield chunk;
  }
  const changed = content.end(records);
  if (changed !== undefined) throw changed;
}

export interface UsageSurvey {
  readonly events: OutcomeCounts;
  readonly skippedBecause: readonly { readonly reason: string; readonly count: number }[];
  /** Of events that sending would bring into the target; the most frequent first. */
  readonly names: readonly { readonly name: string; readonly count: number }[];
  /** A lower bound where there are too many to remember. */
  readonly customers: { readonly distinct: number; readonly isLowerBound: boolean };
  /** UTC ISO-8601, of the oldest and the newest event that is valid. */
  readonly firstAt?: string | undefined;
  readonly lastAt?: string | undefined;
  /** Events that sending would bring into the target. */
  readonly toSend: number;
  readonly trial: readonly UsagePick[];
}

const MOST_NAMES = 1_000;
const MOST_CUSTOMERS = 100_000;

/** The first pass: says what sending would do, and tells every problem. Memory is bounded whatever is read. */
export async function surveyUsage(
  job: UsageJob,
  known: KnownUsage | undefined,
  content?: SurveyedRecords,
): Promise<UsageSurvey> {
  const { settings, ports, source, problem } = job;
  const events = emptyCounts();
  const reasons = new Map<string, number>();
  const names = new Map<string, number>();
  const customers = new Set<string>();
  const picker = createUsagePicker(settings.trialSize);
  let isLowerBound = false;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  let toSend = 0;
  let problems = 0;
  const tell = (found: Problem) => {
    problems++;
    problem(found);
  };

  const take = ({ outcome, skippedBecause, problems: own, atMs, event, digest, ref }: Examined) => {
    events.read++;
    events[outcome]++;
    if (outcome === 'skipped' && skippedBecause !== undefined)
      reasons.set(skippedBecause, (reasons.get(skippedBecause) ?? 0) + 1);
    if (skippedBecause === DUPLICATE)
      tell({
        severity: 'warning',
        code: 'duplicate-event',
        file: source.fileName(ref.file),
        line: ref.line,
        field: 'eventId',
        message:
          'An earlier row has the same event id, so this one is not sent: a service counts only one of them anyway.',
        count: 1,
      });
    // What is done is done, and what is left out concerns nobody.
    if (outcome !== 'done' && outcome !== 'skipped') for (const found of own) tell(found);
    if (atMs !== undefined && outcome !== 'skipped' && outcome !== 'rejected') {
      first = Math.min(first, atMs);
      last = Math.max(last, atMs);
    }
    if (event === undefined || digest === undefined) return;
    toSend++;
    const { eventName, customerId } = event;
    if (names.has(eventName) || names.size < MOST_NAMES)
      names.set(eventName, (names.get(eventName) ?? 0) + 1);
    if (customers.size < MOST_CUSTOMERS) customers.add(customerId);
    else if (!customers.has(customerId)) isLowerBound = true;
    picker.offer({ event, digest, atMs });
  };

  const selection = selectionOf(job.settings, job.source.files);
  ports.emit({ type: 'stage', stage: 'checking' });
  for await (const chunk of examineUsage(job, known, ports.soft, selection)) {
    for (const examined of chunk) {
      content?.note(contentOf(examined));
      take(examined);
    }
    ports.emit({ type: 'checked', tickets: events.read, problems });
  }
  for (const found of source.mapper.unused()) tell(found);
  for (const id of selection.missing())
    tell({
      severity: 'warning',
      code: 'not-in-export',
      message: `--only names the event ${id}, which is not in the files; check the id.`,
      count: 1,
    });
  const isTimed = first <= last;
  return {
    events,
    skippedBecause: [...reasons].map(([reason, count]) => ({ reason, count })),
    names: [...names]
      .map(([name, count]) => ({ name, count }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)),
    customers: { distinct: customers.size, isLowerBound },
    firstAt: isTimed ? new Date(first).toISOString() : undefined,
    lastAt: isTimed ? new Date(last).toISOString() : undefined,
    toSend,
    trial: picker.picks(),
  };
}
