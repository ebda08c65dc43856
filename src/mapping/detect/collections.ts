/**
 * The places in an export where records of one kind stand: a CSV, the array of a page, the lines of a JSONL, one stream
 * of an Airbyte or Singer file. Detection matches tables against these.
 */

import { type JsonObject, plainHeader } from '../../domain/source.ts';
import type { FileOutline, RecordSelector } from '../../domain/source-file.ts';
import { textOf } from '../../domain/source-file.ts';
import { type PathStep, parsePath, valueAt } from '../compile/column-path.ts';
import { parseStructure } from '../compile/text-forms.ts';

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
  if (outline.format === 'csv') {
    const columns = (outline.header ?? [])
      .map(plainHeader)
      .filter((name) => name !== '' && name !== '_reason');
    return [
      {
        ...fileOf(outline),
        format: 'csv',
        selector: undefined,
        path: undefined,
        stream: undefined,
        columns,
        samples: [],
        nested: nestedCells(outline),
      },
    ];
  }
  const lines = outline.collections?.find(({ path }) => path === undefined)?.sample ?? [];
  const streams = enveloped(lines);
  // inside an envelope nothing but its records is a collection
  if (streams.length > 0)
    return streams.map(({ selector, samples, name }) => jsonCollection(outline, selector, samples, name));
  return (outline.collections ?? []).map(({ path, sample }) =>
    jsonCollection(outline, path === undefined ? undefined : { path }, sample, undefined),
  );
}

/** The same records seen through an `unwrap` and a `where` that a layout states. */
export function narrowed(
  collection: Collection,
  unwrap: string | undefined,
  where: { column: string; in?: readonly unknown[] | undefined } | undefined,
): Collection {
  if (collection.format === 'csv' || (unwrap === undefined && where === undefined)) return collection;
  const steps = unwrap === undefined ? [] : parsePath(unwrap);
  const condition =
    where === undefined ? undefined : { path: where.column.split('.'), oneOf: where.in?.map(String) };
  const samples = collection.samples
    .filter((sample) => {
      if (condition === undefined) return true;
      const value = valueAt(sample, parsePath(where?.column ?? ''));
      return condition.oneOf === undefined ? isObject(value) : condition.oneOf.includes(textOf(value));
    })
    .map((sample) => valueAt(sample, steps))
    .filter(isObject);
  const selector: RecordSelector = {
    path: collection.path,
    where: condition,
    unwrap: unwrap?.split('.'),
  };
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
export function hasColumn(collection: Collection, column: string): boolean {
  if (collection.format === 'csv') {
    const name = plainHeader(column);
    if (collection.columns.some((header) => header === name || header.startsWith(`${name}.`))) return true;
    const parts = column.split('.');
    return parts.some((_, at) => {
      const cells = collection.nested?.get(plainHeader(parts.slice(0, at).join('.'))) ?? [];
      const path = parsePath(parts.slice(at).join('.'));
      const found = cells.filter((cell) => valueAt(cell, path) !== undefined).length;
      return at > 0 && found > 0 && found >= MOST * cells.length;
    });
  }
  return collection.samples.some((sample) => hasPath(sample, column));
}

/**
 * Of these columns, those that most records have: of the records with half of the columns, as a file may hold records of
 * several kinds. `names`: a column with its other names.
 */
export function usualColumns(
  collection: Collection,
  columns: readonly string[],
  names: (column: string) => readonly string[],
): Set<string> {
  if (collection.format === 'csv')
    return new Set(columns.filter((column) => names(column).some((name) => hasColumn(collection, name))));
  const has = (sample: JsonObject, column: string) => names(column).some((name) => hasPath(sample, name));
  const ofKind = collection.samples
    .map((sample) => new Set(columns.filter((column) => has(sample, column))))
    .filter(({ size }) => size >= MOST * columns.length);
  const count = (column: string) => ofKind.filter((found) => found.has(column)).length;
  return new Set(columns.filter((column) => count(column) > 0 && count(column) >= MOST * ofKind.length));
}

function hasPath(sample: JsonObject, column: string): boolean {
  const steps = stepsOf(column);
  return valueAt(sample, steps) !== undefined || (steps.length > 1 && Object.hasOwn(sample, column));
}

/** Of the columns that layouts name. */
const STEPS = new Map<string, PathStep[]>();

function stepsOf(column: string): PathStep[] {
  const steps = STEPS.get(column) ?? parsePath(column);
  STEPS.set(column, steps);
  return steps;
}

/** Airbyte: `{type: RECORD, record: {stream, data}}`. Singer: `{type: RECORD, stream, record}`. */
function enveloped(
  sample: readonly JsonObject[],
): { name: string; selector: RecordSelector; samples: JsonObject[] }[] {
  const found = new Map<string, { airbyte: boolean; samples: JsonObject[] }>();
  for (const line of sample) {
    const { type, record, stream } = line;
    if (type !== 'RECORD' || !isObject(record)) continue;
    const airbyte = typeof record['stream'] === 'string' && isObject(record['data']);
    const name = airbyte ? String(record['stream']) : stream;
    const row = airbyte ? record['data'] : record;
    if (typeof name !== 'string' || !isObject(row)) continue;
    const entry = found.get(name) ?? { airbyte, samples: [] };
    entry.samples.push(row);
    found.set(name, entry);
  }
  return [...found].map(([name, { airbyte, samples }]) => ({
    name,
    samples,
    selector: {
      type: 'RECORD',
      where: { path: airbyte ? ['record', 'stream'] : ['stream'], oneOf: [name] },
      unwrap: airbyte ? ['record', 'data'] : ['record'],
    },
  }));
}

function jsonCollection(
  outline: FileOutline,
  selector: RecordSelector | undefined,
  samples: readonly JsonObject[],
  stream: string | undefined,
): Collection {
  return {
    ...fileOf(outline),
    format: 'json',
    selector,
    path: selector?.path,
    stream,
    columns: keysOf(samples),
    samples,
  };
}

function fileOf(outline: FileOutline): { file: number; name: string } {
  return { file: outline.file, name: outline.name };
}

function keysOf(samples: readonly JsonObject[]): string[] {
  const keys = new Set<string>();
  for (const sample of samples)
    for (const key of Object.keys(sample)) if (key !== '_reason') keys.add(plainHeader(key));
  return [...keys];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
