/**
 * The records of a CSV from its first byte to its last, with their places. One stray quote must not swallow the rest of
 * a file: where a quote is never closed (or a record becomes larger than any should be), and where a record over
 * several lines has irregular quotes, the record is an error, and reading goes on at the first line behind its first
 * that is a true record by itself. Only where there is none, and the cells are as many as the header's, it stands.
 */

import { isUtf8 } from 'node:buffer';
import { REASON } from '../../domain/source.ts';
import type { ReadRecord } from '../../domain/source-file.ts';
import { type ByteSource, type ReadTuning, ROWS_BYTES } from '../files/byte-source.ts';
import type { LineProblems } from '../files/file-problems.ts';
import { countLineEnds, type Span } from '../files/lines.ts';
import { ReadWindow } from '../files/read-window.ts';
import { type CsvDialect, CsvScanner, cellsOf, regularCells } from './csv-scanner.ts';

export interface CsvPlace {
  readonly source: ByteSource;
  readonly file: number;
  readonly dialect: CsvDialect;
  /** Where to begin, and the line that is. */
  readonly offset: number;
  readonly line: number;
  /** Undefined while the header itself is read: then cells come as they are, and nothing is an error. */
  readonly columns: CsvColumns | undefined;
  readonly tuning: ReadTuning;
  /** Told of every record that is not valid UTF-8, or has cells beyond the header. */
  readonly problems: LineProblems;
}

export async function* csvRecords(place: CsvPlace, signal: AbortSignal): AsyncGenerator<ReadRecord[]> {
  const { source, file, columns, tuning } = place;
  const { delimiter } = place.dialect;
  const window = new ReadWindow(source, place.offset, Math.min(tuning.chunkBytes, ROWS_BYTES), signal);
  const scanner = new CsvScanner(place.dialect);
  const width = columns === undefined ? Number.POSITIVE_INFINITY : cellsOfHeader(columns);
  let line = place.line;
  let start = 0;
  while (window.base + start < source.size) {
    await window.fill(start);
    start = 0;
    const { bytes, base } = window;
    scanner.reset(bytes);
    const valid = isUtf8(bytes);
    const carriageReturns = bytes.includes(13);
    const records: ReadRecord[] = [];
    while (start < bytes.length) {
      const result = scanner.scan(start, window.ended);
      const tooLong = result === 'more' && bytes.length - start > tuning.maxCsvRecordBytes;
      if (result === 'more' && !tooLong) break;
      if (result === 'record' && scanner.contentEnd === start) {
        start = scanner.next;
        line++;
        continue;
      }
      const limit = result === 'record' ? scanner.next : bytes.length;
      const ref = { file, offset: base + start, length: scanner.contentEnd - start, line };
      let resume: number | undefined;
      if (result === 'record') {
        const multiline = scanner.quotes && countLineEnds(bytes, start, scanner.contentEnd) > 0;
        const text = bytes.toString('utf8', start, scanner.contentEnd);
        const cells = cellsOf(text, delimiter, scanner.quotes);
        const beyond = cells.length > width ? cells.slice(width) : NONE;
        if (columns !== undefined && beyond.length > 0 && carriageReturns) {
          const joined = joinedRows(bytes.subarray(start, scanner.contentEnd), place.dialect, columns);
          for (const row of joined) {
            const at = { ...ref, offset: ref.offset + row.start, length: row.length, line };
            records.push({ ref: at, cells: toRow(row.cells, columns) });
            line += row.lines;
          }
          if (joined.length > 0) {
            start = limit;
            continue;
          }
        }
        const suspicious = multiline && scanner.irregular && columns !== undefined;
        if (suspicious) resume = nextTrueRecord(bytes, start, limit, place.dialect, columns);
        if (!suspicious || (resume === undefined && fitsHeader(cells.length, columns))) {
          if (beyond.some((cell) => cell.trim() !== ''))
            place.problems.extraCells(line, cells.length, beyond);
          if (!valid && !isUtf8(bytes.subarray(start, scanner.contentEnd))) place.problems.invalidText(line);
          const row = columns === undefined ? cells : toRow(cells, columns);
          if (columns !== undefined && repeatsHeader(row, columns)) place.problems.repeatedHeader(line);
          else records.push({ ref, cells: row });
          line += multiline || carriageReturns ? countLineEnds(bytes, start, limit) : 1;
          start = limit;
          continue;
        }
      } else if (columns !== undefined) {
        resume = nextTrueRecord(bytes, start, limit, place.dialect, columns);
      }
      const error = tooLong && !hasQuote(bytes, start) ? tooLongLine(tuning) : STRAY_QUOTE;
      resume ??= limit;
      let end = resume;
      while (end > start && (bytes[end - 1] === 10 || bytes[end - 1] === 13)) end--;
      records.push({ ref: { ...ref, length: end - start }, error });
      line += countLineEnds(bytes, start, resume);
      start = resume;
      scanner.reset(bytes);
      if (tooLong && resume === bytes.length) {
        const skipped = await skipLine(window, source, place.dialect, signal);
        line++;
        start = skipped;
        break;
      }
    }
    if (records.length > 0) yield records;
  }
}

const NONE: readonly string[] = [];

/** Where one file was put behind another: no record, nor is it one of a header of one column. */
function repeatsHeader(row: readonly string[], { header }: CsvColumns): boolean {
  return (
    row[0] === header[0] &&
    header.length > 1 &&
    row.length === header.length &&
    header.every((name, at) => row[at] === name)
  );
}

const STRAY_QUOTE =
  'A quote opens a cell here and is not closed properly; double the quotes inside of a cell, or remove the stray one.';

function tooLongLine(tuning: ReadTuning): string {
  return `The record is longer than ${Math.round(tuning.maxCsvRecordBytes / 1024 / 1024)} MiB; check the line ends of the file.`;
}

function hasQuote(bytes: Buffer, start: number): boolean {
  return bytes.indexOf(34, start) >= 0;
}

/** Drops the window and goes on behind the next line end of the source. */
async function skipLine(
  window: ReadWindow,
  source: ByteSource,
  dialect: CsvDialect,
  signal: AbortSignal,
): Promise<number> {
  const newline = dialect.lineEnd === 'cr' ? 13 : 10;
  for (;;) {
    signal.throwIfAborted();
    window.jump(window.base + window.bytes.length);
    if (window.base >= source.size) return 0;
    await window.fill(0);
    const found = window.bytes.indexOf(newline);
    if (found >= 0) return found + 1;
  }
}

// After a stray quote: where does the next true record begin? A line is one when it is well-formed by itself and has as
// many cells as the header. A line from the middle of a quoted cell hardly ever is: the quote that closes the cell makes
// its number of quotes odd.

/** Index of the first such line behind the one at `start` and before `limit`. */
function nextTrueRecord(
  bytes: Buffer,
  start: number,
  limit: number,
  dialect: CsvDialect,
  columns: CsvColumns,
): number | undefined {
  const newline = dialect.lineEnd === 'cr' ? 13 : 10;
  for (let at = bytes.indexOf(newline, start) + 1; at > 0 && at < limit; ) {
    const end = bytes.indexOf(newline, at);
    const text = bytes.toString('utf8', at, end < 0 ? bytes.length : end).replace(/\r$/, '');
    if (text !== '' && isTrueRecord(text, dialect, columns)) return at;
    if (end < 0) break;
    at = end + 1;
  }
  return undefined;
}

/** Counted before a `_reason` is taken out. */
function cellsOfHeader({ header, reasonAt }: CsvColumns): number {
  return header.length + (reasonAt >= 0 ? 1 : 0);
}

function fitsHeader(cells: number, columns: CsvColumns): boolean {
  return cells === cellsOfHeader(columns);
}

interface JoinedRow {
  readonly start: number;
  readonly length: number;
  /** Physical ones, with the line end. */
  readonly lines: number;
  readonly cells: string[];
}

/** Rows of one line, where a CR without its LF ended each of them; none where not all have the cells of the header. */
function joinedRows(record: Buffer, { delimiter, lineEnd }: CsvDialect, columns: CsvColumns): JoinedRow[] {
  if (lineEnd === 'cr') return [];
  const scanner = new CsvScanner({ delimiter, lineEnd: 'cr' });
  scanner.reset(record);
  const rows: JoinedRow[] = [];
  for (let start = 0; start < record.length; start = scanner.next) {
    if (scanner.scan(start, true) !== 'record') return [];
    const text = record.toString('utf8', start, scanner.contentEnd);
    const cells = cellsOf(text, delimiter, scanner.quotes);
    if (!fitsHeader(cells.length, columns)) return [];
    const lines = countLineEnds(record, start, scanner.contentEnd) + 1;
    rows.push({ start, length: scanner.contentEnd - start, lines, cells });
  }
  return rows.length > 1 ? rows : [];
}

function isTrueRecord(line: string, { delimiter }: CsvDialect, columns: CsvColumns): boolean {
  const cells = regularCells(line, delimiter);
  return cells !== undefined && fitsHeader(cells.length, columns) && (line.split('"').length - 1) % 2 === 0;
}

// From the cells of a record to those of a row: without a `_reason`, and as many as the header has.

export interface CsvColumns {
  readonly delimiter: string;
  /** Without the `_reason` of rejects. */
  readonly header: readonly string[];
  /** Where a `_reason` stands behind the source's own columns; -1 for none. */
  readonly reasonAt: number;
}

/** Of the cells of a header. */
export function columnsOf(cells: readonly string[], delimiter: string): CsvColumns {
  const last = cells.length - 1;
  const hasReason = last > 0 && cells[last]?.trim() === REASON;
  return { delimiter, header: hasReason ? cells.slice(0, last) : cells, reasonAt: hasReason ? last : -1 };
}

/** Missing cells are empty; cells beyond the header stay, for whoever wants to tell of them. */
export function toRow(cells: string[], { header, reasonAt }: CsvColumns): string[] {
  if (reasonAt >= 0 && cells.length > reasonAt) cells.splice(reasonAt, 1);
  while (cells.length < header.length) cells.push('');
  return cells;
}

/** The text of a record without its `_reason` cell, every other character as it stands. */
export function cutReasonCell(text: string, { delimiter, reasonAt }: CsvColumns): string {
  if (reasonAt < 0) return text;
  const span = cellSpan(text, delimiter, reasonAt);
  // The delimiter before it goes too: `reasonAt` is never the first cell.
  return span === undefined ? text : text.slice(0, span.start - 1) + text.slice(span.end);
}

/** Where the cell with this index begins and ends in a record, its quotes included; undefined where there is none. */
export function cellSpan(text: string, delimiter: string, index: number): Span | undefined {
  let start = 0;
  for (let cell = 0; ; cell++) {
    let at = start;
    if (text[at] === '"') {
      at++;
      for (;;) {
        const quote = text.indexOf('"', at);
        if (quote < 0) {
          at = text.length;
          break;
        }
        at = quote + 1;
        if (text[at] !== '"') break;
        at++;
      }
    }
    const found = text.indexOf(delimiter, at);
    const end = found < 0 ? text.length : found;
    if (cell === index) return { start, end };
    if (found < 0) return undefined;
    start = end + 1;
  }
}
