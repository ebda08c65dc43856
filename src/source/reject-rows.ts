/** Rows as lines of rejects: unchanged, with the reason after the source's columns. */

import { dirname, sep } from 'node:path';
import { REASON, type RecordRef } from '../domain/source.ts';
import type { SourceFile } from '../domain/source-file.ts';
import { cellSpan, csvLine } from './csv-line.ts';

/** Shows spreadsheets and the next import that the CSV is UTF-8. */
const MARK = '\ufeff';
const LONGEST_REASON = 1000;

/** Undefined for JSON. */
export function headerLine({ header, delimiter = ',' }: SourceFile): string | undefined {
  return header && `${MARK}${csvLine([...header, REASON], delimiter)}`;
}

export function rowLine(
  file: SourceFile,
  ref: RecordRef,
  path: readonly string[] | undefined,
  reason: string,
): string {
  const raw = file.raw(ref);
  const { delimiter = ',', header } = file;
  if (header !== undefined) return csvRow(raw, delimiter, header.length, reasonText(reason));
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

function inPage(record: string, path: readonly string[]): string {
  const before = path.map((key) => `{${JSON.stringify(key)}:`).join('');
  return `${before}[${record}]${'}'.repeat(path.length)}`;
}

/**
 * Never a formula: spreadsheets compute cells that begin with `=`, `+`, `-` or `@`. The source's cells stay unchanged, as the
 * folder is read again.
 */
export function reasonText(reason: string): string {
  const line = reason.replaceAll(/\p{Cc}+/gu, ' ').trim();
  const short = line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON - 1).trimEnd()}…` : line;
  return /^[=+\-@]/.test(short) ? `Reason: ${short}` : short;
}

export function rejectNames(files: readonly SourceFile[]): ReadonlyMap<number, string> {
  const paths = files.map(pathOf);
  const last = (path: readonly string[]) => path.at(-1) ?? 'data';
  const chosen =
    distinct(paths.map(last)) ??
    distinct(
      belowCommon(paths)
        .filter((path) => path.length > 1)
        .map((path) => path.join('/')),
      paths.length,
    );
  const names = chosen ?? paths.map((path) => path.join('-'));
  const taken = new Set(['unreadable.csv', 'unreadable.jsonl']);
  return new Map(
    files.map((file, index) => {
      const free = freeName(names[index] ?? last(paths[index] ?? []), taken);
      taken.add(free.toLowerCase());
      return [file.id, free];
    }),
  );
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  const dot = name.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${stem}-${number}${ending}`;
    if (!taken.has(candidate.toLowerCase())) return candidate;
  }
}

const ENDINGS: Readonly<Record<SourceFile['format'], string>> = {
  csv: '.csv',
  json: '.jsonl',
  jsonl: '.jsonl',
};

function pathOf({ name, format }: SourceFile): string[] {
  if (name === '-') return [`stdin${ENDINGS[format]}`];
  const [outside = '', inside] = name.split('!', 2);
  const folder = dirname(outside) === '.' ? '' : dirname(outside);
  const path = inside === undefined ? outside : `${folder}/${inside}`;
  const parts = path.split(sep).flatMap((part) => part.split('/'));
  const clean = parts.filter((part) => part !== '' && part !== '.' && part !== '..');
  const file = (clean.pop() ?? 'data').replace(/\.(gz|zst|zip)$/i, '').replace(/^\.+/, '');
  const own = format === 'json' ? file.replace(/\.json$/i, '') : file;
  return [...clean, /\.\w+$/.test(own) ? own : `${own}${ENDINGS[format]}`];
}

/** If there are `count`, and they differ by more than case. */
function distinct(names: readonly string[], count = names.length): readonly string[] | undefined {
  return names.length === count && new Set(names.map((name) => name.toLowerCase())).size === count
    ? names
    : undefined;
}

function belowCommon(paths: readonly (readonly string[])[]): string[][] {
  const [first = []] = paths;
  let common = 0;
  while (
    common < first.length - 1 &&
    paths.every((path) => path.length > common + 1 && path[common] === first[common])
  ) {
    common++;
  }
  return paths.map((path) => path.slice(common));
}
