/** Rows of an export as lines of rejects: unchanged, with the reason after the source's columns. */
import { REASON, type RecordRef } from '../domain/source.ts';
import type { SourceFile } from '../domain/source-file.ts';
import { cellSpan, csvLine } from '../source/csv.ts';

/** Shows spreadsheets and the next import that the CSV is UTF-8. */
const MARK = '\ufeff';
const LONGEST_REASON = 1000;

/** The first line of a file of rejects; undefined for JSON. */
export function headerLine({ outline, delimiter = ',' }: SourceFile): string | undefined {
  return outline.header === undefined
    ? undefined
    : `${MARK}${csvLine([...outline.header, REASON], delimiter)}`;
}

/** `path`: keys to the record in its document or line. */
export async function rowLine(
  file: SourceFile,
  ref: RecordRef,
  path: readonly string[] | undefined,
  reason: string,
): Promise<string> {
  const raw = (await file.raw(ref)).toString('utf8');
  const { delimiter = ',', outline } = file;
  if (outline.header !== undefined) return csvRow(raw, delimiter, outline.header.length, reasonText(reason));
  const record = raw.replaceAll(/[\r\n]+/g, ' ');
  const end = record.lastIndexOf('}');
  const comma = /\{\s*$/.test(record.slice(0, end)) ? '' : ',';
  const marked =
    end < 0 || reason === ''
      ? record
      : `${record.slice(0, end)}${comma}${JSON.stringify(REASON)}:${JSON.stringify(reasonText(reason))}${record.slice(end)}`;
  return path === undefined ? marked : inPage(marked, path);
}

/** Short rows are filled up; in long ones the reason comes before the cells without a column. */
function csvRow(raw: string, delimiter: string, columns: number, reason: string): string {
  const cell = `${delimiter}${csvLine([reason], delimiter)}`;
  const last = cellSpan(raw, delimiter, columns - 1);
  if (last !== undefined) return `${raw.slice(0, last.end)}${cell}${raw.slice(last.end)}`;
  let cells = 1;
  while (cellSpan(raw, delimiter, cells) !== undefined) cells++;
  return `${raw}${delimiter.repeat(columns - cells)}${cell}`;
}

/** A page with one record, in the form of the source. */
function inPage(record: string, path: readonly string[]): string {
  const before = path.map((key) => `{${JSON.stringify(key)}:`).join('');
  return `${before}[${record}]${'}'.repeat(path.length)}`;
}

/**
 * One line, and never a formula: spreadsheets compute cells that begin with `=`, `+`, `-` or `@`. Cells of the source stay unchanged, as the
 * folder is read again.
 */
export function reasonText(reason: string): string {
  const line = reason.replaceAll(/\p{Cc}+/gu, ' ').trim();
  const short = line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON - 1).trimEnd()}…` : line;
  return /^[=+\-@]/.test(short) ? `Reason: ${short}` : short;
}
