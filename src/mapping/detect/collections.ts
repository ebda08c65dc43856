/** Places of records of one kind: a CSV, the array of a page, the lines of a JSONL, one stream of a connector. */
import { type JsonObject, plainHeader } from '../../domain/source.ts';
import {
  isJsonObject,
  type RecordSelector,
  type SourceFile,
  selectObject,
  undotted,
} from '../../domain/source-file.ts';
import { parsePath, valueAt } from '../compile/paths.ts';
import { parseStructure } from '../compile/values.ts';

export interface Collection {
  readonly file: number;
  readonly name: string;
  readonly format: 'csv' | 'json';
  readonly selector: RecordSelector | undefined;
  /** Undefined for CSV and for documents or lines that are records themselves. */
  readonly path: readonly string[] | undefined;
  readonly stream: string | undefined;
  readonly columns: readonly string[];
  readonly samples: readonly JsonObject[];
  /** CSV only: JSON in cells of the first rows, by plain header. */
  readonly nested?: ReadonlyMap<string, readonly unknown[]>;
}

export function collectionsOf(source: SourceFile): Collection[] {
  const { id: file, name, format, header = [], collections = [] } = source;
  if (format === 'csv') {
    const columns = header.map(plainHeader).filter((column) => column !== '' && column !== '_reason');
    const nested = nestedCells(source);
    const none = { selector: undefined, path: undefined, stream: undefined, samples: [] };
    return [{ file, name, format: 'csv', columns, nested, ...none }];
  }
  const json = (found: readonly JsonObject[], selector?: RecordSelector, stream?: string): Collection => {
    const samples = found.map(undotted);
    return {
      file,
      name,
      format: 'json',
      selector,
      path: selector?.path,
      stream,
      columns: keysOf(samples),
      samples,
    };
  };
  const streams = enveloped(collections.find(({ path }) => path === undefined)?.sample ?? []);
  if (streams.length > 0)
    return streams.map(({ samples, selector, stream }) => json(samples, selector, stream));
  return collections.map(({ path, sample }) => json(sample, path && { path }));
}

export interface LayoutWords {
  readonly own: ReadonlyMap<string, ReadonlySet<string>>;
  readonly inner: ReadonlyMap<string, ReadonlySet<string>>;
}

export function spelledAs(
  { own: ofRecords, inner: within }: LayoutWords,
  collection: Collection,
): Collection {
  const { samples, path, selector } = collection;
  if (samples.length === 0) return collection;
  const renamed = (keys: Iterable<string>, words: LayoutWords['own']) =>
    new Map(
      [...new Set(keys)].flatMap((key): [string, string][] => {
        const plain = plainHeader(key);
        const known = words.get(plain) ?? ofRecords.get(plain);
        const [word = key] = known ?? [];
        return known === undefined || known.has(key) ? [] : [[key, word]];
      }),
    );
  const top = [...new Set(samples.flatMap(Object.keys))];
  const own = renamed(top, ofRecords);
  if (own.size === 0) return collection;
  const exact = top.filter((key) => ofRecords.get(plainHeader(key))?.has(key)).length;
  // A few keys in another case say nothing about the values.
  const inner =
    own.size > exact
      ? renamed(
          samples.flatMap((sample) => innerKeys(sample)),
          within,
        )
      : new Map();
  const spelling = { own, inner };
  return {
    ...collection,
    selector: { ...selector, spelling },
    path: path?.map((key) => renamed([key], ofRecords).get(key) ?? key),
    samples: samples.flatMap((sample) => {
      const object = selectObject(sample, { spelling });
      return typeof object === 'object' ? [object] : [];
    }),
  };
}

function innerKeys(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(innerKeys);
  return isJsonObject(value)
    ? Object.entries(value).flatMap(([key, inner]) => [key, ...innerKeys(inner)])
    : [];
}

export function narrowed(
  collection: Collection,
  unwrap: string | undefined,
  where: { column: string; in?: readonly unknown[] | undefined } | undefined,
): Collection {
  if (collection.format === 'csv' || (unwrap === undefined && where === undefined)) return collection;
  const selector: RecordSelector = {
    path: collection.selector?.path,
    spelling: collection.selector?.spelling,
    where: where && { path: where.column.split('.'), oneOf: where.in?.map(String) },
    unwrap: unwrap?.split('.'),
  };
  const samples = collection.samples.flatMap((sample) => {
    const object = selectObject(sample, selector);
    return typeof object === 'object' ? [undotted(object)] : [];
  });
  return { ...collection, selector, samples, columns: keysOf(samples) };
}

const LOOKED_AT = 20;
const MOST = 0.5;

function nestedCells({ header = [], sampleRows = [] }: SourceFile): Map<string, unknown[]> {
  const nested = new Map<string, unknown[]>();
  for (const [index, name] of header.entries()) {
    const cells = sampleRows.slice(0, LOOKED_AT).flatMap((row) => row[index]?.trim() || []);
    if (cells.some((cell) => /^[[{]/.test(cell))) nested.set(plainHeader(name), cells.map(parseStructure));
  }
  return nested;
}

/** A header, headers below it, a path in most filled cells with JSON, or a JSON path that some sample has (even as null). */
export function hasColumn({ format, columns, nested, samples }: Collection, column: string): boolean {
  if (format === 'json') return samples.some((sample) => hasPath(sample, column));
  const name = plainHeader(column);
  if (columns.some((header) => header === name || header.startsWith(`${name}.`))) return true;
  const parts = column.split('.');
  return parts.some((_, at) => {
    const cells = at === 0 ? undefined : nested?.get(plainHeader(parts.slice(0, at).join('.')));
    if (cells === undefined) return false;
    const path = parsePath(parts.slice(at).join('.'));
    const found = cells.filter((cell) => valueAt(cell, path) !== undefined).length;
    return found > 0 && found >= MOST * cells.length;
  });
}

/** Columns that most records lack, among records with half of the columns: a file may hold several kinds. */
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
