/** The places in an export where records of one kind are: a CSV, the array of a page, the lines of a JSONL, one stream of a connector. */
import { type JsonObject, plainHeader } from '../../domain/source.ts';
import {
  type FileOutline,
  isJsonObject,
  type RecordSelector,
  selectObject,
} from '../../domain/source-file.ts';
import { parsePath, valueAt } from '../compile/paths.ts';
import { parseStructure } from '../compile/values.ts';

export interface Collection {
  readonly file: number;
  readonly name: string;
  readonly format: 'csv' | 'json';
  readonly selector: RecordSelector | undefined;
  /** Path to the array of records; undefined for CSV and for documents or lines that are records themselves. */
  readonly path: readonly string[] | undefined;
  /** Name of the stream in an envelope. */
  readonly stream: string | undefined;
  /** CSV: plain headers. JSON: keys of the samples, top level. */
  readonly columns: readonly string[];
  /** JSON only. */
  readonly samples: readonly JsonObject[];
  /** CSV only: by plain header what its cells hold as JSON, a value for each filled cell of the first rows. */
  readonly nested?: ReadonlyMap<string, readonly unknown[]>;
}

export function collectionsOf(outline: FileOutline): Collection[] {
  const { file, name, format, header = [], collections = [] } = outline;
  if (format === 'csv') {
    const columns = header.map(plainHeader).filter((column) => column !== '' && column !== '_reason');
    const nested = nestedCells(outline);
    const none = { selector: undefined, path: undefined, stream: undefined, samples: [] };
    return [{ file, name, format: 'csv', columns, nested, ...none }];
  }
  const json = (samples: readonly JsonObject[], selector?: RecordSelector, stream?: string): Collection => ({
    file,
    name,
    format: 'json',
    selector,
    path: selector?.path,
    stream,
    columns: keysOf(samples),
    samples,
  });
  const streams = enveloped(collections.find(({ path }) => path === undefined)?.sample ?? []);
  // inside an envelope nothing but its records is a collection
  if (streams.length > 0)
    return streams.map(({ samples, selector, stream }) => json(samples, selector, stream));
  return collections.map(({ path, sample }) => json(sample, path && { path }));
}

/** The same records seen through an `unwrap` and a `where` that a layout states. */
export function narrowed(
  collection: Collection,
  unwrap: string | undefined,
  where: { column: string; in?: readonly unknown[] | undefined } | undefined,
): Collection {
  if (collection.format === 'csv' || (unwrap === undefined && where === undefined)) return collection;
  const selector: RecordSelector = {
    path: collection.path,
    where: where && { path: where.column.split('.'), oneOf: where.in?.map(String) },
    unwrap: unwrap?.split('.'),
  };
  const samples = collection.samples.flatMap((sample) => {
    const object = selectObject(sample, selector);
    return typeof object === 'object' ? [object] : [];
  });
  return { ...collection, selector, samples, columns: keysOf(samples) };
}

/** Rows of a CSV in which nested values are looked for. */
const LOOKED_AT = 20;
/** What this share of the records has, all of them may have. */
const MOST = 0.5;

function nestedCells({ header = [], sampleRows = [] }: FileOutline): Map<string, unknown[]> {
  const nested = new Map<string, unknown[]>();
  for (const [index, name] of header.entries()) {
    const cells = sampleRows.slice(0, LOOKED_AT).flatMap((row) => row[index]?.trim() || []);
    if (cells.some((cell) => /^[[{]/.test(cell))) nested.set(plainHeader(name), cells.map(parseStructure));
  }
  return nested;
}

/**
 * Whether records have this column: a header, headers below it, a path that most filled cells of a header hold as JSON, or
 * a JSON path that some sample has (even as null).
 */
export function hasColumn({ format, columns, nested, samples }: Collection, column: string): boolean {
  if (format === 'json') return samples.some((sample) => hasPath(sample, column));
  const name = plainHeader(column);
  if (columns.some((header) => header === name || header.startsWith(`${name}.`))) return true;
  const parts = column.split('.');
  return parts.some((_, at) => {
    const cells = nested?.get(plainHeader(parts.slice(0, at).join('.'))) ?? [];
    const path = parsePath(parts.slice(at).join('.'));
    const found = cells.filter((cell) => valueAt(cell, path) !== undefined).length;
    return at > 0 && found > 0 && found >= MOST * cells.length;
  });
}

/**
 * Of these columns, each with its other names, those that most records lack: of the records with half of the columns, as a
 * file may hold records of several kinds.
 */
export function missingColumns(
  collection: Collection,
  columns: readonly string[],
  names: (column: string) => readonly string[],
): string[] {
  const absent = columns.filter((column) => !names(column).some((name) => hasColumn(collection, name)));
  if (absent.length > 0 || collection.format === 'csv') return absent;
  const ofKind = collection.samples
    .map((sample) => columns.filter((column) => names(column).some((name) => hasPath(sample, name))))
    .filter(({ length }) => length >= MOST * columns.length);
  const count = (column: string) => ofKind.filter((found) => found.includes(column)).length;
  return columns.filter((column) => count(column) === 0 || count(column) < MOST * ofKind.length);
}

function hasPath(sample: JsonObject, column: string): boolean {
  if (Object.hasOwn(sample, column)) return sample[column] !== undefined;
  return /[.[]/.test(column) && valueAt(sample, parsePath(column)) !== undefined;
}

/** Airbyte: `{type: RECORD, record: {stream, data}}`. Singer: `{type: RECORD, stream, record}`. */
function enveloped(
  lines: readonly JsonObject[],
): { readonly stream: string; readonly selector: RecordSelector; readonly samples: JsonObject[] }[] {
  const found = new Map<string, { stream: string; selector: RecordSelector; samples: JsonObject[] }>();
  for (const line of lines) {
    const { type, record } = line;
    if (type !== 'RECORD' || !isJsonObject(record)) continue;
    const isAirbyte = typeof record['stream'] === 'string' && isJsonObject(record['data']);
    const stream = isAirbyte ? record['stream'] : line['stream'];
    const row = isAirbyte ? record['data'] : record;
    if (typeof stream !== 'string' || !isJsonObject(row)) continue;
    const where = { path: isAirbyte ? ['record', 'stream'] : ['stream'], oneOf: [stream] };
    const selector = { type, where, unwrap: isAirbyte ? ['record', 'data'] : ['record'] };
    const known = found.get(stream) ?? { stream, selector, samples: [] as JsonObject[] };
    known.samples.push(row);
    found.set(stream, known);
  }
  return [...found.values()];
}

function keysOf(samples: readonly JsonObject[]): string[] {
  const keys = new Set(samples.flatMap((sample) => Object.keys(sample)).filter((key) => key !== '_reason'));
  return [...new Set([...keys].map(plainHeader))];
}
