/** Collections as tables of a layout, with the weight of that evidence; and the joins of tables. */

import { plainHeader } from '../../domain/source.ts';
import {
  isJsonObject,
  type JoinInput,
  type JoinPlan,
  type JoinTable,
  type RowMarks,
} from '../../domain/source-file.ts';
import { columnNames, ignoredNames } from '../compile/columns.ts';
import { columnPatterns, keysOf, listOf, wildcard } from '../compile/paths.ts';
import { referencesOf } from '../compile/rules.ts';
import { type Layout, type Recognition, ROW, rootTableOf, type TableRule } from '../language/layout.ts';
import { type Collection, hasColumn, type LayoutWords, missingColumns, narrowed } from './collections.ts';

export interface Recognised {
  readonly collection: Collection;
  readonly points: number;
  readonly columns: readonly string[];
}

/** Every way that names its records, or the best of the others. */
export function recogniseTable(layout: Layout, table: string, collection: Collection): readonly Recognised[] {
  const found = listOf(layout.tables[table]?.recognise).flatMap((way) => {
    const result = recogniseWay(layout, table, way, collection);
    return 'missing' in result ? [] : [{ ...result, isKind: way.where !== undefined }];
  });
  const kinds = found.filter(({ isKind }) => isKind);
  return kinds.length > 1 ? kinds : found.toSorted((a, b) => b.points - a.points).slice(0, 1);
}

/** Columns of tickets that these records lack, if they have at least as many. */
export function lackingColumns(layout: Layout, collection: Collection): readonly string[] {
  const root = rootTableOf(layout);
  const lacking = listOf(layout.tables[root]?.recognise).map((way) => {
    const result = recogniseWay(layout, root, way, collection);
    return 'missing' in result && 2 * result.missing.length <= (way.columns ?? []).length
      ? result.missing
      : [];
  });
  const some = lacking.filter(({ length }) => length > 0);
  return some.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

function recogniseWay(
  layout: Layout,
  table: string,
  rule: Recognition,
  seen: Collection,
): Recognised | { readonly missing: readonly string[] } {
  const { columns = [], anyColumn, absent, minKnown, items = {}, file, format, path, stream } = rule;
  const { where, unwrap } = rule;
  const no = { missing: [] };
  if (format !== undefined && format !== seen.format) return no;
  if (file !== undefined && !globMatches(file, seen.name)) return no;
  if (path !== undefined && !listOf(path).includes(seen.path?.join('.') ?? '.')) return no;
  const names = seen.stream === undefined ? [] : listOf(stream);
  if (names.length > 0 && !names.some((name) => isStream(seen.stream ?? '', name))) return no;
  const collection = narrowed(seen, unwrap, where);
  if (collection.format === 'json' && collection.samples.length === 0) return no;
  const missing = missingColumns(collection, columns, (column) => columnNames(layout, column));
  if (missing.length > 0) return { missing };
  const has = (column: string) => columnNames(layout, column).some((name) => hasColumn(collection, name));
  if (anyColumn !== undefined && !anyColumn.some(has)) return { missing: [anyColumn.join(' or ')] };
  if (absent?.some((column) => hasColumn(collection, column)) === true) return no;
  if (minKnown !== undefined && knownShare(layout, table, collection) < minKnown) return no;
  const strange = Object.entries(items).find(([list, keys]) => !areItems(collection, list, keys));
  if (strange !== undefined) return { missing: [`${strange[0]}[0].${strange[1][0]}`] };
  const places = [anyColumn, path, file, where, where].filter((part) => part !== undefined).length;
  const points = columns.length + places + (absent === undefined ? 0 : 0.5) + (names.length > 0 ? 2 : 0);
  return { collection, points, columns };
}

function areItems({ format, samples, nested }: Collection, list: string, keys: readonly string[]): boolean {
  const cells = format === 'json' ? samples.map((sample) => sample[list]) : (nested?.get(list) ?? []);
  const items = cells.flatMap((cell) => (Array.isArray(cell) ? cell.filter(isJsonObject) : []));
  return items.length === 0 || items.some((item) => keys.some((key) => Object.hasOwn(item, key)));
}

export function knownShare(layout: Layout, table: string, collection: Collection): number {
  const { length } = collection.columns;
  return length === 0 ? 0 : 1 - unknownColumns(layout, table, collection).length / length;
}

export function unknownColumns(layout: Layout, table: string, { columns }: Collection): string[] {
  const isKnown = knownColumns.get(layout) ?? findKnown(layout);
  knownColumns.set(layout, isKnown);
  return columns.filter((name) => !isKnown(table, name));
}

/** Computed once for a layout: there may be a hundred thousand files. */
const knownColumns = new WeakMap<Layout, (table: string, column: string) => boolean>();

function findKnown(layout: Layout): (table: string, column: string) => boolean {
  const isIgnored = columnPatterns(ignoredNames(layout));
  const tables = Object.entries(layout.tables).map(([table, { key, parentKey }]) => {
    const read = [...(referencesOf(layout).columns.get(table) ?? []), ...listOf(key), ...listOf(parentKey)];
    const names = read
      .flatMap((column) => columnNames(layout, column).map(plainHeader))
      .flatMap((name) => [name, name.split(/[.[]/)[0] ?? name]);
    return [table, new Set(names)] as const;
  });
  const names = new Map(tables);
  return (table, column) =>
    [column, column.split('.')[0] ?? ''].some((name) => names.get(table)?.has(name)) ||
    isIgnored(table, column);
}

const wordsByLayout = new WeakMap<Layout, LayoutWords>();

export function wordsOf(layout: Layout): LayoutWords {
  const known = wordsByLayout.get(layout);
  if (known !== undefined) return known;
  const { reads: all, lookups } = referencesOf(layout);
  const reads = all.flatMap(({ column, list, pick = [] }) => [...[column, ...keysOf(list ?? []), ...pick]]);
  const ofTables = Object.values(layout.tables).flatMap(({ key, parentKey, latest, recognise }) => [
    ...[key, parentKey, latest].flatMap(listOf),
    ...listOf(recognise).flatMap(({ columns = [], anyColumn = [], where, unwrap, path }) =>
      [columns, anyColumn, where?.column, unwrap, listOf(path)].flatMap(listOf),
    ),
  ]);
  const found = { own: new Map<string, Set<string>>(), inner: new Map<string, Set<string>>() };
  const add = (to: Map<string, Set<string>>, word: string) => {
    const plain = plainHeader(word);
    if (plain !== '' && !/[*?]/.test(plain)) to.set(plain, (to.get(plain) ?? new Set()).add(word));
  };
  const words = [...reads, ...ofTables, ...lookups.flatMap(({ key }) => key), ...ignoredNames(layout)];
  for (const name of words.flatMap((column) => columnNames(layout, column ?? ''))) {
    const [first = '', ...rest] = name.split(/[.[\]]+/);
    for (const word of [name, first]) add(found.own, word);
    for (const word of rest) add(found.inner, word);
  }
  wordsByLayout.set(layout, found);
  return found;
}

function chooseKey(layout: Layout, key: string | string[] | undefined, collection: Collection): string[] {
  return listOf(key).map((column) => {
    const names = columnNames(layout, column);
    return names.find((name) => hasColumn(collection, name)) ?? names[0] ?? column;
  });
}

function isStream(stream: string, name: string): boolean {
  const [whole, wanted] = [stream.toLowerCase(), name.toLowerCase()];
  return whole === wanted || ['__', '.', '/', ':'].some((sign) => whole.endsWith(sign + wanted));
}

function globMatches(glob: string, name: string): boolean {
  const base = name.replace(/^.*[\\/!]/, '');
  return [base, name].some((text) => wildcard(glob.toLowerCase()).test(text.toLowerCase()));
}

export function joinPlan(layout: Layout, matches: ReadonlyMap<string, readonly Recognised[]>): JoinPlan {
  const root = rootTableOf(layout);
  const tables = Object.entries(layout.tables).flatMap(([name, rule]): JoinTable[] => {
    const found = matches.get(name);
    const first = found?.[0];
    if (found === undefined || first === undefined) return [];
    const keyIn = (collection: Collection) =>
      rule.role === 'root' && rule.key === ROW && !hasColumn(collection, ROW)
        ? []
        : chooseKey(layout, rule.key, collection);
    const key = keyIn(first.collection);
    const above = matches.get(rule.parent ?? root)?.[0]?.collection;
    return [
      {
        name,
        role: rule.role,
        inputs: inputsOf(found, key, ({ collection }) => keyIn(collection)),
        key,
        // Names columns of the table above.
        parentKey: rule.parentKey && above ? chooseKey(layout, rule.parentKey, above) : undefined,
        ...(rule.parent !== undefined && { parent: rule.parent }),
        latest: versionKey(layout, rule, found),
        marks: rule.role === 'root' ? marksOf(layout) : undefined,
        lookups: rule.role === 'lookup' ? lookupKeys(layout, name, key, found) : undefined,
      },
    ];
  });
  return { tables };
}

/** Only if every CSV and some record has the columns; a JSON record without one has no version. */
function versionKey(
  layout: Layout,
  { latest }: TableRule,
  found: readonly Recognised[],
): string[] | undefined {
  const columns = listOf(latest).map((column) =>
    columnNames(layout, column).find(
      (name) => everywhere(found, [name]) && found.some(({ collection }) => hasColumn(collection, name)),
    ),
  );
  const versions = columns.filter((column) => column !== undefined);
  return versions.length > 0 && versions.length === columns.length ? versions : undefined;
}

function marksOf(layout: Layout): RowMarks {
  const { created, text, person } = referencesOf(layout).marks;
  const named = (columns: readonly string[]) => columns.flatMap((column) => columnNames(layout, column));
  return { created: named(created), text: named(text), person: named(person) };
}

function lookupKeys(
  layout: Layout,
  table: string,
  key: readonly string[],
  found: readonly Recognised[],
): (readonly string[])[] {
  const others = referencesOf(layout).lookups.filter((other) => other.table === table);
  const keys = [key, ...others.map((other) => other.key).filter((columns) => everywhere(found, columns))];
  return [...new Map(keys.map((columns) => [JSON.stringify(columns), columns])).values()];
}

function everywhere(found: readonly Recognised[], columns: readonly string[]): boolean {
  // A CSV without the column cannot be read by it; a JSON record has no value.
  return found.every(
    ({ collection }) =>
      collection.format === 'json' || columns.every((column) => hasColumn(collection, column)),
  );
}

/** Streams of one table in one file are read in one pass; a ticket and its details are not. */
function inputsOf(
  found: readonly Recognised[],
  key: readonly string[],
  keyOf: (match: Recognised) => readonly string[],
): JoinInput[] {
  const merged = Map.groupBy(found, ({ collection: { file, selector }, columns }) => {
    const { where, ...rest } = selector ?? {};
    if (where?.oneOf === undefined) return {};
    return [file, columns.join('\u0000'), JSON.stringify(rest), where.path.join('.')].join(' ');
  });
  return [...merged.values()].map(([first, ...others]): JoinInput => {
    const { file, selector } = (first as Recognised).collection;
    const where = selector?.where;
    const oneOf = [first, ...others].flatMap((match) => match?.collection.selector?.where?.oneOf ?? []);
    const own = keyOf(first as Recognised);
    return {
      file,
      selector: where?.oneOf === undefined ? selector : { ...selector, where: { ...where, oneOf } },
      key: own.join('\u0000') === key.join('\u0000') ? undefined : own,
    };
  });
}
