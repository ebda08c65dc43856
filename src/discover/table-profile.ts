/** What stands in one table of an export: its columns, gathered row by row in bounded memory. */
import { FILE_COLUMN, fileStem, idIn, idInColumn, KEY_COLUMN } from '../domain/join-plan.ts';
import type { JsonObject } from '../domain/source.ts';
import type { Collection } from '../mapping/detect/collections.ts';
import { ColumnCollector, type ColumnProfile } from './column-profile.ts';
import type { KindOfRecord } from './record-kinds.ts';

export interface TableProfile {
  readonly collection: Collection & { readonly kind?: KindOfRecord };
  /** Name of the file as the user gave it. */
  readonly file: string;
  /** Tables whose rows are put together by their ids. */
  readonly parts?: readonly TableProfile[];
  /** Files that hold parts of it: more than one where each ticket has a file of its own. */
  readonly files: number;
  /** Rows looked at, and whether that is all of them. */
  readonly rows: number;
  readonly complete: boolean;
  /** All rows: counted where `complete`, else estimated from the bytes they take. */
  readonly estimatedRows: number;
  readonly columns: readonly ColumnProfile[];
  /** Columns that are there but not looked into: there were too many. */
  readonly columnsLeftOut: number;
  /** The first rows, by column name, cut to keys and words: for looking at rows that belong together. */
  readonly firstRows: readonly ReadonlyMap<string, string>[];
  /** The first items of each list of objects, as rows; the number of their record stands at the empty path. */
  readonly firstItems: ReadonlyMap<string, readonly ReadonlyMap<string, string>[]>;
  readonly csv: CsvFindings | undefined;
  readonly unreadable: { readonly count: number; readonly line: number; readonly reason: string } | undefined;
}

/** What is odd about the rows of a CSV. Lines are physical ones, counted from 1. */
export interface CsvFindings {
  readonly duplicateHeaders: readonly string[];
  readonly unnamedColumns: number;
  /** The first line looks like a row of data. */
  readonly noHeader: boolean;
  readonly longRows: { readonly count: number; readonly line: number };
  readonly shortRows: { readonly count: number; readonly line: number };
  /** Rows without any value: all of them, and those at the end. */
  readonly blankRows: number;
  readonly blankAtEnd: number;
}

const MOST_COLUMNS = 400;
const FIRST_ROWS = 2000;
const FIRST_ROW_CELL = 80;

export class ColumnsCollector {
  rows = 0;
  leftOut = 0;
  readonly firstRows: Map<string, string>[] = [];
  readonly firstItems = new Map<string, Map<string, string>[]>();
  readonly #columns = new Map<string, ColumnCollector>();
  readonly #cells: (ColumnCollector | undefined)[] = [];
  readonly #leftOut = new Set<string>();
  readonly #standIns: ReadonlySet<string>;

  /** The columns of a CSV. A header that repeats is one column: its cells are values of the same thing. */
  constructor(header: readonly string[] = [], standIns: ReadonlySet<string> = new Set()) {
    this.#standIns = standIns;
    header.forEach((name, index) => {
      this.#cells[index] = this.#column(name.trim() === '' ? `(column ${index + 1})` : name.trim());
    });
  }

  addCells(cells: readonly string[]): void {
    this.rows++;
    const first = this.#firstRow();
    for (const [index, collector] of this.#cells.entries()) {
      const cell = cells[index] ?? '';
      collector?.add(cell);
      if (first !== undefined && collector !== undefined && this.#isFilled(cell))
        first.set(collector.name, cell.trim().slice(0, FIRST_ROW_CELL));
    }
  }

  /** `file`: its name, which may name the ticket. */
  addObject(object: JsonObject, file: string): void {
    this.rows++;
    const stem = fileStem(file);
    this.#column(FILE_COLUMN)?.add(stem);
    if (idIn(stem) !== stem) this.#column(idInColumn(FILE_COLUMN))?.add(idIn(stem));
    const first = this.#firstRow();
    first?.set(FILE_COLUMN, idIn(stem) || stem);
    const key = object[KEY_COLUMN];
    if (typeof key === 'string') {
      this.#column(KEY_COLUMN)?.add(key);
      first?.set(KEY_COLUMN, key);
    }
    jsonColumns(object, (path, value) => {
      const column = this.#column(path);
      column?.add(value);
      if (typeof value === 'string' && LINK.test(path)) this.#column(idInColumn(path))?.add(idIn(value));
      if (
        first !== undefined &&
        column !== undefined &&
        typeof value !== 'object' &&
        value !== undefined &&
        !path.includes('[]') &&
        this.#isFilled(String(value))
      )
        first.set(path, String(value).slice(0, FIRST_ROW_CELL));
      if (Array.isArray(value) && !path.includes('[]')) this.#addItems(path, value);
    });
  }

  #addItems(list: string, items: readonly unknown[]): void {
    const known = this.firstItems.get(list) ?? [];
    for (const item of items) {
      if (known.length >= FIRST_ROWS || typeof item !== 'object' || item === null || Array.isArray(item))
        return;
      const row = new Map([['', String(this.rows)]]);
      jsonColumns(item, (path, value) => {
        if (
          value !== null &&
          typeof value !== 'object' &&
          value !== undefined &&
          this.#isFilled(String(value))
        )
          row.set(path, String(value).slice(0, FIRST_ROW_CELL));
      });
      known.push(row);
      this.firstItems.set(list, known);
    }
  }

  profiles(): ColumnProfile[] {
    const lists = new Map<string, number>();
    for (const [name, column] of this.#columns) {
      const list = listOfPath(name);
      // an item's own count is that of its fullest column: absent keys are not told one by one
      if (list !== undefined) lists.set(list, Math.max(lists.get(list) ?? 0, column.rows));
    }
    return [...this.#columns.values()].map((column) => {
      const list = listOfPath(column.name);
      const repeated = this.#cells.length > 0 ? column.rows : this.rows;
      return column.profile(list === undefined ? Math.max(repeated, column.rows) : lists.get(list));
    });
  }

  #isFilled(text: string): boolean {
    return text !== '' && !this.#standIns.has(text.trim());
  }

  #firstRow(): Map<string, string> | undefined {
    if (this.firstRows.length >= FIRST_ROWS) return undefined;
    const row = new Map<string, string>();
    this.firstRows.push(row);
    return row;
  }

  #column(name: string): ColumnCollector | undefined {
    const known = this.#columns.get(name);
    if (known !== undefined) return known;
    if (this.#columns.size >= MOST_COLUMNS) {
      if (this.#leftOut.size < MOST_COLUMNS * 25) this.#leftOut.add(name);
      this.leftOut = this.#leftOut.size;
      return undefined;
    }
    const made = new ColumnCollector(name, this.#standIns);
    this.#columns.set(name, made);
    return made;
  }
}

/** Addresses of a record and of what it belongs to, as APIs write them. */
const LINK = /(?:^|\.)_?links?\.(?:\w+\.)?(?:href|self|\w+)$|^(?:self|url|href|uri|link)$/i;

// The columns of a JSON record: paths to its values, through objects and through the items of lists.

/** Levels below the record that are looked at, and columns of one table; what is beyond is counted. */
const DEEPEST = 6;
/** Items of one list that are looked at in one record. */
const MOST_ITEMS = 100;
/** A list of lists is a list of rows with so many cells at most: `[speaker, text]`. */
const MOST_CELLS = 6;

/**
 * Calls `found` with the path and the value of everything in a record: lists themselves as `tags` (the list), their
 * items as `tags[]`, what stands in these as `messages[].body` or, in a list of lists, `original[][0]`.
 */
export function jsonColumns(record: object, found: (path: string, value: unknown) => void): void {
  const object = (value: object, prefix: string, depth: number) => {
    for (const [key, inner] of Object.entries(value)) {
      // a mapping cannot name a key without a name
      if (key === '' || (key === '_reason' && prefix === '')) continue;
      walk(inner, prefix === '' ? key : `${prefix}.${key}`, depth);
    }
  };
  const walk = (value: unknown, path: string, depth: number) => {
    if (Array.isArray(value)) {
      found(path, value.length === 0 ? undefined : value);
      if (depth < DEEPEST) for (const item of value.slice(0, MOST_ITEMS)) items(item, `${path}[]`, depth + 1);
    } else if (typeof value === 'object' && value !== null) {
      if (depth < DEEPEST && Object.keys(value).length > 0) object(value, path, depth + 1);
      else found(path, Object.keys(value).length > 0 ? value : undefined);
    } else found(path, value);
  };
  const items = (item: unknown, path: string, depth: number) => {
    if (Array.isArray(item)) {
      item.slice(0, MOST_CELLS).forEach((cell, index) => {
        found(`${path}[${index}]`, cell);
      });
    } else if (typeof item === 'object' && item !== null) object(item, path, depth);
    else found(path, item);
  };
  object(record, '', 0);
}

/** The list in whose items a path leads: `messages` of `messages[].body`; the innermost one; undefined outside of lists. */
export function listOfPath(path: string): string | undefined {
  const at = path.lastIndexOf('[]');
  return at < 0 ? undefined : path.slice(0, at);
}

/** The path from an item of the list on: `body` of `messages[].body`, `0` of `original[][0]`, `.` of `tags[]`. */
export function itemPath(path: string): string {
  const rest = path.slice(path.lastIndexOf('[]') + 2);
  if (rest === '') return '.';
  const cell = /^\[(\d+)\]$/.exec(rest);
  return cell?.[1] ?? rest.replace(/^\./, '');
}
