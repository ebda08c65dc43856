/** How a proposed table is known again: by the columns that the mapping reads, and by more where another table has them too. */

import { hasColumn } from '../../layouts/collections.ts';
import type { Recognition } from '../../layouts/language.ts';
import { listOfPath } from '../json-columns.ts';
import type { TableProfile } from '../table-profile.ts';

const MOST_COLUMNS = 8;

export function recognitionOf(
  table: TableProfile,
  used: readonly string[],
  all: readonly TableProfile[],
): Recognition {
  const { collection } = table;
  const wanted = [
    ...new Set(used.map((path) => (listOfPath(path) === undefined ? path : (path.split('[]')[0] ?? path)))),
  ];
  const columns = wanted
    .filter((path) => !path.includes('|') && hasColumn(collection, path))
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
  if (collection.stream !== undefined) return { stream: collection.stream };
  if (collection.format === 'csv') return {};
  if (collection.path === undefined) return { path: '.' };
  return collection.path.length === 0 ? {} : { path: collection.path.join('.') };
}

function samePlace(a: TableProfile, b: TableProfile): boolean {
  return (
    a.collection.stream === b.collection.stream &&
    a.collection.path?.join('.') === b.collection.path?.join('.')
  );
}

/** Files of one table, cut in several. */
function sameColumns(a: TableProfile, b: TableProfile): boolean {
  return a.collection.columns.join('\u0000') === b.collection.columns.join('\u0000') && samePlace(a, b);
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
