/** How the tables of a recognised export join: the plan that joining follows. */
import type { JoinInput, JoinPlan, JoinTable } from '../../domain/join-plan.ts';
import { listOf } from '../compile/column-path.ts';
import type { Layout } from '../language/layout.ts';
import { referencesOf } from '../language/references.ts';
import { rootTableOf } from '../language/words.ts';
import { hasColumn } from './collections.ts';
import { chooseKey, type Recognised } from './recognise.ts';

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
  const others = referencesOf(layout).lookups.get(table) ?? [];
  return uniqueBy(JSON.stringify, [key, ...others.filter((columns) => everywhere(found, columns))]);
}

function uniqueBy<T>(name: (value: T) => string, values: readonly T[]): T[] {
  const once = new Map<string, T>();
  for (const value of values) if (!once.has(name(value))) once.set(name(value), value);
  return [...once.values()];
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
