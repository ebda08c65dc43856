/** The rows of rejects, in the files and columns of the source. A folder that was the export keeps what was not imported. */
import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import type { Statement } from '../domain/database.ts';
import type { RecordRef } from '../domain/source.ts';
import type { JoinInput, JoinPlan, SourceFile } from '../domain/source-file.ts';
import type { StagedExport } from './open-export.ts';
import { guarded } from './problems.ts';
import * as folders from './reject-folder.ts';
import { headerLine, rejectNames, rowLine } from './reject-rows.ts';

interface RejectedExport {
  readonly files: StagedExport;
  readonly plan: JoinPlan;
}

/** `row`: in the order of the export, each once. */
const SCHEMA = `
  DROP TABLE IF EXISTS temp.reject;
  CREATE TEMP TABLE reject (row INTEGER PRIMARY KEY, folder TEXT, name TEXT, line TEXT)`;

interface Asked {
  /** The folder of the settings. */
  readonly folder: string;
  /** Names the import, so that no other one replaces its folder. */
  readonly mark: string;
  readonly inputs: readonly string[];
  /** Folders of the export that are written anew. */
  readonly read: readonly string[];
  readonly signal: AbortSignal;
  /** A sentence with the commands as they are typed. */
  readonly inText: (sentence: string) => string;
}

export class RejectRows {
  readonly #source: RejectedExport;
  readonly #asked: Asked;
  readonly #files: readonly SourceFile[];
  readonly #ownFolder: string;
  readonly #ownNames: ReadonlyMap<number, string>;
  /** Headers by name, by folder. */
  readonly #written: Map<string, Map<string, string | undefined>>;
  readonly #readFrom = new Map<number, string>();
  readonly #used = new Set<number>();
  readonly #insert: Statement;
  readonly #linesOf: Statement<[string, string], string>;

  constructor(source: RejectedExport, asked: Asked) {
    const { files, stage } = source.files;
    const asInput = folders.rejectFoldersOf(asked.inputs);
    this.#source = source;
    this.#asked = asked;
    this.#files = files;
    this.#ownFolder = folders.folderFor(asked.folder, asked.mark, (folder) => asInput.includes(folder));
    this.#ownNames = rejectNames(files);
    this.#written = new Map(asked.read.map((path) => [path, new Map()]));
    for (const { id, name } of files) {
      const [folder] = name === '-' ? [] : folders.rejectFoldersOf([name]);
      if (folder !== undefined && asked.read.includes(folder)) this.#readFrom.set(id, folder);
    }
    stage.database.exec(SCHEMA);
    this.#insert = stage.database.prepare('INSERT OR IGNORE INTO reject VALUES (?, ?, ?, ?)');
    this.#linesOf = stage.database
      .prepare<[string, string], string>('SELECT line FROM reject WHERE folder = ? AND name = ? ORDER BY row')
      .pluck();
  }

  add(rows: readonly RejectRow[], reason: string): void {
    const reported = this.#asked.inText(reason);
    for (const { table, ref } of outermost(rows, this.#source)) {
      const file = this.#fileOf(ref);
      const inputs = this.#inputsOf(file);
      const input = inputs.find((each) => each.table === table) ?? inputs.find(({ isLookup }) => !isLookup);
      this.#put(file, ref, rowLine(file, ref, input?.selector?.path, reported));
    }
  }

  /** With the header, so that a mended line reads like the source. */
  addUnreadable(ref: RecordRef): void {
    const file = this.#fileOf(ref);
    const raw = file.raw(ref);
    if (file.format === 'csv') this.#put(file, ref, raw, 'unreadable.csv');
    else this.#put(file, ref, raw.replaceAll(/[\r\n]+/g, ' '), 'unreadable.jsonl');
  }

  /** Rows of a folder that is written anew. */
  stay(rows: readonly RejectRow[], reason?: string): void {
    for (const row of rows)
      if (this.#readFrom.has(row.ref.file)) this.add([row], reason ?? this.#fileOf(row.ref).reason(row.ref));
  }

  /** Look-up rows go along, as others need them; and headers, by which a layout is recognised. */
  async complete(): Promise<void> {
    const places = new Set([...this.#used].map((id) => this.#readFrom.get(id)));
    for (const file of this.#files) {
      const inputs = this.#inputsOf(file);
      if (inputs.length === 0 || !places.has(this.#readFrom.get(file.id))) continue;
      this.#fileIn(file, undefined, false);
      for (const { selector, isLookup } of inputs) {
        if (!isLookup || inputs.some((other) => !other.isLookup && covers(other, selector))) continue;
        for await (const records of file.records(selector, this.#asked.signal))
          for (const { ref, error } of records)
            if (error === undefined) this.#put(file, ref, rowLine(file, ref, selector?.path, ''));
      }
    }
  }

  /** Returns the folder, if one is left. */
  write(): string | undefined {
    const { folder, mark } = this.#asked;
    const [written, own] = [this.#written, this.#ownFolder];
    if (!written.has(own) && folders.isUntouched(own, mark)) written.set(own, new Map());
    for (const [path, names] of written)
      folders.replaceFolder(path, mark, (fresh) => {
        if (path !== own) this.#keepOthers(path, fresh);
        for (const [name, header] of names)
          folders.writeLines(fresh, name, this.#content(path, name, header));
      });
    const left = [own, ...written.keys()].find((path) => existsSync(path));
    if (left === undefined || (existsSync(folder) && realpathSync(folder) === left)) return left && folder;
    // As the other paths of the import are shown.
    const near = relative('', left);
    return isAbsolute(folder) || near.startsWith('..') ? left : near;
  }

  *#content(path: string, name: string, header: string | undefined): Generator<string> {
    if (header !== undefined) yield header;
    yield* this.#linesOf.iterate(path, name);
  }

  #put(file: SourceFile, { row }: RecordRef, line: string, as?: string): void {
    this.#used.add(file.id);
    guarded(() => this.#insert.run(row, ...this.#fileIn(file, as), line));
  }

  /** A JSON file is made with its first row. */
  #fileIn(file: SourceFile, as?: string, hasRow = true): [folder: string, name: string] {
    const read = this.#readFrom.get(file.id);
    const folder = read ?? this.#ownFolder;
    const own = read === undefined ? this.#ownNames.get(file.id) : relative(read, realpathSync(file.name));
    const name = as ?? own ?? 'data';
    const names = this.#written.get(folder) ?? new Map<string, string | undefined>();
    this.#written.set(folder, names);
    const header = headerLine(file);
    if (!names.has(name) && (hasRow || header !== undefined)) names.set(name, header);
    return [folder, name];
  }

  #inputsOf({ id }: SourceFile) {
    return this.#source.plan.tables.flatMap(({ name: table, role, inputs }) =>
      inputs
        .filter(({ file }) => file === id)
        .map((input) => ({ ...input, table, isLookup: role === 'lookup' })),
    );
  }

  #keepOthers(path: string, fresh: string): void {
    const { tables } = this.#source.plan;
    const inPlan = new Set(tables.flatMap(({ inputs }) => inputs.map(({ file }) => file)));
    const read = new Set(
      this.#files
        .filter(({ id, name }) => name !== '-' && inPlan.has(id))
        .map(({ name }) => realpathSync(name)),
    );
    for (const name of folders.filesIn(path))
      if (!read.has(join(path, name))) folders.copyInto(fresh, name, join(path, name));
  }

  #fileOf({ file }: RecordRef): SourceFile {
    return this.#files[file] as SourceFile;
  }
}

interface RejectRow {
  readonly table: string | undefined;
  readonly ref: RecordRef;
}

/** Leaves out rows within another row's document or line. */
function outermost(
  rows: readonly RejectRow[],
  { files: { files }, plan }: RejectedExport,
): readonly RejectRow[] {
  const formatOf = ({ ref }: RejectRow) => files[ref.file]?.format;
  const isDocument = ({ table, ref }: RejectRow) => {
    const inputs = plan.tables.find(({ name }) => name === table)?.inputs;
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
