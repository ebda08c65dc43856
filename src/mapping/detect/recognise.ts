/** Whether a collection is a table of a layout, and how telling that is. */

import { plainHeader } from '../../domain/source.ts';
import { alternatives, listOf } from '../compile/column-path.ts';
import { columnPatterns } from '../compile/unread.ts';
import type { Layout, Recognition, TableRule } from '../language/layout.ts';
import { referencesOf } from '../language/references.ts';
import { type Collection, hasColumn, narrowed, usualColumns } from './collections.ts';
import { fitsWildcard } from './wildcard.ts';

export interface Recognised {
  readonly collection: Collection;
  /** More of them make a better match; comparable between tables and layouts. */
  readonly points: number;
  /** Columns by which it was known. */
  readonly columns: readonly string[];
}

export interface NotRecognised {
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
  const aliases = layout.aliases ?? {};
  return alternatives(column).flatMap((name) => {
    const key = Object.keys(aliases).find((known) => plainHeader(known) === plainHeader(name));
    return [name, ...(key === undefined ? [] : (aliases[key] ?? []))];
  });
});

/** The best of the ways in which a table may be known. */
export function recogniseTable(
  layout: Layout,
  name: string,
  rule: TableRule,
  collection: Collection,
): Recognised | NotRecognised {
  let nearest: NotRecognised = { missing: [], found: -1 };
  let best: Recognised | undefined;
  for (const recognition of listOf(rule.recognise)) {
    const result = recogniseOne(layout, name, recognition, collection);
    if ('collection' in result) {
      if (best === undefined || result.points > best.points) best = result;
    } else if (
      result.found > nearest.found ||
      (result.found === nearest.found && result.missing.length < nearest.missing.length)
    )
      nearest = result;
  }
  return best ?? nearest;
}

/** Whether it is worth a look: of a JSON table, each column must at least begin with a key that the records have. */
export function mayBeTable(layout: Layout, table: string, { format, columns }: Collection): boolean {
  if (format === 'csv') return true;
  return beginnings(layout, table).some((way) =>
    way.every((names) => names.some((name) => columns.includes(name))),
  );
}

/** For each way in which a table is known in JSON: the keys with which each of its columns may begin. */
const beginnings = onceFor((layout, table) =>
  listOf(layout.tables[table]?.recognise)
    .filter(({ format = 'json' }) => format === 'json')
    .map(({ columns = [], unwrap, where }) =>
      unwrap !== undefined || where !== undefined
        ? []
        : columns.map((column) =>
            columnNames(layout, column).flatMap((name) => [
              plainHeader(name),
              plainHeader(name.split(/[.[]/)[0] ?? ''),
            ]),
          ),
    ),
);

/** All ways in which records of several kinds are the table: a ticket, and its details. */
export function recogniseKinds(
  layout: Layout,
  name: string,
  rule: TableRule,
  collection: Collection,
): Recognised[] {
  const ways = listOf(rule.recognise).filter(({ where }) => where !== undefined);
  return ways.map((way) => recogniseOne(layout, name, way, collection)).filter(isRecognised);
}

export function isRecognised(result: Recognised | NotRecognised): result is Recognised {
  return 'collection' in result;
}

const NO_COLUMNS: readonly string[] = [];

function recogniseOne(
  layout: Layout,
  table: string,
  rule: Recognition,
  seen: Collection,
): Recognised | NotRecognised {
  const no = (missing: readonly string[] = [], found = 0): NotRecognised => ({ missing, found });
  if (rule.format !== undefined && rule.format !== seen.format) return no();
  if (rule.file !== undefined && !globMatches(rule.file, seen.name)) return no();
  if (rule.path !== undefined && !listOf(rule.path).some((path) => path === (seen.path?.join('.') ?? '.')))
    return no();
  if (
    rule.stream !== undefined &&
    seen.stream !== undefined &&
    !listOf(rule.stream).some((name) => isStream(seen.stream ?? '', name))
  )
    return no();
  const collection = narrowed(seen, rule.unwrap, rule.where);
  if (collection.format === 'json' && collection.samples.length === 0) return no();
  const has = (column: string) => columnNames(layout, column).some((name) => hasColumn(collection, name));
  const wanted = rule.columns ?? NO_COLUMNS;
  const usual = usualColumns(collection, wanted, (column) => columnNames(layout, column));
  const missing = wanted.filter((column) => !usual.has(column));
  const found = wanted.length - missing.length;
  if (missing.length > 0) return no(missing, found);
  if (rule.anyColumn !== undefined && !rule.anyColumn.some(has))
    return no([rule.anyColumn.join(' or ')], found);
  const unwanted = (rule.absent ?? []).filter((column) => hasColumn(collection, column));
  if (unwanted.length > 0) return no([], found);
  if (rule.minKnown !== undefined && knownShare(layout, table, collection) < rule.minKnown)
    return no([], found);
  const points =
    wanted.length +
    (rule.anyColumn === undefined ? 0 : 1) +
    (rule.absent === undefined ? 0 : 0.5) +
    (rule.path === undefined ? 0 : 1) +
    (rule.where === undefined ? 0 : 2) +
    (rule.file === undefined ? 0 : 1) +
    (rule.stream !== undefined && seen.stream !== undefined ? 2 : 0);
  return { collection, points, columns: wanted };
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
  const rule = layout.tables[table];
  const read = [
    ...(referencesOf(layout).columns.get(table) ?? []),
    ...listOf(rule?.key),
    ...listOf(rule?.parentKey),
    ...Object.values(layout.tables).flatMap(({ via }) => (via?.table === table ? listOf(via.get) : [])),
  ];
  const names = read
    .flatMap((column) => columnNames(layout, column))
    .flatMap((name) => {
      const plain = plainHeader(name);
      return [plain, plain.split(/[.[]/)[0] ?? plain];
    });
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
