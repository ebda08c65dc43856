export type SourceFormat = 'csv' | 'jsonl' | 'json';

export interface RecordRef {
  readonly file: number;
  readonly row: number;
  readonly line: number;
}

export type JsonObject = { [key: string]: unknown };

/** A CSV row also has its cells, in header order. */
export interface Row {
  readonly table: string;
  readonly ref: RecordRef;
  readonly cells?: readonly string[];
  readonly object?: JsonObject;
}

/** Before any mapping. Children are in file order, then offset order. */
export interface SourceTicket {
  readonly kind: 'ticket';
  /** From 0, in the order of the export. */
  readonly seq: number;
  readonly externalId: string;
  /** For grouped tables the first row of the group. */
  readonly row: Row;
  /** By table name; for a grouped table all rows, the first included. */
  readonly children: ReadonlyMap<string, readonly Row[]>;
}

/** Broken syntax, no ID, or a duplicate ID. Counts as read and rejected. */
export interface UnreadableRecord {
  readonly kind: 'unreadable';
  readonly seq: number;
  readonly ref: RecordRef;
  readonly table: string | undefined;
  readonly externalId?: string;
  readonly code: 'unreadable' | 'missing-id' | 'duplicate-id';
  readonly message: string;
}

export type SourceItem = SourceTicket | UnreadableRecord;

/** A warning, in the rejects, in no count of tickets. */
export interface UnmatchedRow {
  readonly table: string;
  readonly parent: string;
  readonly ref: RecordRef;
  /** Differs in case, leading zeros or a number sign. */
  readonly near?: string | undefined;
}

/** `1.6E+18`, `#NAME?`, `######`, `="00123"`, `'00123` */
const BROKEN =
  /^(?:-?\d+(?:[.,]\d+)?e\+\d+|-?\d+[.,]\d+e\d+|#(?:name\?|ref!|value!|num!|null!|div\/0!)|#{3,}|=.*|'[\d=+@-].*)$/is;

/** A spreadsheet has rounded, replaced or escaped the key. */
export function isBrokenKey(key: string): boolean {
  return /[#='eE]/.test(key) && BROKEN.test(key);
}

export const REASON = '_reason';

export interface UnreadableRow {
  readonly table: string;
  readonly ref: RecordRef;
  readonly message: string;
  readonly text: string;
  /** Part of a ticket that would be imported without it. */
  readonly isOfTicket: boolean;
}

/** A CSV cell by its index, a JSON value at a path, or where the syntax breaks. */
export type RecordPart =
  | { readonly cell: number }
  | { readonly path: readonly (string | number)[] }
  | 'defect';

export interface SourceFrame {
  readonly file: string;
  readonly line: number;
  /** In UTF-16 units from 1; absent if the line is too long to count. */
  readonly column?: number;
  readonly before: string;
  readonly marked: string;
  readonly after: string;
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

// A dotted header nests, a repeated header makes a list.

export function plainHeader(header: string): string {
  return header
    .replace(/^\uFEFF/, '')
    .trim()
    .replace(/\s+/g, ' ')
    .toLowerCase();
}

export function cellPaths(header: readonly string[]): readonly (readonly string[])[] {
  const names = new Set(header.map(plainHeader));
  const keys = new Map<string, string>();
  return header.map((written) =>
    keysIn(written.replace(/^\uFEFF/, '').trim(), names).map((key, at, path) => {
      const plain = plainHeader(path.slice(0, at + 1).join('.'));
      const known = keys.get(plain) ?? key;
      keys.set(plain, known);
      return known;
    }),
  );
}

/** `Sr. No` is one name, and so is `contact.email` next to a column `contact`. */
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

export function isNoText(cell: string): boolean {
  return cell.length < 9 && /^\s*(?:null|\\n)\s*$/i.test(cell);
}

/** Without inherited keys; V8 keeps an object of `Object.create(null)` as a table, which takes four times the memory. */
const Bare = function Bare() {} as unknown as new () => JsonObject;
Bare.prototype = Object.create(null);

export function csvObject(cells: readonly string[], paths: readonly (readonly string[])[]): JsonObject {
  const row = new Bare();
  let index = 0;
  for (const keys of paths) {
    const cell = cells[index++];
    const last = keys.at(-1);
    if (cell === undefined || cell === '' || last === undefined || isNoText(cell)) continue;
    let object = row;
    for (let at = 0; at < keys.length - 1; at++) {
      const key = keys[at] ?? '';
      object[key] ??= new Bare();
      object = object[key] as JsonObject;
    }
    const before = object[last];
    if (before === undefined) object[last] = cell;
    else if (Array.isArray(before)) before.push(cell);
    else object[last] = [before, cell];
  }
  return row;
}
