/**
 * The files of the rejects, row by row. Tables in which a mapping only looks rows up go along whole, because without them
 * the rows would not read the same.
 */
import { hashOf } from '../domain/hash.ts';
import type { JoinPlan, JoinTable } from '../domain/join-plan.ts';
import type { RecordRef } from '../domain/source.ts';
import type { ExportFiles, RecordSelector, SourceFile } from '../domain/source-file.ts';
import {
  arrayTree,
  csvHeader,
  csvRowWithReason,
  documentPieces,
  objectWithReason,
  onOneLine,
  pageLine,
} from './json-rejects.ts';
import { MARKER, type RejectFolder } from './reject-folder.ts';
import { freeName, rejectNames } from './reject-names.ts';

/** By it a spreadsheet knows that a CSV is UTF-8, and so does the import that reads the file again. */
const MARK = '\ufeff';
const LINE_END = Buffer.from('\n');
const COMMA = Buffer.from(',\n');
const PARTS = '.parts';

export class RejectFiles {
  readonly #folder: RejectFolder;
  readonly #sources = new Map<ExportFiles, { readonly plan: JoinPlan; isUsed: boolean }>();
  readonly #names = new Map<SourceFile, string>();
  /** By name of a CSV: the header that stands in it. */
  readonly #headers = new Map<string, string>();
  /** By name of a JSON file: its arrays, each with the part file of its elements. */
  readonly #parts = new Map<string, Map<string, { path: readonly string[]; part: string }>>();
  /** Rows of lookup tables that stand already. */
  readonly #lookups = new Set<number>();
  /** By name of a JSON file that is one document: the file it came from. */
  readonly #documents = new Map<string, SourceFile>();
  #rows = 0;

  constructor(folder: RejectFolder) {
    this.#folder = folder;
  }

  /** Rows are written from these files. `names`: what theirs are called, where they are not named after the source. */
  from(files: ExportFiles, plan: JoinPlan, names = rejectNames(files.files)): void {
    this.#sources.set(files, { plan, isUsed: false });
    for (const file of files.files) this.#names.set(file, names.get(file.id) ?? `${file.id}`);
  }

  async rows(from: ExportFiles, rows: readonly RejectRow[], reason: string): Promise<void> {
    const { plan } = this.#use(from);
    const text = reasonText(reason);
    for (const { table, ref } of outermost(rows)) {
      const file = fileOf(from, ref);
      await this.#writeRow(file, await file.raw(ref), pathOf(table, file, plan), text);
      this.#rows++;
    }
  }

  async unreadable(from: ExportFiles, ref: RecordRef): Promise<void> {
    this.#use(from);
    const file = fileOf(from, ref);
    const raw = await file.raw(ref);
    this.#rows++;
    if (file.format !== 'csv') {
      await this.#folder.append('unreadable.jsonl', onOneLine(raw), LINE_END);
      return;
    }
    // With the header, a line that is mended there reads like one of the source.
    const { header = [] } = file.outline;
    const delimiter = file.delimiter ?? ',';
    const name = await this.#csvFile('unreadable.csv', csvHeader(header, delimiter));
    await this.#folder.append(name, raw, LINE_END);
  }

  /** Kept in the marker. */
  async note(lines: readonly string[]): Promise<void> {
    if (lines.length > 0) await this.#folder.append(MARKER, Buffer.from(`${lines.join('\n')}\n`, 'utf8'));
  }

  /** A file of the old folder that is none of rejects: it goes along as it is. */
  async keepFile(name: string, bytes: Buffer): Promise<void> {
    const isTaken = this.#headers.has(name) || this.#documents.has(name) || this.#parts.has(name);
    const taken = new Set(isTaken ? [name.toLowerCase()] : []);
    await this.#folder.append(freeName(name, taken), bytes);
    this.#rows++;
  }

  /** Resolves with whether there is a folder now. */
  async finish(): Promise<boolean> {
    if (this.#rows > 0) {
      for (const [{ files }, { plan, isUsed }] of this.#sources) {
        if (!isUsed) continue;
        for (const file of files) await this.#completeFile(file, plan);
      }
      for (const [name, parts] of this.#parts) await this.#writeDocument(name, [...parts.values()]);
      await this.#folder.remove(PARTS);
    }
    if (this.#rows === 0) await this.#folder.discard();
    await this.#folder.swap();
    return this.#rows > 0;
  }

  get isOvertaken(): boolean {
    return this.#folder.isOvertaken;
  }

  discard(): Promise<void> {
    return this.#folder.discard();
  }

  async #writeRow(
    file: SourceFile,
    raw: Buffer,
    path: readonly string[] | undefined,
    reason: string | undefined,
  ): Promise<void> {
    const wanted = this.#names.get(file) ?? 'data';
    if (file.format === 'csv') {
      const { header = [] } = file.outline;
      const delimiter = file.delimiter ?? ',';
      const name = await this.#csvFile(wanted, csvHeader(header, delimiter));
      await this.#folder.append(
        name,
        csvRowWithReason(raw, reason ?? '', delimiter, header.length),
        LINE_END,
      );
      return;
    }
    const object = reason === undefined ? raw : objectWithReason(raw, reason);
    if (file.format === 'jsonl') {
      const line = onOneLine(object);
      await this.#folder.append(wanted, path === undefined ? line : pageLine(line, path), LINE_END);
    } else if (path === undefined) {
      await this.#folder.append(this.#documentName(wanted, file), object, LINE_END);
    } else {
      await this.#appendElement(wanted, path, object);
    }
  }

  /** Writes the header once. A file of other columns under the same name gets a number. */
  async #csvFile(wanted: string, header: string): Promise<string> {
    const others = new Set<string>();
    let name = wanted;
    while (this.#headers.has(name) && this.#headers.get(name) !== header) {
      others.add(name.toLowerCase());
      name = freeName(wanted, others);
    }
    if (!this.#headers.has(name)) {
      this.#headers.set(name, header);
      await this.#folder.append(name, Buffer.from(MARK + header, 'utf8'), LINE_END);
    }
    return name;
  }

  /** Two documents never become one file. */
  #documentName(wanted: string, file: SourceFile): string {
    const others = new Set<string>();
    let name = wanted;
    while ((this.#documents.get(name) ?? file) !== file) {
      others.add(name.toLowerCase());
      name = freeName(wanted, others);
    }
    this.#documents.set(name, file);
    return name;
  }

  async #appendElement(name: string, path: readonly string[], object: Buffer): Promise<void> {
    const parts = this.#parts.get(name) ?? new Map<string, { path: readonly string[]; part: string }>();
    this.#parts.set(name, parts);
    const key = JSON.stringify(path);
    const known = parts.get(key);
    if (known !== undefined) {
      await this.#folder.append(known.part, COMMA, object);
      return;
    }
    const part = `${PARTS}/${[...this.#parts.keys()].indexOf(name)}-${parts.size}`;
    parts.set(key, { path, part });
    await this.#folder.append(part, object);
  }

  async #writeDocument(
    name: string,
    parts: readonly { path: readonly string[]; part: string }[],
  ): Promise<void> {
    for (const piece of documentPieces(arrayTree(parts))) {
      if ('text' in piece) await this.#folder.append(name, Buffer.from(piece.text));
      else await this.#folder.appendFile(name, piece.part);
    }
    await this.#folder.append(name, LINE_END);
  }

  /** Rows of its lookup tables; and at least the header of a CSV, so that the layout is recognised again. */
  async #completeFile(file: SourceFile, plan: JoinPlan): Promise<void> {
    const { signal } = new AbortController();
    const inputs = plan.tables.flatMap((table) =>
      table.inputs.filter((input) => input.file === file.id).map((input) => ({ role: table.role, ...input })),
    );
    for (const { role, selector } of inputs) {
      const shared = inputs.some((other) => other.role !== 'lookup' && covers(other.selector, selector));
      if (role !== 'lookup' || shared) continue;
      for await (const records of file.records(selector, signal)) {
        for (const { ref, error } of records) {
          if (error !== undefined) continue;
          const raw = await file.raw(ref);
          if (this.#isNewLookup(file, raw)) await this.#writeRow(file, raw, selector?.path, undefined);
        }
      }
    }
    if (file.format === 'csv' && inputs.length > 0) {
      const { header = [] } = file.outline;
      await this.#csvFile(this.#names.get(file) ?? 'data', csvHeader(header, file.delimiter ?? ','));
    }
  }

  /** The same row may come from several sources. */
  #isNewLookup(file: SourceFile, raw: Buffer): boolean {
    const key = hashOf(`${this.#names.get(file)} ${raw.toString('utf8')}`);
    if (this.#lookups.has(key)) return false;
    this.#lookups.add(key);
    return true;
  }

  #use(files: ExportFiles): { readonly plan: JoinPlan } {
    const source = this.#sources.get(files);
    if (source === undefined) throw new RangeError('Rows of files that were not named.');
    source.isUsed = true;
    return source;
  }
}

/** Where in its document the rows of a table stand. Without a table, where rows of children do, else any. */
function pathOf(
  table: string | undefined,
  file: SourceFile,
  { tables }: JoinPlan,
): readonly string[] | undefined {
  const inFile = (found: readonly JoinTable[]) =>
    found.flatMap(({ inputs }) => inputs).find((input) => input.file === file.id)?.selector?.path;
  if (table !== undefined) return inFile(tables.filter(({ name }) => name === table));
  return inFile(tables.filter(({ role }) => role === 'child')) ?? inFile(tables);
}

function fileOf({ files }: ExportFiles, ref: RecordRef): SourceFile {
  const file = files.find(({ id }) => id === ref.file);
  if (file === undefined) throw new RangeError(`There is no file ${ref.file}.`);
  return file;
}

/** Whether records of `selector` are read as records of a table of tickets too. */
function covers(other: RecordSelector | undefined, selector: RecordSelector | undefined): boolean {
  const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
  if (!same(other?.path, selector?.path)) return false;
  return other?.where === undefined || selector?.where === undefined || same(other.where, selector.where);
}

/** A row of the export that goes into the rejects; the table says where in a JSON document it belongs. */
export interface RejectRow {
  readonly table: string | undefined;
  readonly ref: RecordRef;
}

/** Each row once, in file order, and none that stands within another: an element of an array in the ticket's own record. */
export function outermost<R extends RejectRow>(rows: readonly R[]): R[] {
  const sorted = [...rows].sort((a, b) => a.ref.file - b.ref.file || a.ref.row - b.ref.row);
  const kept: R[] = [];
  for (const row of sorted) {
    const last = kept.at(-1)?.ref;
    const within = last?.file === row.ref.file && row.ref.row === last.row;
    if (!within) kept.push(row);
  }
  return kept;
}

/**
 * A reason as it stands in a `_reason` column: one line, and never a formula. People open rejects in spreadsheets, where
 * a cell that begins with `=`, `+`, `-` or `@` is computed; reasons quote values of the export, so they are disarmed by
 * a word before them. The source's own cells stay as they are, byte for byte, because the folder is read again and must
 * give the same tickets; a cell of the source that looks like a formula was one in the export as well.
 */
const MAX_LENGTH = 1000;

export function reasonText(reason: string): string {
  const line = reason.replaceAll(/\p{Cc}+/gu, ' ').trim();
  const short = line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1).trimEnd()}…` : line;
  return /^[=+\-@]/.test(short) ? `Reason: ${short}` : short;
}
