/** The rejects at the end of a run, in the files and columns of the source. A folder that was the export keeps what was not imported. */
import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { sha256 } from '../domain/identity.ts';
import type { Ledger, TicketRecord } from '../domain/ledger.ts';
import type { RecordRef } from '../domain/source.ts';
import type { JoinInput, SourceFile } from '../domain/source-file.ts';
import { LEFT_OPEN } from '../domain/ticket-state.ts';
import { guarded } from '../source/problems.ts';
import * as folders from '../source/reject-folder.ts';
import { headerLine, rejectNames, rowLine } from '../source/reject-rows.ts';
import { type Examined, type ExaminedTicket, examineExport } from './examine.ts';
import type { ImportJob, OpenedSource } from './import-job.ts';
import { looseRows } from './problem-places.ts';

const REJECTS_IN_TIME_MS = 10_000;

/** What the checkpoint has as rejected stays until it is sent. */
const REJECTED = `leftOut IS NULL AND (outcome IN ('rejected', 'failed') OR outcome = 'pending' AND state IN (${LEFT_OPEN.map((state) => `'${state}'`).join(', ')}))`;

/** If it takes longer, or after a second Ctrl-C, the folder stays and the next run writes it. */
export async function rejectsInTime(job: ImportJob, checkpoint: Checkpoint): Promise<string | undefined> {
  const hard = AbortSignal.any([job.ports.hard, AbortSignal.timeout(REJECTS_IN_TIME_MS)]);
  try {
    return await settleRejects({ ...job, ports: { ...job.ports, hard } }, checkpoint);
  } catch (error) {
    if (hard.aborted) return undefined;
    throw error;
  }
}

/** Throws AppError `disk-write`, and `usage` for another kind of folder. */
export async function settleRejects(job: ImportJob, checkpoint: Checkpoint): Promise<string | undefined> {
  const { plan } = job.source;
  // Another process writes the checkpoint, and the rejects with it.
  if (checkpoint.failure?.code === 'checkpoint') return undefined;
  const { rejected, refused, incomplete } = checkpoint.counts();
  const nothing =
    rejected + refused + incomplete + plan.steps.counts().rejected === 0 &&
    looseRows(job.source).next().done === true &&
    !existsSync(job.rejects.folder) &&
    folders.rejectFoldersOf(job.reading.inputs).length === 0;
  return nothing ? undefined : await writeRejects(job, checkpoint, 'run');
}

/** A dry run never changes the folders that it reads. */
export async function writeRejects(
  job: ImportJob,
  ledger: Pick<Ledger, 'get'> | undefined,
  mode: 'run' | 'dry-run',
): Promise<string | undefined> {
  const { source, ports, reading } = job;
  const read = mode === 'run' ? folders.rejectFoldersOf(reading.inputs) : [];
  const rejects = openRejects(job, read);
  // A folder written anew keeps rows that were not imported.
  const which = read.length > 0 ? 'TRUE' : REJECTED;
  for await (const chunk of examineExport(job, ports.hard, ledger, which))
    for (const examined of chunk) await rejects.take(examined);
  for (const { kind, ref, table, message } of looseRows(source))
    if (kind === 'lost' || kind === 'unreadable') await rejects.addUnreadable(ref);
    else await rejects.add([{ table, ref }], message);
  await rejects.complete();
  return rejects.write();
}

function nameOfImport({ reading, selection, checkpointPath }: ImportJob): string {
  const files = reading.inputs.map((file) => resolve(file));
  return sha256(JSON.stringify([files, selection, resolve(checkpointPath)])).slice(0, 32);
}

/** `row`: in the order of the export, each once. */
const SCHEMA = `
  DROP TABLE IF EXISTS temp.reject;
  CREATE TEMP TABLE reject (row INTEGER PRIMARY KEY, folder TEXT, name TEXT, line TEXT)`;

function openRejects(job: ImportJob, read: readonly string[]) {
  const { reading, source, ports } = job;
  const { files, stage } = source.files;
  const mark = nameOfImport(job);
  const asInput = folders.rejectFoldersOf(reading.inputs);
  const ownFolder = folders.folderFor(job.rejects.folder, mark, (folder) => asInput.includes(folder));
  const ownNames = rejectNames(files);
  const written = new Map(read.map((path) => [path, new Map<string, string | undefined>()]));
  const readFrom = new Map<number, string>();
  const used = new Set<number>();
  for (const { id, name } of files) {
    const [folder] = name === '-' ? [] : folders.rejectFoldersOf([name]);
    if (folder !== undefined && read.includes(folder)) readFrom.set(id, folder);
  }
  stage.database.exec(SCHEMA);
  const insert = stage.database.prepare('INSERT OR IGNORE INTO reject VALUES (?, ?, ?, ?)');
  const rowsOf = stage.database
    .prepare<[string, string], string>('SELECT line FROM reject WHERE folder = ? AND name = ? ORDER BY row')
    .pluck();

  async function take(examined: Examined): Promise<void> {
    const { skippedBecause } = examined;
    if (examined.kind === 'unreadable') {
      const { code, ref, table, message } = examined;
      if (skippedBecause !== undefined) await stay([{ table, ref }]);
      else if (code === 'unreadable') await addUnreadable(ref);
      else await add([{ table, ref }], message);
      return;
    }
    const { rows, record } = examined;
    const reason = reasonOf(examined);
    if (reason !== undefined && skippedBecause === undefined) return await add(rows, reason);
    const state = record?.state;
    if (state === 'skipped' || (state === 'done' && hasSameContent(examined))) return;
    await stay(rows, openReason(state));
  }

  async function add(rows: readonly RejectRow[], reason: string): Promise<void> {
    const reported = ports.typed?.inText(reason) ?? reason;
    for (const { table, ref } of outermost(rows, source)) {
      const file = fileOf(ref);
      const inputs = inputsOf(file);
      const input = inputs.find((each) => each.table === table) ?? inputs.find(({ isLookup }) => !isLookup);
      put(file, ref, rowLine(file, ref, input?.selector?.path, reported));
    }
  }

  /** With the header, so that a mended line reads like the source. */
  async function addUnreadable(ref: RecordRef): Promise<void> {
    const file = fileOf(ref);
    const raw = file.raw(ref);
    if (file.format === 'csv') put(file, ref, raw, 'unreadable.csv');
    else put(file, ref, raw.replaceAll(/[\r\n]+/g, ' '), 'unreadable.jsonl');
  }

  /** Look-up rows go along, as others need them; and headers, by which a layout is recognised. */
  async function complete(): Promise<void> {
    const places = new Set([...used].map((id) => readFrom.get(id)));
    for (const file of files) {
      const inputs = inputsOf(file);
      if (inputs.length === 0 || !places.has(readFrom.get(file.id))) continue;
      fileIn(file, undefined, false);
      for (const { selector, isLookup } of inputs) {
        if (!isLookup || inputs.some((other) => !other.isLookup && covers(other, selector))) continue;
        for await (const records of file.records(selector, ports.hard))
          for (const { ref, error } of records)
            if (error === undefined) put(file, ref, rowLine(file, ref, selector?.path, ''));
      }
    }
  }

  function write(): string | undefined {
    if (!written.has(ownFolder) && folders.isUntouched(ownFolder, mark)) written.set(ownFolder, new Map());
    for (const [path, names] of written)
      folders.replaceFolder(path, mark, (fresh) => {
        if (path !== ownFolder) keepOthers(path, fresh);
        for (const [name, header] of names) folders.writeLines(fresh, name, linesOf(path, name, header));
      });
    const left = [ownFolder, ...written.keys()].find((path) => existsSync(path));
    const asked = job.rejects.folder;
    if (left === undefined || (existsSync(asked) && realpathSync(asked) === left)) return left && asked;
    // As the other paths of the import are shown.
    const near = relative('', left);
    return isAbsolute(asked) || near.startsWith('..') ? left : near;
  }

  function* linesOf(path: string, name: string, header: string | undefined): Generator<string> {
    if (header !== undefined) yield header;
    yield* rowsOf.iterate(path, name);
  }

  async function stay(rows: readonly RejectRow[], reason?: string): Promise<void> {
    for (const row of rows)
      if (readFrom.has(row.ref.file)) await add([row], reason ?? fileOf(row.ref).reason(row.ref));
  }

  function put(file: SourceFile, { row }: RecordRef, line: string, as?: string): void {
    used.add(file.id);
    guarded(() => insert.run(row, ...fileIn(file, as), line));
  }

  /** A JSON file is made with its first row. */
  function fileIn(file: SourceFile, as?: string, hasRow = true): [folder: string, name: string] {
    const read = readFrom.get(file.id);
    const folder = read ?? ownFolder;
    const own = read === undefined ? ownNames.get(file.id) : relative(read, realpathSync(file.name));
    const name = as ?? own ?? 'data';
    const names = written.get(folder) ?? new Map<string, string | undefined>();
    written.set(folder, names);
    const header = headerLine(file);
    if (!names.has(name) && (hasRow || header !== undefined)) names.set(name, header);
    return [folder, name];
  }

  function inputsOf({ id }: SourceFile) {
    return source.detection.plan.tables.flatMap(({ name: table, role, inputs }) =>
      inputs
        .filter(({ file }) => file === id)
        .map((input) => ({ ...input, table, isLookup: role === 'lookup' })),
    );
  }

  function keepOthers(path: string, fresh: string): void {
    const inPlan = new Set(
      source.detection.plan.tables.flatMap(({ inputs }) => inputs.map(({ file }) => file)),
    );
    const read = new Set(
      files.filter(({ id, name }) => name !== '-' && inPlan.has(id)).map(({ name }) => realpathSync(name)),
    );
    for (const name of folders.filesIn(path))
      if (!read.has(join(path, name))) folders.copyInto(fresh, name, join(path, name));
  }

  function fileOf({ file }: RecordRef): SourceFile {
    return files[file] as SourceFile;
  }

  return { take, add, addUnreadable, complete, write };
}

interface RejectRow {
  readonly table: string | undefined;
  readonly ref: RecordRef;
}

/** Leaves out rows within another row's document or line. */
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

function covers({ selector: other }: JoinInput, selector: JoinInput['selector']): boolean {
  const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
  if (!same(other?.path, selector?.path)) return false;
  return other?.where === undefined || selector?.where === undefined || same(other.where, selector.where);
}

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

/** Each sentence once, without the fields. */
export function reasonOf(
  { step, result, record: known }: ExaminedTicket,
  where: 'rejects' | 'page' = 'rejects',
): string | undefined {
  const isLeftOpen = LEFT_OPEN.some((state) => state === known?.state);
  if (!isLeftOpen && step.outcome !== 'rejected') return undefined;
  const errors = result.problems
    .filter(({ severity }) => severity === 'error')
    .map(({ field, message }) =>
      field === undefined || where === 'page' ? message : `${field}: ${message}`,
    );
  return (
    (where === 'page' ? [...new Set(errors)].join('\n') : errors.join(' ')) ||
    (known?.problem?.message ?? 'It could not be imported.')
  );
}

/** If the folder does not say it already. */
function openReason(state: TicketRecord['state'] | undefined): string | undefined {
  if (state === 'done')
    return 'A ticket with this id was imported with other content. Give this row its own id, or delete it here.';
  return state === 'creating' || state === 'inDoubt'
    ? 'It is in doubt whether the helpdesk has it; see: helpdesk-import resolve.'
    : undefined;
}
