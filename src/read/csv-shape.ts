/** The header and the first rows of a CSV, and with them everything that reading its records needs to know. */
import { AppError } from '../domain/errors.ts';
import type { RecordRef } from '../domain/source.ts';
import { readRange } from './byte-source.ts';
import { type CsvPlace, csvRecords } from './csv-records.ts';
import { type CsvColumns, columnsOf } from './csv-row.ts';
import { countLineEnds } from './physical-lines.ts';

const SAMPLE_ROWS = 200;

export interface CsvShape {
  readonly columns: CsvColumns;
  /** Where the header itself stands; absent in a file without one. */
  readonly headerRef?: RecordRef;
  /** Where the first record behind the header begins. */
  readonly offset: number;
  readonly line: number;
  readonly sampleRows: readonly (readonly string[])[];
}

/** `place`: where the header is to be found, without columns. */
export async function csvShape(place: CsvPlace, name: string, signal: AbortSignal): Promise<CsvShape> {
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
