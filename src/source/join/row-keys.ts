/**
 * Keys of rows as strings, so that `12` of a JSON file and ` 12 ` of a CSV are the same key. Several columns are joined
 * with `/`; a `/` or `%` within one of them is escaped then, so that different keys never become the same.
 */

import { AppError } from '../../domain/errors.ts';
import {
  derivedColumn,
  fileStem,
  fingerprint,
  idIn,
  KEY_COLUMN,
  type KeySpec,
} from '../../domain/join-plan.ts';
import type { JsonObject } from '../../domain/source.ts';
import { type SourceFile, valueAt } from '../../domain/source-file.ts';
import { roughInstant } from '../../time/rough-instant.ts';

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

/** One value as a key, or a part of one. */
function keyText(value: unknown): string {
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

export function specName(columns: KeySpec): string {
  return JSON.stringify(columns);
}

function columnReader(column: string, file: SourceFile): KeyReader {
  const derived = derivedColumn(column);
  if (derived?.kind === 'file') {
    const stem = fileStem(file.name);
    return () => stem;
  }
  if (derived?.kind === 'row')
    return ({ cells, object }) => {
      const values = cells ?? object ?? {};
      return cells?.every((cell) => cell.trim() === '') === true ? '' : fingerprint(values);
    };
  if (derived?.kind === 'key') return ({ object }) => keyText(object?.[KEY_COLUMN]);
  if (derived?.kind === 'id') {
    const read = columnReader(derived.column, file);
    return (row) => idIn(read(row));
  }
  if (file.format === 'csv') {
    const index = columnIndex(file.outline.header ?? [], column);
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
function columnIndex(header: readonly string[], column: string): number {
  const exact = header.indexOf(column);
  if (exact >= 0) return exact;
  const trimmed = header.map((name) => name.trim());
  const same = trimmed.indexOf(column.trim());
  if (same >= 0) return same;
  return trimmed.findIndex((name) => name.toLowerCase() === column.trim().toLowerCase());
}

/** What tells the versions of a row apart; empty where nothing does. */
export function versionReader(columns: KeySpec, file: SourceFile): KeyReader {
  const readers = columns.map((column) => columnReader(column, file));
  return (row) =>
    readers
      .map((read) => read(row))
      .join(' ')
      .trim();
}

/** A version of a row as SQLite compares it: numbers by value and before texts; none before all. */
export type VersionKey = number | string;

export function versionKey(text: string): VersionKey {
  if (text === '') return -Number.MAX_VALUE;
  const number = Number(text);
  return Number.isFinite(number) ? number : (roughInstant(text) ?? text);
}

// Which tickets a row names that cannot be read: enough of it often can, and its ticket must not go without it.

/**
 * The key of a CSV record is looked for in each of its lines: a stray quote makes one record of several. None where the
 * defect stands before the key.
 */
export function keysInBroken(text: string, columns: KeySpec, file: SourceFile): string[] {
  const keys =
    file.format === 'csv'
      ? text.split(/\r\n|\r|\n/).map((line) => csvKey(line, columns, file))
      : [jsonKey(text, columns)];
  return [...new Set(keys.filter((key) => key !== ''))];
}

function csvKey(line: string, columns: KeySpec, file: SourceFile): string {
  const indexes = columns.map((column) => columnIndex(file.outline.header ?? [], column));
  const cells = leadingCells(line, file.delimiter ?? ',', Math.max(...indexes) + 1);
  return joinKey(indexes.map((index) => cells[index]?.trim() ?? ''));
}

/** The cells before the first one that is not well-formed, at most `count`. */
function leadingCells(line: string, delimiter: string, count: number): string[] {
  const cells: string[] = [];
  for (let at = 0; cells.length < count && at <= line.length; ) {
    const quoted = line[at] === '"' ? /"([^"]*(?:""[^"]*)*)"/y : undefined;
    if (quoted !== undefined) {
      quoted.lastIndex = at;
      const [whole, inner = ''] = quoted.exec(line) ?? [];
      if (whole === undefined) break;
      at += whole.length;
      if (at < line.length && line[at] !== delimiter) break;
      cells.push(inner.replaceAll('""', '"'));
    } else {
      const end = line.indexOf(delimiter, at);
      const cell = line.slice(at, end < 0 ? line.length : end);
      if (cell.includes('"')) break;
      cells.push(cell);
      at += cell.length;
    }
    at++;
  }
  return cells;
}

/** By the names of its keys, wherever they stand in the record. */
function jsonKey(text: string, columns: KeySpec): string {
  const parts = columns.map((column) => {
    const name = JSON.stringify(column.split('.').at(-1)).replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
    const found = new RegExp(`${name}\\s*:\\s*("[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|-?\\d+)\\s*[,}\\]\\n]`).exec(
      text,
    )?.[1];
    if (found === undefined) return '';
    try {
      return keyText(JSON.parse(found));
    } catch {
      return '';
    }
  });
  return joinKey(parts);
}
