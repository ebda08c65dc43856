/** The rows of a CSV, from its text to the stage. */
import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type { SourceFile } from '../domain/source-file.ts';
import {
  type CsvColumns,
  type CsvDialect,
  CsvReader,
  columnsOf,
  csvLine,
  detectDialect,
  directive,
  lineEnds,
  quotedLine,
  toRow,
} from './csv.ts';
import { type LineProblems, onlyHeader } from './problems.ts';
import { HEADER_PATH, pathName, type Stage, type StagedRow } from './stage.ts';
import { csvFile, type RowReader, type StagedFile } from './staged-file.ts';

/** Stages the records of one file, part by part. */
export interface Stager {
  /** Says how many records are complete with this part. */
  take(part: string, isLast: boolean): number;
  file(bytes: number): SourceFile & RowReader;
}

export interface FileToStage {
  readonly stage: Stage;
  readonly file: Omit<StagedFile, 'bytes'>;
  /** The beginning of the text; `isWhole`: it is all of it. */
  readonly head: string;
  readonly isWhole: boolean;
  readonly problems: Problem[];
  readonly lines: LineProblems;
  /** Looks for bytes that could not be read, in the text of the record at a line. */
  look(line: number, text: string): void;
  readonly maxLength: number;
  readonly maxDocument: number;
}

const SAMPLE_ROWS = 200;

/** `skipLines`: lines before the header. */
export function csvStager(source: FileToStage, named: string | undefined, skipLines: number): Stager {
  const { stage, file, head, isWhole, problems, lines } = source;
  const excel = directive(head);
  const skipped = linesBehind(head, excel?.length ?? 0, skipLines);
  const dialect = detectDialect(head.slice(skipped), isWhole, named ?? excel?.delimiter);
  const { delimiter } = dialect;
  const reader = new CsvReader(dialect, 1 + lineEnds(head.slice(0, skipped)), source.maxLength);
  const sampleRows: string[][] = [];
  let columns: CsvColumns | undefined;
  let headerLine = 1;
  let headerRow: number | undefined;
  let toSkip = skipped;
  let records = 0;

  const isRecord = (cells: readonly string[], line: number, known: CsvColumns): boolean => {
    const beyond = cells.slice(reader.width ?? cells.length);
    if (beyond.some((cell) => cell.trim() !== '')) lines.extraCells(line, cells.length, beyond);
    const shaped = toRow(cells, known);
    if (repeatsHeader(shaped, known)) {
      lines.repeatedHeader(line);
      return false;
    }
    if (sampleRows.length < SAMPLE_ROWS) sampleRows.push(shaped);
    if (sampleRows.length === 2) refuseTitle(file.name, head, headerLine, known, sampleRows, dialect);
    return true;
  };
  return {
    take: (part, isLast) => {
      const found = reader.take(part.slice(toSkip), isLast);
      toSkip = 0;
      for (const { line, raw, cells, error } of found) {
        source.look(line, raw);
        const text = JSON.stringify(cells);
        const row = { file: file.id, line, column: 0, text, raw: writtenAs(raw, cells, delimiter) };
        if (columns === undefined) {
          if (error !== undefined) throw unreadableHeader(file.name, line, error);
          columns = columnsOf(cells);
          headerLine = line;
          headerRow = stage.add({ ...row, path: HEADER_PATH, error: null }).row;
        } else if (error !== undefined || isRecord(cells, line, columns)) {
          stage.add({ ...row, path: pathName(undefined), error: error ?? null });
          records++;
        }
      }
      return found.length;
    },
    file: (bytes) => {
      if (columns !== undefined && records === 0) problems.push(onlyHeader(file.name, headerLine));
      const known = columns ?? columnsOf([]);
      return csvFile(
        stage,
        { ...file, bytes },
        { columns: known, delimiter, headerLine, headerRow, sampleRows },
      );
    },
  };
}

/** How a record is written, where not as `csvLine` does: 1 with quotes around every cell, else its text. */
function writtenAs(raw: string, cells: readonly string[], delimiter: string): StagedRow['raw'] {
  if (raw === csvLine(cells, delimiter)) return null;
  return raw === quotedLine(cells, delimiter) ? 1 : raw;
}

/** Index behind the first `count` lines of a text from `from` on. */
function linesBehind(text: string, from: number, count: number): number {
  const end = /\r\n|\n|\r/g;
  end.lastIndex = from;
  for (let line = 0; line < count; line++) if (end.exec(text) === null) return text.length;
  return count === 0 ? from : end.lastIndex;
}

function unreadableHeader(name: string, line: number, error: string): AppError {
  return new AppError('source', `The header of ${name} (line ${line}) cannot be read.`, {
    hint: `${error} If the columns are not separated by the usual characters, say so with --delimiter.`,
  });
}

/** Where one file was put behind another: no record, nor is it one of a header of one column. */
function repeatsHeader(row: readonly string[], { header }: CsvColumns): boolean {
  return header.length > 1 && row.length === header.length && header.every((name, at) => row[at] === name);
}

/** A header of one cell, or one that an empty line follows, above rows that have more: it is a title. */
function refuseTitle(
  name: string,
  head: string,
  line: number,
  { header }: CsvColumns,
  rows: readonly (readonly string[])[],
  { delimiter }: CsvDialect,
): void {
  const width = rows[0]?.length ?? 0;
  if (width <= header.length + 1 || rows.some(({ length }) => length !== width)) return;
  const physical = head.split(/\r\n|\n|\r/);
  if (header.length > 1 && physical[line] !== '') return;
  const wide = physical.findIndex((text) => text.split(delimiter).length >= width);
  const cells = header.length === 1 ? 'one cell' : `${header.length} cells`;
  throw new AppError(
    'source',
    `The header of ${name} (line ${line}) has ${cells}, and the rows below it have ${width}.`,
    { hint: `If titles precede the header, skip them: --skip-lines ${Math.max(1, wide)}.` },
  );
}
