/** Whether a collection is a table of a layout, and how telling that is. */

import { plainHeader } from '../../domain/source.ts';
import { alternatives, listOf } from '../compile/column-path.ts';
import { columnPatterns } from '../compile/unread.ts';
import type { Layout, Recognition } from '../language/layout.ts';
import { referencesOf } from '../language/references.ts';
import { type Collection, hasColumn, missingColumns, narrowed } from './collections.ts';
import { fitsWildcard } from './wildcard.ts';

export interface Recognised {
  readonly collection: Collection;
  /** More of them make a better match; comparable between tables and layouts. */
  readonly points: number;
  /** Columns by which it was known. */
  readonly columns: readonly string[];
}

interface NotRecognised {
  readonly missing: readonly string[];
  /** Columns asked for that are there. */
  readonly found: number;
}

/** Asked for each file of an export, of which there may be a hundred thousand: worked out once for a layout and a name. */
function onceFor<T>(work: (layout: Layout, name: string) => T): (layout: Layout, name: string) => T {
  const known = new WeakMap<Layout, Map<string, T>>();
  return (layout, name) => {
    const ofLayout = known.get(layout) ?? new Map<string, T>();
    known.set(layout, ofLayout);
    const value = ofLayout.has(name) ? (ofLayout.get(name) as T) : work(layout, name);
    ofLayout.set(name, value);
    return value;
  };
}

/** `a|b` as both, each with its other names. */
const columnNames = onceFor((layout, column): readonly string[] => {
  const aliases = Object.entries(layout.aliases ?? {});
  return alternatives(column).flatMap((name) => {
    const known = aliases.find(([alias]) => plainHeader(alias) === plainHeader(name));
    return [name, ...(known?.[1] ?? [])];
  });
});

/** Every way in which records of several kinds are the table, or the best of the other ways; what the nearest way lacks. */
export function recogniseTable(
  layout: Layout,
  table: string,
  collection: Collection,
): { readonly found: readonly Recognised[]; readonly nearest: NotRecognised | undefined } {
  const ways = listOf(layout.tables[table]?.recognise).map((way) => ({
    way,
    result: recogniseWay(layout, table, way, collection),
  }));
  const found = ways.flatMap(({ way, result }) => ('collection' in result ? [{ way, match: result }] : []));
  const kinds = found.filter(({ way }) => way.where !== undefined);
  const best = found.toSorted((a, b) => b.match.points - a.match.points).slice(0, 1);
  const [nearest] = ways
    .flatMap(({ result }) => ('missing' in result ? [result] : []))
    .sort((a, b) => b.found - a.found || a.missing.length - b.missing.length);
  return { found: (kinds.length > 1 ? kinds : best).map(({ match }) => match), nearest };
}

function recogniseWay(
  layout: Layout,
  table: string,
  rule: Recognition,
  seen: Collection,
): Recognised | NotRecognised {
  const { columns = [], anyColumn, absent, minKnown, file, format, path, stream, where, unwrap } = rule;
  const no = { missing: [], found: 0 };
  if (format !== undefined && format !== seen.format) return no;
  if (file !== undefined && !globMatches(file, seen.name)) return no;
  if (path !== undefined && !listOf(path).includes(seen.path?.join('.') ?? '.')) return no;
  const names = seen.stream === undefined ? [] : listOf(stream);
  if (names.length > 0 && !names.some((name) => isStream(seen.stream ?? '', name))) return no;
  const collection = narrowed(seen, unwrap, where);
  if (collection.format === 'json' && collection.samples.length === 0) return no;
  const missing = missingColumns(collection, columns, (column) => columnNames(layout, column));
  const found = columns.length - missing.length;
  if (missing.length > 0) return { missing, found };
  const has = (column: string) => columnNames(layout, column).some((name) => hasColumn(collection, name));
  if (anyColumn !== undefined && !anyColumn.some(has)) return { missing: [anyColumn.join(' or ')], found };
  if (absent?.some((column) => hasColumn(collection, column)) === true) return { missing: [], found };
  if (minKnown !== undefined && knownShare(layout, table, collection) < minKnown)
    return { missing: [], found };
  const places = [anyColumn, path, file, where, where].filter((part) => part !== undefined).length;
  const points = found + places + (absent === undefined ? 0 : 0.5) + (names.length > 0 ? 2 : 0);
  return { collection, points, columns };
}

/** The columns that a layout ignores, with their other names. */
export function ignoredNames(layout: Layout): string[] {
  return (layout.ignore ?? []).flatMap((name) => columnNames(layout, name));
}

/** Share of a collection's columns (top level) that rules read or that the layout knows to ignore. */
export function knownShare(layout: Layout, table: string, collection: Collection): number {
  const { length } = collection.columns;
  return length === 0 ? 0 : 1 - unknownColumns(layout, table, collection).length / length;
}

/** Columns that no rule reads and that the layout does not know to ignore. */
export function unknownColumns(layout: Layout, table: string, { columns }: Collection): string[] {
  const { names, ignored } = namesOfTable(layout, table);
  return columns.filter(
    (column) => !names.has(column) && !names.has(column.split('.')[0] ?? '') && !ignored(table, column),
  );
}

const namesOfTable = onceFor((layout, table) => {
  const { key, parentKey } = layout.tables[table] ?? {};
  const read = [...(referencesOf(layout).columns.get(table) ?? []), ...listOf(key), ...listOf(parentKey)];
  const names = read
    .flatMap((column) => columnNames(layout, column).map(plainHeader))
    .flatMap((name) => [name, name.split(/[.[]/)[0] ?? name]);
  return { names: new Set(names), ignored: columnPatterns(ignoredNames(layout)) };
});

/** The first of `id|externalId` that the collection has, for each column of a key. */
export function chooseKey(
  layout: Layout,
  key: string | string[] | undefined,
  collection: Collection,
): string[] {
  return listOf(key).map((column) => {
    const names = columnNames(layout, column);
    return names.find((name) => hasColumn(collection, name)) ?? names[0] ?? column;
  });
}

/** `tickets` is the stream `mysource__zendesk__tickets`. */
function isStream(stream: string, name: string): boolean {
  const [whole, wanted] = [stream.toLowerCase(), name.toLowerCase()];
  return whole === wanted || ['__', '.', '/', ':'].some((sign) => whole.endsWith(sign + wanted));
}

/** `*` and `?` on the name of the file without its folders; without case. */
function globMatches(glob: string, name: string): boolean {
  const base = name.replace(/^.*[\\/!]/, '');
  return [base, name].some((text) => fitsWildcard(glob.toLowerCase(), text.toLowerCase()));
}
