/** Reads an export for its profile: the beginning of every table, or all of it. */
import { FILE_COLUMN, ownColumn } from '../domain/join-plan.ts';
import type { ExportFiles, ReadRecord, SourceFile } from '../domain/source-file.ts';
import { plainHeader } from '../mapping/compile/column-path.ts';
import { collectionsOf } from '../mapping/detect/collections.ts';
import type { ColumnProfile } from './column-profile.ts';
import { ID_WORDS, tableWords, wordsOf } from './concept-words.ts';
import { idName } from './id-name.ts';
import { namedByValues } from './named-by-values.ts';
import { oneTable } from './one-table.ts';
import { byKind } from './record-kinds.ts';
import { standIns } from './stand-ins.ts';
import { ColumnsCollector, type CsvFindings, type TableProfile } from './table-profile.ts';
import { kindOfText } from './value-kind.ts';

export interface ReadOptions {
  /** Read every row; else a sample from the beginning of each table. */
  readonly full: boolean;
  readonly signal: AbortSignal;
  /** Called after each chunk. */
  readonly onProgress?: (file: string, rows: number) => void;
}

/** A sample ends with the first of these: rows, bytes of their text. */
const SAMPLE_ROWS = 5000;
const SAMPLE_BYTES = 8_000_000;
/** Reading goes on beyond the sample where that ends the table soon: an exact count is worth a moment. */
const SMALL_FILE = 2_000_000;
/** Tables of one file that are read: a document with more lists than this is no export. */
const MOST_COLLECTIONS = 40;

export async function readTables(files: ExportFiles, options: ReadOptions): Promise<TableProfile[]> {
  const places = files.files.flatMap((file) => tablesOf(file).map((collection) => ({ file, collection })));
  const groups = sameTables(places);
  const read = async (written: ReadonlySet<string>) => {
    const tables: TableProfile[] = [];
    for (const group of groups) tables.push(await readTable(group, written, options));
    return tables;
  };
  let tables = await read(new Set());
  // What stands for nothing is known only once the tables are read, and then they look different.
  const written = standIns(tables);
  if (written.size > 0) tables = await read(written);
  return namedByValues(oneTable(tables));
}

/** A table, or a part of one, in a file. */
interface Place {
  readonly file: SourceFile;
  readonly collection: ReturnType<typeof byKind>[number];
}
type Places = readonly [Place, ...Place[]];

/** Least share of columns that two parts of one table have in common. */
const ALIKE = 0.6;

/**
 * One file a ticket, one folder a ticket: JSON files whose names differ in their folder and their numbers only, and that have
 * nearly the same columns, are one table. So are lists of a document, `tickets_2023` beside `tickets_2024`.
 */
function sameTables(places: readonly Place[]): Places[] {
  const groups: [Place, ...Place[]][] = [];
  const byName = new Map<string, [Place, ...Place[]][]>();
  for (const place of places) {
    const { file, collection } = place;
    const name = file.name.replace(/^.*[\\/!]/, '').replace(/\d+/g, '#');
    const key = [
      name,
      file.format,
      collection.path?.join('.').replace(/\d+/g, '#'),
      collection.stream,
      collection.kind?.name,
    ].join('\u0000');
    const known = byName.get(key) ?? [];
    const alike = file.format === 'csv' ? undefined : known.find(([first]) => share(first, place) >= ALIKE);
    if (alike !== undefined) alike.push(place);
    else {
      const group: [Place] = [place];
      groups.push(group);
      byName.set(key, [...known, group]);
    }
  }
  return groups;
}

function share(one: Place, other: Place): number {
  const [a, b] = [one.collection.columns, other.collection.columns];
  const common = a.filter((column) => b.includes(column)).length;
  return common / Math.max(1, a.length + b.length - common);
}

/** Lists inside records are columns of these; lists beside each other in a document are tables. */
function tablesOf(file: SourceFile): Place['collection'][] {
  const all = collectionsOf(file.outline);
  const root = all.find((collection) => collection.path === undefined && collection.stream === undefined);
  const others = all.filter((collection) => collection !== root);
  // what is an object of records is no record
  if (others.some(({ path }) => path?.join() === '*'))
    return others.slice(0, MOST_COLLECTIONS).flatMap(byKind);
  if (root === undefined || others.length === 0) return all.slice(0, MOST_COLLECTIONS).flatMap(byKind);
  // a document that holds lists of records is their envelope or a record itself: both are shown
  const isSingle = file.format === 'json' && root.samples.length <= 1;
  return (isSingle ? all.slice(0, MOST_COLLECTIONS) : [root]).flatMap(byKind);
}

async function readTable(
  places: Places,
  standIns: ReadonlySet<string>,
  { full, signal, onProgress }: ReadOptions,
): Promise<TableProfile> {
  const [{ file: firstFile, collection }] = places;
  const header = firstFile.format === 'csv' ? (firstFile.outline.header ?? []) : undefined;
  const columns = new ColumnsCollector(header, standIns);
  const check =
    header === undefined
      ? undefined
      : new CsvCheck(header, firstFile.delimiter ?? ',', async (record) =>
          (await firstFile.raw(record.ref)).toString('utf8'),
        );
  const bytes = places.reduce((sum, { file }) => sum + file.bytes, 0);
  const limit = full || bytes <= SMALL_FILE ? Number.POSITIVE_INFINITY : SAMPLE_ROWS;
  let unreadable: { count: number; line: number; reason: string } | undefined;
  let complete = true;
  let count = 0;
  /** Bytes of the records seen, and of all of them as far as is known. */
  let seen = 0;
  let whole = 0;
  for (const place of places) {
    let first: number | undefined;
    let end = 0;
    const seenBefore = seen;
    if (complete)
      for await (const records of place.file.records(place.collection.selector, signal)) {
        for (const record of records) {
          if (count >= limit || (limit !== Number.POSITIVE_INFINITY && seen > SAMPLE_BYTES)) {
            complete = false;
            break;
          }
          count++;
          first ??= record.ref.offset;
          end = record.ref.offset + record.ref.length;
          seen = seenBefore + end - first;
          if (record.error !== undefined) unreadable = another(unreadable, record);
          await check?.see(record);
          if (record.cells !== undefined) {
            if (record.cells.some((cell) => cell.trim() !== '')) columns.addCells(record.cells);
          } else if (record.object !== undefined) columns.addObject(record.object, place.file.name);
        }
        onProgress?.(place.file.name, count);
        if (!complete) break;
      }
    whole += Math.max(1, place.file.bytes - (first ?? 0));
  }
  const profile: TableProfile = {
    collection: { ...collection, columns: commonColumns(places) },
    file: firstFile.name,
    files: places.length,
    rows: columns.rows,
    complete,
    estimatedRows: complete
      ? columns.rows
      : Math.max(columns.rows, Math.round(columns.rows / Math.max(seen / whole, 1e-9))),
    columns: withoutNeedless(
      columns.profiles(),
      places.length,
      tableWords({ ...firstFile, file: firstFile.name, collection }),
    ),
    columnsLeftOut: columns.leftOut,
    firstRows: columns.firstRows,
    firstItems: columns.firstItems,
    csv: check?.findings(),
    unreadable,
  };
  const lists = new Map(places.map(({ collection: each }) => [each.path?.join('.'), each]));
  if (lists.size === 1) return profile;
  return { ...profile, parts: [...lists.values()].map((each) => ({ ...profile, collection: each })) };
}

const LEAST_NAMED = 0.3;

/** A record that has an id of its own needs none that is told of its file or its address. */
function withoutNeedless(
  columns: readonly ColumnProfile[],
  files: number,
  ofTable: readonly string[],
): ColumnProfile[] {
  const hasId = columns.some(
    ({ name, distinct, filled, rows, averageLength }) =>
      ownColumn(name) === name &&
      !name.includes('[]') &&
      filled >= 0.98 * rows &&
      distinct >= 0.98 * filled &&
      averageLength <= 60 &&
      name.split('.').length === 1 &&
      wordsOf(name).some((word) => ID_WORDS.has(word)) &&
      // `organization_id` is another's
      idName(name, ofTable) >= LEAST_NAMED,
  );
  return columns.filter(({ name }) => {
    if (ownColumn(name) === name) return true;
    if (name.includes(FILE_COLUMN)) return files > 1 && !hasId;
    return !hasId || !/self/i.test(name);
  });
}

/** A table is recognised by columns that all its parts have. */
function commonColumns(places: Places): TableProfile['collection']['columns'] {
  const [first, ...others] = places;
  return first.collection.columns.filter((column) =>
    others.every(({ collection }) => collection.columns.includes(column)),
  );
}

function another(
  seen: { count: number; line: number; reason: string } | undefined,
  { ref, error = '' }: ReadRecord,
): { count: number; line: number; reason: string } {
  return seen === undefined
    ? { count: 1, line: ref.line, reason: error }
    : { ...seen, count: seen.count + 1 };
}

// Whether the rows of a CSV are as a table's rows should be.

/** Reads the text of a record as it stands in the file. */
type RawText = (record: ReadRecord) => Promise<string>;

/** Rows whose text is looked at, to tell missing cells from empty ones. */
const MOST_SUSPECTS = 100;

class CsvCheck {
  readonly #header: readonly string[];
  readonly #delimiter: string;
  readonly #raw: RawText;
  #long = { count: 0, line: 0 };
  #short = { count: 0, line: 0 };
  #blank = 0;
  #blankAtEnd = 0;
  #suspects = 0;

  constructor(header: readonly string[], delimiter: string, raw: RawText) {
    this.#header = header;
    this.#delimiter = delimiter;
    this.#raw = raw;
  }

  async see(record: ReadRecord): Promise<void> {
    const { cells, ref } = record;
    if (cells === undefined) return;
    if (cells.every((cell) => cell.trim() === '')) {
      this.#blank++;
      this.#blankAtEnd++;
      return;
    }
    this.#blankAtEnd = 0;
    if (cells.length > this.#header.length) this.#long = once(this.#long, ref.line);
    else if (cells.length > 1 && cells.at(-1) === '' && this.#suspects < MOST_SUSPECTS) {
      // missing cells come as empty ones: only the text tells them apart
      this.#suspects++;
      if (cellsIn(await this.#raw(record), this.#delimiter) < this.#header.length)
        this.#short = once(this.#short, ref.line);
    }
  }

  findings(): CsvFindings {
    return {
      duplicateHeaders: repeatedHeaders(this.#header),
      unnamedColumns: this.#header.filter((name) => name.trim() === '').length,
      noHeader: looksLikeData(this.#header),
      longRows: this.#long,
      shortRows: this.#short,
      blankRows: this.#blank,
      blankAtEnd: this.#blankAtEnd,
    };
  }
}

function once(seen: { count: number; line: number }, line: number): { count: number; line: number } {
  return { count: seen.count + 1, line: seen.count === 0 ? line : seen.line };
}

/** Headers that stand more than once, as they are first written. */
export function repeatedHeaders(header: readonly string[]): string[] {
  const groups = Map.groupBy(
    header.filter((name) => name.trim() !== ''),
    plainHeader,
  );
  return [...groups.values()].flatMap((names) =>
    names.length > 1 && names[0] !== undefined ? [names[0].trim()] : [],
  );
}

/** A header of numbers, times or addresses is a row of data: names are none of these. */
export function looksLikeData(header: readonly string[]): boolean {
  const filled = header.filter((name) => name.trim() !== '');
  return filled.some((name) => {
    const kind = kindOfText(name);
    return kind !== 'text' && kind !== 'boolean' && kind !== 'html';
  });
}

/** Cells of one record, without reading them. */
export function cellsIn(text: string, delimiter: string): number {
  let cells = 1;
  let quoted = false;
  for (const char of text) {
    if (char === '"') quoted = !quoted;
    else if (char === delimiter && !quoted) cells++;
  }
  return cells;
}
