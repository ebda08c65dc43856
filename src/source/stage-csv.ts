import type { AppError } from '../domain/errors.ts';
import { plainHeader, REASON, type RecordRef } from '../domain/source.ts';
import { stop } from '../domain/text/stops.ts';
import {
  type CsvDialect,
  CsvReader,
  type CsvRecord,
  detectDialect,
  directive,
  doubledQuotes,
  escapesQuotes,
} from './csv.ts';
import { cellSpan, csvLine, lineEnds, quotedLine } from './csv-line.ts';
import type { LineProblems } from './problems.ts';
import { HEADER_PATH, LINES, type Stage } from './stage.ts';
import { type FileFacts, type StagedFile, stagedFile } from './staged-file.ts';

export interface Stager {
  take(part: string, isLast: boolean): number;
  file(bytes: number): StagedFile;
}

/** How files are read, as `source` of the settings says. */
export interface Reading {
  /** For every file; else UTF-8 and UTF-16 are recognised. */
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly skipLines?: number | undefined;
  /** Names of the columns where no line has them; false: they are numbered. */
  readonly header?: boolean | readonly string[] | undefined;
}

export interface FileToStage {
  readonly stage: Stage;
  readonly file: Omit<FileFacts, 'bytes'>;
  readonly head: string;
  readonly isWhole: boolean;
  readonly lines: LineProblems;
  /** Bytes that could not be read. */
  look(line: number, text: string): void;
  readonly maxLength: number;
  readonly maxDocument: number;
}

const MOST_TITLES = 8;

export function csvStager(source: FileToStage, reading: Reading): Stager {
  return new CsvStager(source, reading);
}

class CsvStager implements Stager {
  readonly #source: FileToStage;
  readonly #isEscaped: boolean;
  readonly #named: boolean | readonly string[];
  readonly #head: string;
  readonly #dialect: CsvDialect;
  readonly #reader: CsvReader;
  readonly #firstRows: string[][] = [];
  #header: readonly string[] | undefined;
  #plainNames: ReadonlySet<string> = new Set();
  #headerRef: RecordRef | undefined;
  /** Rejects add `_reason` behind the source's columns; -1 without it. */
  #reasonAt = -1;
  #toSkip: number;
  #records = 0;
  readonly #short = { count: 0, line: 0, cells: 0 };
  #held = '';

  constructor(source: FileToStage, { delimiter: named, skipLines = 0, header = true }: Reading) {
    this.#source = source;
    this.#named = header;
    this.#isEscaped = escapesQuotes(source.head);
    this.#head = this.#isEscaped ? doubledQuotes(source.head) : source.head;
    const excel = directive(this.#head);
    this.#toSkip = linesBehind(this.#head, excel?.length ?? 0, skipLines);
    this.#dialect = detectDialect(this.#head.slice(this.#toSkip), source.isWhole, named ?? excel?.delimiter);
    const firstLine = 1 + lineEnds(this.#head.slice(0, this.#toSkip));
    this.#reader = new CsvReader(source.file.name, this.#dialect, firstLine, source.maxLength);
  }

  take(read: string, isLast: boolean): number {
    const part = this.#isEscaped ? this.#unescaped(read, isLast) : read;
    const found = this.#reader.take(part.slice(this.#toSkip), isLast);
    this.#toSkip = 0;
    for (const record of found) {
      this.#source.look(record.line, record.raw);
      if (this.#header !== undefined) this.#addRow(record, this.#header);
      else if (this.#named === true) this.#addHeader(record);
      else this.#addNames(record, this.#named || record.cells.map((_, at) => `column ${at + 1}`));
    }
    return found.length;
  }

  file(bytes: number): StagedFile {
    const { stage, file, lines } = this.#source;
    const { delimiter } = this.#dialect;
    const headerRef = this.#headerRef;
    const header = this.#header ?? [];
    // A cut-off export of tickets looks like this.
    if (headerRef !== undefined && this.#records === 0)
      lines.add('empty-file:header', {}, { line: headerRef.line });
    const { count, line } = this.#short;
    const short = { ...this.#short, rows: this.#records, width: header.length };
    if (count > 0) lines.add('short-rows', short, { count, line });
    return stagedFile(stage, { ...file, bytes, delimiter, headerRef }, { header });
  }

  #unescaped(part: string, isLast: boolean): string {
    const text = this.#held + part;
    // A last backslash may escape what comes next.
    this.#held = isLast ? '' : (/\\$/.exec(text)?.[0] ?? '');
    return doubledQuotes(text.slice(0, text.length - this.#held.length));
  }

  #addHeader(record: CsvRecord): void {
    const { cells, line, error } = record;
    const { name } = this.#source.file;
    if (error !== undefined) throw unreadableHeader(name, line, error);
    if (cells.length > 1 && cells.at(-1)?.trim() === REASON) this.#reasonAt = cells.length - 1;
    refuseRow(name, record);
    const header = this.#withoutReason(cells);
    this.#headerRef = this.#stage(HEADER_PATH, record, header);
    this.#header = header;
    this.#plainNames = new Set(header.map(plainHeader));
  }

  /** A first row in place of a header; files that the program writes, as rejects, name the columns. */
  #addNames(record: CsvRecord, names: readonly string[]): void {
    const { line, cells } = record;
    if (cells[0] === names[0]) {
      this.#addHeader(record);
      return;
    }
    if (cells.length !== names.length)
      throw stop('header-names', {
        ...{ name: this.#source.file.name, line: String(line) },
        ...{ cells: String(cells.length), names: String(names.length) },
      });
    this.#header = names;
    this.#addRow(record, names);
  }

  #addRow(record: CsvRecord, names: readonly string[]): void {
    const { file, lines } = this.#source;
    const { line, cells, error } = record;
    const { width } = this.#reader;
    const beyond = cells.length === width ? [] : cells.slice(width ?? cells.length);
    if (beyond.some((cell) => cell.trim() !== '')) lines.extraCells(line, cells.length, beyond);
    const row = this.#withoutReason(cells);
    const repeats = error === undefined ? repeatsHeader(row, names, this.#plainNames) : false;
    if (repeats === 'otherwise') throw stop('second-header', { file: file.name, line: String(line) });
    if (repeats) {
      lines.addLine('lines-skipped', line);
      return;
    }
    this.#stage(LINES, record, row);
    this.#records++;
    if (error !== undefined) return;
    if (this.#reasonAt < 0 && row.length < names.length && this.#short.count++ === 0)
      Object.assign(this.#short, { line, cells: row.length });
    if (this.#firstRows.length >= MOST_TITLES) return;
    const whole = [...row, ...Array<string>(Math.max(0, names.length - row.length)).fill('')];
    if (this.#firstRows.push(whole) >= 2)
      refuseTitle(file.name, this.#head, this.#headerRef?.line ?? 1, names, this.#firstRows, this.#dialect);
  }

  #withoutReason(cells: string[]): string[] {
    return this.#reasonAt < 0 ? cells : cells.toSpliced(this.#reasonAt, 1);
  }

  #stage(path: string, { line, raw, cells, quoting, error }: CsvRecord, own: string[]): RecordRef {
    const { delimiter } = this.#dialect;
    const reasonAt = this.#reasonAt;
    const span = reasonAt < 0 ? undefined : cellSpan(raw, delimiter, reasonAt);
    const written = span === undefined ? raw : raw.slice(0, span.start - 1) + raw.slice(span.end);
    const isKnown = reasonAt < 0 && quoting !== undefined;
    return this.#source.stage.add(path, {
      file: this.#source.file.id,
      line,
      column: 0,
      text: JSON.stringify(own),
      raw: !isKnown ? writtenAs(written, own, delimiter) : quoting === 'mixed' ? raw : quoting,
      reason: cells[reasonAt] ?? null,
      error: error ?? null,
    });
  }
}

/** 1: quotes around every cell. A text: the record. Null: as `csvLine` writes it. */
function writtenAs(raw: string, cells: readonly string[], delimiter: string): string | 1 | null {
  if (cells.length > 0 && !/["\r]/.test(raw)) return null;
  if (raw === csvLine(cells, delimiter)) return null;
  return raw === quotedLine(cells, delimiter) ? 1 : raw;
}

function linesBehind(text: string, from: number, count: number): number {
  const end = /\r\n|\n|\r/g;
  end.lastIndex = from;
  for (let line = 0; line < count; line++) if (end.exec(text) === null) return text.length;
  return count === 0 ? from : end.lastIndex;
}

function unreadableHeader(name: string, line: number, error: string): AppError {
  return stop('unreadable-header', { name, line: String(line), error });
}

/** An address or a time of day is no name of a column. */
function refuseRow(name: string, { line, cells }: CsvRecord): void {
  const value = cells.find((cell) => DATA.test(cell.trim()));
  if (value === undefined) return;
  throw stop('no-header', {
    name,
    line: String(line),
    value: JSON.stringify(value),
    cells: String(cells.length),
  });
}

const DATA = /^(?:[^\s@"<>]+@[^\s@"<>]+\.[a-z]{2,}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*)$/i;

/** One file was put behind another. */
function repeatsHeader(
  row: readonly string[],
  header: readonly string[],
  names: ReadonlySet<string>,
): boolean | 'otherwise' {
  const isName = (cell = '') => cell !== '' && names.has(plainHeader(cell));
  if (header.length < 2 || !isName(row[0]) || !isName(row[1])) return false;
  if (
    row.length === header.length &&
    header.every((name, at) => plainHeader(row[at] ?? '') === plainHeader(name))
  )
    return true;
  const repeated = row.filter(isName);
  return new Set(repeated).size >= 3 && repeated.length >= 0.8 * row.filter((cell) => cell !== '').length
    ? 'otherwise'
    : false;
}

/** One cell, or an empty line after it, above wider rows: a title. Further titles may follow the first. */
function refuseTitle(
  name: string,
  head: string,
  line: number,
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { delimiter }: CsvDialect,
): void {
  const [width = 0, before = 0, ...titles] = rows.map(({ length }) => length).reverse();
  if (width <= header.length + 1 || before !== width || titles.some((cells) => cells > 1)) return;
  const physical = head.split(/\r\n|\n|\r/);
  if (header.length > 1 && physical[line] !== '') return;
  const wide = physical.findIndex((text) => text.split(delimiter).length >= width);
  throw stop('header-width', {
    name,
    line: String(line),
    cells: header.length,
    width,
    lines: Math.max(1, wide),
  });
}
