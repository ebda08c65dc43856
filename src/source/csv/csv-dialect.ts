/** How a CSV is written, from its beginning: delimiter and line ends, judged by how well the records agree. */
import { type CsvDialect, CsvScanner, cellsOf } from './csv-scanner.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
const SAMPLE_RECORDS = 200;

interface DetectedDialect extends CsvDialect {
  /** Bytes of a `sep=;` line at the beginning, by which Excel is told the delimiter. */
  readonly directive: number;
}

/** `sample`: the beginning of the file behind its byte order mark; `ended`: it is the whole file. */
export function detectDialect(
  sample: Buffer,
  ended: boolean,
  delimiter: string | undefined,
): DetectedDialect {
  const directive = /^sep=([^"\r\n])(?:\r\n|\n|\r)/i.exec(sample.subarray(0, 16).toString('latin1'));
  const body = sample.subarray(directive?.[0].length ?? 0);
  const lineEnd = lineEndOf(body);
  const chosen = delimiter ?? directive?.[1] ?? likeliest(body, ended, lineEnd);
  return { delimiter: chosen, lineEnd, directive: directive?.[0].length ?? 0 };
}

/** CR alone ends lines only in a file that has no LF outside of quotes. */
function lineEndOf(sample: Buffer): 'lf' | 'cr' {
  let quoted = false;
  let cr = false;
  for (const byte of sample) {
    if (byte === 34) quoted = !quoted;
    else if (quoted) continue;
    else if (byte === 10) return 'lf';
    else if (byte === 13) cr = true;
  }
  return cr ? 'cr' : 'lf';
}

function likeliest(sample: Buffer, ended: boolean, lineEnd: 'lf' | 'cr'): string {
  let best = { delimiter: ',', agreement: 0, cells: 1 };
  for (const delimiter of DELIMITERS) {
    const counts = cellCounts(sample, ended, { delimiter, lineEnd });
    const cells = counts[0] ?? 1;
    if (cells < 2) continue;
    const agreeing = counts.filter((count) => count === cells).length / counts.length;
    const agreement = Math.round(agreeing * 20);
    if (agreement > best.agreement || (agreement === best.agreement && cells > best.cells)) {
      best = { delimiter, agreement, cells };
    }
  }
  return best.delimiter;
}

/** Cells of the header and of the first records. */
function cellCounts(sample: Buffer, ended: boolean, dialect: CsvDialect): number[] {
  const scanner = new CsvScanner(dialect);
  scanner.reset(sample);
  const counts: number[] = [];
  for (let at = 0; at < sample.length && counts.length < SAMPLE_RECORDS; at = scanner.next) {
    if (scanner.scan(at, ended) !== 'record') {
      if (counts.length > 0) break;
      // A header that does not end in the sample is still the best there is.
      counts.push(sample.toString('utf8', at).split(dialect.delimiter).length);
      break;
    }
    if (scanner.contentEnd === at) continue;
    const text = sample.toString('utf8', at, scanner.contentEnd);
    counts.push(cellsOf(text, dialect.delimiter, scanner.quotes).length);
  }
  return counts;
}

// Lines that some programs write above the header: the name of the report, the day it was made, comments. They are left
// out only where the header below them is certain, since a header that is missed loses every column: it has several
// names and nothing else in its cells, every row of the sample has as many cells as it, and what stands above is a comment, is
// set off by an empty line, or has a single cell. A column of free text whose lines have commas is none of that.

/** What stands above the header. */
export interface Preamble {
  readonly bytes: number;
  /** Physical lines, empty ones too. */
  readonly lines: number;
  /** The first of them that is not empty. */
  readonly text: string;
}

interface Line {
  readonly start: number;
  readonly text: string;
  readonly isBlank: boolean;
}

const MOST_LINES = 20;
const LONGEST_LINE = 10_000;
const ROWS = 20;
const LONGEST_NAME = 60;

/** `sample`: the beginning of the file behind its byte order mark; `ended`: it is the whole file. */
export function preambleOf(
  sample: Buffer,
  ended: boolean,
  delimiter: string | undefined,
): Preamble | undefined {
  const lines = firstLines(sample);
  const first = lines.find(({ isBlank }) => !isBlank);
  if (first === undefined) return undefined;
  let best: { at: number; cells: number } | undefined;
  for (const candidate of delimiter === undefined ? DELIMITERS : [delimiter]) {
    const at = headerAt(lines, candidate, sample, ended);
    if (at === undefined) continue;
    const cells = cellsIn(lines[at]?.text ?? '', candidate).length;
    if (best === undefined || cells > best.cells) best = { at, cells };
  }
  const header = best === undefined ? undefined : lines[best.at];
  if (best === undefined || header === undefined || header.start === first.start) return undefined;
  return { bytes: header.start, lines: best.at, text: first.text.trim() };
}

/** A header of one cell above rows that agree on several: nobody can tell for certain, but it deserves a word. */
export function looksLikeTitle(header: readonly string[], rows: readonly (readonly string[])[]): boolean {
  const cells = rows[0]?.length ?? 0;
  return header.length === 1 && cells > 2 && rows.length > 1 && rows.every(({ length }) => length === cells);
}

/** Those that could be titles or the header: none has a quote that goes on in the next line. */
function firstLines(sample: Buffer): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < sample.length && lines.length < MOST_LINES; ) {
    const end = sample.indexOf(10, start);
    if (end < 0 || end - start > LONGEST_LINE) break;
    const text = sample.toString('utf8', start, end).replace(/\r$/, '');
    if ((text.match(/"/g)?.length ?? 0) % 2 === 1) break;
    lines.push({ start, text, isBlank: /^[\s,;|]*$/.test(text) });
    start = end + 1;
  }
  return lines;
}

/** Index of the line that is the header for certain; undefined where there is none, or nothing stands above it. */
function headerAt(
  lines: readonly Line[],
  delimiter: string,
  sample: Buffer,
  ended: boolean,
): number | undefined {
  let mostCells = 0;
  let areComments = true;
  for (const [index, { text, start, isBlank }] of lines.entries()) {
    if (isBlank) continue;
    const cells = cellsIn(text, delimiter);
    const isComment = text.startsWith('#');
    const isSetOff = lines[index - 1]?.isBlank === true;
    if (mostCells > 0 && !isComment && isHeader(cells) && cells.length >= 2 * mostCells) {
      const rows = agreeingRows(sample.subarray(start), ended, delimiter, cells.length);
      const isCertain =
        areComments || isSetOff ? rows >= 1 : rows >= 2 && cells.length > 2 && mostCells === 1;
      if (isCertain) return index;
    }
    // Several cells are a title only where an empty line follows.
    const filled = isComment ? 1 : cells.filter((cell) => cell.trim() !== '').length;
    if (filled > 1 && lines[index + 1]?.isBlank !== true) return undefined;
    mostCells = Math.max(mostCells, filled);
    areComments &&= isComment;
  }
  return undefined;
}

/** Several names, all different, and nothing that looks like a value. */
function isHeader(cells: readonly string[]): boolean {
  const names = new Set(cells.map((cell) => cell.toLowerCase()));
  return cells.length > 1 && names.size === cells.length && cells.every(isName);
}

function isName(cell: string): boolean {
  return (
    cell !== '' &&
    cell.length <= LONGEST_NAME &&
    !/^\s|[!?@]|\.(?:\s|$)|^https?:/.test(cell) &&
    // numbers, dates, times
    !/^[\d\s,:+\-/%$€£TZ]+$/.test(cell)
  );
}

/** How many rows stand below it in the sample, at most some; none where one of them has more or fewer cells. */
function agreeingRows(sample: Buffer, ended: boolean, delimiter: string, cells: number): number {
  const scanner = new CsvScanner({ delimiter, lineEnd: 'lf' });
  scanner.reset(sample);
  let records = 0;
  for (let at = 0; at < sample.length && records <= ROWS; at = scanner.next) {
    if (scanner.scan(at, ended) !== 'record') break;
    if (scanner.contentEnd === at) continue;
    const text = sample.toString('utf8', at, scanner.contentEnd);
    if (cellsOf(text, delimiter, scanner.quotes).length !== cells) return 0;
    records++;
  }
  return records - 1;
}

/** A line is looked at with delimiters that are not its own: there a quote may open that is never closed, and is a character. */
function cellsIn(text: string, delimiter: string): string[] {
  const scanner = new CsvScanner({ delimiter, lineEnd: 'lf' });
  scanner.reset(Buffer.from(text));
  return cellsOf(text, delimiter, scanner.scan(0, true) === 'record' && scanner.quotes);
}
