import { parse } from 'csv-parse/sync';

/**
 * Where the records of a CSV end, found on the bytes: the same rules as csv-parse has with `relax_quotes`, so that both
 * always agree. A quote opens only at the beginning of a cell; inside, a doubled quote is one; a quote before a
 * delimiter, a line end or the end of the file closes. Any other quote in a quoted cell ends the quoting (the cell is
 * irregular), and every quote elsewhere is a character like others.
 */
export interface CsvDialect {
  /** One ASCII character. */
  readonly delimiter: string;
  /** `lf`: LF and CRLF end a line. `cr`: files of old, in which CR alone does. */
  readonly lineEnd: 'lf' | 'cr';
}

type ScanResult =
  /** `contentEnd` and `next` are set. */
  | 'record'
  /** The record does not end within the bytes. */
  | 'more'
  /** A quote is open and the file has ended. */
  | 'open';

const QUOTE = 34;
const LF = 10;
const CR = 13;
const NONE = 0x3fff_ffff;

export class CsvScanner {
  /** Index behind the last byte of the record, without its line end. */
  contentEnd = 0;
  /** Index at which the next record begins. */
  next = 0;
  /** There is a quote in the record, so its cells are not found by splitting alone. */
  quotes = false;
  /** A quoted cell goes on behind its closing quote. */
  irregular = false;

  readonly #delimiter: number;
  readonly #newline: number;
  readonly #crEnds: boolean;
  #bytes: Buffer = Buffer.alloc(0);
  /** The first quote and the first newline at or behind the place last asked for. */
  #quote = -1;
  #line = -1;

  constructor(dialect: CsvDialect) {
    this.#delimiter = dialect.delimiter.charCodeAt(0);
    this.#crEnds = dialect.lineEnd === 'cr';
    this.#newline = this.#crEnds ? CR : LF;
  }

  /** New bytes to look at; to be called after every change of the window. */
  reset(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#quote = -1;
    this.#line = -1;
  }

  /** The record that begins at index `start`. `ended`: no bytes come behind these. */
  scan(start: number, ended: boolean): ScanResult {
    const bytes = this.#bytes;
    this.quotes = false;
    this.irregular = false;
    let line = this.#lineFrom(start);
    let quote = this.#quoteFrom(start);
    for (;;) {
      if (line <= quote) {
        if (line !== NONE) return this.#endAt(start, line, line + 1);
        return ended ? this.#endAt(start, bytes.length, bytes.length) : 'more';
      }
      this.quotes = true;
      if (quote !== start && bytes[quote - 1] !== this.#delimiter) {
        quote = this.#quoteFrom(quote + 1);
        continue;
      }
      const behind = this.#closeOf(quote, ended);
      if (behind < 0) return behind === -1 ? 'more' : 'open';
      line = this.#lineFrom(behind);
      quote = this.#quoteFrom(behind);
    }
  }

  /** Index behind the quote that ends the quoting begun at `open`; -1: more bytes are needed; -2: it is never closed. */
  #closeOf(open: number, ended: boolean): number {
    const bytes = this.#bytes;
    for (let from = open + 1; ; ) {
      const quote = this.#quoteFrom(from);
      if (quote === NONE) return ended ? -2 : -1;
      const at = quote + 1;
      if (at >= bytes.length) return ended ? at : -1;
      const byte = bytes[at];
      if (byte === QUOTE) {
        from = at + 1;
        continue;
      }
      // csv-parse closes a quote before a NUL too.
      if (byte === this.#delimiter || byte === this.#newline || byte === 0) return at;
      if (byte === CR) {
        if (at + 1 >= bytes.length && !ended) return -1;
        if (at + 1 >= bytes.length || bytes[at + 1] === LF) return at;
      }
      this.irregular = true;
      return at;
    }
  }

  #endAt(start: number, end: number, next: number): ScanResult {
    this.contentEnd = !this.#crEnds && end > start && this.#bytes[end - 1] === CR ? end - 1 : end;
    this.next = next;
    return 'record';
  }

  #quoteFrom(from: number): number {
    if (this.#quote < from) this.#quote = find(this.#bytes, QUOTE, from);
    return this.#quote;
  }

  #lineFrom(from: number): number {
    if (this.#line < from) this.#line = find(this.#bytes, this.#newline, from);
    return this.#line;
  }
}

function find(bytes: Buffer, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at < 0 ? NONE : at;
}

// The cells of one CSV record. csv-parse decides what they are. Nearly all records are regular, and for these two short
// cuts give the same cells several times faster; a property test holds them to csv-parse.

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
      while (quote >= 0 && text.charCodeAt(quote + 1) === QUOTE) quote = text.indexOf('"', quote + 2);
      if (quote < 0) return undefined;
      end = quote + 1;
      if (end < text.length && text[end] !== delimiter) return undefined;
      // Not `replaceAll`: of a text with millions of quotes that takes far longer.
      cells.push(
        text
          .slice(at + 1, quote)
          .split('""')
          .join('"'),
      );
    } else {
      const found = text.indexOf(delimiter, at);
      end = found < 0 ? text.length : found;
      cells.push(text.slice(at, end));
    }
    if (end >= text.length) return cells;
    at = end + 1;
  }
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
