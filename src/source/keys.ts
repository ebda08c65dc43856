/**
 * Keys of rows as strings, so that `12` of a JSON file and ` 12 ` of a CSV are the same key. Several columns are joined
 * with `/`; a `/` or `%` within one of them is escaped then, so that different keys never become the same.
 */
import { AppError } from '../domain/errors.ts';
import type { KeySpec } from '../domain/join-plan.ts';
import { type ReadRecord, type SourceFile, valueAt } from '../domain/source-file.ts';
import { roughInstant } from '../time/written-time.ts';

export type RowValues = Pick<ReadRecord, 'cells' | 'object'>;

/** The key of a row; empty where any of its columns is. */
export type KeyReader = (row: RowValues) => string;

export function keyReader(columns: KeySpec, file: SourceFile): KeyReader {
  const readers = columns.map((column) => columnReader(column, file));
  return (row) => joinKey(readers.map((read) => read(row)));
}

export function joinKey(parts: readonly string[]): string {
  if (parts.some((part) => part === '')) return '';
  if (parts.length === 1) return parts[0] ?? '';
  return parts.map((part) => part.replaceAll('%', '%25').replaceAll('/', '%2F')).join('/');
}

function columnReader(column: string, file: SourceFile): KeyReader {
  if (file.format === 'csv') {
    const index = columnIndex(file.outline.header ?? [], column);
    if (index < 0)
      throw new AppError(
        'source',
        `${file.name} has no column ${JSON.stringify(column)}, by which its rows are joined.`,
        { hint: 'Add the column to the export, or name the right one in the mapping.' },
      );
    return ({ cells }) => cells?.[index]?.trim() ?? '';
  }
  const path = column.split('.');
  return ({ object }) => {
    if (object === undefined) return '';
    return keyText(Object.hasOwn(object, column) ? object[column] : valueAt(object, path));
  };
}

function keyText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Exactly, else without white space around it, else without regard to case as well. */
function columnIndex(header: readonly string[], column: string): number {
  const trimmed = header.map((name) => name.trim());
  const lower = trimmed.map((name) => name.toLowerCase());
  const found = [header.indexOf(column), trimmed.indexOf(column.trim())].find((index) => index >= 0);
  return found ?? lower.indexOf(column.trim().toLowerCase());
}

/** A version of a row as SQLite compares it: numbers by value and before texts; a missing version before all. */
export function versionReader(columns: KeySpec, file: SourceFile): (row: RowValues) => number | string {
  const readers = columns.map((column) => columnReader(column, file));
  return (row) => {
    const values = readers.map((read) => read(row));
    const text = values.join(' ').trim();
    if (text === '') return -Number.MAX_VALUE;
    const number = Number(text);
    return Number.isFinite(number) ? number : (roughInstant(text) ?? text);
  };
}
