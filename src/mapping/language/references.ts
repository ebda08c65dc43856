/** What a layout refers to, without an export at hand: the columns of each table, and the keys of its lookups. */
import { listOf } from '../compile/column-path.ts';
import type { Condition, Expression, ExpressionObject } from './expression.ts';
import type { Layout } from './layout.ts';

export interface References {
  /** Columns (paths) that rules read from rows of a table. */
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  /** Columns that the fields of the ticket itself are read from. */
  readonly ticketColumns: ReadonlySet<string>;
  /** Keys other than the table's own by which rows are looked up. */
  readonly lookups: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** Names of tables, maps and people with the path where they are used. */
  readonly uses: readonly {
    readonly kind: 'table' | 'map' | 'people';
    readonly name: string;
    readonly path: readonly PropertyKey[];
  }[];
}

type Path = readonly PropertyKey[];
/** Table of the row that paths are read from; undefined inside a list item, whose paths are not columns. */
type At = { readonly table: string | undefined; readonly row: string };

const known = new WeakMap<Layout, References>();

/** Of a layout that has passed the schema. Remembered. */
export function referencesOf(layout: Layout): References {
  const found = known.get(layout) ?? collect(layout);
  known.set(layout, found);
  return found;
}

function collect(layout: Layout): References {
  const columns = new Map<string, Set<string>>();
  const lookups = new Map<string, string[][]>();
  const uses: { kind: 'table' | 'map' | 'people'; name: string; path: Path }[] = [];
  const root =
    Object.entries(layout.tables).find(([, table]) => table.role === 'root' || table.role === 'group')?.[0] ??
    '';
  const add = (table: string | undefined, column: string) => {
    if (table === undefined) return;
    const set = columns.get(table) ?? new Set();
    set.add(column);
    columns.set(table, set);
  };
  const lookedUp = (table: string, key: readonly string[]) => {
    if (key.length === 0) return;
    const keys = lookups.get(table) ?? [];
    if (!keys.some((other) => other.join('\u0000') === key.join('\u0000'))) keys.push([...key]);
    lookups.set(table, keys);
  };

  const expression = (value: Expression | undefined, at: At, path: Path): void => {
    if (value === undefined) return;
    if (typeof value === 'string') add(at.table, value);
    else if (Array.isArray(value))
      for (const [index, part] of value.entries()) expression(part, at, [...path, index]);
    else object(value, at, path);
  };
  const object = (value: ExpressionObject, at: At, path: Path): void => {
    const ownRow: At = { table: root, row: root };
    if (value.column !== undefined) add(at.table, value.column);
    expression(value.first, at, [...path, 'first']);
    for (const [, column] of (value.template ?? '').matchAll(/\{([^{}]+)\}/g))
      if (column) add(at.table, column.trim());
    value.when?.forEach((entry, index) => {
      condition(entry.if, at, [...path, 'when', index, 'if']);
      expression(entry.then, at, [...path, 'when', index, 'then']);
      expression(entry.else, at, [...path, 'when', index, 'else']);
    });
    condition(value.holds, at, [...path, 'holds']);
    expression(value.ticket, ownRow, [...path, 'ticket']);
    expression(value.row, { table: at.row, row: at.row }, [...path, 'row']);
    expression(value.of, at, [...path, 'of']);
    if (typeof value.map === 'string') uses.push({ kind: 'map', name: value.map, path: [...path, 'map'] });
    const inner: At | undefined =
      value.lookup !== undefined
        ? { table: value.lookup, row: value.lookup }
        : value.rows !== undefined
          ? { table: value.rows, row: value.rows }
          : value.each !== undefined
            ? { table: undefined, row: at.row }
            : undefined;
    expression(value.each, at, [...path, 'each']);
    if (value.lookup !== undefined) {
      uses.push({ kind: 'table', name: value.lookup, path: [...path, 'lookup'] });
      lookedUp(value.lookup, listOf(value.key));
      for (const part of Array.isArray(value.by) ? value.by : [value.by])
        expression(part, at, [...path, 'by']);
    }
    if (value.rows !== undefined) uses.push({ kind: 'table', name: value.rows, path: [...path, 'rows'] });
    if (inner === undefined) return;
    condition(value.where, inner, [...path, 'where']);
    expression(value.get, inner, [...path, 'get']);
    for (const [name, part] of Object.entries(value.item ?? {}))
      expression(part, inner, [...path, 'item', name]);
  };
  const condition = (value: Condition | undefined, at: At, path: Path): void => {
    if (value === undefined) return;
    expression(value.column, at, [...path, 'column']);
    expression(value.equals, at, [...path, 'equals']);
    for (const [index, part] of (value.all ?? []).entries()) condition(part, at, [...path, 'all', index]);
    for (const [index, part] of (value.any ?? []).entries()) condition(part, at, [...path, 'any', index]);
    condition(value.not, at, [...path, 'not']);
  };
  /** The fields of a ticket, message, event or person: expressions, or objects of expressions. */
  const rule = (value: object, at: At, path: Path): void => {
    for (const [name, part] of Object.entries(value)) {
      if (part === undefined || PLAIN_KEYS.has(name)) continue;
      if (name === 'where') condition(part as Condition, at, [...path, name]);
      else if (NESTED_KEYS.has(name) && isGroup(part)) rule(part, at, [...path, name]);
      else expression(part as Expression, at, [...path, name]);
      if (name === 'author' || name === 'actor' || name === 'requester' || name === 'assignee')
        for (const person of listOf((part as { person?: string | string[] }).person))
          uses.push({ kind: 'people', name: person, path: [...path, name, 'person'] });
    }
  };

  rule(layout.ticket, { table: root, row: root }, ['ticket']);
  const ticketColumns = new Set(columns.get(root));
  for (const kind of ['messages', 'events'] as const) {
    for (const [index, whole] of (layout[kind] ?? []).entries()) {
      const { places, ...rest } = whole;
      for (const source of places?.map((place) => ({ ...rest, ...place })) ?? [rest]) {
        const row = source.from ?? root;
        if (source.from !== undefined) uses.push({ kind: 'table', name: row, path: [kind, index, 'from'] });
        expression(source.each, { table: row, row }, [kind, index, 'each']);
        if (source.columns !== undefined) add(row, source.columns);
        const inItem = source.each !== undefined || source.columns !== undefined;
        rule(source, { table: inItem ? undefined : row, row }, [kind, index]);
      }
    }
  }
  for (const [name, people] of Object.entries(layout.people ?? {})) {
    uses.push({ kind: 'table', name: people.table, path: ['people', name, 'table'] });
    if (people.key !== undefined) lookedUp(people.table, [people.key]);
    const { within = [], ...rest } = people;
    rule(rest, { table: people.table, row: people.table }, ['people', name]);
    for (const [index, { each, role }] of within.entries()) {
      const path = ['people', name, 'within', index];
      expression(each, { table: root, row: root }, [...path, 'each']);
      expression(role, { table: undefined, row: root }, [...path, 'role']);
    }
  }
  if (layout.team !== undefined) uses.push({ kind: 'people', name: layout.team, path: ['team'] });
  for (const [index, entry] of (layout.exclude ?? []).entries())
    condition(entry.when, { table: root, row: root }, ['exclude', index, 'when']);
  layout.notHeld?.forEach((entry, index) => {
    const table = entry.from ?? root;
    if (entry.from !== undefined) uses.push({ kind: 'table', name: table, path: ['notHeld', index, 'from'] });
    expression(entry.column, { table, row: table }, ['notHeld', index, 'column']);
  });
  return { columns, ticketColumns, lookups, uses };
}

const NESTED_KEYS: ReadonlySet<string> = new Set([
  'contact',
  'requester',
  'assignee',
  'author',
  'actor',
  'oldValue',
  'newValue',
]);
/** Keys of rules that are no expressions. */
const PLAIN_KEYS: ReadonlySet<string> = new Set([
  'from',
  'each',
  'columns',
  'parts',
  'use',
  'keepEmpty',
  'history',
  'person',
  'table',
  'key',
]);

/** An object of expressions (`{email: …, name: …}`), as against one expression written as an object. */
function isGroup(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return ['email', 'name', 'status', 'person', 'id', 'role'].some((key) => Object.hasOwn(value, key));
}
