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

export type ScanResult =
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

/** Most distances are shorter than this, and then a loop is sooner there than a call of `indexOf`. */
const NEAR = 32;

function find(bytes: Buffer, byte: number, from: number): number {
  if (from >= bytes.length) return NONE;
  const near = Math.min(bytes.length, from + NEAR);
  for (let at = from; at < near; at++) if (bytes[at] === byte) return at;
  const at = bytes.indexOf(byte, near);
  return at < 0 ? NONE : at;
}
