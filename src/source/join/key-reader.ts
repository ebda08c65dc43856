/**
 * Keys of rows as strings, so that `12` of a JSON file and ` 12 ` of a CSV are the same key. Several columns are joined
 * with `/`; a `/` or `%` within one of them is escaped then, so that different keys never become the same.
 */
import { AppError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/source.ts';
import { type SourceFile, valueAt } from '../../domain/source-file.ts';
import type { KeySpec } from '../../domain/stage-plan.ts';

export interface RowValues {
  readonly cells?: readonly string[];
  readonly object?: JsonObject;
}

/** The key of a row; empty where any of its columns is. */
export type KeyReader = (row: RowValues) => string;

export function keyReader(columns: KeySpec, file: SourceFile): KeyReader {
  const readers = columns.map((column) => columnReader(column, file));
  const [first] = readers;
  if (first !== undefined && readers.length === 1) return first;
  return (row) => joinKey(readers.map((read) => read(row)));
}

/** How many first cells of a CSV's rows hold these columns; 0 for JSON. */
export function cellsOfColumns(columns: Iterable<string>, file: SourceFile): number {
  let cells = 0;
  const header = file.shape.header ?? [];
  for (const column of columns) cells = Math.max(cells, columnIndex(header, column) + 1);
  return cells;
}

/** One value as a key, or a part of one. */
export function keyText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  return '';
}

export function joinKey(parts: readonly string[]): string {
  if (parts.some((part) => part === '')) return '';
  if (parts.length === 1) return parts[0] ?? '';
  return parts.map((part) => part.replaceAll('%', '%25').replaceAll('/', '%2F')).join('/');
}

function columnReader(column: string, file: SourceFile): KeyReader {
  if (file.format === 'csv') {
    const index = columnIndex(file.shape.header ?? [], column);
    if (index < 0) {
      throw new AppError(
        'source',
        `${file.name} has no column ${JSON.stringify(column)}, by which its rows are joined.`,
        {
          hint: 'Add the column to the export, or name the right one in the mapping.',
        },
      );
    }
    return ({ cells }) => cells?.[index]?.trim() ?? '';
  }
  const path = column.split('.');
  return ({ object }) => {
    if (object === undefined) return '';
    if (Object.hasOwn(object, column)) return keyText(object[column]);
    return path.length > 1 ? keyText(valueAt(object, path)) : '';
  };
}

/** Exactly, else without white space around it, else without regard to case as well. */
export function columnIndex(header: readonly string[], column: string): number {
  const exact = header.indexOf(column);
  if (exact >= 0) return exact;
  const trimmed = header.map((name) => name.trim());
  const same = trimmed.indexOf(column.trim());
  if (same >= 0) return same;
  return trimmed.findIndex((name) => name.toLowerCase() === column.trim().toLowerCase());
}

/** A version of a row as SQLite compares it: numbers by value and before texts; none before all. */
export type VersionKey = number | string;

export function versionKey(text: string): VersionKey {
  if (text === '') return -Number.MAX_VALUE;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}
