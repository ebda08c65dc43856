/** A CSV of the export. */

import { AppError } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';
import type { RecordPart, RecordRef } from '../../domain/source.ts';
import type { SourceFile } from '../../domain/source-file.ts';
import { readRange } from '../files/byte-source.ts';
import { linesSkipped, onlyHeader, titleForHeader } from '../files/file-problems.ts';
import { countLineEnds, nextLineEnd, recordFrame, type Span } from '../files/lines.ts';
import { type ReadText, refetch } from '../files/read-window.ts';
import type { DecodedFile } from '../files/spool.ts';
import { detectDialect, looksLikeTitle, preambleOf } from './csv-dialect.ts';
import {
  type CsvColumns,
  type CsvPlace,
  cellSpan,
  columnsOf,
  csvRecords,
  cutReasonCell,
  toRow,
} from './csv-records.ts';
import { cellsOf } from './csv-scanner.ts';

const DIALECT_SAMPLE = 256 * 1024;

export async function openCsv(
  decoded: DecodedFile,
  delimiter: string | undefined,
  tell: (problem: Problem) => void,
  signal: AbortSignal,
): Promise<SourceFile> {
  const { id, name, source, tuning } = decoded;
  const sample = await readRange(source, decoded.offset, DIALECT_SAMPLE);
  const ended = sample.length + decoded.offset >= source.size;
  const preamble = preambleOf(sample, ended, delimiter);
  const above = preamble?.bytes ?? 0;
  const dialect = detectDialect(sample.subarray(above), ended, delimiter);
  const top: CsvPlace = {
    source,
    file: id,
    dialect,
    offset: decoded.offset + above + dialect.directive,
    line: 1 + (preamble?.lines ?? 0) + (dialect.directive > 0 ? 1 : 0),
    columns: undefined,
    tuning,
    problems: decoded.lineProblems,
  };
  const { columns, headerRef, offset, line, sampleRows } = await readCsvTop(top, name, signal);
  if (headerRef !== undefined && offset >= source.size) tell(onlyHeader(name, headerRef.line));
  if (preamble !== undefined) tell(linesSkipped(name, preamble));
  else if (looksLikeTitle(columns.header, sampleRows)) tell(titleForHeader(name, headerRef?.line ?? 1));
  const place = { ...top, columns, offset, line };
  const readText: ReadText = (text, ref) => ({
    ref,
    cells: toRow(cellsOf(text, dialect.delimiter, text.includes('"')), columns),
  });
  return {
    id,
    name,
    format: 'csv',
    encoding: decoded.encoding,
    compression: decoded.compression,
    delimiter: dialect.delimiter,
    bytes: source.size,
    headerRef,
    outline: { file: id, name, format: 'csv', header: columns.header, sampleRows },
    records: (_selector, stop) => csvRecords(place, stop),
    ...refetch(source, () => readText),
    raw: async (ref) => {
      const bytes = await readRange(source, ref.offset, ref.length);
      return columns.reasonAt < 0
        ? bytes
        : Buffer.from(cutReasonCell(bytes.toString('utf8'), columns), 'utf8');
    },
    reason: async (ref) => {
      if (columns.reasonAt < 0) return '';
      const text = (await readRange(source, ref.offset, ref.length)).toString('utf8');
      return cellsOf(text, dialect.delimiter, text.includes('"'))[columns.reasonAt] ?? '';
    },
    frame: (ref, part) =>
      recordFrame({ name, source, offset: decoded.offset, lineEnds: 'any' }, ref, (text) =>
        csvPartSpan(text, part, columns),
      ),
  };
}

// Where a part of a CSV record stands in its text.

/** A cell behind the last one of a short record would stand at its end. Undefined for a part that a CSV does not have. */
function csvPartSpan(text: string, part: RecordPart, { delimiter, reasonAt }: CsvColumns): Span | undefined {
  if (part === 'defect') return strayQuoteSpan(text, delimiter);
  if (!('cell' in part)) return undefined;
  const index = reasonAt >= 0 && part.cell >= reasonAt ? part.cell + 1 : part.cell;
  return cellSpan(text, delimiter, index) ?? { start: text.length, end: text.length };
}

/**
 * The quote that opens a cell and is not closed properly, to the end of its line; undefined where every quote is in order.
 */
function strayQuoteSpan(text: string, delimiter: string): Span | undefined {
  const lineEnd = nextLineEnd(text, 0, 'any');
  const line = lineEnd < 0 ? text : text.slice(0, lineEnd);
  for (let start = 0; start <= line.length; ) {
    if (line[start] === '"') {
      const close = closingQuote(line, start);
      if (close < 0 || (close + 1 < line.length && line[close + 1] !== delimiter))
        return { start, end: line.length };
      start = close + 2;
    } else {
      const found = line.indexOf(delimiter, start);
      if (found < 0) return undefined;
      start = found + 1;
    }
  }
  return undefined;
}

/** Index of the quote that closes the cell which `open` opens; a doubled one does not. */
function closingQuote(line: string, open: number): number {
  for (let at = line.indexOf('"', open + 1); at >= 0; at = line.indexOf('"', at + 2))
    if (line[at + 1] !== '"') return at;
  return -1;
}

// The header and the first rows of a CSV, and with them everything that reading its records needs to know.

const SAMPLE_ROWS = 200;

interface CsvTop {
  readonly columns: CsvColumns;
  /** Where the header itself stands; absent in a file without one. */
  readonly headerRef?: RecordRef;
  /** Where the first record behind the header begins. */
  readonly offset: number;
  readonly line: number;
  readonly sampleRows: readonly (readonly string[])[];
}

/** `place`: where the header is to be found, without columns. */
async function readCsvTop(place: CsvPlace, name: string, signal: AbortSignal): Promise<CsvTop> {
  for await (const records of csvRecords(place, signal)) {
    const [header] = records;
    if (header === undefined) continue;
    if (header.cells === undefined) {
      throw new AppError('source', `The header of ${name} (line ${header.ref.line}) cannot be read.`, {
        hint: `${header.error ?? ''} If the columns are not separated by the usual characters, say so with --delimiter.`,
      });
    }
    const columns = columnsOf(header.cells, place.dialect.delimiter);
    const end = header.ref.offset + header.ref.length;
    const lineEnd = await readRange(place.source, end, 2);
    const behind = end + (lineEnd.toString('latin1') === '\r\n' ? 2 : Math.min(1, lineEnd.length));
    const bytes = await readRange(place.source, header.ref.offset, behind - header.ref.offset);
    const body = {
      ...place,
      columns,
      offset: behind,
      line: header.ref.line + countLineEnds(bytes, 0, bytes.length),
    };
    return {
      columns,
      headerRef: header.ref,
      offset: body.offset,
      line: body.line,
      sampleRows: await firstRows(body, signal),
    };
  }
  return {
    columns: columnsOf([], place.dialect.delimiter),
    offset: place.source.size,
    line: 1,
    sampleRows: [],
  };
}

async function firstRows(place: CsvPlace, signal: AbortSignal): Promise<string[][]> {
  const rows: string[][] = [];
  const { columns } = place;
  for await (const records of csvRecords(place, signal)) {
    for (const { cells } of records) {
      if (cells === undefined || columns === undefined) continue;
      rows.push([...cells]);
      if (rows.length >= SAMPLE_ROWS) return rows;
    }
  }
  return rows;
}
