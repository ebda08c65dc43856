/** Rows and tickets of the export, with their place in it. */

export type SourceFormat = 'csv' | 'jsonl' | 'json';

/** Where a record is. */
export interface RecordRef {
  /** Index of the file in the export (SourceFile.id). */
  readonly file: number;
  /** Its number in the export, in the order of files and lines. */
  readonly row: number;
  /** Physical line at which it begins, from 1, with the header. */
  readonly line: number;
}

export type JsonObject = { [key: string]: unknown };

/** One record of one table as an object. A CSV row also has its cells, in header order. */
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

/** A record that cannot be a ticket: broken syntax, no ID, or a duplicate ID. It counts as read and rejected. */
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

/** The column or key with the reason in rejects; ignored on reading. */
export const REASON = '_reason';

/** A row of a child or lookup table that cannot be read. */
export interface UnreadableRow {
  readonly table: string;
  readonly ref: RecordRef;
  readonly message: string;
  /** Its beginning. */
  readonly text: string;
  /** Part of a ticket, which would be imported without it. Rows of lookup tables belong to no ticket. */
  readonly isOfTicket: boolean;
}

// Where a bad value is in the export, and its line with the value marked.

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

/** Called only for problems that are shown. Undefined if the problem has no place in the export. */
export type LocateSource = () => SourceLocation | undefined;

/** A line of the export in three parts of bounded length. */
export interface SourceFrame {
  readonly file: string;
  /** Physical line on which the marked part begins, from 1. */
  readonly line: number;
  /** Its first character, in UTF-16 units from 1; absent if the line is too long to count. */
  readonly column?: number;
  readonly before: string;
  /** Empty if a value is missing here. */
  readonly marked: string;
  readonly after: string;
  /** The line continues before `before`, or after `after`. */
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

// CSV rows as objects: a dotted header nests, a repeated header makes a list.

/** Headers compare trimmed, with single spaces, ignoring case and byte order mark. */
export function plainHeader(header: string): string {
  return header
    .replace(/^\uFEFF/, '')
    .trim()
    .replace(/\s+/g, ' ')
    .toLowerCase();
}

/** For each header the path of its cell in a row's object; empty for a column without a name. */
export function cellPaths(header: readonly string[]): readonly (readonly string[])[] {
  const names = new Set(header.map(plainHeader));
  const keys = new Map<string, string>();
  return header.map((written) =>
    keysIn(written.replace(/^\uFEFF/, '').trim(), names).map((key, at, path) => {
      const plain = plainHeader(path.slice(0, at + 1).join('.'));
      // headers that differ only in case are one key, written as the first
      const known = keys.get(plain) ?? key;
      keys.set(plain, known);
      return known;
    }),
  );
}

/** `Sr. No` is one name, and so is `contact.email` if there is a column `contact`. */
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
