import { parse } from 'yaml';
import { AppError } from '../../domain/errors.ts';
import { didYouMean } from '../../domain/nearest.ts';
import { stop } from '../../domain/text/stops.ts';
import { yamlLine } from '../../domain/text/yaml.ts';
import { listOf } from '../compile/paths.ts';
import { referencesOf } from '../compile/rules.ts';
import { type Condition, type LayoutIssue, plainIssues } from './expression.ts';
import {
  changedMessages,
  type Layout,
  type LayoutPatch,
  layoutSchema,
  mappingSchema,
  messagesByPlace,
  ROW,
  type SourceRule,
  type TableRule,
} from './layout.ts';
import { withWords } from './words.ts';

export type FindLayout = (name: string) => Layout;

export function parseLayout(text: string, file: string, find: FindLayout = noOther): Layout {
  const result = readMapping(parse(text), find);
  if ('layout' in result) return result.layout;
  throw stop(
    'layout-mistakes',
    { file },
    { lines: result.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`) },
  );
}

/** Paths of issues begin at that section. */
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
      const unknown = unknownPlaces(extended, patch.data);
      if (unknown.length > 0) return { issues: unknown };
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
  const apart = withoutPlaces(layout.data as Layout);
  const own = { ownColumns: ownColumns(apart, extended), ...(extended === undefined && { isOwn: true }) };
  return { layout: { ...withWords(apart), ...own } };
}

function ownColumns(layout: Layout, extended: Layout | undefined): NonNullable<Layout['ownColumns']> {
  const known = extended === undefined ? undefined : referencesOf(extended).columns;
  return [...referencesOf(layout).columns].flatMap(([table, columns]) =>
    [...columns].flatMap((column) =>
      column === '.' || known?.get(table)?.has(column) === true ? [] : [{ table, column }],
    ),
  );
}

function withoutPlaces(layout: Layout): Layout {
  const apart = <T extends SourceRule>(rules: readonly T[] | undefined): T[] | undefined =>
    rules?.flatMap(({ places, ...rule }) =>
      places === undefined ? [rule as T] : places.map((place) => ({ ...rule, ...place }) as T),
    );
  return { ...layout, messages: apart(layout.messages), events: apart(layout.events) };
}

/**
 * Tables, maps, people, aliases, words, times and ticket fields replace by name, values of a map by value, fields of rules for
 * messages by place, lists (also of messages, events, exclude, ignore) as a whole.
 */
export function mergeLayout(base: Layout, patch: LayoutPatch): Layout {
  const { tables, maps, people, aliases, words, technical, same, times, ticket, messages, ...others } = patch;
  const { extends: _, ...rest } = others;
  const merged = { ...base, ...withoutUndefined(rest) } as Layout;
  merged.ticket = { ...base.ticket, ...ticket };
  if (messages !== undefined)
    merged.messages = Array.isArray(messages) ? messages : [...changedMessages(base, messages).values()];
  const isRead = times?.format !== undefined || times?.zone !== undefined;
  if (times !== undefined) merged.times = { ...base.times, ...(isRead ? { pass: false } : {}), ...times };
  if (people !== undefined) merged.people = { ...base.people, ...people };
  if (words !== undefined) merged.words = { ...base.words, ...words };
  if (technical !== undefined) merged.technical = { ...base.technical, ...technical };
  if (same !== undefined) merged.same = { ...base.same, ...same };
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

function unknownPlaces(layout: Layout, { messages }: LayoutPatch): LayoutIssue[] {
  const places = [...messagesByPlace(layout).keys()];
  return Object.entries(Array.isArray(messages) ? {} : (messages ?? {})).flatMap(([place, change]) =>
    places.includes(place) || change?.['content'] !== undefined
      ? []
      : [
          {
            path: ['messages', place],
            message: `The layout ${layout.name} has no messages at "${place}".${didYouMean(place, places)} It has some at: ${places.join(', ')}.`,
          },
        ],
  );
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as T;
}

function noOther(name: string): Layout {
  throw new AppError('configuration', `There is no layout "${name}" to extend.`);
}

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
  for (const kind of ['technical', 'same'] as const)
    for (const table of Object.keys(layout[kind] ?? {}))
      if (!names.table.includes(table))
        complain([kind, table], `There is no table "${table}".${didYouMean(table, names.table)}`);
  const { ticket, messages = [], events, people = {}, claims, exclude, names: named } = layout;
  const rules = { ticket, messages, events, people, claims, exclude, names: named };
  for (const { kind, name, path } of usesIn(rules))
    if (!names[kind].includes(name))
      complain(path, `There is no ${WORDS[kind]} "${name}".${didYouMean(name, names[kind])}`);
  for (const [name, { role, key }] of Object.entries(layout.tables))
    if (key === ROW && role === 'group')
      complain(
        ['tables', name, 'key'],
        'Rows without an ID are one ticket each: `key: row` needs `role: root`. For a column called row, write `key: [row]`.',
      );
  for (const [name, { parent }] of Object.entries(layout.tables))
    if (parent !== undefined && layout.tables[parent]?.role !== 'child')
      complain(['tables', name, 'parent'], `There is no child table "${parent}".`);
  for (const [index, rule] of messages.entries()) {
    const at = ['messages', index];
    if (rule.isInternal !== undefined)
      complain(
        [...at, 'isInternal'],
        `\`isInternal\` is now \`public\`, which names what customers saw. Write: ${publicFor(rule.isInternal)}`,
      );
    else if (rule.public === undefined)
      complain(
        at,
        'A rule for messages says who sees them. Write `public: true` if all of them reached the customer, `public: false` for internal notes, or a condition such as `public: { column: …, is: true }`.',
      );
  }
  for (const [name, { table }] of Object.entries(people)) {
    const message = `People are looked up: the table "${table}" needs the role lookup.`;
    if (layout.tables[table] !== undefined && layout.tables[table].role !== 'lookup')
      complain(['people', name, 'table'], message);
  }
  return issues;
}

const WORDS = { table: 'table', map: 'value map', people: 'table of people' } as const;
type Kind = keyof typeof WORDS;
const KIND_OF: ReadonlyMap<string, Kind> = new Map([
  ...['from', 'lookup', 'rows', 'table'].map((key): [string, Kind] => [key, 'table']),
  ['map', 'map'],
  ['person', 'people'],
]);
const DATA: ReadonlySet<string> = new Set(['map', 'const', 'is', 'in', 'known', 'internal', 'pick', 'key']);

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
      // An object made from rows has keys of its own.
      yield* usesIn(part, at, key === 'item' || (key === 'people' && path.length === 0));
  }
}

/** The YAML line that replaces an `isInternal`. */
function publicFor(isInternal: unknown): string {
  const line = (value: unknown) => yamlLine({ public: value });
  if (typeof isInternal === 'string') return line({ column: isInternal, is: false });
  if (typeof isInternal !== 'object' || isInternal === null) return line(isInternal !== true);
  const written = isInternal as { holds?: Condition; column?: string; const?: unknown };
  const { holds, column, const: always } = written;
  if (always !== undefined) return line(always !== true);
  if (holds?.not !== undefined) return line(holds.not);
  if (holds !== undefined && typeof holds.is === 'boolean') return line({ ...holds, is: !holds.is });
  if (holds !== undefined) return line({ not: holds });
  return line({ column: column ?? '…', is: false });
}
