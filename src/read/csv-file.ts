/** A CSV of the export. */
import type { Problem } from '../domain/problem.ts';
import type { RecordRef } from '../domain/source.ts';
import type { ReadRecord, SourceFile } from '../domain/source-file.ts';
import { readRange } from './byte-source.ts';
import { readRefs, readRefsSync, type TakeBytes } from './coalesced-reads.ts';
import { cellsOf } from './csv-cells.ts';
import { detectDialect } from './csv-dialect.ts';
import { csvPartSpan } from './csv-part-span.ts';
import { looksLikeTitle, preambleOf } from './csv-preamble.ts';
import { type CsvPlace, csvRecords } from './csv-records.ts';
import { cutReasonCell, toRow } from './csv-row.ts';
import { csvShape } from './csv-shape.ts';
import type { DecodedFile } from './decoded-file.ts';
import { linesSkipped, titleForHeader } from './file-problems.ts';
import { recordFrame } from './record-frame.ts';

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
  const onInvalidText = (line: number) => decoded.invalidText.at(line);
  const top: CsvPlace = {
    source,
    file: id,
    dialect,
    offset: decoded.offset + above + dialect.directive,
    line: 1 + (preamble?.lines ?? 0) + (dialect.directive > 0 ? 1 : 0),
    columns: undefined,
    tuning,
    onInvalidText,
  };
  const { columns, headerRef, offset, line, sampleRows } = await csvShape(top, name, signal);
  if (preamble !== undefined) tell(linesSkipped(name, preamble));
  else if (looksLikeTitle(columns.header, sampleRows)) tell(titleForHeader(name, headerRef?.line ?? 1));
  const place = { ...top, columns, offset, line };
  const taker = (records: ReadRecord[], refs: readonly RecordRef[]): TakeBytes => {
    records.length = refs.length;
    return (index, bytes, start, end) => {
      const ref = refs[index];
      if (ref === undefined) return;
      const text = bytes.toString('utf8', start, end);
      records[index] = { ref, cells: toRow(cellsOf(text, dialect.delimiter, text.includes('"')), columns) };
    };
  };
  return {
    id,
    name,
    format: 'csv',
    encoding: decoded.encoding,
    compression: decoded.compression,
    delimiter: dialect.delimiter,
    bytes: source.size,
    ...(headerRef === undefined ? {} : { headerRef }),
    shape: { file: id, name, format: 'csv', header: columns.header, sampleRows },
    records: (_selector, stop, cells) => csvRecords(place, stop, cells),
    fetch: async (refs) => {
      const records: ReadRecord[] = [];
      await readRefs(source, refs, taker(records, refs));
      return records;
    },
    fetchSync: (refs) => {
      const records: ReadRecord[] = [];
      readRefsSync(source, refs, taker(records, refs));
      return records;
    },
    raw: async (ref) => {
      const bytes = await readRange(source, ref.offset, ref.length);
      return columns.reasonAt < 0
        ? bytes
        : Buffer.from(cutReasonCell(bytes.toString('utf8'), columns), 'utf8');
    },
    frame: (ref, part) =>
      recordFrame({ name, source, offset: decoded.offset, lineEnds: 'any' }, ref, (text) =>
        csvPartSpan(text, part, columns),
      ),
  };
}
