/** Where a part of a CSV record stands in its text. */
import type { RecordPart } from '../domain/source-frame.ts';
import { type CsvColumns, cellSpan } from './csv-row.ts';
import { nextLineEnd, type Span } from './line-of-span.ts';

/** A cell behind the last one of a short record would stand at its end. Undefined for a part that a CSV does not have. */
export function csvPartSpan(
  text: string,
  part: RecordPart,
  { delimiter, reasonAt }: CsvColumns,
): Span | undefined {
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
