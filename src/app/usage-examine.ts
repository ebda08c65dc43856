/**
 * One pass over the files: every record mapped, checked, given its event id, selected and compared with the checkpoint. The
 * first pass surveys with it, the second one sends, the third one writes rejects; all see the same, because it is the same
 * code over the same rows.
 */
import type { UsageEventPayload } from '../app-api/usage-event.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Problem } from '../domain/problem.ts';
import type { RecordRef } from '../domain/source.ts';
import type { ReadRecord } from '../domain/source-file.ts';
import type { Selection } from '../plan/selection.ts';
import { checkUsageEvent, type UsageCheckRules } from './usage-check.ts';
import type { UsageRecord } from './usage-checkpoint.ts';
import { type EventIdentities, rowText } from './usage-identity.ts';
import { rowOf } from './usage-mapper.ts';
import type { UsageSource } from './usage-source.ts';

export interface ExaminedUsage {
  readonly ref: RecordRef;
  /** What is to be sent; only where the outcome is `pending`, `failed` or `inDoubt`: all of these are sent. */
  readonly event: UsageEventPayload | undefined;
  readonly digest: Buffer | undefined;
  /** Milliseconds since the epoch, where it is known. */
  readonly atMs: number | undefined;
  readonly problems: readonly Problem[];
  readonly record: UsageRecord | undefined;
  /** As the checkpoint knows it; `pending` where it does not. */
  readonly outcome: Outcome;
  /** Why it is left out. */
  readonly skippedBecause: string | undefined;
  /** The record could not be read at all. */
  readonly isUnreadable: boolean;
}

export interface UsageExamination {
  readonly source: UsageSource;
  readonly rules: UsageCheckRules;
  /** Fresh ones for each pass: both remember what has come. */
  readonly selection: Selection;
  readonly identities: EventIdentities;
  readonly known: ((digest: Buffer) => UsageRecord | undefined) | undefined;
}

export const DUPLICATE = 'same event id as an earlier row';

export async function* examineUsage(
  examination: UsageExamination,
  signal: AbortSignal,
): AsyncGenerator<readonly ExaminedUsage[]> {
  const { source } = examination;
  let seq = 0;
  for (const input of source.table.inputs) {
    const file = source.files.files.find(({ id }) => id === input.file);
    for await (const records of file?.records(input.selector, signal) ?? [])
      yield records.map((record) => examineRecord(record, seq++, examination));
  }
}

function examineRecord(record: ReadRecord, seq: number, examination: UsageExamination): ExaminedUsage {
  const { source, rules, selection, identities, known } = examination;
  const { ref } = record;
  const row = rowOf(record);
  if (row === undefined) {
    const skippedBecause = selection.skip({ seq });
    const message = record.error ?? 'The record cannot be read.';
    const place = { file: rules.fileName(ref.file), line: ref.line };
    return {
      ref,
      event: undefined,
      digest: undefined,
      atMs: undefined,
      problems: [{ severity: 'error', code: 'unreadable', ...place, message, count: 1 }],
      record: undefined,
      outcome: skippedBecause === undefined ? 'rejected' : 'skipped',
      skippedBecause,
      isUnreadable: true,
    };
  }
  const mapped = source.mapper.map(row);
  const checked = checkUsageEvent(mapped, rules);
  const { eventId, digest } = identities.identify(checked.eventId, () =>
    rowText(row, source.header(ref.file)),
  );
  const { payload, atMs, problems } = checked;
  const customerId = mapped.values.customerId;
  const left = selection.skip({
    seq,
    externalId: eventId,
    // All events of a customer are in one shard.
    contactId: customerId === undefined ? undefined : String(customerId),
    createdAt: atMs,
    excluded: mapped.excluded,
  });
  // Claimed by events that may be sent only: a wrong row must not stand in the way of a right one.
  const isAgain = left === undefined && payload !== undefined && !identities.claim(digest);
  const skippedBecause = left ?? (isAgain ? DUPLICATE : undefined);
  const recorded = skippedBecause === DUPLICATE ? undefined : known?.(digest);
  const base = { ref, digest, atMs, problems, record: recorded, skippedBecause, isUnreadable: false };
  if (skippedBecause !== undefined && recorded?.state !== 'done')
    return { ...base, event: undefined, outcome: 'skipped' };
  if (recorded?.state === 'done') return { ...base, event: undefined, outcome: 'done' };
  if (payload === undefined) return { ...base, event: undefined, outcome: 'rejected' };
  return { ...base, event: { ...payload, eventId }, outcome: recorded?.state ?? 'pending' };
}
