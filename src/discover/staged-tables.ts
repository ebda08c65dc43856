/**
 * The tables of an export in a temporary database: `cell` has each value by table, column and row. Every question about an export is SQL.
 */
import { hash } from 'node:crypto';
import type { ExportFiles, ReadRecord, SourceFile } from '../domain/source-file.ts';
import { type Collection, collectionsOf, narrowed } from '../mapping/detect/collections.ts';
import { openTempDatabase } from '../source/stage.ts';
import type { Database } from '../sqlite/database.ts';
import { isNothing, kindOf } from './value-kind.ts';

/** Records of one kind among others, by a word in a column. */
export type TableCollection = Collection & {
  readonly kind?: { readonly column: string; readonly value: string };
};

interface Places {
  /** Name of the first file. */
  readonly file: string;
  readonly collection: TableCollection;
  readonly parts: readonly { readonly file: SourceFile; readonly collection: TableCollection }[];
}

export interface StagedTable extends Places {
  readonly id: number;
  readonly rows: number;
  readonly blank: number;
  readonly unreadable: readonly { readonly line: number; readonly reason: string }[];
}

export interface Stage extends Disposable {
  readonly database: Database;
  readonly tables: readonly StagedTable[];
}

/** Throws AppError `source` for unreadable files, `disk-write` if the temporary file cannot be written. */
export async function stageTables(files: ExportFiles, signal: AbortSignal): Promise<Stage> {
  const database = openTempDatabase();
  try {
    database.exec(
      'CREATE TABLE cell (tab INT, col TEXT, row INT, item TEXT, value TEXT, kind TEXT, size INT)',
    );
    const insert = database.prepare('INSERT INTO cell VALUES (?, ?, ?, ?, ?, ?, ?)');
    const tables: StagedTable[] = [];
    for (const place of tablesOfExport(files.files)) {
      const id = tables.length;
      const unreadable: { line: number; reason: string }[] = [];
      let rows = 0;
      let blank = 0;
      for (const { file, collection } of place.parts) {
        const header = (file.outline.header ?? []).map((name) => name.trim());
        for await (const records of file.records(collection.selector, signal))
          for (const record of records) {
            const { ref, error, cells } = record;
            if (error !== undefined) unreadable.push({ line: ref.line, reason: error });
            else if (cells?.every((cell) => cell.trim() === '') === true) blank++;
            else {
              rows++;
              for (const [col, item, ...value] of cellsOf(record, header))
                insert.run(id, col, ref.row, item, ...value);
            }
          }
      }
      tables.push({ ...place, id, rows, blank, unreadable });
    }
    database.exec('CREATE INDEX cell_by_row ON cell (tab, col, row)');
    return { database, tables, [Symbol.dispose]: () => database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}

type Cell = [col: string, item: string, value: string, kind: string, size: number];

/** Most levels of a JSON record, items of a list and cells of a nested list. */
const DEEPEST = 6;
const MOST_ITEMS = 200;
const MOST_CELLS = 6;
/** Longer values are compared by a digest. */
const LONGEST = 300;

/** Paths as the mapping names them: `tags[]`, `messages[].body`, and `lines[][0]` in a list of lists. */
function* cellsOf({ cells, object = {} }: ReadRecord, header: readonly string[]): Generator<Cell> {
  if (cells === undefined) yield* objectCells(object, '', '', 0);
  else
    for (const [at, name] of header.entries())
      if (name !== '' && name !== '_reason') yield* cell(name, '', cells[at]);
}

function* objectCells(object: object, prefix: string, item: string, depth: number): Generator<Cell> {
  for (const [key, value] of Object.entries(object))
    if (key !== '' && (key !== '_reason' || prefix !== ''))
      yield* valueCells(value, prefix === '' ? key : `${prefix}.${key}`, item, depth);
}

function* valueCells(value: unknown, path: string, item: string, depth: number): Generator<Cell> {
  if (Array.isArray(value)) {
    if (value.length > 0) yield* cell(path, item, value);
    if (depth >= DEEPEST) return;
    for (const [at, each] of value.slice(0, MOST_ITEMS).entries()) {
      const own = `${item}/${at}`;
      yield [`${path}[]`, own, '', 'item', 0];
      if (Array.isArray(each))
        for (const [index, inner] of each.slice(0, MOST_CELLS).entries())
          yield* cell(`${path}[][${index}]`, own, inner);
      else if (typeof each === 'object' && each !== null)
        yield* objectCells(each, `${path}[]`, own, depth + 1);
      else yield* cell(`${path}[].`, own, each);
    }
  } else if (typeof value === 'object' && value !== null) {
    if (depth < DEEPEST) yield* objectCells(value, path, item, depth + 1);
  } else yield* cell(path, item, value);
}

function* cell(col: string, item: string, value: unknown): Generator<Cell> {
  const kind = kindOf(value);
  if (kind === undefined) return;
  const text = (typeof value === 'object' ? JSON.stringify(value) : String(value)).trim();
  const short =
    text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 20)}…${hash('sha1', text).slice(0, 16)}`;
  yield [col, item, short, kind === 'text' && isNothing(text) ? 'nothing' : kind, text.length];
}

/** Most lists of one document. */
const MOST_LISTS = 40;
/** Share of columns that two parts of one table have in common. */
const ALIKE = 0.6;

/** Files whose names differ only in numbers and folders are one table. */
function tablesOfExport(files: readonly SourceFile[]): Places[] {
  const tables: { file: string; collection: TableCollection; parts: Places['parts'][number][] }[] = [];
  for (const file of files)
    for (const collection of collectionsIn(file)) {
      const place = placeName(file.name, collection);
      const same = tables.find(
        (table) => placeName(table.file, table.collection) === place && isAlike(table.collection, collection),
      );
      if (same === undefined) tables.push({ file: file.name, collection, parts: [{ file, collection }] });
      else same.parts.push({ file, collection });
    }
  return tables;
}

function placeName(file: string, { path, stream, kind, format }: TableCollection): string {
  return JSON.stringify([baseName(file).replace(/\d+/g, '#'), format, path, stream, kind]);
}

function isAlike(one: TableCollection, other: TableCollection): boolean {
  const common = one.columns.filter((column) => other.columns.includes(column)).length;
  return common >= ALIKE * (one.columns.length + other.columns.length - common);
}

/** Lists inside records are columns of these; lists next to each other in a document are tables. */
function collectionsIn(file: SourceFile): TableCollection[] {
  const all = collectionsOf(file.outline).slice(0, MOST_LISTS);
  const root = all.find(({ path, stream }) => path === undefined && stream === undefined);
  const others = all.filter((collection) => collection !== root);
  if (root === undefined || others.length === 0) return all.flatMap(byKind);
  if (others.some(({ path }) => path?.join() === '*')) return others.flatMap(byKind);
  const isEnvelope = file.format === 'json' && root.samples.length <= 1;
  return (isEnvelope ? all : [root]).flatMap(byKind);
}

const KIND_NAMES = 'type kind object record_type recordType entity table model event'.split(' ');
const MOST_KINDS = 12;
const WORD = /^\p{L}[\p{L}\p{N} ._:/-]{0,39}$/u;

/** One collection for each kind of record in a stream; the collection itself where all records are alike. */
function byKind(collection: TableCollection): TableCollection[] {
  const { samples, format, stream } = collection;
  if (format === 'csv' || stream !== undefined || samples.length < 4) return [collection];
  for (const column of KIND_NAMES) {
    const values = [...new Set(samples.map((sample) => sample[column]))];
    if (values.length < 2 || values.length > MOST_KINDS) continue;
    if (!values.every((value) => typeof value === 'string' && WORD.test(value))) continue;
    const kinds = values.map((value) => ({
      ...narrowed(collection, undefined, { column, in: [value] }),
      kind: { column, value: String(value) },
    }));
    const [first, ...rest] = kinds;
    if (first !== undefined && rest.some((kind) => !isAlike(first, kind))) return kinds;
  }
  return [collection];
}

/** Name of a file without its folders or the archive around it. */
export function baseName(file: string): string {
  return file.replace(/^.*[\\/!]/, '');
}
