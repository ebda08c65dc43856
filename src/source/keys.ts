/**
 * Empty words and equal keys, for joins, people and settings. Several columns are joined with `/`; a `/` or `%` within one is
 * escaped, so that different keys stay different.
 */
import { sha256 } from '../domain/identity.ts';
import { withoutInvisible } from '../domain/printable.ts';
import { type JsonObject, plainHeader } from '../domain/source.ts';
import {
  isJsonObject,
  isWholeRow,
  type KeySpec,
  type ReadRecord,
  type SourceFile,
  textOf,
  valueAt,
} from '../domain/source-file.ts';
import { stop } from '../domain/text/stops.ts';
import { vocabulary } from '../domain/text/vocabulary.ts';
import { roughInstant } from '../domain/written-time.ts';

let absent: ReadonlySet<string> | undefined;
const LONGEST_WORD = 24;
const MAY_BE_NO_VALUE = /^\s*(?:$|[<([{#\\nu–—-])/i;

export function isNoValue(text: string): boolean {
  if (text.length > LONGEST_WORD) return text.trim() === '';
  if (!MAY_BE_NO_VALUE.test(text)) return false;
  absent ??= new Set(['', ...vocabulary().absent]);
  const word = text.trim();
  if (/^[<([{]/.test(word))
    return absent.has(word.replace(/^[<([{]+|(?<![>)\]}])[>)\]}]+$/g, '').toLowerCase());
  // R writes NA; Na and Nan are names
  return word === 'NA' || (word !== 'Nan' && absent.has(word.toLowerCase()));
}

/** Programs write a column of numbers with gaps as `11.0` or `11,0`; `11,000` may be a thousand times as much. */
export function wholeNumber(text: string): string {
  return text.endsWith('0') && /[.,]/.test(text) ? text.replace(/^(-?\d+)(?:\.0+|,0)$/, '$1') : text;
}

export function keyText(value: unknown): string {
  if (typeof value === 'object' && value !== null) return '';
  const text = withoutInvisible(textOf(value)).trim();
  if (isNoValue(text)) return '';
  return wholeNumber(text);
}

export function comparableKey(key: string): string {
  return key.length === 18 && /^[A-Za-z0-9]{15}[A-Z0-5]{3}$/.test(key) && key.endsWith(caseSum(key))
    ? key.slice(0, 15)
    : key;
}

/** By ID, address or name without case, except a Salesforce ID, whose case matters. */
export function personKey(value: string): string {
  const text = keyText(value);
  return (/^[\da]\d[\dA-Za-z]{13}$/.test(text) ? text + caseSum(text) : text).toLowerCase();
}

const SUMS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';

/** The last three characters of a Salesforce ID say which others are capitals. */
function caseSum(id: string): string {
  return [0, 5, 10]
    .map((from) => {
      const capitals = [...id.slice(from, from + 5)].map((letter, at) =>
        /[A-Z]/.test(letter) ? 2 ** at : 0,
      );
      return SUMS[capitals.reduce((sum, each) => sum + each, 0)];
    })
    .join('');
}

export type RowValues = Pick<ReadRecord, 'cells' | 'object'>;

export type KeyReader = (row: RowValues) => string;

export function keyReader(columns: KeySpec, file: SourceFile): KeyReader {
  if (isWholeRow(columns)) return rowKey;
  const readers = columns.map((column) => columnReader(column, file));
  return (row) => joinKey(readers.map((read) => comparableKey(read(row))));
}

/** A hash of all filled cells, in any order of the columns; empty for an empty row. */
function rowKey({ object }: RowValues): string {
  const cells = JSON.stringify(filledParts(object));
  return cells === undefined ? '' : `row-${sha256(cells).slice(0, 16)}`;
}

function filledParts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(filledParts);
  if (!isJsonObject(value))
    return typeof value === 'string' ? value.trim() || undefined : (value ?? undefined);
  const parts = Object.entries(value).map(([key, part]) => [plainHeader(key), filledParts(part)] as const);
  const filled = parts.filter(([, part]) => part !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
  return filled.length === 0 ? undefined : filled;
}

/** As people see it and the helpdesk keeps it. */
export function writtenKeyReader(columns: KeySpec, file: SourceFile): KeyReader {
  const readers = columns.map((column) => columnReader(column, file));
  return (row) => joinKey(readers.map((read) => read(row)));
}

export function joinKey(parts: readonly string[]): string {
  if (parts.some((part) => part === '')) return '';
  if (parts.length === 1) return parts[0] ?? '';
  return parts.map((part) => part.replaceAll('%', '%25').replaceAll('/', '%2F')).join('/');
}

/** Missing columns are passed over. */
export function firstReader(columns: KeySpec, file: SourceFile): KeyReader {
  const header = file.header ?? [];
  const readers = columns
    .filter((column) => file.format !== 'csv' || columnIndex(header, column) >= 0)
    .map((column) => columnReader(column, file));
  return (row) => {
    for (const read of readers) {
      const found = read(row);
      if (found !== '') return found;
    }
    return '';
  };
}

/** For comparison only. */
export function timeText(text: string): string {
  return String(roughInstant(text) ?? text);
}

export function keyCell(column: string, file: SourceFile): number {
  const index = columnIndex(file.header ?? [], column);
  if (index >= 0) return index;
  throw stop('no-key-column', { file: file.name, column: JSON.stringify(column) });
}

/** SQL for keys that need no change and are not broken. */
export const IS_PLAIN_KEY = `length(key) <> 18 AND key NOT GLOB '*[^0-9A-Za-z_-]*'
  AND key GLOB '*[0-9A-Za-z]*' AND key <> 'NA' AND lower(key) NOT IN ('null', 'nan', 'nat', 'nil', 'none', 'undefined')`;

function columnReader(column: string, file: SourceFile): KeyReader {
  if (file.format === 'csv') {
    const index = keyCell(column, file);
    return ({ cells }) => keyText(cells?.[index]);
  }
  const path = column.split('.');
  const read = (object: JsonObject) =>
    Object.hasOwn(object, column) ? object[column] : valueAt(object, path);
  const plain = plainHeader(column);
  return ({ object }) => {
    if (object === undefined) return '';
    const found = read(object);
    if (found !== undefined) return keyText(found);
    const other = Object.keys(object).find((key) => plainHeader(key) === plain);
    return other === undefined ? '' : keyText(object[other]);
  };
}

/** Exactly, else trimmed, else without case. */
function columnIndex(header: readonly string[], column: string): number {
  const trimmed = header.map((name) => name.trim());
  const lower = trimmed.map((name) => name.toLowerCase());
  const found = [header.indexOf(column), trimmed.indexOf(column.trim())].find((index) => index >= 0);
  return found ?? lower.indexOf(column.trim().toLowerCase());
}

/** Numbers by value and before texts; missing versions first. */
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
