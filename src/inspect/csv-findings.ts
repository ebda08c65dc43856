/** Whether the rows of a CSV are as a table's rows should be. */
import type { ReadRecord } from '../domain/source-file.ts';
import { plainHeader } from '../layouts/column-path.ts';
import type { CsvFindings } from './table-profile.ts';
import { kindOfText } from './value-kind.ts';

/** Reads the text of a record as it stands in the file. */
export type RawText = (record: ReadRecord) => Promise<string>;

/** Rows whose text is looked at, to tell missing cells from empty ones. */
const MOST_SUSPECTS = 100;

export class CsvCheck {
  readonly #header: readonly string[];
  readonly #delimiter: string;
  readonly #raw: RawText;
  #long = { count: 0, line: 0 };
  #short = { count: 0, line: 0 };
  #blank = 0;
  #blankAtEnd = 0;
  #suspects = 0;

  constructor(header: readonly string[], delimiter: string, raw: RawText) {
    this.#header = header;
    this.#delimiter = delimiter;
    this.#raw = raw;
  }

  async see(record: ReadRecord): Promise<void> {
    const { cells, ref } = record;
    if (cells === undefined) return;
    if (cells.every((cell) => cell.trim() === '')) {
      this.#blank++;
      this.#blankAtEnd++;
      return;
    }
    this.#blankAtEnd = 0;
    if (cells.length > this.#header.length) this.#long = once(this.#long, ref.line);
    else if (cells.length > 1 && cells.at(-1) === '' && this.#suspects < MOST_SUSPECTS) {
      // missing cells come as empty ones: only the text tells them apart
      this.#suspects++;
      if (cellsIn(await this.#raw(record), this.#delimiter) < this.#header.length)
        this.#short = once(this.#short, ref.line);
    }
  }

  findings(): CsvFindings {
    return {
      duplicateHeaders: repeatedHeaders(this.#header),
      unnamedColumns: this.#header.filter((name) => name.trim() === '').length,
      noHeader: looksLikeData(this.#header),
      longRows: this.#long,
      shortRows: this.#short,
      blankRows: this.#blank,
      blankAtEnd: this.#blankAtEnd,
    };
  }
}

function once(seen: { count: number; line: number }, line: number): { count: number; line: number } {
  return { count: seen.count + 1, line: seen.count === 0 ? line : seen.line };
}

/** Headers that stand more than once, as they are first written. */
export function repeatedHeaders(header: readonly string[]): string[] {
  const groups = Map.groupBy(
    header.filter((name) => name.trim() !== ''),
    plainHeader,
  );
  return [...groups.values()].flatMap((names) =>
    names.length > 1 && names[0] !== undefined ? [names[0].trim()] : [],
  );
}

/** A header of numbers, times or addresses is a row of data: names are none of these. */
export function looksLikeData(header: readonly string[]): boolean {
  const filled = header.filter((name) => name.trim() !== '');
  return filled.some((name) => {
    const kind = kindOfText(name);
    return kind !== 'text' && kind !== 'boolean' && kind !== 'html';
  });
}

/** Cells of one record, without reading them. */
export function cellsIn(text: string, delimiter: string): number {
  let cells = 1;
  let quoted = false;
  for (const char of text) {
    if (char === '"') quoted = !quoted;
    else if (char === delimiter && !quoted) cells++;
  }
  return cells;
}
