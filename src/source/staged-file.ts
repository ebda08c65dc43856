/** A file of the export, read from its staged rows. */
import { cellPaths, csvObject, type JsonObject, REASON, type RecordPart } from '../domain/source.ts';
import {
  isJsonObject,
  type JsonCollection,
  type ReadRecord,
  type RecordSelector,
  type SourceFile,
  selectObject,
  valueAt,
} from '../domain/source-file.ts';
import {
  type CsvColumns,
  cellSpan,
  columnsOf,
  csvLine,
  quotedLine,
  strayQuote,
  toRow,
  withoutReason,
} from './csv.ts';
import { frameOf, type Span } from './frame.ts';
import { parseRecord, syntaxDefect, valueSpan } from './json.ts';
import { pathName, type Stage, type StagedRow } from './stage.ts';

export type StagedFile = Pick<SourceFile, 'id' | 'name' | 'format' | 'encoding' | 'compression' | 'bytes'>;

const ANY_LINE_END = /\r\n|\n|\r/g;
const LF = /\r?\n/g;

/** Rows of the export by their ids, whichever file they are of: what joining reads. */
export interface RowReader {
  /** Undefined where `where` of the selector leaves the row out. */
  read(row: StagedRow, selector: RecordSelector | undefined): ReadRecord | undefined;
}

export function csvFile(
  stage: Stage,
  file: StagedFile,
  csv: {
    readonly columns: CsvColumns;
    readonly delimiter: string;
    readonly headerLine: number;
    readonly headerRow: number | undefined;
    readonly sampleRows: readonly (readonly string[])[];
  },
): SourceFile & RowReader {
  const { columns, delimiter, headerLine, headerRow, sampleRows } = csv;
  const { id, name } = file;
  const paths = cellPaths(columns.header);
  const cellsOf = ({ text }: StagedRow) => JSON.parse(text) as string[];
  const rawOf = (row: StagedRow) => {
    if (typeof row.raw === 'string') return row.raw;
    return row.raw === null ? csvLine(cellsOf(row), delimiter) : quotedLine(cellsOf(row), delimiter);
  };
  const read = (row: StagedRow): ReadRecord => {
    const ref = { file: id, row: row.id, line: row.line };
    if (row.error !== null) return { ref, error: row.error };
    const cells = toRow(cellsOf(row), columns);
    return { ref, cells, object: csvObject(cells, paths) };
  };
  const partSpan = (raw: string, part: RecordPart): Span | undefined => {
    if (part === 'defect') return strayQuote(raw, delimiter);
    if (!('cell' in part)) return undefined;
    const isBehindReason = columns.reasonAt >= 0 && part.cell >= columns.reasonAt;
    const span = cellSpan(raw, delimiter, part.cell + (isBehindReason ? 1 : 0));
    return span ?? { start: raw.length, end: raw.length };
  };
  return {
    ...file,
    delimiter,
    headerRef: headerRow === undefined ? undefined : { file: id, row: headerRow, line: headerLine },
    outline: { file: id, name, format: 'csv', header: columns.header, sampleRows },
    read,
    at: (ref) => read(stage.get(ref.row)),
    records: (_selector, signal) => chunks(stage.rows(id, pathName(undefined)), read, signal),
    raw: async (ref) => Buffer.from(withoutReason(rawOf(stage.get(ref.row)), delimiter, columns)),
    reason: async (ref) => cellsOf(stage.get(ref.row))[columns.reasonAt] ?? '',
    frame: async (ref, part) => {
      const row = stage.get(ref.row);
      const raw = rawOf(row);
      const span = partSpan(raw, part);
      return span && { file: name, ...frameOf(raw, span, row, ANY_LINE_END) };
    },
  };
}

export function jsonFile(
  stage: Stage,
  file: StagedFile,
  collections: readonly JsonCollection[],
  unreadable: string | undefined,
): SourceFile & RowReader {
  const { id, name, format } = file;
  const isLines = format === 'jsonl';
  const read = (row: StagedRow, selector: RecordSelector | undefined): ReadRecord | undefined => {
    const ref = { file: id, row: row.id, line: row.line };
    if (row.error !== null) return { ref, error: row.error };
    const parsed = parseRecord(row.text);
    if (!('object' in parsed)) return { ref, error: parsed.what };
    const object = selectObject(parsed.object, selector);
    if (object === undefined) return undefined;
    return typeof object === 'string' ? { ref, error: object } : { ref, object };
  };
  return {
    ...file,
    outline: { file: id, name, format, collections, unreadable },
    read,
    at: (ref, selector) => read(stage.get(ref.row), selector),
    records: (selector, signal) => {
      const path = selector?.path;
      if (path !== undefined) stagePath(stage, id, path, isLines);
      return chunks(stage.rows(id, pathName(path)), (row) => read(row, selector), signal);
    },
    raw: async (ref) => Buffer.from(withoutReasonKey(stage.get(ref.row).text)),
    reason: async (ref) => {
      const { text, error } = stage.get(ref.row);
      const value: unknown = error === null ? JSON.parse(text) : undefined;
      const reason = isJsonObject(value) ? value[REASON] : undefined;
      return typeof reason === 'string' ? reason : '';
    },
    frame: async (ref, part) => {
      const row = stage.get(ref.row);
      const span =
        part === 'defect'
          ? row.raw === ''
            ? { start: 0, end: 1 }
            : defectSpan(row.text)
          : 'path' in part
            ? valueSpan(row.text, part.path)
            : undefined;
      return span && { file: name, ...frameOf(row.text, span, { ...row, isIndented: row.raw === 1 }, LF) };
    },
  };
}

/** What a plan keeps of a file, besides its rows. */
export type KeptFile = StagedFile & Pick<SourceFile, 'delimiter' | 'headerRef'>;

/** A file as it was staged, from what a plan kept of it. */
export function keptFile(stage: Stage, { delimiter, headerRef, ...file }: KeptFile): SourceFile & RowReader {
  if (delimiter === undefined) return jsonFile(stage, file, [], undefined);
  const header = headerRef === undefined ? [] : (JSON.parse(stage.get(headerRef.row).text) as string[]);
  return csvFile(stage, file, {
    columns: columnsOf(header),
    delimiter,
    headerLine: headerRef?.line ?? 1,
    headerRow: headerRef?.row,
    sampleRows: [],
  });
}

async function* chunks(
  pages: Iterable<readonly StagedRow[]>,
  read: (row: StagedRow) => ReadRecord | undefined,
  signal: AbortSignal,
): AsyncGenerator<ReadRecord[]> {
  for (const page of pages) {
    signal.throwIfAborted();
    const records = page.map(read).filter((record) => record !== undefined);
    if (records.length > 0) yield records;
  }
}

/**
 * Lines that are pages (`{"tickets": [ … ]}`), and a value of a document that is no list of objects by itself: their records
 * are staged when a table first asks for them.
 */
function stagePath(stage: Stage, file: number, path: readonly string[], isLines: boolean): void {
  const name = pathName(path);
  if (stage.has(file, name)) return;
  for (const page of stage.rows(file, pathName(undefined)))
    for (const row of page) {
      const value = documentOf(row.text);
      const { line, column } = row;
      if (value === undefined) stage.add({ ...row, path: name, raw: null });
      const found = value === undefined ? undefined : path.length === 0 ? value : valueAt(value, path);
      const records = Array.isArray(found) ? found : isJsonObject(found) && path.length > 0 ? [found] : [];
      for (const record of records.filter((each) => isLines || isJsonObject(each)))
        stage.add({ file, path: name, line, column, text: JSON.stringify(record), raw: null, error: null });
    }
}

/** Undefined for a text that is not JSON. */
function documentOf(text: string): JsonObject | unknown[] | undefined {
  const parsed = parseRecord(`{"document":${text}}`);
  const value = 'object' in parsed ? parsed.object['document'] : undefined;
  return Array.isArray(value) || isJsonObject(value) ? value : undefined;
}

function withoutReasonKey(text: string): string {
  if (!text.includes(`"${REASON}"`)) return text;
  const parsed = parseRecord(text);
  return 'object' in parsed ? JSON.stringify(parsed.object) : text;
}

/** The first character that cannot be there; all of a text that is JSON and no record. */
function defectSpan(text: string): Span {
  const parsed = parseRecord(text);
  if ('object' in parsed) return { start: 0, end: text.length };
  const { index } = parsed.index === undefined && !('object' in parsed) ? syntaxDefect(text) : parsed;
  if (parsed.index === undefined || index === undefined) return { start: 0, end: text.length };
  const start = Math.min(index, text.length);
  return { start, end: Math.min(text.length, start + 1) };
}
