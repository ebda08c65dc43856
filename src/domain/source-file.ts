import type { Problem } from './problem.ts';
import type {
  JsonObject,
  RecordPart,
  RecordRef,
  Row,
  SourceFormat,
  SourceFrame,
  SourceItem,
  UnmatchedRow,
  UnreadableRow,
} from './source.ts';

/**
 * Which records of a JSON file belong to a table; in a CSV every row is one. `path` leads from the root of the document (of every line, in
 * JSONL) to the array of the records; without a path the document (or the line) is itself the record.
 */
export interface RecordSelector {
  readonly path?: readonly string[] | undefined;
  /** Only RECORD of a Singer or Airbyte stream. */
  readonly type?: string | undefined;
  /** Only records with one of these strings at `where.path`; without strings, with an object there. */
  readonly where?:
    | { readonly path: readonly string[]; readonly oneOf?: readonly string[] | undefined }
    | undefined;
  /** In an Airbyte envelope `['record', 'data']`. */
  readonly unwrap?: readonly string[] | undefined;
  readonly spelling?: Spelling | undefined;
}

export interface Spelling {
  readonly own: ReadonlyMap<string, string>;
  readonly inner: ReadonlyMap<string, string>;
}

export interface ReadRecord {
  readonly ref: RecordRef;
  readonly cells?: readonly string[];
  readonly object?: JsonObject;
  readonly error?: string;
}

export function rowOf(table: string, { ref, cells, object }: ReadRecord): Row | undefined {
  return object === undefined ? undefined : { table, ref, object, ...(cells && { cells }) };
}

export interface JsonCollection {
  readonly path: readonly string[] | undefined;
  readonly sample: readonly JsonObject[];
}

export interface SourceFile {
  readonly id: number;
  /** In an archive `export.zip!tickets.csv`. */
  readonly name: string;
  readonly format: SourceFormat;
  /** For `inspect`: `utf-8`, `utf-8 (BOM)`, `utf-16le`, `windows-1252`. */
  readonly encoding: string;
  readonly compression: 'none' | 'gzip' | 'zstd' | 'zip';
  readonly delimiter?: string | undefined;
  readonly headerRef?: RecordRef | undefined;
  readonly bytes: number;
  readonly header?: readonly string[] | undefined;
  /** At most 200. */
  readonly sampleRows?: readonly (readonly string[])[] | undefined;
  readonly collections?: readonly JsonCollection[] | undefined;
  readonly unreadable?: string | undefined;
  /** In chunks, in bounded memory. May be called again, also meanwhile. */
  records(selector: RecordSelector | undefined, signal: AbortSignal): Iterable<readonly ReadRecord[]>;
  at(ref: Pick<RecordRef, 'row'>, selector: RecordSelector | undefined): ReadRecord | undefined;
  /** Without the line end and the `_reason` of rejects. */
  raw(ref: RecordRef): string;
  reason(ref: RecordRef): string;
  frame(ref: RecordRef, part: RecordPart): SourceFrame | undefined;
}

export interface ExportFiles extends AsyncDisposable {
  readonly files: readonly SourceFile[];
  /** Empty files, ignored kinds of files, bytes that are not UTF-8. */
  readonly problems: readonly Problem[];
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Scalars untrimmed, lists and objects as JSON. `String` fails for an object with a key `toString`. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') return JSON.stringify(value) ?? '';
  return String(value);
}

export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (Array.isArray(at) && /^\d+$/.test(String(key))) at = at[Number(key)];
    else if (isJsonObject(at) && Object.hasOwn(at, key)) at = at[String(key)];
    else return undefined;
  }
  return at;
}

/** `messages[0].content` as its keys. */
export const pathOf = (place: string): string[] => place.split(/[.[\]]+/).filter((key) => key !== '');

/** A key below one that is no object stays. */
export function undotted(record: JsonObject): JsonObject {
  if (!Object.keys(record).some((key) => key.includes('.'))) return record;
  const whole: JsonObject = Object.create(null);
  const entries = Object.entries(record);
  const isPlain = ([key]: readonly [string, unknown]) => !key.includes('.');
  // Keys without dots come first.
  for (const [key, value] of [...entries.filter(isPlain), ...entries.filter((entry) => !isPlain(entry))]) {
    const steps = key.split('.');
    const last = steps.pop() ?? '';
    let at: JsonObject | undefined = steps.includes('') || last === '' ? undefined : whole;
    for (const step of steps) {
      if (at === undefined) break;
      at[step] ??= Object.create(null);
      at = isJsonObject(at[step]) ? at[step] : undefined;
    }
    if (at === undefined) whole[key] = value;
    else at[last] = value;
  }
  return whole;
}

/** Undefined if `where` leaves the record out; a sentence if `unwrap` finds no object. */
export function selectObject(
  written: JsonObject,
  selector: RecordSelector | undefined,
): JsonObject | string | undefined {
  if (selector === undefined) return written;
  const { type, where, unwrap, spelling } = selector;
  const record = type === undefined ? respelled(written, spelling) : written;
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
  if (!isJsonObject(inner)) return `The record has no object at ${unwrap.join('.')}.`;
  return type === undefined ? inner : respelled(inner, spelling);
}

function respelled(object: JsonObject, spelling: Spelling | undefined): JsonObject {
  if (spelling === undefined) return object;
  const { own, inner } = spelling;
  const change = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(change);
    return isJsonObject(value) ? withKeys(value, inner, change) : value;
  };
  return withKeys(object, own, inner.size === 0 ? (value) => value : change);
}

function withKeys(
  object: JsonObject,
  keys: ReadonlyMap<string, string>,
  change: (value: unknown) => unknown,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([written, value]) => {
      const key = keys.get(written) ?? written;
      return [Object.hasOwn(object, key) ? written : key, change(value)];
    }),
  );
}

/** CSV headers or dotted JSON paths, whose values are joined. */
export type KeySpec = readonly string[];

/** No column names the record: all its cells together do. */
export const isWholeRow = ({ length }: KeySpec): boolean => length === 0;

export interface JoinInput {
  readonly file: number;
  readonly selector?: RecordSelector | undefined;
  readonly key?: KeySpec | undefined;
}

export interface JoinTable {
  readonly name: string;
  /** `root`: one row a ticket. `group`: all rows with one key are a ticket. `child`: rows of a ticket. `lookup`: found from the mapping only. */
  readonly role: 'root' | 'group' | 'child' | 'lookup';
  readonly inputs: readonly JoinInput[];
  readonly key: KeySpec;
  /** child: the columns of the root, or of `parent`, that `key` matches, if not the external ID. */
  readonly parentKey?: KeySpec | undefined;
  readonly parent?: string | undefined;
  /** Keeps the row with the greatest value here; several columns are joined by spaces. */
  readonly latest?: KeySpec | undefined;
  readonly marks?: RowMarks | undefined;
  readonly lookups?: readonly KeySpec[] | undefined;
}

export interface RowMarks {
  /** Versions of a ticket agree in it. */
  readonly created: KeySpec;
  /** If it differs in most IDs, rows are messages and no versions. */
  readonly text: KeySpec;
  readonly person: KeySpec;
}

export interface JoinPlan {
  readonly tables: readonly JoinTable[];
}

export interface UnreadRows {
  readonly file: string;
  /** The path of a list, a stream or a kind of records; empty for all rows of a file. */
  readonly list: string;
  readonly rows: number;
  /** Characters of sentences in the first rows. */
  readonly text: number;
  /** A column of the first rows has IDs of tickets. */
  readonly joins: boolean;
  /** Values of documents beside their lists: `list` is their path. */
  readonly isFrame?: true;
}

export interface LeftRows {
  readonly table: string;
  readonly file: number;
  readonly rows: number;
}

/** Streams, repeatable, in bounded memory. */
export interface JoinedExport {
  /** In the order of root rows, in chunks. Duplicates and records without an ID come as UnreadableRecord. */
  tickets(signal: AbortSignal): Iterable<readonly SourceItem[]>;
  lookup(table: string, columns: KeySpec, values: readonly string[]): Row | undefined;
  /**
   * The first row of tickets for each combination of these cells. By file: indexes of CSV cells, or top-level keys of JSON;
   * every row of a file that is not named.
   */
  unlikeRows(cells: ReadonlyMap<number, readonly (number | string)[]>): Iterable<Row>;
  /** Rows with a value that begins like `03/04/2025` or `3-4-25`. */
  datedRows(): Iterable<Row>;
  /** Complete before the first ticket. */
  unmatchedRows(): IterableIterator<UnmatchedRow>;
  /** Rows of tickets and their parts that are no orphans, repeats or older versions, and yet not among `taken`, a query of row IDs. */
  forgottenRows(taken: string): LeftRows[];
  /** Rows of lookup tables that nothing looked up; all rows of those in `whole`. */
  unaskedRows(whole: ReadonlySet<string>): LeftRows[];
  /** Rows that no table reads; the longest lists first. */
  unreadRows(): readonly UnreadRows[];
  /** Rows that newer ones with the same key replace. */
  olderRows(): LeftRows[];
  /** Rows without an ID that repeat another one; each is a ticket. */
  equalRows(): number;
  unreadableRows(): IterableIterator<UnreadableRow>;
}

export interface ContactNames {
  /** `at` decides; the later offer wins a tie; an empty name only registers the address. */
  offer(email: string, name: string | undefined, at: number): void;
  nameOf(email: string): string | undefined;
  /** `merged`: addresses with several names. */
  counts(): { readonly distinct: number; readonly merged: number };
  /**
   * Addresses made up in this domain: `byName` of them from a name alone, `namesakes` under the name of a customer who has an
   * address.
   */
  madeUp(
    domain: string,
    ofName: (name: string) => string | undefined,
  ): Readonly<Record<'made' | 'byName' | 'namesakes', number>>;
}

/** What `init` leaves for a person to decide. A run with one left ends with 2. */
export const TODO = 'TODO';

/** Places of `TODO` in settings; a key or a longer text is a name that the export has. */
export function openPaths(value: unknown, path: SettingPath = []): SettingPath[] {
  if (value === TODO) return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    openPaths(inner, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

export type SettingPath = readonly (string | number)[];
