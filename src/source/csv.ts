/**
 * The records of a CSV, read by csv-parse. The text is cut where quotes are in pairs, so that each stretch can be parsed by
 * itself. One stray quote must not swallow the rest of a file: where a record over several lines has irregular quotes and
 * one of its later lines is a whole record by itself, its first line is an error, and reading goes on there.
 */
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { AppError } from '../domain/errors.ts';
import { isRegular, lineEnds } from './csv-line.ts';

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
const STRAY_QUOTE =
  'A quote opens a cell here and is not closed properly; double the quotes inside of a cell, or remove the stray one.';

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

/** The delimiter that an option names: a character, or `tab`, `comma`, `semicolon`, `pipe`. */
export function namedDelimiter(option: string): string {
  const names = new Map([
    ['tab', '\t'],
    ['\\t', '\t'],
    ['comma', ','],
    ['semicolon', ';'],
    ['pipe', '|'],
  ]);
  const delimiter = names.get(option.toLowerCase()) ?? option;
  if (delimiter.length === 1 && delimiter.charCodeAt(0) < 128 && !'"\r\n'.includes(delimiter))
    return delimiter;
  throw new AppError('usage', `The delimiter ${JSON.stringify(option)} is not one character.`, {
    hint: 'Use , or ; or | or tab, or another character of ASCII that is not a quote.',
  });
}

/** Indexes of a record with its line end. */
type FoundRecord = CsvRecord & { readonly start: number; readonly end: number };

/** At most so many records; a stretch that cannot be parsed gives what comes before the defect. */
function records(text: string, { delimiter, lineEnd }: CsvDialect, most?: number): FoundRecord[] {
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
    const [start, begin] = [at, line];
    at += whole.length;
    line += lineEnds(whole);
    const own = whole.replace(lineEnd === '\r' ? /\r$/ : /\r?\n$/, '');
    return own === '' ? [] : [{ line: begin, raw: own, cells: record, start, end: at }];
  });
}

/** All records of a text, in batches; the first one is the header. */
export class CsvReader {
  readonly #name: string;
  readonly #dialect: CsvDialect;
  readonly #maxLength: number;
  #text = '';
  #line: number;
  /** Cells of the header. */
  width: number | undefined;

  /** `line`: of the first record. */
  constructor(name: string, dialect: CsvDialect, line: number, maxLength: number) {
    this.#name = name;
    this.#dialect = dialect;
    this.#line = line;
    this.#maxLength = maxLength;
  }

  /** The records that are complete with this part of the text. Throws AppError `source` for one that is too long. */
  take(part: string, isLast: boolean): CsvRecord[] {
    this.#text += part;
    if (isLast && this.#dialect.lineEnd === '\n') this.#text = this.#text.replace(/\r$/, '');
    if (this.#text.length < STRETCH && !isLast) return [];
    const found: CsvRecord[] = [];
    for (;;) {
      const end = isLast ? this.#text.length : lastWholeLine(this.#text, this.#dialect.lineEnd);
      const text = this.#text;
      if (end > 0) {
        this.#text = text.slice(end);
        this.#read(text.slice(0, end), found);
        return found;
      }
      if (text.length <= this.#maxLength) return found;
      const next = text.includes('"') ? this.#nextRecord(text, 0) : undefined;
      if (next === undefined) throw tooLong(this.#name, this.#line, this.#maxLength);
      found.push(this.#strayQuote(text, 0, next));
      this.#line += lineEnds(text.slice(0, next));
      this.#text = text.slice(next);
    }
  }

  #read(stretch: string, into: CsvRecord[]): void {
    for (let rest = stretch; rest !== ''; ) {
      let begin = 0;
      let next: number | undefined;
      for (const record of records(rest, this.#dialect)) {
        begin = record.start;
        next = this.#resume(record, rest);
        if (next !== undefined) break;
        const { raw, cells } = record;
        const line = this.#line + record.line - 1;
        if (raw.length > this.#maxLength) throw tooLong(this.#name, line, this.#maxLength);
        into.push({ line, raw, cells });
        this.width ??= cells.length;
        begin = record.end;
      }
      // The last quote is never closed.
      if (next === undefined && rest.slice(begin).trim() !== '') {
        begin += blankLines(rest.slice(begin), this.#dialect.lineEnd).length;
        next = this.#nextRecord(rest, begin) ?? rest.length;
      }
      if (next !== undefined) into.push(this.#strayQuote(rest, begin, next));
      this.#line += lineEnds(rest.slice(0, next));
      rest = next === undefined ? '' : rest.slice(next);
    }
  }

  #strayQuote(text: string, begin: number, next: number): CsvRecord {
    const raw = text.slice(begin, Math.min(next, begin + STRETCH)).replace(/(?<![\r\n])[\r\n]+$/, '');
    return { line: this.#line + lineEnds(text.slice(0, begin)), raw, cells: [], error: STRAY_QUOTE };
  }

  /** Where reading resumes after text that is not a record; undefined for a record. */
  #resume({ raw, cells, start, end }: FoundRecord, text: string): number | undefined {
    const { width } = this;
    if (width === undefined || !/[\r\n]/.test(raw) || isRegular(raw, this.#dialect.delimiter))
      return undefined;
    return this.#nextRecord(text, start, end) ?? (cells.length === width ? undefined : end);
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
}

function tooLong(name: string, line: number, most: number): AppError {
  return new AppError(
    'source',
    `${name}:${line}: the record is longer than ${Math.round(most / 1024 / 1024)} MiB.`,
    { hint: 'Check the quotes of the record and the line ends of the file.' },
  );
}

function blankLines(text: string, lineEnd: string): string {
  return (lineEnd === '\r' ? /^\r*/ : /^(?:\r?\n)*/).exec(text)?.[0] ?? '';
}

/** Behind the last line end before which all quotes are in pairs; 0 if no line end qualifies. */
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
