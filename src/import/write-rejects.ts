/**
 * The rejects at the end of a run, by one more pass over the export: what this run found is added, what it imported goes,
 * and all else that stands there stays. The folder is written anew beside the old one, and only where something changes.
 */

import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import type { JoinPlan } from '../domain/join-plan.ts';
import type { Ledger, TicketRecord } from '../domain/ledger.ts';
import type { Problem } from '../domain/problem.ts';
import type { RecordRef } from '../domain/source.ts';
import type { ExportFiles } from '../domain/source-file.ts';
import type { RejectRow } from '../rejects/reject-files.ts';
import { MARKER } from '../rejects/reject-folder.ts';
import { rejectFoldersOf, shardLine } from '../rejects/rejects-read.ts';
import { openRejects, type RejectsWriter } from '../rejects/rejects-writer.ts';
import type { Settings } from '../settings/settings.ts';
import { Closers } from '../source/closers.ts';
import { type Examined, type ExaminedTicket, examineExport } from './examine.ts';
import type { ImportJob } from './import-job.ts';
import { rowAt } from './source.ts';
import {
  digestOfBytes,
  digestOfRow,
  planFor,
  type StandingOptions,
  StandingRejects,
  writtenLine,
} from './standing-rejects.ts';
import type { Surveyed } from './survey-export.ts';
import { unmatchedRows } from './unmatched-rows.ts';

/**
 * Resolves with the folder of rejects, where there is one now. Throws AppError `disk-write`, `usage` for a folder of another
 * kind.
 */
export async function writeRejects(
  job: ImportJob,
  ledger: Pick<Ledger, 'get'> | undefined,
): Promise<string | undefined> {
  const { settings, source, ports } = job;
  const { output } = settings;
  const rewrite = {
    ...output,
    plan: source.detection.plan,
    planFor: (folder: string, files: ExportFiles) => planFor(folder, files, job),
  };
  return await rewriteRejects(rewrite, settings, source.files, ports.hard, async (standing, writer) => {
    const fresh = new FreshRejects(job, standing, writer);
    for await (const chunk of examineExport(job, ports.hard, ledger)) {
      for (const examined of chunk) await fresh.take(examined);
    }
    await fresh.takeLeftRows();
    return fresh.rows;
  });
}

/** Milliseconds that the rejects may take after Ctrl-C. */
const REJECTS_IN_TIME_MS = 10_000;

/**
 * Whoever presses Ctrl-C wants to be gone, and to see what was rejected: of an export that takes longer to read once more, and at
 * a second Ctrl-C, the folder stays as it was, and the next run writes it.
 */
export async function rejectsInTime(
  job: ImportJob,
  surveyed: Surveyed,
  checkpoint: Checkpoint,
): Promise<string | undefined> {
  const { clock, hard: atOnce } = job.ports;
  const [late, written] = [new AbortController(), new AbortController()];
  const hard = AbortSignal.any([atOnce, late.signal]);
  void clock.sleep(REJECTS_IN_TIME_MS, written.signal).then(
    () => late.abort(),
    () => undefined,
  );
  try {
    return await settleRejects({ ...job, ports: { ...job.ports, hard } }, surveyed, checkpoint);
  } catch (error) {
    if (hard.aborted) return undefined;
    throw error;
  } finally {
    written.abort();
  }
}

/** The next run of an export that changed writes the folder. Resolves with the folder of rejects that the run leaves. */
export async function settleRejects(
  job: ImportJob,
  { survey }: Surveyed,
  checkpoint: Checkpoint,
): Promise<string | undefined> {
  const { joined } = job.source;
  const { rejects } = job.settings.output;
  // Another process writes the checkpoint, and the rejects with it.
  if (checkpoint.failure?.code === 'checkpoint') return undefined;
  const { rejected, failed } = checkpoint.counts();
  const nothing =
    rejected + failed + survey.tickets.rejected === 0 &&
    joined.unmatchedRows().next().done === true &&
    joined.unreadableRows().next().done === true &&
    !existsSync(rejects) &&
    rejectFoldersOf(job.settings.source.files).length === 0;
  return nothing ? undefined : await writeRejects(job, checkpoint);
}

/**
 * Writes the folder of rejects anew, and each that is read as the export. `find` decides of the rows that stand there and
 * writes what is new; it resolves with how many rows it wrote.
 */
export async function rewriteRejects(
  {
    rejects,
    plan,
    ...options
  }: Pick<StandingOptions, 'checkpoint' | 'planFor'> & { readonly rejects: string; readonly plan: JoinPlan },
  { source, selection }: Settings,
  files: ExportFiles,
  signal: AbortSignal,
  find: (standing: readonly StandingRejects[], writer: RejectsWriter) => Promise<number>,
): Promise<string | undefined> {
  const own = existsSync(rejects) ? realpathSync(rejects) : resolve(rejects);
  const folders = new Set([own, ...rejectFoldersOf(source.files)]);
  for (;;) {
    await using stack = new Closers();
    const writer = openRejects(own, files, plan);
    const writers = new Map([[own, writer]]);
    try {
      const standing: StandingRejects[] = [];
      for (const folder of folders) {
        if (!writers.has(folder)) writers.set(folder, openRejects(folder, files, plan));
        // An empty folder, made for the rejects, is none of rejects yet.
        if (!areRejects(folder)) continue;
        const { delimiter } = source;
        standing.push(stack.use(await StandingRejects.open(folder, { ...options, delimiter, signal })));
      }
      const rows = await find(standing, writer);
      if (rows > 0) await writer.note([shardLine(selection.shard)]);
      if (await replaceFolders(writers, standing, (folder) => folder === own && rows > 0)) break;
    } catch (error) {
      for (const each of writers.values()) await each.discard();
      throw error;
    }
  }
  return areRejects(rejects) ? rejects : [...folders].find(areRejects);
}

function areRejects(folder: string): boolean {
  return existsSync(join(folder, MARKER));
}

/**
 * Each folder where something changed is replaced by what stays of it and what was written. False: another import put its own
 * there meanwhile, so it is to be begun again for both to stand there.
 */
async function replaceFolders(
  writers: ReadonlyMap<string, RejectsWriter>,
  standing: readonly StandingRejects[],
  hasNew: (folder: string) => boolean,
): Promise<boolean> {
  for (const [folder, writer] of writers) {
    const old = standing.find((each) => each.folder === folder);
    const isChanged = (await old?.carryOver(writer)) ?? false;
    if (!isChanged && !hasNew(folder)) {
      await writer.discard();
      continue;
    }
    if (writer.isOvertaken()) {
      for (const each of writers.values()) await each.discard();
      return false;
    }
    await writer.finish();
  }
  return true;
}

/** What this pass finds: rows that go into the rejects, and what it decides of those that stand there. */
class FreshRejects {
  readonly #job: ImportJob;
  readonly #standing: readonly StandingRejects[];
  readonly #writer: RejectsWriter;
  rows = 0;

  constructor(job: ImportJob, standing: readonly StandingRejects[], writer: RejectsWriter) {
    this.#job = job;
    this.#standing = standing;
    this.#writer = writer;
  }

  async take(examined: Examined): Promise<void> {
    if (examined.kind === 'ticket') return await this.#ticket(examined);
    const { code, table, ref, message, skippedBecause } = examined;
    if (skippedBecause !== undefined) return;
    if (code === 'unreadable' || table === undefined) await this.#unreadable(ref, message);
    else await this.#row(table, ref, message, code === 'duplicate-id');
  }

  /** Rows that belong to no ticket. */
  async takeLeftRows(): Promise<void> {
    const { source } = this.#job;
    for (const { ref, table, message } of unmatchedRows(source)) await this.#row(table, ref, message);
    for (const { ref, message } of source.joined.unreadableRows()) await this.#unreadable(ref, message);
  }

  async #ticket(examined: ExaminedTicket): Promise<void> {
    const { externalId, ref, rows, record } = examined;
    const state = record?.state;
    const reason = reasonOf(examined);
    if (reason === undefined && this.#standing.length === 0) return;
    const { source } = this.#job;
    const digests = rows.flatMap((place) => {
      const row = rowAt(place, source);
      return row === undefined ? [] : digestOfRow(row);
    });
    if (state === 'done' && !digests.every((digest) => this.#stands(digest)))
      for (const old of this.#standing) old.superseded(externalId, digests.length);
    if (state === 'skipped' || (state === 'done' && isWhatStands(examined))) {
      for (const old of this.#standing) for (const digest of digests) old.imported(digest);
      return;
    }
    if (reason === undefined) {
      const open = openReason(state);
      if (open !== undefined) this.#because(digests, open);
      return;
    }
    this.#because(digests, reason);
    const stands = digests.every((digest) => this.#stands(digest));
    if (stands) return;
    for (const old of this.#standing) old.superseded(externalId, digests.length);
    const corrected = this.#standing.find((old) => old.hasCorrected(externalId));
    if (corrected !== undefined) {
      this.#tellCorrected(externalId, corrected.folder, ref);
      return;
    }
    await this.#write(rows, reason);
    await this.#note(digests, 'ticket');
  }

  #tellCorrected(ticket: string, folder: string, ref: RecordRef): void {
    const { source, problem } = this.#job;
    problem({
      severity: 'warning',
      code: 'corrected-in-rejects',
      ticket,
      file: source.files.files[ref.file]?.name ?? '',
      line: ref.line,
      message: `${folder} has this ticket with other rows, which stay as they are: import the folder, or delete them there.`,
      count: 1,
    });
  }

  async #row(table: string, ref: RecordRef, reason: string, isDuplicate = false): Promise<void> {
    const read = rowAt({ table, ref }, this.#job.source);
    const digest = read && digestOfRow(read);
    if (digest !== undefined) {
      this.#because([digest], reason);
      if (this.#stands(digest)) return;
    }
    await this.#write([{ table, ref }], reason);
    if (digest !== undefined && isDuplicate) await this.#note([digest], 'duplicate');
  }

  async #note(digests: readonly number[], as: 'ticket' | 'duplicate'): Promise<void> {
    const { checkpoint } = this.#job.settings.output;
    await this.#writer.note(digests.map((digest) => writtenLine(checkpoint, digest, as)));
  }

  async #unreadable(ref: RecordRef, reason: string): Promise<void> {
    const file = this.#job.source.files.files[ref.file];
    if (file !== undefined && this.#stands(digestOfBytes(await file.raw(ref)))) return;
    await this.#writer.unreadable(ref, this.#reported(reason));
    this.rows++;
  }

  async #write(rows: readonly RejectRow[], reason: string): Promise<void> {
    await this.#writer.ticket(rows, this.#reported(reason));
    this.rows++;
  }

  #stands(digest: number): boolean {
    return this.#standing.some((old) => old.has(digest));
  }

  #because(digests: readonly number[], reason: string): void {
    const reported = this.#reported(reason);
    for (const old of this.#standing) for (const digest of digests) old.because(digest, reported);
  }

  /** With each command as it has to be typed for this import. */
  #reported(reason: string): string {
    return this.#job.ports.typed?.inText(reason) ?? reason;
  }
}

/** Whether a ticket that is done was imported with this very content. */
function isWhatStands({ record, result }: ExaminedTicket): boolean {
  const then = record?.fingerprints;
  const now = result.checked?.fingerprints;
  return (
    then !== undefined &&
    now !== undefined &&
    then.ticket === now.ticket &&
    then.messages === now.messages &&
    then.events === now.events
  );
}

/** Why a ticket stands in the rejects, or undefined where it does not; `between` its errors. */
export function reasonOf({ step, result, record: known }: ExaminedTicket, between = ' '): string | undefined {
  const state = known?.state;
  if (state === 'failed' || state === 'rejected' || step.outcome === 'rejected')
    return errorsOf(result.problems, between) || recorded(known);
  return undefined;
}

/** What is told of a ticket that stands there and was not imported. */
function openReason(state: TicketRecord['state'] | undefined): string | undefined {
  if (state === 'done')
    return 'A ticket with this id was imported with other content. Give this row its own id, or delete it here.';
  return state === 'creating' || state === 'inDoubt'
    ? 'It is in doubt whether the target has it; see: helpdesk-import resolve.'
    : undefined;
}

function errorsOf(problems: readonly Problem[], between: string): string {
  return problems
    .filter((problem) => problem.severity === 'error')
    .map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`))
    .join(between);
}

function recorded(known: TicketRecord | undefined): string {
  return known?.problem?.message ?? 'It could not be imported.';
}
