/** What reading and joining hand on: rows that know where they came from. */

export type SourceFormat = 'csv' | 'jsonl' | 'json';

/** Where a record is: enough to read it again and to show a person. */
export interface RecordRef {
  /** Index of the file in the export (SourceFile.id). */
  readonly file: number;
  /** Its number among all records of the export, in the order of files and lines. */
  readonly row: number;
  /** Physical line at which it begins, from 1, a CSV header counted. */
  readonly line: number;
}

export type JsonObject = { [key: string]: unknown };

/** One record of one table as an object. A CSV row has its cells as well, in the order of its file's header. */
export interface Row {
  /** Table of the layout, e.g. `tickets`. */
  readonly table: string;
  readonly ref: RecordRef;
  readonly cells?: readonly string[];
  readonly object?: JsonObject;
}

/** A ticket with all its rows joined, before any mapping. Children are in file order, then offset order. */
export interface SourceTicket {
  readonly kind: 'ticket';
  /** Position in the export, from 0: the order in which tickets are imported. */
  readonly seq: number;
  readonly externalId: string;
  /** The ticket's own row; for grouped tables (one row per message or update) the first row of the group. */
  readonly row: Row;
  /** Rows of child tables by table name; for a grouped table all rows of the group, the first included. */
  readonly children: ReadonlyMap<string, readonly Row[]>;
}

/** A record that cannot be a ticket: broken syntax, no id, or an id that stood before. It counts as read and rejected. */
export interface UnreadableRecord {
  readonly kind: 'unreadable';
  readonly seq: number;
  readonly ref: RecordRef;
  readonly table: string | undefined;
  /** The id, for a duplicate. */
  readonly externalId?: string;
  readonly code: 'unreadable' | 'missing-id' | 'duplicate-id';
  readonly message: string;
}

export type SourceItem = SourceTicket | UnreadableRecord;

/** A child row whose ticket is not in the export: a warning, in the rejects, in no count of tickets. */
export interface UnmatchedRow {
  readonly table: string;
  /** The ticket id it names. */
  readonly parent: string;
  readonly ref: RecordRef;
}

/** The column, or key, with the reason in a file of rejects: left out when such a file is read again. */
export const REASON = '_reason';

/** A row of a child or lookup table that cannot be read. */
export interface UnreadableRow {
  readonly table: string;
  readonly ref: RecordRef;
  readonly message: string;
  /** How it begins. */
  readonly text: string;
  /** A row of a ticket, which would be imported without it; rows of a look-up table belong to none. */
  readonly isOfTicket: boolean;
}

// Where in the export a bad value stands, and the line there with the value marked: what a person opens the file for.

/**
 * A part of a record: the cell of a CSV row, by its index in the header; the value of a JSON record at a path from the
 * record itself; or the place at which the record stops being CSV or JSON.
 */
export type RecordPart =
  | { readonly cell: number }
  | { readonly path: readonly (string | number)[] }
  | 'defect';

export interface SourceLocation {
  readonly ref: RecordRef;
  readonly part: RecordPart;
}

/** Finds it only when asked: most problems are never shown. Undefined where nothing of the export can be pointed at. */
export type LocateSource = () => SourceLocation | undefined;

/** A line of the export, as text of bounded length: three stretches of it that follow each other. */
export interface SourceFrame {
  readonly file: string;
  /** Physical line on which the marked part begins, from 1. */
  readonly line: number;
  /** Its first character, in UTF-16 units from 1; absent where the line is too long for counting them. */
  readonly column?: number;
  readonly before: string;
  /** Empty where a value is missing: it would stand here. */
  readonly marked: string;
  readonly after: string;
  /** The line has more before `before`, and more behind `after`. */
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

// CSV rows as objects, so that rules read one kind of row: a dotted header nests, and a header that repeats has a list.

/** Headers compare trimmed, with single spaces, without case and without a byte order mark. */
export function plainHeader(header: string): string {
  return header
    .replace(/^\uFEFF/, '')
    .trim()
    .replace(/\s+/g, ' ')
    .toLowerCase();
}

/** For each header the keys under which a row's object has its cell; none for a column without a name. */
export function cellPaths(header: readonly string[]): readonly (readonly string[])[] {
  const names = new Set(header.map(plainHeader));
  const keys = new Map<string, string>();
  return header.map((written) =>
    keysIn(written.replace(/^\uFEFF/, '').trim(), names).map((key, at, path) => {
      const plain = plainHeader(path.slice(0, at + 1).join('.'));
      // headers that differ in case alone are one key, as the first of them writes it
      const known = keys.get(plain) ?? key;
      keys.set(plain, known);
      return known;
    }),
  );
}

/** `Sr. No` is one name, and so is `contact.email` where there is a column `contact` as well. */
function keysIn(name: string, names: ReadonlySet<string>): readonly string[] {
  if (name === '') return [];
  const parts = name.split('.');
  const isNested = parts.every(
    (part, at) =>
      part !== '' &&
      part === part.trim() &&
      (at === 0 || !names.has(plainHeader(parts.slice(0, at).join('.')))),
  );
  return isNested ? parts : [name];
}

/** Empty cells are left out. */
export function csvObject(cells: readonly string[], paths: readonly (readonly string[])[]): JsonObject {
  const row: JsonObject = Object.create(null);
  for (const [index, keys] of paths.entries()) {
    const cell = cells[index];
    const last = keys.at(-1);
    if (cell === undefined || cell === '' || last === undefined) continue;
    let object = row;
    for (let at = 0; at < keys.length - 1; at++) {
      const key = keys[at] ?? '';
      object[key] ??= Object.create(null);
      object = object[key] as JsonObject;
    }
    const before = object[last];
    if (before === undefined) object[last] = cell;
    else if (Array.isArray(before)) before.push(cell);
    else object[last] = [before, cell];
  }
  return row;
}
