/**
 * After a stray quote: where does the next true record begin? A line is one when it is well-formed by itself and has as
 * many cells as the header. A line from the middle of a quoted cell hardly ever is: the quote that closes the cell makes
 * its number of quotes odd.
 */
import { regularCells } from './csv-cells.ts';
import type { CsvColumns } from './csv-row.ts';
import type { CsvDialect } from './csv-scanner.ts';

/** Index of the first such line behind the one at `start` and before `limit`. */
export function nextTrueRecord(
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

/** Whether a record has the cells of the header, counted before a `_reason` is taken out. */
export function fitsHeader(cells: number, { header, reasonAt }: CsvColumns): boolean {
  return cells === header.length + (reasonAt >= 0 ? 1 : 0);
}

function isTrueRecord(line: string, { delimiter }: CsvDialect, columns: CsvColumns): boolean {
  const cells = regularCells(line, delimiter);
  return cells !== undefined && fitsHeader(cells.length, columns) && (line.split('"').length - 1) % 2 === 0;
}
