/** One opened input of the export, as joining, layouts and rejects see it. */
import type { Problem } from './problem.ts';
import type { JsonObject, RecordPart, RecordRef, Row, SourceFormat, SourceFrame } from './source.ts';

/**
 * Which records of a JSON file belong to a table. A CSV has no selector: every row is a record.
 * `path` leads from the root of the document (of every line, in JSONL) to the array whose elements are the records;
 * `[]` is a root array. Without a path the document (or the line) is itself the record.
 */
export interface RecordSelector {
  readonly path?: readonly string[] | undefined;
  /** Only messages of this type: of a Singer or Airbyte stream `RECORD`, and not SCHEMA, STATE, LOG or TRACE. */
  readonly type?: string | undefined;
  /**
   * Only records whose value at `where.path` equals one of these strings (an Airbyte stream name, a type); without strings,
   * those that have an object there.
   */
  readonly where?:
    | { readonly path: readonly string[]; readonly oneOf?: readonly string[] | undefined }
    | undefined;
  /** Path to the row's object in the record (`['record', 'data']` in an Airbyte envelope). */
  readonly unwrap?: readonly string[] | undefined;
}

/** A record: an object, with its cells if it is a CSV row; or why it cannot be read. */
export interface ReadRecord {
  readonly ref: RecordRef;
  readonly cells?: readonly string[];
  readonly object?: JsonObject;
  /** One sentence for a person: the syntax error, or that the record is not an object. */
  readonly error?: string;
}

/** A record as a row of a table; undefined for one that cannot be read. */
export function rowOf(table: string, { ref, cells, object }: ReadRecord): Row | undefined {
  return object === undefined ? undefined : { table, ref, object, ...(cells && { cells }) };
}

/** A place of records in a JSON file, with a sample, for detection and inspection. */
export interface JsonCollection {
  readonly path: readonly string[] | undefined;
  readonly sample: readonly JsonObject[];
}

/** The beginning of a file: all that layout detection uses. */
export interface FileOutline {
  readonly file: number;
  /** Name as the user gave it; inside an archive `export.zip!tickets.csv`. */
  readonly name: string;
  readonly format: SourceFormat;
  /** CSV: the header cells, untrimmed, repeated names included. */
  readonly header?: readonly string[];
  /** CSV: the first rows, at most 200. */
  readonly sampleRows?: readonly (readonly string[])[];
  /** JSON and JSONL: the collections found, outermost first. */
  readonly collections?: readonly JsonCollection[];
  /** JSON and JSONL without a readable record: why, in a sentence. */
  readonly unreadable?: string | undefined;
}

export interface SourceFile {
  /** Its place among the files of the export. */
  readonly id: number;
  readonly name: string;
  readonly format: SourceFormat;
  /** Before it became UTF-8, for `inspect`: e.g. `utf-8`, `utf-8 (BOM)`, `utf-16le`, `windows-1252`. */
  readonly encoding: string;
  readonly compression: 'none' | 'gzip' | 'zstd' | 'zip';
  /** CSV only. */
  readonly delimiter?: string | undefined;
  /** CSV only: the header as a record. */
  readonly headerRef?: RecordRef | undefined;
  /** Size of the UTF-8 bytes. */
  readonly bytes: number;
  readonly outline: FileOutline;
  /**
   * All records from the first to the last, in chunks: the next one is read when asked for, so memory is bounded by the chunk
   * and the largest record. May be called again, also while another iteration goes on.
   */
  records(selector: RecordSelector | undefined, signal: AbortSignal): Iterable<readonly ReadRecord[]>;
  /** A record by its place; undefined where `where` of the selector leaves it out. */
  at(ref: Pick<RecordRef, 'row'>, selector: RecordSelector | undefined): ReadRecord | undefined;
  /** The text of a record as the file has it, without the line end and without a `_reason` of the rejects. */
  raw(ref: RecordRef): string;
  /** What the rejects say of a record; empty where it is not in rejects. */
  reason(ref: RecordRef): string;
  /** The line on which a part of a record is; undefined where the record does not have that part. */
  frame(ref: RecordRef, part: RecordPart): SourceFrame | undefined;
}

export interface ExportFiles extends AsyncDisposable {
  readonly files: readonly SourceFile[];
  /** Warnings about whole files and their lines: an empty file, a file of a kind that is ignored, bytes that are not UTF-8. */
  readonly problems: readonly Problem[];
}

// Which object of a record is the row of a table: `where` and `unwrap` of a selector.

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A scalar as text (`true`, `12`), untrimmed; lists and objects as JSON; absent values as the
 * empty text. `String` fails where an object has a key called `toString`.
 */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') return JSON.stringify(value) ?? '';
  return String(value);
}

/** The value at a path of own keys and array indexes; undefined if it leads nowhere. Never follows a prototype. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) {
    if (Array.isArray(at) && /^\d+$/.test(key)) at = at[Number(key)];
    else if (isJsonObject(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return at;
}

/** The row's object; undefined if `where` leaves the record out; a sentence if `unwrap` finds no object. */
export function selectObject(
  record: JsonObject,
  selector: RecordSelector | undefined,
): JsonObject | string | undefined {
  if (selector === undefined) return record;
  const { type, where, unwrap } = selector;
  if (type !== undefined && valueAt(record, ['type']) !== type) return undefined;
  if (where !== undefined) {
    const value = valueAt(record, where.path);
    if (
      where.oneOf === undefined
        ? !isJsonObject(value)
        : value === undefined || value === null || !where.oneOf.includes(textOf(value))
    )
      return undefined;
  }
  if (unwrap === undefined || unwrap.length === 0) return record;
  const inner = valueAt(record, unwrap);
  return isJsonObject(inner) ? inner : `The record has no object at ${unwrap.join('.')}.`;
}
