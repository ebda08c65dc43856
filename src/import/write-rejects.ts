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
import type { Statement } from '../sqlite/database.ts';
import { type Examined, type ExaminedTicket, examineExport } from './examine.ts';
import type { ImportJob } from './import-job.ts';
import type { OpenedSource } from './opened-source.ts';
import { unmatchedRows } from './unmatched-rows.ts';

/** Milliseconds that the rejects may take after Ctrl-C. */
const REJECTS_IN_TIME_MS = 10_000;

/** Valid when the run began, too: what the checkpoint has as rejected stays until it is sent. */
const REJECTED = `leftOut IS NULL AND (outcome IN ('rejected', 'failed') OR outcome = 'pending' AND state IN ('rejected', 'failed'))`;

/** After Ctrl-C: what takes longer, or a second Ctrl-C, leaves the folder as it was, and the next run writes it. */
export async function rejectsInTime(job: ImportJob, checkpoint: Checkpoint): Promise<string | undefined> {
  const { clock, hard: atOnce } = job.ports;
  const [late, written] = [new AbortController(), new AbortController()];
  const hard = AbortSignal.any([atOnce, late.signal]);
  void clock.sleep(REJECTS_IN_TIME_MS, written.signal).then(
    () => late.abort(),
    () => undefined,
  );
  try {
    return await settleRejects({ ...job, ports: { ...job.ports, hard } }, checkpoint);
  } catch (error) {
    if (hard.aborted) return undefined;
    throw error;
  } finally {
    written.abort();
  }
}

/** Resolves with the folder of rejects that the run leaves. Throws AppError `disk-write`, and `usage` for a folder of another kind. */
export async function settleRejects(job: ImportJob, checkpoint: Checkpoint): Promise<string | undefined> {
  const { joined, plan } = job.source;
  // Another process writes the checkpoint, and the rejects with it.
  if (checkpoint.failure?.code === 'checkpoint') return undefined;
  const { rejected, failed } = checkpoint.counts();
  const nothing =
    rejected + failed + plan.steps.counts().rejected === 0 &&
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
  const rejects = new Rejects(job, mode);
  try {
    for await (const chunk of examineExport(job, job.ports.hard, ledger, rejects.which))
      for (const examined of chunk) await rejects.take(examined);
    await rejects.takeLeftRows();
    return await rejects.finish();
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

class Rejects {
  readonly #job: ImportJob;
  readonly #of: string;
  readonly #own: string;
  readonly #folders = new Map<string, RejectFolder>();
  /** Folders of rejects that were read, by the files in them. */
  readonly #read = new Map<number, string>();
  readonly #names: ReadonlyMap<number, string>;
  readonly #written: Statement;
  readonly #used = new Set<number>();

  constructor(job: ImportJob, mode: 'run' | 'dry-run') {
    const { settings, source } = job;
    const { files, stage } = source.files;
    this.#job = job;
    this.#of = nameOfImport(settings);
    stage.database.exec(
      'DROP TABLE IF EXISTS temp.written; CREATE TEMP TABLE written (row INTEGER PRIMARY KEY)',
    );
    this.#written = stage.database.prepare('INSERT OR IGNORE INTO written VALUES (?)');
    const read = rejectFoldersOf(settings.source.files);
    this.#own = folderFor(settings.output.rejects, this.#of, (folder) => read.includes(folder));
    this.#names = rejectNames(files);
    if (mode === 'dry-run') return;
    for (const folder of read) this.#folders.set(folder, new RejectFolder(folder));
    for (const { id, name } of files) {
      const [folder] = name === '-' ? [] : rejectFoldersOf([name]);
      if (folder !== undefined && this.#folders.has(folder)) this.#read.set(id, folder);
    }
  }

  /** Which tickets there are to take: of a folder that is written anew all, as those that were not imported stay. */
  get which(): string {
    return this.#read.size > 0 ? 'TRUE' : REJECTED;
  }

  async take(examined: Examined): Promise<void> {
    const { skippedBecause } = examined;
    if (examined.kind === 'unreadable') {
      const { code, ref, table, message } = examined;
      if (skippedBecause !== undefined) await this.#stay([{ table, ref }]);
      else if (code === 'unreadable') await this.#unreadable(ref);
      else await this.#rows([{ table, ref }], message);
      return;
    }
    const { rows, record } = examined;
    const reason = reasonOf(examined);
    if (reason !== undefined && skippedBecause === undefined) return await this.#rows(rows, reason);
    const state = record?.state;
    if (state === 'skipped' || (state === 'done' && hasSameContent(examined))) return;
    await this.#stay(rows, openReason(state));
  }

  /** Rows that belong to no ticket. */
  async takeLeftRows(): Promise<void> {
    const { source } = this.#job;
    for (const { ref, table, message } of unmatchedRows(source)) await this.#rows([{ table, ref }], message);
    for (const { ref } of source.joined.unreadableRows()) await this.#unreadable(ref);
  }

  /** Resolves with the folder that has rows now: that of the run, else one that was read. */
  async finish(): Promise<string | undefined> {
    const { selection, output } = this.#job.settings;
    for (const id of this.#used) await this.#complete(id);
    const shard = selection.shard && shardName(selection.shard);
    for (const [path, folder] of this.#folders) {
      if (path !== this.#own) this.#keepOthers(path, folder);
      folder.finish(this.#of, shard);
    }
    if (!this.#folders.has(this.#own) && isUntouched(this.#own, this.#of))
      new RejectFolder(this.#own).finish(this.#of, shard);
    const left = [this.#own, ...this.#folders.keys()].find((path) => existsSync(path));
    const asked = output.rejects;
    return left !== undefined && existsSync(asked) && realpathSync(asked) === left ? asked : left;
  }

  discard(): void {
    for (const folder of this.#folders.values()) folder.discard();
  }

  /** Rows of a folder of rejects that were not imported from it. */
  async #stay(rows: readonly RejectRow[], reason?: string): Promise<void> {
    for (const row of rows)
      if (this.#read.has(row.ref.file))
        await this.#rows([row], reason ?? (await this.#file(row.ref).reason(row.ref)));
  }

  async #rows(rows: readonly RejectRow[], reason: string): Promise<void> {
    const { source, ports } = this.#job;
    const reported = ports.typed?.inText(reason) ?? reason;
    for (const { table, ref } of outermost(rows, source)) {
      if (!this.#isNew(ref)) continue;
      const file = this.#file(ref);
      const inputs = this.#inputs(file);
      const input = inputs.find((each) => each.table === table) ?? inputs.find(({ isLookup }) => !isLookup);
      this.#add(file, await rowLine(file, ref, input?.selector?.path, reported));
    }
  }

  async #unreadable(ref: RecordRef): Promise<void> {
    if (!this.#isNew(ref)) return;
    const file = this.#file(ref);
    const isCsv = file.format === 'csv';
    const raw = (await file.raw(ref)).toString('utf8');
    this.#add(
      file,
      isCsv ? raw : raw.replaceAll(/[\r\n]+/g, ' '),
      isCsv ? 'unreadable.csv' : 'unreadable.jsonl',
    );
  }

  #isNew({ file, row }: RecordRef): boolean {
    this.#used.add(file);
    return this.#written.run(row).changes > 0;
  }

  /** Adds a line, or the header alone: with it a line that is mended there reads like one of the source. */
  #add(file: SourceFile, line: string | undefined, as?: string): void {
    const read = this.#read.get(file.id);
    const path = read ?? this.#own;
    const folder = this.#folders.get(path) ?? new RejectFolder(path);
    this.#folders.set(path, folder);
    const own = read === undefined ? this.#names.get(file.id) : relative(read, realpathSync(file.name));
    const name = as ?? own ?? 'data';
    const header = headerLine(file);
    if (header !== undefined && !folder.has(name)) folder.add(name, header);
    if (line !== undefined) folder.add(name, line);
  }

  /** Names of tables, with where their records are in the file. */
  #inputs({ id }: SourceFile) {
    return this.#job.source.detection.plan.tables.flatMap(({ name: table, role, inputs }) =>
      inputs
        .filter(({ file }) => file === id)
        .map((input) => ({ ...input, table, isLookup: role === 'lookup' })),
    );
  }

  /** Look-up rows go along whole, because the others read differently without them; and the header, by which a layout is recognised. */
  async #complete(id: number): Promise<void> {
    const { source, ports } = this.#job;
    for (const file of source.files.files) {
      const inputs = this.#inputs(file);
      if (inputs.length === 0 || this.#read.get(file.id) !== this.#read.get(id)) continue;
      this.#add(file, undefined);
      for (const { selector, isLookup } of inputs) {
        if (!isLookup || inputs.some((other) => !other.isLookup && covers(other, selector))) continue;
        for await (const records of file.records(selector, ports.hard))
          for (const { ref, error } of records)
            if (error === undefined && this.#isNew(ref))
              this.#add(file, await rowLine(file, ref, selector?.path, ''));
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

  #file({ file }: RecordRef): SourceFile {
    return this.#job.source.files.files[file] as SourceFile;
  }
}

interface RejectRow {
  readonly table: string | undefined;
  readonly ref: RecordRef;
}

/** Without rows that are a part of another one: messages within the document or the line of their ticket. */
function outermost(
  rows: readonly RejectRow[],
  { files: { files }, detection }: OpenedSource,
): readonly RejectRow[] {
  const formatOf = ({ ref }: RejectRow) => files[ref.file]?.format;
  const isDocument = ({ table, ref }: RejectRow) => {
    const inputs = detection.plan.tables.find(({ name }) => name === table)?.inputs;
    return inputs?.find(({ file }) => file === ref.file)?.selector?.path === undefined;
  };
  const documents = rows.filter((row) => formatOf(row) !== 'csv' && isDocument(row));
  if (documents.length === 0 || documents.length === rows.length) return rows;
  const isWithin = (row: RejectRow) =>
    documents.some(
      ({ ref: { file, line } }) =>
        file === row.ref.file && (formatOf(row) === 'json' ? line <= row.ref.line : line === row.ref.line),
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
