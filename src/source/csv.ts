/**
 * The records of a CSV, read by csv-parse. The text is cut where quotes are in pairs, so that each stretch can be parsed by
 * itself. One stray quote must not swallow the rest of a file: where a record over several lines has irregular quotes and
 * one of its later lines is a whole record by itself, its first line is an error, and reading goes on there.
 */
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { AppError } from '../domain/errors.ts';
import { REASON } from '../domain/source.ts';

export interface CsvDialect {
  readonly delimiter: string;
  /** A CR alone ends lines only in a file that has no LF. */
  readonly lineEnd: '\n' | '\r';
}

/** A record as it was read; `raw` without its line end. */
export interface CsvRecord {
  readonly line: number;
  readonly raw: string;
  readonly cells: string[];
  readonly error?: string;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
const STRETCH = 64 * 1024;

/** `sample`: the beginning of the file; `isWhole`: it is all of it. */
export function detectDialect(sample: string, isWhole: boolean, delimiter: string | undefined): CsvDialect {
  const unquoted = sample.replaceAll(/"[^"]*"/g, '');
  const lineEnd = !unquoted.includes('\n') && unquoted.includes('\r') ? '\r' : '\n';
  if (delimiter !== undefined) return { delimiter, lineEnd };
  const end = isWhole ? sample.length : lastWholeLine(sample, lineEnd);
  const text = end <= 0 ? sample : sample.slice(0, end);
  let best = { delimiter: ',', agreement: 0, cells: 1 };
  for (const candidate of DELIMITERS) {
    const counts = records(text, { delimiter: candidate, lineEnd }, 200).map(({ cells }) => cells.length);
    const cells = counts[0] ?? 1;
    if (cells < 2) continue;
    const agreement = Math.round((counts.filter((count) => count === cells).length / counts.length) * 20);
    if (agreement > best.agreement || (agreement === best.agreement && cells > best.cells))
      best = { delimiter: candidate, agreement, cells };
  }
  return { delimiter: best.delimiter, lineEnd };
}

/** `sep=;`, which names the delimiter for Excel: it and the text behind it. */
export function directive(
  sample: string,
): { readonly delimiter: string; readonly length: number } | undefined {
  const found = /^sep=([^"\r\n])(?:\r\n|\n|\r)/i.exec(sample);
  return found?.[1] === undefined ? undefined : { delimiter: found[1], length: found[0].length };
}

/** A record of at most so many are read; a stretch that cannot be parsed gives what comes before the defect. */
function records(text: string, { delimiter, lineEnd }: CsvDialect, most?: number): CsvRecord[] {
  const found: { readonly record: string[]; readonly raw: string }[] = [];
  try {
    found.push(
      ...(parse(text, {
        delimiter,
        record_delimiter: lineEnd === '\r' ? '\r' : ['\r\n', '\n'],
        relax_quotes: true,
        relax_column_count: true,
        raw: true,
        ...(most === undefined ? {} : { to: most }),
      }) as unknown as typeof found),
    );
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The last quote is never closed: what comes before it can be read.
    const end = lastWholeLine(text, lineEnd);
    return end > 0 && end < text.length ? records(text.slice(0, end), { delimiter, lineEnd }, most) : [];
  }
  let line = 1;
  let at = 0;
  return found.flatMap(({ record, raw }) => {
    // of a CRLF behind a record its raw text has the CR alone
    const isHalf = lineEnd === '\n' && raw.endsWith('\r') && text[at + raw.length] === '\n';
    const whole = isHalf ? `${raw}\n` : raw;
    at += whole.length;
    const begin = line;
    line += lineEnds(whole);
    const own = whole.replace(lineEnd === '\r' ? /\r$/ : /\r?\n$/, '');
    return own === '' ? [] : [{ line: begin, raw: own, cells: record }];
  });
}

/** All records of a text, in batches; the first one is the header. A record longer than `maxLength` is an error. */
export class CsvReader {
  readonly #dialect: CsvDialect;
  readonly #maxLength: number;
  #text = '';
  #line: number;
  /** A line that is too long is passed over to its end. */
  #isSkipping = false;
  /** Cells of the header. */
  width: number | undefined;

  constructor(dialect: CsvDialect, line: number, maxLength: number) {
    this.#dialect = dialect;
    this.#line = line;
    this.#maxLength = maxLength;
  }

  /** The records that are complete with this part of the text. */
  take(part: string, isLast: boolean): CsvRecord[] {
    this.#text += part;
    if (isLast && this.#dialect.lineEnd === '\n') this.#text = this.#text.replace(/\r$/, '');
    if (this.#isSkipping && !this.#skip()) return [];
    if (this.#text.length < STRETCH && !isLast) return [];
    const found: CsvRecord[] = [];
    for (;;) {
      const end = isLast ? this.#text.length : lastWholeLine(this.#text, this.#dialect.lineEnd);
      if (end > 0) {
        const stretch = this.#text.slice(0, end);
        this.#text = this.#text.slice(end);
        this.#read(stretch, found);
        return found;
      }
      if (this.#text.length <= this.#maxLength) return found;
      this.#giveUp(found);
      if (this.#isSkipping) return found;
    }
  }

  #read(stretch: string, into: CsvRecord[]): void {
    let rest = stretch;
    while (rest !== '') {
      const parsed = records(rest, this.#dialect);
      let consumed = 0;
      let again: number | undefined;
      for (const record of parsed) {
        const start = rest.indexOf(record.raw, consumed);
        again = this.#resume(record, rest, start);
        if (again !== undefined) break;
        const line = this.#line + record.line - 1;
        const isTooLong = record.raw.length > this.#maxLength;
        into.push({ ...record, line, ...(isTooLong ? { error: this.#tooLong() } : {}) });
        this.width ??= record.cells.length;
        consumed = start + record.raw.length;
      }
      if (again === undefined && rest.slice(consumed).trim() !== '') {
        // The last quote is never closed.
        const start = consumed + blankLines(rest.slice(consumed), this.#dialect.lineEnd).length;
        again = this.#nextRecord(rest, start) ?? rest.length;
        consumed = start;
      }
      if (again === undefined) {
        this.#line += lineEnds(rest);
        return;
      }
      const begin = consumed + blankLines(rest.slice(consumed), this.#dialect.lineEnd).length;
      const raw = rest.slice(begin, again).replace(/(?<![\r\n])[\r\n]+$/, '');
      into.push({ line: this.#line + lineEnds(rest.slice(0, begin)), raw, cells: [], error: STRAY_QUOTE });
      this.#line += lineEnds(rest.slice(0, again));
      rest = rest.slice(again);
    }
  }

  /** Where reading goes on if a record is none: undefined where it is one. */
  #resume({ raw, cells }: CsvRecord, text: string, start: number): number | undefined {
    const { width } = this;
    if (width === undefined || !/[\r\n]/.test(raw) || isRegular(raw, this.#dialect.delimiter))
      return undefined;
    const next = this.#nextRecord(text, start, start + raw.length);
    return next ?? (cells.length === width ? undefined : start + raw.length);
  }

  /** The first line behind the one at `start` that is well-formed by itself and as wide as the header. */
  #nextRecord(text: string, start: number, end = text.length): number | undefined {
    const { lineEnd, delimiter } = this.#dialect;
    if (this.width === undefined) return undefined;
    for (let at = text.indexOf(lineEnd, start) + 1; at > 0 && at < end; at = text.indexOf(lineEnd, at) + 1) {
      const found = text.indexOf(lineEnd, at);
      const line = text.slice(at, found < 0 ? text.length : found).replace(/\r$/, '');
      if (line === '' || !isRegular(line, delimiter) || /[\r\n]/.test(line)) continue;
      if (records(line, this.#dialect)[0]?.cells.length === this.width) return at;
    }
    return undefined;
  }

  /** What is too long for a record: its first line is an error. */
  #giveUp(into: CsvRecord[]): void {
    const { lineEnd } = this.#dialect;
    const isQuote = this.#text.includes('"');
    const next = isQuote ? this.#nextRecord(this.#text, 0) : undefined;
    const end = next ?? this.#text.length;
    into.push({
      line: this.#line,
      raw: this.#text.slice(0, Math.min(end, STRETCH)).replace(/(?<![\r\n])[\r\n]+$/, ''),
      cells: [],
      error: isQuote ? STRAY_QUOTE : this.#tooLong(),
    });
    this.#line += lineEnds(this.#text.slice(0, end));
    this.#isSkipping = next === undefined && !this.#text.endsWith(lineEnd);
    this.#text = this.#text.slice(end);
  }

  #tooLong(): string {
    const megabytes = Math.round(this.#maxLength / 1024 / 1024);
    return `The record is longer than ${megabytes} MiB; check the line ends of the file.`;
  }

  #skip(): boolean {
    const found = this.#text.indexOf(this.#dialect.lineEnd);
    if (found < 0) {
      this.#text = '';
      return false;
    }
    this.#isSkipping = false;
    this.#line++;
    this.#text = this.#text.slice(found + 1);
    return true;
  }
}

const STRAY_QUOTE =
  'A quote opens a cell here and is not closed properly; double the quotes inside of a cell, or remove the stray one.';

function blankLines(text: string, lineEnd: string): string {
  return (lineEnd === '\r' ? /^\r*/ : /^(?:\r?\n)*/).exec(text)?.[0] ?? '';
}

/** Behind the last line end before which all quotes are in pairs; 0 where there is none. */
function lastWholeLine(text: string, lineEnd: string): number {
  let isOdd = quotesIn(text) % 2 === 1;
  let end = text.length;
  for (let at = text.lastIndexOf(lineEnd); at >= 0; at = text.lastIndexOf(lineEnd, at - 1)) {
    if (quotesIn(text.slice(at + 1, end)) % 2 === 1) isOdd = !isOdd;
    end = at + 1;
    if (!isOdd) return end;
    if (at === 0) break;
  }
  return 0;
}

function quotesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) count++;
  return count;
}

/** Physical lines that end in a text: by LF, CRLF or a CR alone, as editors count them. */
export function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  if (!text.includes('\r')) return count;
  for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1))
    if (text[at + 1] !== '\n') count++;
  return count;
}

/** Whether every quote opens or closes a cell, or is doubled in one. */
function isRegular(record: string, delimiter: string): boolean {
  for (let at = 0; ; ) {
    const end = record[at] === '"' ? closingQuote(record, at) + 1 : delimiterAt(record, delimiter, at);
    if (end <= 0 || (record[at] !== '"' && record.slice(at, end).includes('"'))) return false;
    if (end === record.length) return true;
    if (record[end] !== delimiter) return false;
    at = end + 1;
  }
}

function delimiterAt(text: string, delimiter: string, from: number): number {
  const found = text.indexOf(delimiter, from);
  return found < 0 ? text.length : found;
}

/** Index of the quote that closes the cell which `open` opens; a doubled one does not. -1 where there is none. */
function closingQuote(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at >= 0; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at;
  return -1;
}

/** Where the cell with this index is in a record, its quotes included; undefined where there is none. */
export function cellSpan(
  text: string,
  delimiter: string,
  index: number,
): { readonly start: number; readonly end: number } | undefined {
  for (let cell = 0, start = 0; ; cell++) {
    const close = text[start] === '"' ? closingQuote(text, start) : start;
    const end = close < 0 ? text.length : delimiterAt(text, delimiter, close);
    if (cell === index) return { start, end };
    if (end === text.length) return undefined;
    start = end + 1;
  }
}

/** The quote that opens a cell and is not closed properly, to the end of its line; undefined where every quote is. */
export function strayQuote(
  text: string,
  delimiter: string,
): { readonly start: number; readonly end: number } | undefined {
  const line = /^[^\r\n]*/.exec(text)?.[0] ?? '';
  for (let start = 0; start <= line.length; ) {
    if (line[start] !== '"') {
      start = delimiterAt(line, delimiter, start) + 1;
      continue;
    }
    const close = closingQuote(line, start);
    if (close < 0 || (close + 1 < line.length && line[close + 1] !== delimiter))
      return { start, end: line.length };
    start = close + 2;
  }
  return undefined;
}

/** A record as it is written: a cell in quotes where it has to be. */
export function csvLine(cells: readonly string[], delimiter: string): string {
  const needsQuotes = (cell: string) => /["\r\n]/.test(cell) || cell.includes(delimiter);
  return cells.map((cell) => (needsQuotes(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(delimiter);
}

export function quotedLine(cells: readonly string[], delimiter: string): string {
  return cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter);
}

/** The header of a CSV, and where it has the reason that rejects add. */
export interface CsvColumns {
  /** Without the `_reason` of rejects. */
  readonly header: readonly string[];
  /** Index of the `_reason` behind the source's own columns; -1 for none. */
  readonly reasonAt: number;
}

export function columnsOf(cells: readonly string[]): CsvColumns {
  const last = cells.length - 1;
  const hasReason = last > 0 && cells[last]?.trim() === REASON;
  return { header: hasReason ? cells.slice(0, last) : cells, reasonAt: hasReason ? last : -1 };
}

/** Missing cells are empty; cells beyond the header stay. */
export function toRow(cells: readonly string[], { header, reasonAt }: CsvColumns): string[] {
  const row = cells.filter((_, at) => at !== reasonAt);
  while (row.length < header.length) row.push('');
  return row;
}

/** A record without its `_reason`, every other character as it is. */
export function withoutReason(raw: string, delimiter: string, { reasonAt }: CsvColumns): string {
  const span = reasonAt < 0 ? undefined : cellSpan(raw, delimiter, reasonAt);
  return span === undefined ? raw : raw.slice(0, span.start - 1) + raw.slice(span.end);
}

/** The delimiter that an option names: a character, or `tab`, `comma`, `semicolon`, `pipe`. */
export function namedDelimiter(option: string): string {
  const names = new Map(
    Object.entries({
      tab: '\t',
      '\\t': '\t',
      comma: ',',
      semicolon: ';',
      pipe: '|',
    }),
  );
  const delimiter = names.get(option.toLowerCase()) ?? option;
  if (delimiter.length === 1 && delimiter.charCodeAt(0) < 128 && !'"\r\n'.includes(delimiter))
    return delimiter;
  throw new AppError('usage', `The delimiter ${JSON.stringify(option)} is not one character.`, {
    hint: 'Use , or ; or | or tab, or another character of ASCII that is not a quote.',
  });
}
