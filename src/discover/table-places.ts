/** Which tables an export has, and in which files each of them is. */
import type { JsonObject } from '../domain/source.ts';
import { isJsonObject, type SourceFile } from '../domain/source-file.ts';
import { type Collection, collectionsOf, narrowed } from '../mapping/detect/collections.ts';

/** Records of one kind among others: told by a word in a column, or by the object that holds them. */
export interface RecordKind {
  readonly column: string;
  /** Undefined: the column holds an object. */
  readonly value: string | undefined;
  readonly unwrap: string | undefined;
}

export type TableCollection = Collection & { readonly kind?: RecordKind };

export interface Places {
  /** Name of the first file. */
  readonly file: string;
  readonly collection: TableCollection;
  readonly parts: readonly { readonly file: SourceFile; readonly collection: TableCollection }[];
}

/** Lists of one document that are read: a document with more is no export. */
const MOST_LISTS = 40;
/** Share of columns that two parts of one table have in common. */
const ALIKE = 0.6;

/** Files of one table are those whose names differ in numbers and folders alone: one file a ticket, one a month. */
export function tablesOfExport(files: readonly SourceFile[]): Places[] {
  const tables: { file: string; collection: TableCollection; parts: Places['parts'][number][] }[] = [];
  for (const file of files)
    for (const collection of collectionsIn(file)) {
      const same = tables.find(
        (table) =>
          placeName(table) === placeName({ file: file.name, collection }) &&
          isAlike(table.collection, collection),
      );
      if (same === undefined) tables.push({ file: file.name, collection, parts: [{ file, collection }] });
      else same.parts.push({ file, collection });
    }
  return tables;
}

function placeName({ file, collection }: Pick<Places, 'file' | 'collection'>): string {
  const { path, stream, kind, format } = collection;
  const name = file.replace(/^.*[\\/!]/, '').replace(/\d+/g, '#');
  return JSON.stringify([name, format, path, stream, kind?.column, kind?.value]);
}

function isAlike(one: TableCollection, other: TableCollection): boolean {
  const common = one.columns.filter((column) => other.columns.includes(column)).length;
  return common >= ALIKE * (one.columns.length + other.columns.length - common);
}

/** Lists inside records are columns of these; lists beside each other in a document are tables. */
function collectionsIn(file: SourceFile): TableCollection[] {
  const all = collectionsOf(file.outline).slice(0, MOST_LISTS);
  const root = all.find(({ path, stream }) => path === undefined && stream === undefined);
  const others = all.filter((collection) => collection !== root);
  if (root === undefined || others.length === 0) return all.flatMap(byKind);
  if (others.some(({ path }) => path?.join() === '*')) return others.flatMap(byKind);
  const isEnvelope = file.format === 'json' && root.samples.length <= 1;
  return (isEnvelope ? all : [root]).flatMap(byKind);
}

const KIND_NAMES = [
  'type',
  'kind',
  'object',
  'record_type',
  'recordType',
  'entity',
  'table',
  'model',
  'event',
];
const MOST_KINDS = 12;
const WORD = /^\p{L}[\p{L}\p{N} ._:/-]{0,39}$/u;

/** One collection for each kind of record in a stream; the collection itself where all records are alike. */
function byKind(collection: TableCollection): TableCollection[] {
  const { samples, format, stream } = collection;
  if (format === 'csv' || stream !== undefined || samples.length < 4) return [collection];
  for (const column of KIND_NAMES) {
    const values = [...new Set(samples.map((sample) => sample[column]))];
    if (values.length < 2 || values.length > MOST_KINDS) continue;
    if (!values.every((value) => typeof value === 'string' && WORD.test(value))) continue;
    const unwrap = wrapperOf(samples, column);
    const kinds = values.map((value) => ({
      ...narrowed(collection, unwrap, { column, in: [value] }),
      kind: { column, value: String(value), unwrap },
    }));
    const [first, ...rest] = kinds;
    if (first !== undefined && rest.some((kind) => !isAlike(first, kind))) return kinds;
  }
  return byWrapper(collection) ?? [collection];
}

/** The one object that holds a record's own fields: `{type: 'ticket', data: {…}}`. */
function wrapperOf(samples: readonly JsonObject[], kind: string): string | undefined {
  const names = samples.map((sample) => {
    const others = Object.keys(sample).filter((key) => key !== kind);
    const objects = others.filter((key) => isJsonObject(sample[key]));
    return objects.length === 1 && others.length <= 3 ? objects[0] : undefined;
  });
  return names.every((name) => name !== undefined && name === names[0]) ? names[0] : undefined;
}

/** `{ticket: {…}}` and `{message: {…}}`: the name of the object is the kind. */
function byWrapper(collection: TableCollection): TableCollection[] | undefined {
  const names = collection.samples.map((sample) => {
    const keys = Object.keys(sample);
    const [key] = keys;
    return keys.length === 1 && key !== undefined && isJsonObject(sample[key]) ? key : undefined;
  });
  const different = [...new Set(names)];
  if (different.length < 2 || different.length > MOST_KINDS || different.includes(undefined))
    return undefined;
  return different.flatMap((column) =>
    column === undefined
      ? []
      : { ...narrowed(collection, column, { column }), kind: { column, value: undefined, unwrap: column } },
  );
}
