/** The rows of a CSV, from its text to the stage. */
import { AppError } from '../domain/errors.ts';
import { REASON, type RecordRef } from '../domain/source.ts';
import type { SourceFile } from '../domain/source-file.ts';
import { type CsvDialect, CsvReader, type CsvRecord, detectDialect, directive } from './csv.ts';
import { cellSpan, csvLine, lineEnds, quotedLine } from './csv-line.ts';
import { type LineProblems, onlyHeader } from './problems.ts';
import { HEADER_PATH, pathName, type Stage } from './stage.ts';
import { type FileFacts, stagedFile } from './staged-file.ts';

/** Stages the records of one file, part by part. */
export interface Stager {
  /** Says how many records are complete with this part. */
  take(part: string, isLast: boolean): number;
  file(bytes: number): SourceFile;
}

export interface FileToStage {
  readonly stage: Stage;
  readonly file: Omit<FileFacts, 'bytes'>;
  /** The beginning of the text; `isWhole`: it is all of it. */
  readonly head: string;
  readonly isWhole: boolean;
  readonly lines: LineProblems;
  /** Looks for bytes that could not be read, in the text of the record at a line. */
  look(line: number, text: string): void;
  readonly maxLength: number;
  readonly maxDocument: number;
}

const SAMPLE_ROWS = 200;

/** `skipLines`: lines before the header. */
export function csvStager(source: FileToStage, named: string | undefined, skipLines: number): Stager {
  const { stage, file, head, isWhole, lines } = source;
  const excel = directive(head);
  const skipped = linesBehind(head, excel?.length ?? 0, skipLines);
  const dialect = detectDialect(head.slice(skipped), isWhole, named ?? excel?.delimiter);
  const { delimiter } = dialect;
  const firstLine = 1 + lineEnds(head.slice(0, skipped));
  const reader = new CsvReader(file.name, dialect, firstLine, source.maxLength);
  const sampleRows: string[][] = [];
  let header: readonly string[] | undefined;
  let headerRef: RecordRef | undefined;
  /** Index of the `_reason` that rejects add behind the source's own columns; -1 if it is missing. */
  let reasonAt = -1;
  let toSkip = skipped;
  let records = 0;

  const withoutReason = (cells: string[]) => (reasonAt < 0 ? cells : cells.toSpliced(reasonAt, 1));
  const add = (path: string, { line, raw, cells, error }: CsvRecord): string[] => {
    const own = withoutReason(cells);
    const span = reasonAt < 0 ? undefined : cellSpan(raw, delimiter, reasonAt);
    const written = span === undefined ? raw : raw.slice(0, span.start - 1) + raw.slice(span.end);
    const ref = stage.add(path, {
      file: file.id,
      line,
      column: 0,
      text: JSON.stringify(own),
      raw: writtenAs(written, own, delimiter),
      reason: cells[reasonAt] ?? null,
      error: error ?? null,
    });
    if (path === HEADER_PATH) headerRef = ref;
    return own;
  };
  const addRow = (record: CsvRecord, names: readonly string[]) => {
    const { line, cells, error } = record;
    const beyond = cells.slice(reader.width ?? cells.length);
    if (beyond.some((cell) => cell.trim() !== '')) lines.extraCells(line, cells.length, beyond);
    if (error === undefined && repeatsHeader(withoutReason(cells), names)) {
      lines.repeatedHeader(line);
      return;
    }
    const row = add(pathName(undefined), record);
    records++;
    if (error !== undefined) return;
    while (row.length < names.length) row.push('');
    if (sampleRows.length < SAMPLE_ROWS) sampleRows.push(row);
    if (sampleRows.length === 2)
      refuseTitle(file.name, head, headerRef?.line ?? 1, names, sampleRows, dialect);
  };
  return {
    take: (part, isLast) => {
      const found = reader.take(part.slice(toSkip), isLast);
      toSkip = 0;
      for (const record of found) {
        source.look(record.line, record.raw);
        if (header !== undefined) {
          addRow(record, header);
          continue;
        }
        const { cells, line, error } = record;
        if (error !== undefined) throw unreadableHeader(file.name, line, error);
        if (cells.length > 1 && cells.at(-1)?.trim() === REASON) reasonAt = cells.length - 1;
        header = add(HEADER_PATH, record);
      }
      return found.length;
    },
    file: (bytes) => {
      if (headerRef !== undefined && records === 0) lines.add(onlyHeader(file.name, headerRef.line));
      return stagedFile(
        stage,
        { ...file, bytes, delimiter, headerRef },
        { header: header ?? [], sampleRows },
      );
    },
  };
}

/** How a record is written, where not as `csvLine` does: 1 with quotes around every cell, else its text. */
function writtenAs(raw: string, cells: readonly string[], delimiter: string): string | 1 | null {
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
function repeatsHeader(row: readonly string[], header: readonly string[]): boolean {
  return header.length > 1 && row.length === header.length && header.every((name, at) => row[at] === name);
}

/** A header of one cell, or one that an empty line follows, above rows that have more: it is a title. */
function refuseTitle(
  name: string,
  head: string,
  line: number,
  header: readonly string[],
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
