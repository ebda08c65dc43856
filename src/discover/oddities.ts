/** What is unusual about an export, in sentences: each may explain why an import goes wrong, none is an error by itself. */
import type { SourceFile } from '../domain/source-file.ts';
import type { ColumnProfile } from './column-profile.ts';
import type { TableProfile } from './table-profile.ts';
import { isCertainNull } from './value-kind.ts';

export interface Oddity {
  readonly code:
    | 'byte-order-mark'
    | 'no-header'
    | 'duplicate-header'
    | 'unnamed-column'
    | 'long-row'
    | 'short-row'
    | 'blank-row'
    | 'empty-column'
    | 'mixed-types'
    | 'null-text'
    | 'mixed-times'
    | 'contradictory-dates'
    | 'unreadable'
    | 'too-many-columns';
  readonly file: string;
  readonly column?: string;
  readonly message: string;
}

/** Columns named in one sentence. */
const NAMED = 6;

export function findOddities(files: readonly SourceFile[], tables: readonly TableProfile[]): Oddity[] {
  return [...files.flatMap(ofFile), ...tables.flatMap(ofTable)];
}

function ofFile({ name, encoding }: SourceFile): Oddity[] {
  if (/BOM/i.test(encoding))
    return [
      {
        code: 'byte-order-mark',
        file: name,
        message: 'The file begins with a byte order mark, which is left out.',
      },
    ];
  return [];
}

function ofTable(table: TableProfile): Oddity[] {
  const { file, csv, columns, unreadable, columnsLeftOut } = table;
  const found: Oddity[] = [];
  const add = (code: Oddity['code'], message: string, column?: string) =>
    found.push(column === undefined ? { code, file, message } : { code, file, column, message });
  if (csv !== undefined) ofCsv(csv, table, add);
  if (unreadable !== undefined)
    add(
      'unreadable',
      `${plural(unreadable.count, 'record')} cannot be read, the first at line ${unreadable.line}: ${unreadable.reason}`,
    );
  if (columnsLeftOut > 0)
    add(
      'too-many-columns',
      `There are ${columnsLeftOut} more columns than are shown; they were not looked into.`,
    );
  const empty = columns.filter(({ filled, nulls }) => filled === 0 && nulls.length === 0);
  if (empty.length > 0 && table.rows > 0)
    add(
      'empty-column',
      `${plural(empty.length, 'column')} ${empty.length === 1 ? 'is' : 'are'} empty: ${names(empty)}.`,
    );
  ofNulls(columns, add);
  for (const column of columns) ofColumn(column, add);
  return found;
}

type Add = (code: Oddity['code'], message: string, column?: string) => void;

function ofCsv(csv: NonNullable<TableProfile['csv']>, table: TableProfile, add: Add): void {
  if (csv.noHeader)
    add('no-header', 'The first line looks like data, not like names of columns: add a header line.');
  if (csv.duplicateHeaders.length > 0)
    add('duplicate-header', `Headers occur more than once: ${list(csv.duplicateHeaders)}.`);
  if (csv.unnamedColumns > 0)
    add(
      'unnamed-column',
      `${plural(csv.unnamedColumns, 'column')} ${csv.unnamedColumns === 1 ? 'has' : 'have'} no header.`,
    );
  if (csv.longRows.count > 0)
    add(
      'long-row',
      `${plural(csv.longRows.count, 'row')} with more cells than the header, the first at line ${csv.longRows.line}.`,
    );
  if (csv.shortRows.count > 0)
    add(
      'short-row',
      `${plural(csv.shortRows.count, 'row')} with fewer cells than the header, the first at line ${csv.shortRows.line}.`,
    );
  if (csv.blankRows > 0) {
    const atEnd = csv.blankAtEnd === csv.blankRows ? 'at the end' : `${csv.blankAtEnd} of them at the end`;
    const end = csv.blankAtEnd > 0 && table.complete ? `, ${atEnd}` : '';
    add('blank-row', `${plural(csv.blankRows, 'row')} without any value${end}.`);
  }
}

/** One sentence for each text, not for each column: `?` stands in all columns of some exports. */
function ofNulls(columns: readonly ColumnProfile[], add: Add): void {
  const byText = new Map<string, { count: number; columns: ColumnProfile[] }>();
  for (const column of columns)
    for (const { value, count } of column.nulls) {
      const known = byText.get(value) ?? { count: 0, columns: [] };
      known.count += count;
      known.columns.push(column);
      byText.set(value, known);
    }
  for (const [text, { count, columns: where }] of byText) {
    const verb = isCertainNull(text) ? 'means' : 'may mean';
    add(
      'null-text',
      `${JSON.stringify(text)} ${verb} an empty value ${plural(count, 'time')}: ${names(where)}.`,
    );
  }
}

function ofColumn(column: ColumnProfile, add: Add): void {
  const { name, type, kinds, filled, times, dayOrder } = column;
  if (type === 'mixed') {
    const shares = kinds
      .slice(0, 3)
      .map(({ kind, count }) => `${Math.max(1, Math.round((100 * count) / filled))} % ${kind}`);
    add('mixed-types', `${name} holds values of several types: ${shares.join(', ')}.`, name);
  }
  const zoned = times.filter((style) => style.zoned);
  if (times.length > 1 && zoned.length > 0 && zoned.length < times.length)
    add('mixed-times', `${name} has times with a zone and times without one.`, name);
  if (dayOrder === 'contradictory')
    add('contradictory-dates', `${name} has dates with the day first and dates with the month first.`, name);
}

function names(columns: readonly ColumnProfile[]): string {
  return list(columns.map(({ name }) => name));
}

function list(all: readonly string[]): string {
  const shown = all.slice(0, NAMED).join(', ');
  return all.length > NAMED ? `${shown} and ${all.length - NAMED} more` : shown;
}

function plural(count: number, one: string): string {
  return `${count.toLocaleString('en-US')} ${one}${count === 1 ? '' : 's'}`;
}
