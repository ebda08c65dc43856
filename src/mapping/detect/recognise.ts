/** Whether a collection is a table of a layout and how telling that is; and how the tables that were found join. */
import type { JoinInput, JoinPlan, JoinTable } from '../../domain/join-plan.ts';
import { plainHeader } from '../../domain/source.ts';
import { columnNames, ignoredNames } from '../compile/columns.ts';
import { columnPatterns, listOf, wildcard } from '../compile/paths.ts';
import { referencesOf } from '../compile/rules.ts';
import { type Layout, type Recognition, rootTableOf } from '../language/layout.ts';
import { type Collection, hasColumn, missingColumns, narrowed } from './collections.ts';

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

/** Every way in which records of several kinds are the table, or the best of the other ways; what the nearest way lacks. */
export function recogniseTable(
  layout: Layout,
  table: string,
  collection: Collection,
): { readonly found: readonly Recognised[]; readonly nearest: NotRecognised | undefined } {
  const found: Recognised[] = [];
  const kinds: Recognised[] = [];
  const not: NotRecognised[] = [];
  for (const way of listOf(layout.tables[table]?.recognise)) {
    const result = recogniseWay(layout, table, way, collection);
    if ('missing' in result) not.push(result);
    else found.push(result);
    if (!('missing' in result) && way.where !== undefined) kinds.push(result);
  }
  found.sort((a, b) => b.points - a.points);
  const [nearest] = not.sort((a, b) => b.found - a.found || a.missing.length - b.missing.length);
  return { found: kinds.length > 1 ? kinds : found.slice(0, 1), nearest };
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

/** Share of a collection's columns (top level) that rules read or that the layout ignores on purpose. */
export function knownShare(layout: Layout, table: string, collection: Collection): number {
  const { length } = collection.columns;
  return length === 0 ? 0 : 1 - unknownColumns(layout, table, collection).length / length;
}

/** Columns that no rule reads and that the layout does not know to ignore. */
export function unknownColumns(layout: Layout, table: string, { columns }: Collection): string[] {
  const isKnown = knownColumns.get(layout) ?? findKnown(layout);
  knownColumns.set(layout, isKnown);
  return columns.filter((name) => !isKnown(table, name));
}

/** Asked for each file of an export, of which there may be a hundred thousand: worked out once for a layout. */
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

/** The first of `id|externalId` that the collection has, for each column of a key. */
function chooseKey(layout: Layout, key: string | string[] | undefined, collection: Collection): string[] {
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
  return [base, name].some((text) => wildcard(glob.toLowerCase()).test(text.toLowerCase()));
}

/** How the tables of a recognised export join: the plan that joining follows. */
export function joinPlan(layout: Layout, matches: ReadonlyMap<string, readonly Recognised[]>): JoinPlan {
  const root = matches.get(rootTableOf(layout))?.[0]?.collection;
  const tables = Object.entries(layout.tables).flatMap(([name, rule]): JoinTable[] => {
    const found = matches.get(name);
    const first = found?.[0];
    if (found === undefined || first === undefined) return [];
    const key = chooseKey(layout, rule.key, first.collection);
    const versions = listOf(rule.latest);
    return [
      {
        name,
        role: rule.role,
        inputs: inputsOf(found, key, ({ collection }) => chooseKey(layout, rule.key, collection)),
        key,
        // names columns of the tickets, so its alternatives are chosen there
        parentKey: rule.parentKey && root ? chooseKey(layout, rule.parentKey, root) : undefined,
        // versions only if every file has the column
        latest: versions.length > 0 && everywhere(found, versions) ? [...versions] : undefined,
        lookups: rule.role === 'lookup' ? lookupKeys(layout, name, key, found) : undefined,
      },
    ];
  });
  return { tables };
}

/** The table's own key and every other key by which rules look its rows up. */
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
  // a JSON record without the key has no value there, which is fine; a CSV without the column cannot be read by it
  return found.every(
    ({ collection }) =>
      collection.format === 'json' || columns.every((column) => hasColumn(collection, column)),
  );
}

/** Streams of one file that are the same table are read in one go; a ticket and its details, known by other columns, are not. */
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
