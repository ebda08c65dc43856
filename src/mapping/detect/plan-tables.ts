/** How the tables of a recognised export join: the plan that joining follows. */
import type { JoinPlan, JoinTable } from '../../domain/join-plan.ts';
import { listOf } from '../compile/column-path.ts';
import type { Layout } from '../language/layout.ts';
import { referencesOf } from '../language/references.ts';
import { hasColumn } from './collections.ts';
import { chooseKey, type Recognised } from './recognise.ts';

export function joinPlan(layout: Layout, matches: ReadonlyMap<string, readonly Recognised[]>): JoinPlan {
  const tables = Object.entries(layout.tables).flatMap(([name, rule]): JoinTable[] => {
    const found = matches.get(name);
    const first = found?.[0];
    const via = matches.get(rule.via?.table ?? '')?.[0];
    if (found === undefined || first === undefined || (rule.via !== undefined && via === undefined))
      return [];
    const key = chooseKey(layout, rule.key, first.collection);
    const parentKey = parentKeyOf(layout, rule.parentKey, matches);
    const lookups = rule.role === 'lookup' ? lookupKeys(layout, name, key, found) : [];
    // versions only where every file tells them
    const versions = rule.latest === undefined ? undefined : listOf(rule.latest);
    const latest = everywhere(found, versions ?? []) ? versions : undefined;
    return [
      {
        name,
        role: rule.role,
        inputs: mergeStreams(found, key, (collection) => chooseKey(layout, rule.key, collection)),
        key,
        parentKey,
        links: linksOf(layout, name, first),
        latest,
        lookups: lookups.length === 0 ? undefined : lookups,
      },
    ];
  });
  return { tables };
}

/** The child tables whose rows belong to tickets by rows of this one. */
function linksOf(layout: Layout, table: string, { collection }: Recognised): JoinTable['links'] {
  const links = Object.entries(layout.tables).flatMap(([child, { via }]) =>
    via?.table === table ? [{ child, get: chooseKey(layout, via.get, collection) }] : [],
  );
  return links.length === 0 ? undefined : links;
}

/** `parentKey` names columns of the root table, so its alternatives are chosen there. */
function parentKeyOf(
  layout: Layout,
  parentKey: string | string[] | undefined,
  matches: ReadonlyMap<string, readonly Recognised[]>,
): string[] | undefined {
  if (parentKey === undefined) return undefined;
  const root = Object.entries(layout.tables).find(
    ([, rule]) => rule.role === 'root' || rule.role === 'group',
  )?.[0];
  const collection = matches.get(root ?? '')?.[0]?.collection;
  return collection === undefined ? undefined : chooseKey(layout, parentKey, collection);
}

/** The table's own key and every other key by which rules look its rows up. */
function lookupKeys(
  layout: Layout,
  table: string,
  key: readonly string[],
  found: readonly Recognised[],
): (readonly string[])[] {
  const others = referencesOf(layout).lookups.get(table) ?? [];
  const keys = [key, ...others.filter((columns) => everywhere(found, columns))];
  return keys.filter(
    (one, at) => keys.findIndex((other) => other.join('\u0000') === one.join('\u0000')) === at,
  );
}

function everywhere(found: readonly Recognised[], columns: readonly string[]): boolean {
  // a JSON record without the key has no value there, which is fine; a CSV without the column cannot be read by it
  return found.every(
    ({ collection }) =>
      collection.format === 'json' || columns.every((column) => hasColumn(collection, column)),
  );
}

/** Streams of one file that are the same table are read in one go; a ticket and its details, known by other columns, are not. */
function mergeStreams(
  found: readonly Recognised[],
  key: readonly string[],
  keyOf: (collection: Recognised['collection']) => readonly string[],
): JoinTable['inputs'] {
  const inputs: (JoinTable['inputs'][number] & Pick<Recognised, 'columns'>)[] = [];
  // files come one after another
  let begin = 0;
  for (const { collection, columns } of found) {
    const { file, selector } = collection;
    if (inputs.at(-1)?.file !== file) begin = inputs.length;
    const same = inputs
      .slice(begin)
      .findIndex(
        (input) =>
          input.columns === columns &&
          input.selector?.where?.oneOf !== undefined &&
          selector?.where?.oneOf !== undefined &&
          input.selector.path?.join('.') === selector.path?.join('.') &&
          input.selector.unwrap?.join('.') === selector.unwrap?.join('.') &&
          input.selector.where.path.join('.') === selector.where.path.join('.'),
      );
    const at = begin + same;
    const before = same < 0 ? undefined : inputs[at];
    if (before?.selector?.where?.oneOf !== undefined && selector?.where?.oneOf !== undefined) {
      const where = {
        path: selector.where.path,
        oneOf: [...before.selector.where.oneOf, ...selector.where.oneOf],
      };
      inputs[at] = { file, selector: { ...before.selector, where }, columns };
    } else {
      const own = keyOf(collection);
      const isOther = own.join('\u0000') !== key.join('\u0000');
      inputs.push({ file, selector, key: isOther ? own : undefined, columns });
    }
  }
  return inputs.map(({ columns: _, ...input }) => input);
}
