/**
 * The cells of one CSV record. csv-parse decides what they are. Nearly all records are regular, and for these two short
 * cuts give the same cells several times faster; a property test holds them to csv-parse.
 */
import { parse } from 'csv-parse/sync';

const QUOTE = 34;

/** `text`: a record without its line end. `quotes`: it has a quote somewhere. */
export function cellsOf(text: string, delimiter: string, quotes: boolean): string[] {
  if (!quotes) return text.split(delimiter);
  return regularCells(text, delimiter) ?? relaxedCells(text, delimiter);
}

/** Undefined where a quoted cell goes on behind its closing quote, or is not closed. */
export function regularCells(text: string, delimiter: string): string[] | undefined {
  const cells: string[] = [];
  for (let at = 0; ; ) {
    let end: number;
    if (text.charCodeAt(at) === QUOTE) {
      let quote = text.indexOf('"', at + 1);
      let doubled = false;
      while (quote >= 0 && text.charCodeAt(quote + 1) === QUOTE) {
        doubled = true;
        quote = text.indexOf('"', quote + 2);
      }
      if (quote < 0) return undefined;
      end = quote + 1;
      if (end < text.length && text[end] !== delimiter) return undefined;
      const cell = text.slice(at + 1, quote);
      cells.push(doubled ? undoubled(cell) : cell);
    } else {
      const found = text.indexOf(delimiter, at);
      end = found < 0 ? text.length : found;
      cells.push(text.slice(at, end));
    }
    if (end >= text.length) return cells;
    at = end + 1;
  }
}

/**
 * The first cells of a record, from its bytes, where they are not quoted; fewer where it has no more. The rest of the
 * record need not even become text.
 */
export function firstCells(
  bytes: Buffer,
  start: number,
  end: number,
  delimiter: string,
  wanted: number,
): string[] | undefined {
  const code = delimiter.charCodeAt(0);
  const cells: string[] = [];
  for (let at = start; cells.length < wanted; ) {
    if (bytes[at] === QUOTE) return undefined;
    let stop = at;
    while (stop < end && bytes[stop] !== code) stop++;
    cells.push(bytes.toString('utf8', at, stop));
    if (stop >= end) break;
    at = stop + 1;
  }
  return cells;
}

const LONG_CELL = 64 * 1024;

/** Each pair of quotes as one. Replacing millions of them in one text costs far more than copying its bytes. */
function undoubled(cell: string): string {
  if (cell.length < LONG_CELL) return cell.replaceAll('""', '"');
  const bytes = Buffer.from(cell, 'utf8');
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    bytes[length++] = byte;
    if (byte === QUOTE) at++;
  }
  return bytes.toString('utf8', 0, length);
}

function relaxedCells(text: string, delimiter: string): string[] {
  const records = parse(text, {
    delimiter,
    // One record is given, so a line end in it stands in a cell, and nothing in it may end the record.
    record_delimiter: text.includes('\u{10ffff}') ? '\u{10fffe}' : '\u{10ffff}',
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: 0,
  });
  return records[0] ?? [];
}
