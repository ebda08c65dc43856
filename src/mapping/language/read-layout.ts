/** From what is written to a layout that can be compiled: YAML, schema, `extends`, rules. */
import { parse } from 'yaml';
import { AppError } from '../../domain/errors.ts';
import { didYouMean } from '../../domain/nearest.ts';
import { listOf } from '../compile/paths.ts';
import { referencesOf } from '../compile/rules.ts';
import { type LayoutIssue, plainIssues } from './expression.ts';
import {
  type Layout,
  type LayoutPatch,
  layoutSchema,
  mappingSchema,
  type SourceRule,
  type TableRule,
} from './layout.ts';

/** Finds a layout by name; throws for an unknown one. */
export type FindLayout = (name: string) => Layout;

/** A whole layout from the text of its file. Throws AppError `configuration` with every fault. */
export function parseLayout(text: string, file: string, find: FindLayout = noOther): Layout {
  const result = readMapping(parse(text), find);
  if ('layout' in result) return result.layout;
  throw new AppError('configuration', `The layout ${file} has mistakes.`, {
    lines: result.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`),
  });
}

/** The `mapping` section of settings, already read from YAML. Issues carry the path from that section on. */
export function readMapping(
  value: unknown,
  find: FindLayout,
): { layout: Layout } | { issues: LayoutIssue[] } {
  const patch = mappingSchema.safeParse(value);
  if (!patch.success) return { issues: plainIssues(patch.error.issues) };
  const { extends: base } = patch.data;
  let whole: unknown = patch.data;
  let extended: Layout | undefined;
  if (base !== undefined) {
    try {
      extended = find(base);
      whole = mergeLayout(extended, patch.data);
    } catch (error) {
      if (error instanceof AppError) return { issues: [{ path: ['extends'], message: error.message }] };
      throw error;
    }
  } else whole = { name: 'mapping', title: 'The mapping of the settings', ...patch.data };
  const layout = layoutSchema.safeParse(whole);
  if (!layout.success) return { issues: plainIssues(layout.error.issues) };
  const issues = layoutIssues(layout.data as Layout);
  if (issues.length > 0) return { issues };
  const complete = withoutPlaces(layout.data as Layout);
  return { layout: { ...complete, ownColumns: ownColumns(complete, extended) } };
}

/** Columns that rules of the layout read and those of the one it extends do not. */
function ownColumns(layout: Layout, extended: Layout | undefined): NonNullable<Layout['ownColumns']> {
  const known = extended === undefined ? undefined : referencesOf(extended).columns;
  return [...referencesOf(layout).columns].flatMap(([table, columns]) =>
    [...columns].flatMap((column) =>
      column === '.' || known?.get(table)?.has(column) === true ? [] : [{ table, column }],
    ),
  );
}

/** A rule for several places becomes a rule for each, in their order. */
function withoutPlaces(layout: Layout): Layout {
  const apart = <T extends SourceRule>(rules: readonly T[] | undefined): T[] | undefined =>
    rules?.flatMap(({ places, ...rule }) =>
      places === undefined ? [rule as T] : places.map((place) => ({ ...rule, ...place }) as T),
    );
  return { ...layout, messages: apart(layout.messages), events: apart(layout.events) };
}

/**
 * The layout with the patch's parts in place of its own: tables, maps, people, aliases, times and ticket fields name by
 * name, the values of a map value by value; lists (messages, events, exclude, ignore) as a whole.
 */
export function mergeLayout(base: Layout, patch: LayoutPatch): Layout {
  const { tables, maps, people, aliases, times, ticket, extends: _, ...rest } = patch;
  const merged = { ...base, ...withoutUndefined(rest) } as Layout;
  merged.ticket = { ...base.ticket, ...ticket };
  // A stated format means that times are read.
  const isRead = times?.format !== undefined || times?.zone !== undefined;
  if (times !== undefined) merged.times = { ...base.times, ...(isRead ? { pass: false } : {}), ...times };
  if (people !== undefined) merged.people = { ...base.people, ...people };
  if (aliases !== undefined) merged.aliases = { ...base.aliases, ...aliases };
  if (maps !== undefined) {
    merged.maps = { ...base.maps };
    for (const [name, map] of Object.entries(maps)) {
      const own = base.maps?.[name];
      merged.maps[name] = { ...own, ...withoutUndefined(map), values: { ...own?.values, ...map.values } };
    }
  }
  if (tables !== undefined) {
    merged.tables = { ...base.tables };
    for (const [name, table] of Object.entries(tables))
      merged.tables[name] = { ...base.tables[name], ...withoutUndefined(table) } as TableRule;
  }
  return merged;
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as T;
}

function noOther(name: string): Layout {
  throw new AppError('configuration', `There is no layout "${name}" to extend.`);
}

/** All complaints at once; without one the layout can be compiled. */
function layoutIssues(layout: Layout): LayoutIssue[] {
  const issues: LayoutIssue[] = [];
  const complain = (path: readonly PropertyKey[], message: string) => issues.push({ path, message });
  const roots = Object.values(layout.tables).filter(({ role }) => role === 'root' || role === 'group');
  if (roots.length !== 1)
    complain(
      ['tables'],
      `A layout has exactly one table with role root or group: the tickets. This one has ${roots.length}.`,
    );
  const names = {
    table: Object.keys(layout.tables),
    map: Object.keys(layout.maps ?? {}),
    people: Object.keys(layout.people ?? {}),
  };
  const { ticket, messages, events, people: tables, declares, exclude } = layout;
  for (const { kind, name, path } of usesIn({
    ticket,
    messages,
    events,
    people: tables,
    declares,
    exclude,
  })) {
    if (names[kind].includes(name)) continue;
    complain(path, `There is no ${WORDS[kind]} "${name}".${didYouMean(name, names[kind])}`);
  }
  for (const [name, people] of Object.entries(layout.people ?? {})) {
    const role = layout.tables[people.table]?.role;
    if (role !== undefined && role !== 'lookup')
      complain(
        ['people', name, 'table'],
        `People are looked up: the table "${people.table}" needs the role lookup.`,
      );
  }
  return issues;
}

const WORDS = { table: 'table', map: 'value map', people: 'table of people' } as const;
type Kind = keyof typeof WORDS;
/** Keys whose texts are names of something else in the layout. */
const KIND_OF: ReadonlyMap<string, Kind> = new Map([
  ...['from', 'lookup', 'rows', 'table'].map((key): [string, Kind] => [key, 'table']),
  ['map', 'map'],
  ['person', 'people'],
]);
/** Keys with values in which no rule is. */
const DATA: ReadonlySet<string> = new Set(['map', 'const', 'is', 'in', 'pick', 'key']);

/** Names of tables, maps and people with the path where they are used. */
function* usesIn(
  rules: object,
  path: readonly PropertyKey[] = [],
  isNamed = false,
): Generator<{ readonly kind: Kind; readonly name: string; readonly path: readonly PropertyKey[] }> {
  for (const [key, part] of Object.entries(rules)) {
    const at = [...path, Array.isArray(rules) ? Number(key) : key];
    const kind = isNamed ? undefined : KIND_OF.get(key);
    const texts = listOf(part as unknown).filter((text) => typeof text === 'string');
    if (kind !== undefined) for (const name of texts) yield { kind, name, path: at };
    else if (typeof part === 'object' && part !== null && !DATA.has(key))
      // an object made from rows has keys of its own
      yield* usesIn(part, at, key === 'item' || (key === 'people' && path.length === 0));
  }
}
