/**
 * Reads CSV with csv-parse, cut where quotes are in pairs. A stray quote must not swallow the file: if a record over several
 * lines has irregular quotes and a later line is a whole record, its first line is an error and reading continues there.
 */
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import type { AppError } from '../domain/errors.ts';
import { stop } from '../domain/text/stops.ts';
import { type Cells, isRegular, lineEnds, regularRecord } from './csv-line.ts';

export interface CsvDialect {
  readonly delimiter: string;
  /** A CR alone ends lines only in a file without LF. */
  readonly lineEnd: '\n' | '\r';
}

export function escapesQuotes(sample: string): boolean {
  return /\\"[^,;\t|\r\n"]/.test(sample) && !/[^,;\t|\r\n"\\]""[^,;\t|\r\n"]/.test(sample);
}

/** As long as before, so columns stay right. */
export function doubledQuotes(text: string): string {
  return text.replaceAll(/\\[\\"]/g, (pair) => (pair === '\\"' ? '""' : pair));
}

/** `raw` without its line end. */
export interface CsvRecord extends Cells {
  readonly line: number;
  readonly raw: string;
  readonly error?: string;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
const STRETCH = 32 * 1024;
const FIRST_RECORDS = 16;
const LONGEST_ERROR = 64 * 1024;
const STRAY_QUOTE =
  'A quote opens a cell here and is not closed properly; double the quotes inside of a cell, or remove the stray one.';

/** `isWhole`: the sample is the whole file. */
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

/** `sep=;` and the text behind it. */
export function directive(
  sample: string,
): { readonly delimiter: string; readonly length: number } | undefined {
  const found = /^"?sep=([^"\r\n])"?[,;\t|]*(?:\r\n|\n|\r)/i.exec(sample);
  return found?.[1] === undefined ? undefined : { delimiter: found[1], length: found[0].length };
}

type FoundRecord = CsvRecord & { readonly start: number; readonly end: number };

/** A bad stretch gives what comes before the defect. */
function records(text: string, dialect: CsvDialect, most = Number.POSITIVE_INFINITY): FoundRecord[] {
  const { lineEnd } = dialect;
  const found: FoundRecord[] = [];
  let [line, at, count] = [1, 0, 0];
  const take = (whole: string, { cells, quoting }: Cells) => {
    const raw = withoutLineEnd(whole, lineEnd);
    if (raw !== '') found.push({ line, raw, cells, quoting, start: at, end: at + whole.length });
    line += lineEnds(whole);
    at += whole.length;
    count++;
  };
  while (at < text.length && count < most) {
    const regular = regularRecord(text, at, dialect);
    if (regular === undefined) break;
    take(text.slice(at, regular.end), regular);
  }
  if (at === text.length || count >= most) return found;
  for (const { record, raw } of parsed(text.slice(at), dialect, most - count)) {
    // The raw text of a CRLF record keeps the CR.
    const isHalf = lineEnd === '\n' && raw.endsWith('\r') && text[at + raw.length] === '\n';
    take(isHalf ? `${raw}\n` : raw, { cells: record });
  }
  return found;
}

/** csv-parse is slow, so it gets only records that need it. */
function parsed(
  text: string,
  dialect: CsvDialect,
  most: number,
): readonly { readonly record: string[]; readonly raw: string }[] {
  const { delimiter, lineEnd } = dialect;
  try {
    return parse(text, {
      delimiter,
      record_delimiter: lineEnd === '\r' ? '\r' : ['\r\n', '\n'],
      relax_quotes: true,
      relax_column_count: true,
      raw: true,
      ...(Number.isFinite(most) ? { to: most } : {}),
    }) as unknown as ReturnType<typeof parsed>;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The last quote is never closed: read what comes before.
    const end = lastWholeLine(text, lineEnd);
    return end > 0 && end < text.length ? parsed(text.slice(0, end), dialect, most) : [];
  }
}

export class CsvReader {
  readonly #name: string;
  readonly #dialect: CsvDialect;
  readonly #maxLength: number;
  #text = '';
  /** Doubled without a record, so that a long one is read in linear time. */
  #enough = STRETCH;
  #line: number;
  width: number | undefined;
  #sample: readonly string[] = [];

  constructor(name: string, dialect: CsvDialect, line: number, maxLength: number) {
    this.#name = name;
    this.#dialect = dialect;
    this.#line = line;
    this.#maxLength = maxLength;
  }

  take(part: string, isLast: boolean): CsvRecord[] {
    this.#text += part;
    if (isLast && this.#dialect.lineEnd === '\n') this.#text = this.#text.replace(/\r$/, '');
    if (this.#text.length < this.#enough && !isLast) return [];
    this.#enough = STRETCH;
    const found: CsvRecord[] = [];
    for (;;) {
      const end = isLast ? this.#text.length : lastWholeLine(this.#text, this.#dialect.lineEnd);
      const text = this.#text;
      if (end > 0) {
        this.#text = text.slice(end);
        this.#read(text.slice(0, end), found);
        return found;
      }
      if (text.length <= this.#maxLength) {
        this.#enough = Math.min(2 * text.length, this.#maxLength + 1);
        return found;
      }
      const next = text.includes('"') ? this.#nextRecord(text, 0) : undefined;
      if (next === undefined) throw tooLong(this.#name, this.#line, this.#maxLength);
      found.push(this.#strayQuote(text, 0, next));
      this.#line += lineEnds(text.slice(0, next));
      this.#text = text.slice(next);
    }
  }

  #read(stretch: string, into: CsvRecord[]): void {
    let most = Number.POSITIVE_INFINITY;
    for (let rest = stretch.toWellFormed(); rest !== ''; ) {
      let begin = 0;
      let next: number | undefined;
      for (const record of records(rest, this.#dialect, most)) {
        begin = record.start;
        next = this.#resume(record, rest);
        if (next !== undefined) break;
        const { raw, cells, quoting } = record;
        const line = this.#line + record.line - 1;
        if (raw.length > this.#maxLength) throw tooLong(this.#name, line, this.#maxLength);
        into.push({ line, raw, cells, quoting });
        if (this.width === undefined) this.width = cells.length;
        else if (!raw.includes(this.#dialect.lineEnd)) this.#sample = cells;
        begin = record.end;
      }
      const isLeft = next === undefined && rest.slice(begin).trim() !== '';
      if (isLeft && most < rest.length) {
        this.#line += lineEnds(rest.slice(0, begin));
        rest = rest.slice(begin);
        most *= 2;
        continue;
      }
      if (isLeft) {
        begin += blankLines(rest.slice(begin), this.#dialect.lineEnd).length;
        next = this.#nextRecord(rest, begin) ?? rest.length;
      }
      if (next !== undefined) into.push(this.#strayQuote(rest, begin, next));
      this.#line += lineEnds(rest.slice(0, next));
      rest = next === undefined ? '' : rest.slice(next);
      // The next stray quote may be near: what is parsed behind it is parsed again.
      most = FIRST_RECORDS;
    }
  }

  #strayQuote(text: string, begin: number, next: number): CsvRecord {
    const raw = text.slice(begin, Math.min(next, begin + LONGEST_ERROR)).replace(/(?<![\r\n])[\r\n]+$/, '');
    return { line: this.#line + lineEnds(text.slice(0, begin)), raw, cells: [], error: STRAY_QUOTE };
  }

  /** The place to read on from, after text that is no record. */
  #resume({ raw, cells, quoting, start, end }: FoundRecord, text: string): number | undefined {
    const { width } = this;
    if (width === undefined || !/[\r\n]/.test(raw)) return undefined;
    const [first = '', second = ''] = raw.split(this.#dialect.lineEnd, 2);
    if (this.#isRecord(first) && this.#isRecord(second))
      return start + text.slice(start).indexOf(first) + first.length + 1;
    if (quoting !== undefined || isRegular(raw, this.#dialect.delimiter)) return undefined;
    return this.#nextRecord(text, start, end) ?? (cells.length === width ? undefined : end);
  }

  /** As wide as the header, with cells like those of other rows. */
  #isRecord(line: string): boolean {
    const cells = line.split(this.#dialect.delimiter);
    if (cells.length !== this.width || cells.length < 3) return false;
    const telling = cells.flatMap((cell, at) => {
      const shape = shapeOf(this.#sample[at] ?? '');
      return /[^a ]/.test(shape) ? [shapeOf(cell.replaceAll('"', '')) === shape] : [];
    });
    const alike = telling.filter((isAlike) => isAlike).length;
    return alike >= 2 && alike * 2 > telling.length;
  }

  /** The next line that is well-formed and as wide as the header. */
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
}

function withoutLineEnd(text: string, lineEnd: CsvDialect['lineEnd']): string {
  if (!text.endsWith(lineEnd)) return text;
  return text.slice(0, lineEnd === '\n' && text.at(-2) === '\r' ? -2 : -1);
}

function shapeOf(cell: string): string {
  return cell
    .slice(0, 100)
    .replaceAll(/\d+/g, '9')
    .replaceAll(/[\p{L}_]+/gu, 'a')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function tooLong(name: string, line: number, most: number): AppError {
  return stop('long-record', { name, line: String(line), most: Math.round(most / 1024 / 1024) });
}

function blankLines(text: string, lineEnd: string): string {
  return (lineEnd === '\r' ? /^\r*/ : /^(?:\r?\n)*/).exec(text)?.[0] ?? '';
}

/** The last line end with all quotes in pairs before it, or 0. */
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
