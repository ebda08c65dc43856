/**
 * The rejects at the end of a run: rows that were not imported, in files and columns of the source, with the reason. A run
 * writes a folder of its own. A folder of rejects that was the export is written anew instead: what was imported from it
 * leaves it, and every other row stays.
 */
import { existsSync, realpathSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { sha256 } from '../domain/hash.ts';
import type { JoinInput } from '../domain/join-plan.ts';
import type { Ledger, TicketRecord } from '../domain/ledger.ts';
import type { RecordRef } from '../domain/source.ts';
import type { SourceFile } from '../domain/source-file.ts';
import { filesIn, folderFor, isUntouched, RejectFolder } from '../rejects/reject-folder.ts';
import { rejectNames } from '../rejects/reject-names.ts';
import { headerLine, rowLine } from '../rejects/reject-rows.ts';
import { rejectFoldersOf, shardName } from '../rejects/rejects-read.ts';
import type { Settings } from '../settings/settings.ts';
import { type Examined, type ExaminedTicket, examineExport } from './examine.ts';
import type { ImportJob } from './import-job.ts';
import type { Surveyed } from './survey-export.ts';
import { unmatchedRows } from './unmatched-rows.ts';

/** Milliseconds that the rejects may take after Ctrl-C. */
const REJECTS_IN_TIME_MS = 10_000;

/** After Ctrl-C: what takes longer, or a second Ctrl-C, leaves the folder as it was, and the next run writes it. */
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

/** Resolves with the folder of rejects that the run leaves. Throws AppError `disk-write`, and `usage` for a folder of another kind. */
export async function settleRejects(
  job: ImportJob,
  { survey }: Surveyed,
  checkpoint: Checkpoint,
): Promise<string | undefined> {
  const { joined } = job.source;
  // Another process writes the checkpoint, and the rejects with it.
  if (checkpoint.failure?.code === 'checkpoint') return undefined;
  const { rejected, failed } = checkpoint.counts();
  const nothing =
    rejected + failed + survey.tickets.rejected === 0 &&
    joined.unmatchedRows().next().done === true &&
    joined.unreadableRows().next().done === true &&
    !existsSync(job.settings.output.rejects) &&
    rejectFoldersOf(job.settings.source.files).length === 0;
  return nothing ? undefined : await writeRejects(job, checkpoint, 'run');
}

/** A dry run leaves the folders alone that it reads. */
export async function writeRejects(
  job: ImportJob,
  ledger: Pick<Ledger, 'get'> | undefined,
  mode: 'run' | 'dry-run',
): Promise<string | undefined> {
  const { settings, ports } = job;
  const rejects = new Rejects(job, mode);
  try {
    for await (const chunk of examineExport(job, ports.hard, ledger))
      for (const examined of chunk) await rejects.take(examined);
    await rejects.takeLeftRows();
    return await rejects.finish(settings);
  } catch (error) {
    rejects.discard();
    throw error;
  }
}

/** Of the same export, in the same part, with the same checkpoint. */
function nameOfImport({ source, selection, output }: Settings): string {
  const files = source.files.map((file) => resolve(file));
  return sha256(JSON.stringify([files, selection, resolve(output.checkpoint)])).slice(0, 32);
}

interface RejectFile {
  readonly folder: RejectFolder;
  readonly name: string;
  /** Names of tables, with where their records are in the file. */
  readonly inputs: readonly (JoinInput & { readonly table: string; readonly isLookup: boolean })[];
}

class Rejects {
  readonly #job: ImportJob;
  readonly #of: string;
  readonly #own: string;
  readonly #folders = new Map<string, RejectFolder>();
  /** Folders of rejects that were read, by the files in them. */
  readonly #read = new Map<number, string>();
  readonly #names: ReadonlyMap<number, string>;
  readonly #written = new Set<number>();
  readonly #used = new Set<number>();

  constructor(job: ImportJob, mode: 'run' | 'dry-run') {
    const { settings, source } = job;
    this.#job = job;
    this.#of = nameOfImport(settings);
    const read = rejectFoldersOf(settings.source.files);
    this.#own = folderFor(settings.output.rejects, this.#of, (folder) => read.includes(folder));
    this.#names = rejectNames(source.files.files);
    if (mode === 'dry-run') return;
    for (const folder of read) this.#folders.set(folder, new RejectFolder(folder));
    for (const { id, name } of source.files.files) {
      const [folder] = name === '-' ? [] : rejectFoldersOf([name]);
      if (folder !== undefined && this.#folders.has(folder)) this.#read.set(id, folder);
    }
  }

  async take(examined: Examined): Promise<void> {
    const { skippedBecause } = examined;
    if (examined.kind === 'ticket') return await this.#ticket(examined);
    const { code, ref, table, message } = examined;
    if (skippedBecause !== undefined) return await this.#stay([{ table, ref }]);
    if (code === 'unreadable') await this.#unreadable(ref);
    else await this.#rows([{ table, ref }], message);
  }

  /** Rows that belong to no ticket. */
  async takeLeftRows(): Promise<void> {
    const { source } = this.#job;
    for (const { ref, table, message } of unmatchedRows(source)) await this.#rows([{ table, ref }], message);
    for (const { ref } of source.joined.unreadableRows()) await this.#unreadable(ref);
  }

  /** Resolves with the folder that has rows now: that of the run, else one that was read. */
  async finish({ selection }: Settings): Promise<string | undefined> {
    for (const id of this.#used) await this.#complete(id);
    const shard = selection.shard && shardName(selection.shard);
    for (const [path, folder] of this.#folders) {
      if (path !== this.#own) this.#keepOthers(path, folder);
      folder.finish(this.#of, shard);
    }
    if (!this.#folders.has(this.#own) && isUntouched(this.#own, this.#of))
      new RejectFolder(this.#own).finish(this.#of, shard);
    const left = [this.#own, ...this.#folders.keys()].find((path) => existsSync(path));
    const asked = this.#job.settings.output.rejects;
    return left !== undefined && existsSync(asked) && realpathSync(asked) === left ? asked : left;
  }

  discard(): void {
    for (const folder of this.#folders.values()) folder.discard();
  }

  async #ticket(examined: ExaminedTicket): Promise<void> {
    const { rows, record, skippedBecause } = examined;
    const reason = reasonOf(examined);
    if (reason !== undefined && skippedBecause === undefined) return await this.#rows(rows, reason);
    const state = record?.state;
    if (state === 'skipped' || (state === 'done' && hasSameContent(examined))) return;
    await this.#stay(rows, openReason(state));
  }

  /** Rows of a folder of rejects that were not imported from it. */
  async #stay(rows: readonly RejectRow[], reason?: string): Promise<void> {
    for (const row of rows) {
      if (!this.#read.has(row.ref.file)) continue;
      await this.#rows([row], reason ?? (await this.#file(row.ref).reason(row.ref)));
    }
  }

  async #rows(rows: readonly RejectRow[], reason: string): Promise<void> {
    const reported = this.#job.ports.typed?.inText(reason) ?? reason;
    for (const { table, ref } of outermost(
      rows,
      (row) => this.#isDocument(row),
      this.#job.source.files.files,
    ))
      await this.#write(ref, table, reported);
  }

  async #write(ref: RecordRef, table: string | undefined, reason: string): Promise<void> {
    if (this.#written.has(ref.row)) return;
    this.#written.add(ref.row);
    this.#used.add(ref.file);
    const file = this.#file(ref);
    const { folder, name, inputs } = this.#target(file);
    const input = inputs.find((each) => each.table === table) ?? inputs.find(({ isLookup }) => !isLookup);
    this.#begin(folder, name, file);
    folder.add(name, await rowLine(file, ref, input?.selector?.path, reason));
  }

  async #unreadable(ref: RecordRef): Promise<void> {
    if (this.#written.has(ref.row)) return;
    this.#written.add(ref.row);
    this.#used.add(ref.file);
    const file = this.#file(ref);
    const name = file.format === 'csv' ? 'unreadable.csv' : 'unreadable.jsonl';
    const { folder } = this.#target(file);
    // With the header, a line that is mended there reads like one of the source.
    this.#begin(folder, name, file);
    const raw = (await file.raw(ref)).toString('utf8');
    folder.add(name, file.format === 'csv' ? raw : raw.replaceAll(/[\r\n]+/g, ' '));
  }

  #begin(folder: RejectFolder, name: string, file: SourceFile): void {
    const header = headerLine(file);
    if (header !== undefined && !folder.has(name)) folder.add(name, header);
  }

  #target(file: SourceFile): RejectFile {
    const { plan } = this.#job.source.detection;
    const inputs = plan.tables.flatMap(({ name: table, role, inputs: all }) =>
      all
        .filter((input) => input.file === file.id)
        .map((input) => ({ ...input, table, isLookup: role === 'lookup' })),
    );
    const read = this.#read.get(file.id);
    const path = read ?? this.#own;
    const folder = this.#folders.get(path) ?? new RejectFolder(path);
    this.#folders.set(path, folder);
    const name = read === undefined ? this.#names.get(file.id) : relative(read, realpathSync(file.name));
    return { folder, name: name ?? 'data', inputs };
  }

  /** Look-up rows go along whole, because the others read differently without them; and the header, by which a layout is recognised. */
  async #complete(id: number): Promise<void> {
    const { source, ports } = this.#job;
    for (const file of source.files.files) {
      if (this.#read.get(file.id) !== this.#read.get(id)) continue;
      const { folder, name, inputs } = this.#target(file);
      if (inputs.length === 0) continue;
      this.#begin(folder, name, file);
      for (const { selector, isLookup } of inputs) {
        if (!isLookup || inputs.some((other) => !other.isLookup && covers(other, selector))) continue;
        for await (const records of file.records(selector, ports.hard))
          for (const { ref, error } of records)
            if (error === undefined && !this.#written.has(ref.row)) {
              this.#written.add(ref.row);
              folder.add(name, await rowLine(file, ref, selector?.path, ''));
            }
      }
    }
  }

  /** What a person put into a folder that was read. */
  #keepOthers(path: string, folder: RejectFolder): void {
    const { files, detection } = this.#job.source;
    const inPlan = new Set(detection.plan.tables.flatMap(({ inputs }) => inputs.map(({ file }) => file)));
    const read = new Set(
      files.files
        .filter(({ id, name }) => name !== '-' && inPlan.has(id))
        .map(({ name }) => realpathSync(name)),
    );
    for (const name of filesIn(path)) if (!read.has(join(path, name))) folder.keep(join(path, name), name);
  }

  #isDocument({ table, ref }: RejectRow): boolean {
    const { plan } = this.#job.source.detection;
    const input = plan.tables
      .find(({ name }) => name === table)
      ?.inputs.find(({ file }) => file === ref.file);
    return input?.selector?.path === undefined;
  }

  #file({ file }: RecordRef): SourceFile {
    const found = this.#job.source.files.files[file];
    if (found === undefined) throw new RangeError(`There is no file ${file}.`);
    return found;
  }
}

interface RejectRow {
  readonly table: string | undefined;
  readonly ref: RecordRef;
}

/** Without rows that are a part of another one: messages within the document or the line of their ticket. */
function outermost(
  rows: readonly RejectRow[],
  isDocument: (row: RejectRow) => boolean,
  files: readonly SourceFile[],
): readonly RejectRow[] {
  const documents = rows.filter((row) => files[row.ref.file]?.format !== 'csv' && isDocument(row));
  if (documents.length === 0 || documents.length === rows.length) return rows;
  const isWithin = ({ ref }: RejectRow) =>
    documents.some(
      ({ ref: outer }) =>
        outer.file === ref.file &&
        (files[ref.file]?.format === 'json' ? outer.line <= ref.line : outer.line === ref.line),
    );
  return rows.filter((row) => documents.includes(row) || !isWithin(row));
}

/** Whether records of a selector are read as records of another table too. */
function covers({ selector: other }: JoinInput, selector: JoinInput['selector']): boolean {
  const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
  if (!same(other?.path, selector?.path)) return false;
  return other?.where === undefined || selector?.where === undefined || same(other.where, selector.where);
}

/** Whether a ticket that is done was imported with this very content. */
function hasSameContent({ record, result }: ExaminedTicket): boolean {
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

/** Why a ticket is in the rejects, or undefined where it is not; `between` its errors. */
export function reasonOf({ step, result, record: known }: ExaminedTicket, between = ' '): string | undefined {
  const state = known?.state;
  if (state !== 'failed' && state !== 'rejected' && step.outcome !== 'rejected') return undefined;
  const errors = result.problems
    .filter(({ severity }) => severity === 'error')
    .map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`));
  return errors.join(between) || (known?.problem?.message ?? 'It could not be imported.');
}

/** Why a ticket of a folder of rejects was not imported from it, where that is not what the folder says already. */
function openReason(state: TicketRecord['state'] | undefined): string | undefined {
  if (state === 'done')
    return 'A ticket with this id was imported with other content. Give this row its own id, or delete it here.';
  return state === 'creating' || state === 'inDoubt'
    ? 'It is in doubt whether the target has it; see: helpdesk-import resolve.'
    : undefined;
}
