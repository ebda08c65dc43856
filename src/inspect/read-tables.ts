/** Reads an export for its profile: the beginning of every table, or all of it. */
import type { ExportFiles, ReadRecord, SourceFile } from '../domain/source-file.ts';
import { type Collection, collectionsOf } from '../layouts/collections.ts';
import { CsvCheck } from './csv-findings.ts';
import { ColumnsCollector, type TableProfile } from './table-profile.ts';

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
  const tables: TableProfile[] = [];
  for (const file of files.files)
    for (const collection of tablesOf(file)) tables.push(await readTable(file, collection, options));
  return tables;
}

/** Lists inside records are columns of these; lists beside each other in a document are tables. */
function tablesOf(file: SourceFile): Collection[] {
  const all = collectionsOf(file.shape);
  const root = all.find((collection) => collection.path === undefined && collection.stream === undefined);
  const others = all.filter((collection) => collection !== root);
  if (root === undefined || others.length === 0) return all.slice(0, MOST_COLLECTIONS);
  // a document that holds lists of records is their envelope or a record itself: both are shown
  const isSingle = file.format === 'json' && root.samples.length <= 1;
  return isSingle ? all.slice(0, MOST_COLLECTIONS) : [root];
}

async function readTable(
  file: SourceFile,
  collection: Collection,
  { full, signal, onProgress }: ReadOptions,
): Promise<TableProfile> {
  const header = file.format === 'csv' ? (file.shape.header ?? []) : undefined;
  const columns = new ColumnsCollector(header);
  const check =
    header === undefined
      ? undefined
      : new CsvCheck(header, file.delimiter ?? ',', async (record) =>
          (await file.raw(record.ref)).toString('utf8'),
        );
  const limit = full || file.bytes <= SMALL_FILE ? Number.POSITIVE_INFINITY : SAMPLE_ROWS;
  let unreadable: { count: number; line: number; reason: string } | undefined;
  let complete = true;
  let end = 0;
  let first: number | undefined;
  let count = 0;
  for await (const records of file.records(collection.selector, signal)) {
    for (const record of records) {
      if (count >= limit || (limit !== Number.POSITIVE_INFINITY && end - (first ?? 0) > SAMPLE_BYTES)) {
        complete = false;
        break;
      }
      count++;
      first ??= record.ref.offset;
      end = record.ref.offset + record.ref.length;
      if (record.error !== undefined) unreadable = another(unreadable, record);
      await check?.see(record);
      if (record.cells !== undefined) {
        if (record.cells.some((cell) => cell.trim() !== '')) columns.addCells(record.cells);
      } else if (record.object !== undefined) columns.addObject(record.object);
    }
    onProgress?.(file.name, count);
    if (!complete) break;
  }
  const share = (end - (first ?? 0)) / Math.max(1, file.bytes - (first ?? 0));
  return {
    collection,
    file: file.name,
    rows: columns.rows,
    complete,
    estimatedRows: complete
      ? columns.rows
      : Math.max(columns.rows, Math.round(columns.rows / Math.max(share, 1e-9))),
    columns: columns.profiles(),
    columnsLeftOut: columns.leftOut,
    firstRows: columns.firstRows,
    csv: check?.findings(),
    unreadable,
  };
}

function another(
  seen: { count: number; line: number; reason: string } | undefined,
  { ref, error = '' }: ReadRecord,
): { count: number; line: number; reason: string } {
  return seen === undefined
    ? { count: 1, line: ref.line, reason: error }
    : { ...seen, count: seen.count + 1 };
}
