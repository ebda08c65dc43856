/** From the cells of a record to those of a row: without a `_reason`, and as many as the header has. */
import type { Span } from './line-of-span.ts';

export const REASON = '_reason';

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
