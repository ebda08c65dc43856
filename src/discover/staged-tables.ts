/** Tables of an export in a temporary database: `cell` has each value by table, column and row. */
import { hash } from 'node:crypto';
import type { Database } from '../domain/database.ts';
import type { ExportFiles, ReadRecord, SourceFile } from '../domain/source-file.ts';
import { yesOrNo } from '../domain/text/vocabulary.ts';
import { readTime } from '../domain/written-time.ts';
import { mailbox, unpacked } from '../mapping/compile/values.ts';
import { type Collection, collectionsOf, narrowed } from '../mapping/detect/collections.ts';
import { isNoValue } from '../source/keys.ts';
import { openTempDatabase } from '../source/stage.ts';

export type TableCollection = Collection & {
  readonly kind?: { readonly column: string; readonly value: string };
};

interface Places {
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
        const header = (file.header ?? []).map((name) => name.trim());
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

/** Levels, items of a list and cells of a nested list. */
const DEEPEST = 6;
const MOST_ITEMS = 200;
const MOST_CELLS = 6;
/** Longer values are compared by digest. */
const LONGEST = 300;

/** As the mapping names them: `tags[]`, `messages[].body`, `lines[][0]`. */
function* cellsOf({ cells, object = {} }: ReadRecord, header: readonly string[]): Generator<Cell> {
  const values = cells && header.map((name, at): [string, unknown] => [name, unpacked(cells[at])]);
  for (const [name, value] of values ?? Object.entries(object))
    if (name !== '' && name !== '_reason') yield* valueCells(value, name, '', 0);
}

function* objectCells(object: object, path: string, item: string, depth: number): Generator<Cell> {
  if (depth > DEEPEST) return;
  for (const [key, value] of Object.entries(object))
    if (key !== '') yield* valueCells(value, `${path}.${key}`, item, depth);
}

function* valueCells(value: unknown, path: string, item: string, depth: number): Generator<Cell> {
  if (Array.isArray(value)) {
    if (value.length > 0) yield* cell(path, item, value);
    if (depth < DEEPEST)
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
  } else if (typeof value === 'object' && value !== null) yield* objectCells(value, path, item, depth + 1);
  else {
    yield* cell(path, item, value);
    if (typeof value === 'string' && depth === 0 && NOTE_LINE.test(value)) yield* noteCells(value, path);
  }
}

function* noteCells(cellText: string, path: string): Generator<Cell> {
  for (const [at, note] of cellText.split(NOTE_START).entries()) {
    yield [`${path}[]`, `/${at}`, '', 'item', 0];
    for (const [part, { match }] of Object.entries(NOTE_PARTS))
      yield* cell(`${path}[][${part}]`, `/${at}`, new RegExp(match, 's').exec(note)?.[1]);
  }
}

/** A cell of several notes, each `time;author;text`: where each begins, and how a mapping reads its parts. */
const NOTE_LINE = /^\s*\d{1,4}[-./]\d{1,2}[-./]\d{1,4}[^;|\n]{0,20}[;|][^;|\n]{1,80}[;|]/;
export const NOTE_START = /\n(?=\s*\d{1,4}[-./]\d{1,2}[-./]\d{1,4}[^;|\n]{0,20}[;|])/;
export const NOTE_PARTS: Readonly<Record<string, { readonly match: string }>> = {
  0: { match: '^\\s*([^;|]*)' },
  1: { match: '^[^;|]*[;|]\\s*([^;|]*)' },
  2: { match: '^[^;|]*[;|][^;|]*[;|]\\s*(.*)' },
};

function* cell(col: string, item: string, value: unknown): Generator<Cell> {
  const kind = valueKind(value);
  if (kind === undefined) return;
  const text = (typeof value === 'object' ? JSON.stringify(value) : String(value)).trim();
  const short =
    text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 20)}…${hash('sha1', text).slice(0, 16)}`;
  yield [col, item, short, kind === 'text' && isNothing(text) ? 'nothing' : kind, text.length];
}

const MOST_LISTS = 40;
const ALIKE = 0.6;

/** Files that differ only in numbers and folders are one table. */
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

/** Lists inside records are columns; sibling lists are tables. */
function collectionsIn(file: SourceFile): TableCollection[] {
  const all = collectionsOf(file).slice(0, MOST_LISTS);
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

export type ValueKind =
  | 'integer'
  | 'number'
  | 'boolean'
  | 'time'
  | 'date'
  | 'email'
  | 'url'
  | 'html'
  | 'escaped'
  | 'list'
  | 'object'
  | 'text';

const INTEGER = /^-?(?:0|[1-9]\d{0,18})$/;
const NUMBER = /^-?(?:\d{1,3}(?:,\d{3})+|\d+)?\.?\d+$/;
const EMAIL = /^[^\s@<>"']{1,64}@[^\s@<>"']{1,200}\.[^\s@<>"'.]{2,24}$/;
const HTML =
  /<\/?(?:p|div|br|span|a|b|i|em|strong|table|tr|td|ul|ol|li|h[1-6]|html|body|blockquote|img|pre)\b[^<>]*>/i;
/** `&lt;p&gt;` */
export const ESCAPED_TAG = /&lt;\/?[A-Za-z]/;
/** A smaller share of the texts says something about HTML rather than being it. */
export const FEW_TAGGED = 0.02;
/** A tag, also an escaped one, begins a text. */
export const TAG_START =
  /^\s*(?:<|&lt;)(?:!doctype|!DOCTYPE|p|P|div|DIV|br|BR|html|HTML|body|BODY|span|table|TABLE|ul|ol|a|b|i|u|strong|em|h[1-6]|img|blockquote)\b/;
const CLOCK = /\d[:h]\d{2}/;
const isNothing = (text: string) => text === '?' || isNoValue(text);

function valueKind(value: unknown): ValueKind | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'object';
  const text = String(value).trim();
  return text === '' ? undefined : kindOfText(text);
}

function kindOfText(text: string): ValueKind {
  if (INTEGER.test(text)) return 'integer';
  if (text.length <= 40 && NUMBER.test(text) && !/^0\d/.test(text)) return 'number';
  if (text.length > 1 && text.length <= 5 && yesOrNo(text) !== undefined) return 'boolean';
  if (text.length <= 200 && text.includes('@')) {
    const { email, name } = mailbox(text);
    if (EMAIL.test(email ?? '') && (name ?? '').split(/\s+/).length <= 6) return 'email';
  }
  if (text.length <= 64 && /\d/.test(text) && !/^\d+$/.test(text)) {
    const time = readTime(text);
    if (time !== undefined && time.kind !== 'instant') return CLOCK.test(text) ? 'time' : 'date';
  }
  if (/^\[.*\]$/s.test(text)) return 'list';
  if (/^\{.*\}$/s.test(text)) return 'object';
  if (/^https?:\/\/\S+$/i.test(text)) return 'url';
  const start = text.slice(0, 4000);
  if (HTML.test(start)) return 'html';
  return ESCAPED_TAG.test(start) ? 'escaped' : 'text';
}

/** Seconds, milli- or microseconds, between 1995 and 2040. */
export function isEpoch(text: string): boolean {
  if (!/^\d{9,16}(?:\.\d+)?$/.test(text)) return false;
  const number = Number(text);
  // Later than 2033 in microseconds is a number that begins with a date, such as 2024030110000011.
  return [1, 1e3, 1e6].some((unit) => number >= 788_918_400 * unit && number < 2_000_000_000 * unit);
}

/** A date alone needs a zone too. */
export function isZoned(text: string): boolean {
  const time = readTime(text.trim());
  if (time === undefined || time.kind === 'instant') return time !== undefined;
  return (time.kind === 'parts' ? time.parts : time.date.withOrder(true)).offset !== undefined;
}
