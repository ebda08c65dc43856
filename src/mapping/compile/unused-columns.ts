/**
 * Columns that no rule reads: nobody mapped them, so they are not sent, and the person is told how many rows fill them.
 * CSV columns are known from the header; JSON keys are met row by row, nested ones below keys that rules read in part.
 */

import type { Row } from '../../domain/source.ts';
import { fitsWildcard } from '../detect/wildcard.ts';
import type { TableColumns } from './column-access.ts';
import { type PathStep, parsePath, plainHeader } from './column-path.ts';
import { isEmpty } from './text-forms.ts';

export interface UnusedColumn {
  readonly table: string;
  readonly column: string;
  /** Id of the first file that has it. */
  readonly file: number;
  filled: number;
  /** Characters of what reads like sentences in it. */
  text: number;
}

/** `true`: rules read all of it. A level: rules read some of its keys. */
export type Known = true | Level;

export type Level = Map<string, Known>;

/** Distinct keys that are remembered; JSON keys may be data. */
const MOST_COLUMNS = 2000;
const DEEPEST = 4;

export class UnusedColumns {
  readonly #tables = new Map<string, { cells: Map<number, number[]>; known: Level }>();
  readonly #found = new Map<string, UnusedColumn>();
  readonly #seen = new Set<number>();
  readonly #ignored: (table: string, name: string) => boolean;
  readonly #headers: (file: number) => readonly string[];

  /** To be made once all rules are compiled: the columns know by then what is used. */
  constructor(
    tables: Iterable<TableColumns>,
    ignore: readonly string[],
    headers: (file: number) => readonly string[],
  ) {
    this.#ignored = ignoring(ignore);
    this.#headers = headers;
    for (const columns of tables) {
      const { table } = columns;
      const { known, isCellRead } = readOf(columns, headers);
      const cells = new Map<number, number[]>();
      for (const { file } of table.inputs)
        cells.set(
          file,
          headers(file).flatMap((header, index) =>
            isCellRead(file, index) || this.#ignored(table.name, header) ? [] : [index],
          ),
        );
      this.#tables.set(table.name, { cells, known });
    }
  }

  /** Looks at one row; called once for each row of the export. */
  see(row: Row): void {
    const table = this.#tables.get(row.table);
    if (table === undefined) return;
    if (row.cells !== undefined) {
      for (const index of table.cells.get(row.ref.file) ?? []) {
        const cell = row.cells[index];
        if (cell !== undefined && cell !== '')
          this.#count(row, this.#headers(row.ref.file)[index] ?? '', cell);
      }
    } else if (row.object !== undefined) this.#walk(row, row.object, table.known, '', 0);
  }

  /** The same for a row that may come again and again. */
  seeOnce(row: Row): void {
    if (this.#seen.has(row.ref.row)) return;
    this.#seen.add(row.ref.row);
    this.see(row);
  }

  /** Most filled first. */
  all(): UnusedColumn[] {
    return [...this.#found.values()].sort((a, b) => b.filled - a.filled);
  }

  clear(): void {
    this.#found.clear();
    this.#seen.clear();
  }

  #walk(row: Row, value: object, known: Level, prefix: string, depth: number): void {
    if (Array.isArray(value)) {
      for (const element of value)
        if (typeof element === 'object' && element !== null) this.#walk(row, element, known, prefix, depth);
      return;
    }
    for (const key in value) {
      const inner = known.get(key);
      if (inner === true) continue;
      const found = (value as Record<string, unknown>)[key];
      if (found === null || found === undefined || found === '') continue;
      if (inner !== undefined && typeof found === 'object' && depth < DEEPEST) {
        this.#walk(row, found, inner, `${prefix}${key}${Array.isArray(found) ? '[]' : ''}.`, depth + 1);
      } else if (
        inner === undefined &&
        !isEmpty(found) &&
        !isEmptyObject(found) &&
        !this.#ignored(row.table, key) &&
        !(prefix !== '' && this.#ignored(row.table, prefix + key))
      )
        this.#count(row, prefix + key, found);
    }
  }

  #count(row: Row, column: string, value: unknown): void {
    const key = `${row.table}\u0000${column}`;
    const known = this.#found.get(key);
    if (known !== undefined) {
      known.filled++;
      known.text += sentences(value);
    } else if (this.#found.size < MOST_COLUMNS)
      this.#found.set(key, {
        table: row.table,
        column,
        file: row.ref.file,
        filled: 1,
        text: sentences(value),
      });
  }
}

const SENTENCE = /\S\s+\S+\s+\S+\s+\S/;
/** Items of a list that are looked at. */
const MOST_ITEMS = 20;

/** How much of a value is written for people: at least four words, at any depth. */
function sentences(value: unknown): number {
  if (typeof value === 'string')
    return value.length >= 15 && SENTENCE.test(value.slice(0, 200)) ? value.length : 0;
  if (typeof value !== 'object' || value === null) return 0;
  const inner: unknown[] = Array.isArray(value) ? value.slice(0, MOST_ITEMS) : Object.values(value);
  return inner.reduce<number>((sum, item) => sum + sentences(item), 0);
}

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  );
}

/** What of a table is read by the rules compiled so far, and to join its rows. */
export function readOf(columns: TableColumns, headers: (file: number) => readonly string[]) {
  const { table } = columns;
  const keys = [
    table.key,
    table.parentKey ?? [],
    table.latest ?? [],
    ...(table.lookups ?? []),
    ...(table.links ?? []).map(({ get }) => get),
  ].flat();
  const names = new Set(keys.map(plainHeader));
  const used = new Map([...columns.usedCells].map(([file, cells]) => [file, new Set(cells)]));
  const known: Level = new Map();
  for (const path of [...columns.usedPaths, ...keys.map(parsePath)]) learn(known, path);
  return {
    known,
    keys: names,
    isCellRead: (file: number, index: number) =>
      used.get(file)?.has(index) === true || names.has(plainHeader(headers(file)[index] ?? '')),
  };
}

/** Adds a path that rules read; list steps are passed through, as keys below them belong to the elements. */
function learn(known: Level, path: readonly PathStep[]): void {
  const keys = path.flatMap((step) => (step !== 'each' && 'key' in step ? [step.key] : []));
  let level = known;
  for (const [at, key] of keys.entries()) {
    const there = level.get(key);
    // the list of a source is read as a whole, and its items key by key: then the items decide
    const last = at === keys.length - 1;
    if (last) {
      const open = path.at(-1) === 'each';
      if (there === undefined && !open) level.set(key, true);
      return;
    }
    if (there !== undefined && there !== true) level = there;
    else {
      const next: Level = new Map();
      level.set(key, next);
      level = next;
    }
  }
}

/** `_reason` is our own column in rejects. */
function ignoring(patterns: readonly string[]): (table: string, name: string) => boolean {
  const matches = columnPatterns(['_reason', ...patterns]);
  return (table, name) => plainHeader(name) === '' || matches(table, name);
}

/** Matches `id`, `_fivetran_*`, `*_link` and, for one table only, `metrics.*` or `users.locale`. Names compare as headers do. */
export function columnPatterns(patterns: readonly string[]): (table: string, name: string) => boolean {
  const names = new Set<string>();
  const globs: string[] = [];
  for (const pattern of patterns) {
    const plain = plainHeader(pattern);
    if (plain.includes('*')) globs.push(plain);
    else names.add(plain);
  }
  return (table, name) => {
    const plain = plainHeader(name);
    const full = `${plainHeader(table)}.${plain}`;
    if (names.has(plain) || names.has(full)) return true;
    return globs.some((glob) => fitsWildcard(glob, plain) || fitsWildcard(glob, full));
  };
}
