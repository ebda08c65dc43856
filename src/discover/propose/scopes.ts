/** Where columns can be read together: the rows of a table, or the items of a list within its rows. */

import { ownColumn } from '../../domain/join-plan.ts';
import { hasColumn } from '../../mapping/detect/collections.ts';
import type { Recognition } from '../../mapping/language/layout.ts';
import { isInternalName, tableWords, wordsOf } from '../concept-words.ts';
import type { Join } from '../joins.ts';
import { itemPath, listOfPath, type TableProfile } from '../table-profile.ts';
import { tableSort } from '../table-sort.ts';
import type { ScopeColumn } from './concepts.ts';
import { withClocks } from './dates-and-clocks.ts';

export interface ProfileScope {
  readonly table: TableProfile;
  /** Path of the list whose items these are; undefined for the rows themselves. */
  readonly list: string | undefined;
  readonly columns: readonly ScopeColumn[];
  /** Rows or items looked at. */
  readonly rows: number;
}

export function rowsScope(table: TableProfile): ProfileScope {
  const columns = table.columns
    // a column without a header cannot be named
    .filter(
      ({ name }) =>
        listOfPath(name) === undefined && !/^\(column \d+\)$/.test(name) && ownColumn(name) === name,
    )
    .map((profile) => ({ path: profile.name, profile }));
  return { table, list: undefined, columns: withClocks(columns), rows: table.rows };
}

/** Lists of objects, or of rows (`[speaker, text]`), that stand directly in the record. */
export function listScopes(table: TableProfile): ProfileScope[] {
  const byList = Map.groupBy(
    table.columns.filter(({ name }) => listOfPath(name) !== undefined),
    ({ name }) => listOfPath(name) ?? '',
  );
  return [...byList].flatMap(([list, profiles]) => {
    if (list.includes('[]')) return [];
    const columns = profiles.map((profile) => ({ path: itemPath(profile.name), profile }));
    return [
      { table, list, columns: withClocks(columns), rows: Math.max(...profiles.map(({ rows }) => rows)) },
    ];
  });
}

/** What stands in the items of a list that is itself in the scope: `url` of `attachments` in each message. */
export function nestedColumns(scope: ProfileScope, list: string): ScopeColumn[] {
  const whole = `${scope.list === undefined ? '' : `${scope.list}[].`}${list}`;
  return scope.table.columns
    .filter(({ name }) => listOfPath(name) === whole)
    .map((profile) => ({ path: itemPath(profile.name), profile }));
}

// Words that stand in a table of their own: `status_id` 3 is "In progress" in the table of statuses.

interface LabelLookup {
  /** Index of the table of words. */
  readonly table: number;
  readonly key: string;
  readonly label: ScopeColumn;
}

/** A table of words is short. */
const MOST_ROWS = 500;
const LABEL = /^(?:(?:status|state|priority|stage|display) )?(?:name|label|title|value|text)$/;

export function labelLookup(
  table: number,
  column: ScopeColumn,
  tables: readonly TableProfile[],
  joins: readonly Join[],
): LabelLookup | undefined {
  const join = joins.find(
    ({ from, found }) => from.table === table && from.column === column.path && found > 0,
  );
  const other = join === undefined ? undefined : tables[join.to.table];
  if (join === undefined || other === undefined || other.rows > MOST_ROWS) return undefined;
  const label = rowsScope(other).columns.find(
    ({ path, profile }) =>
      path !== join.to.column && profile.type === 'text' && LABEL.test(wordsOf(path).join(' ')),
  );
  return label === undefined ? undefined : { table: join.to.table, key: join.to.column, label };
}

// How a proposed table is known again: by the columns that the mapping reads, and by more where another table has them too.

const MOST_COLUMNS = 8;

export function recognitionOf(
  table: TableProfile,
  used: readonly string[],
  all: readonly TableProfile[],
): Recognition | Recognition[] {
  const each = all.flatMap((other) => other.parts ?? [other]);
  const found = table.parts?.map((part) => recognisePart(part, used, each));
  return found ?? recognisePart(table, used, each);
}

function recognisePart(
  table: TableProfile,
  used: readonly string[],
  all: readonly TableProfile[],
): Recognition {
  const { collection } = table;
  const wanted = [
    ...new Set(used.map((path) => (listOfPath(path) === undefined ? path : (path.split('[]')[0] ?? path)))),
  ];
  const columns = wanted
    .filter((path) => !path.includes('|') && ownColumn(path) === path && hasColumn(collection, path))
    .slice(0, MOST_COLUMNS);
  const rule: Recognition = {
    ...(columns.length === 0 ? {} : { columns }),
    ...placeOf(table),
  };
  const others = all.filter((other) => other !== table && !sameColumns(other, table));
  const twins = others.filter(
    (other) =>
      other.collection.format === collection.format &&
      samePlace(other, table) &&
      columns.every((path) => hasColumn(other.collection, path)),
  );
  if (twins.length === 0 && columns.length > 0) return rule;
  const telling = twins.length === 0 ? [] : ownColumns(table, twins);
  if (telling.length > 0) return { ...rule, columns: [...columns, ...telling] };
  return { ...rule, file: table.file.replace(/^.*[\\/!]/, '') };
}

/** In a document with several lists it must be said which one is meant. */
function placeOf({ collection }: TableProfile): Recognition {
  const { kind } = collection;
  if (kind !== undefined)
    return {
      ...(collection.path?.length === 0 ? {} : { path: collection.path?.join('.') ?? '.' }),
      ...(kind.column === undefined
        ? {}
        : { where: { column: kind.column, ...(kind.values === undefined ? {} : { in: [...kind.values] }) } }),
      ...(kind.unwrap === undefined ? {} : { unwrap: kind.unwrap }),
    };
  if (collection.stream !== undefined) return { stream: collection.stream };
  if (collection.format === 'csv') return {};
  if (collection.path === undefined) return { path: '.' };
  return collection.path.length === 0 ? {} : { path: collection.path.join('.') };
}

function samePlace(a: TableProfile, b: TableProfile): boolean {
  return (
    a.collection.stream === b.collection.stream &&
    a.collection.kind?.name === b.collection.kind?.name &&
    a.collection.path?.join('.') === b.collection.path?.join('.')
  );
}

/** Whether the name of the table says that its rows are for the team only: `internal_notes`. */
export function isInternalTable(table: TableProfile): boolean {
  const kinds = table.collection.kind?.values;
  return kinds === undefined || kinds.length < 2
    ? isInternalName(tableWords(table))
    : kinds.every((kind) => isInternalName(wordsOf(kind)));
}

/** Files of one table, cut in several: `agents` and `customers` are two, though their columns are the same. */
function sameColumns(a: TableProfile, b: TableProfile): boolean {
  const name = (table: TableProfile) => tableWords(table).join(' ');
  return (
    a.collection.columns.join('\u0000') === b.collection.columns.join('\u0000') &&
    samePlace(a, b) &&
    (name(a) === name(b) || (tableSort(a) !== 'people' && isInternalTable(a) === isInternalTable(b)))
  );
}

/** A column or two that the table has and none of the others. */
function ownColumns(table: TableProfile, others: readonly TableProfile[]): string[] {
  const own = table.columns.filter(
    ({ name, filled }) =>
      filled > 0 &&
      !name.includes('|') &&
      listOfPath(name) === undefined &&
      hasColumn(table.collection, name) &&
      others.every((other) => !hasColumn(other.collection, name)),
  );
  return own.slice(0, 2).map(({ name }) => name);
}
