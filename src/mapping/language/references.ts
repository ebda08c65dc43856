/** What a layout refers to, without an export at hand: the columns of each table, and the keys of its lookups. */
import { listOf, type PathStep, parsePath } from '../compile/column-path.ts';
import type { Condition, Expression, ExpressionObject } from './expression.ts';
import type { Layout } from './layout.ts';
import { rootTableOf } from './words.ts';

/** A column that rules read. */
export interface Read {
  readonly table: string;
  readonly column: string;
  /** Of items of a list: the list's place in the row. */
  readonly list?: readonly PathStep[];
  /** Of an object only these keys. */
  readonly pick?: readonly string[] | undefined;
  /** False where an exclude rule reads it, or one that only counts: nothing that is sent comes from it. */
  readonly isSent: boolean;
}

export interface References {
  /** Everything that rules for tickets read, in rows and in items of their lists. */
  readonly reads: readonly Read[];
  /** Columns (paths) that rules read from rows of a table. */
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
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
/** The row that paths are read from, or of a list item the places of its list in that row. */
type At = { readonly row: string; readonly lists?: readonly (readonly PathStep[])[]; readonly outer?: At };

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
  const root = rootTableOf(layout);
  let reads: Read[] = [];
  let isSent = true;
  const add = ({ row: table, lists }: At, column: string, pick?: readonly string[]) => {
    if (lists !== undefined) {
      for (const list of lists) reads.push({ table, column, list, pick, isSent });
      return;
    }
    reads.push({ table, column, pick, isSent });
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
    if (typeof value === 'string') add(at, value);
    else if (Array.isArray(value))
      for (const [index, part] of value.entries()) expression(part, at, [...path, index]);
    else object(value, at, path);
  };
  const object = (value: ExpressionObject, at: At, path: Path): void => {
    if (value.column !== undefined) add(at, value.column, value.pick);
    for (const [, column] of (value.template ?? '').matchAll(/\{([^{}]+)\}/g))
      if (column) add(at, column.trim());
    value.when?.forEach((entry, index) => {
      condition(entry.if, at, [...path, 'when', index, 'if']);
      expression(entry.then, at, [...path, 'when', index, 'then']);
      expression(entry.else, at, [...path, 'when', index, 'else']);
    });
    condition(value.holds, at, [...path, 'holds']);
    expression(value.ticket, { row: root }, [...path, 'ticket']);
    expression(value.row, at.outer ?? at, [...path, 'row']);
    expression(value.of, at, [...path, 'of']);
    if (typeof value.map === 'string') uses.push({ kind: 'map', name: value.map, path: [...path, 'map'] });
    const inner: At | undefined =
      value.lookup !== undefined
        ? { row: value.lookup }
        : value.rows !== undefined
          ? { row: value.rows }
          : value.each !== undefined
            ? { row: at.row, lists: listPaths(value.each, at.lists), outer: at }
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
    expression(value.order, inner, [...path, 'order']);
    expression(value.get, inner, [...path, 'get']);
    for (const [name, part] of Object.entries(value.item ?? {}))
      expression(part, inner, [...path, 'item', name]);
  };
  const condition = (value: Condition | undefined, at: At, path: Path): void => {
    if (value === undefined) return;
    expression(value.column, at, [...path, 'column']);
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

  rule(layout.ticket, { row: root }, ['ticket']);
  for (const kind of ['messages', 'events'] as const) {
    for (const [index, whole] of (layout[kind] ?? []).entries()) {
      const { places, ...rest } = whole;
      for (const source of places?.map((place) => ({ ...rest, ...place })) ?? [rest]) {
        const row = source.from ?? root;
        if (source.from !== undefined) uses.push({ kind: 'table', name: row, path: [kind, index, 'from'] });
        expression(source.each, { row }, [kind, index, 'each']);
        const lists = source.each === undefined ? undefined : listPaths(source.each, undefined);
        rule(source, lists === undefined ? { row } : { row, lists, outer: { row } }, [kind, index]);
      }
    }
  }
  for (const [name, people] of Object.entries(layout.people ?? {})) {
    uses.push({ kind: 'table', name: people.table, path: ['people', name, 'table'] });
    if (people.key !== undefined) lookedUp(people.table, [people.key]);
    const { within = [], ...rest } = people;
    rule(rest, { row: people.table }, ['people', name]);
    // people are collected from there, which says nothing of the tickets in which they are
    const ofTickets = reads;
    reads = [...reads];
    for (const [index, { each, role }] of within.entries()) {
      const path = ['people', name, 'within', index];
      expression(each, { row: root }, [...path, 'each']);
      expression(role, { row: root, lists: [] }, [...path, 'role']);
    }
    reads = ofTickets;
  }
  isSent = false;
  if (layout.declares !== undefined) {
    expression(layout.declares.messages, { row: root }, ['declares', 'messages']);
    for (const [index, { from: row = root, each, where }] of layout.declares.in.entries()) {
      const path = ['declares', 'in', index];
      if (row !== root) uses.push({ kind: 'table', name: row, path: [...path, 'from'] });
      expression(each, { row }, [...path, 'each']);
      const lists = each === undefined ? undefined : listPaths(each, undefined);
      condition(where, lists === undefined ? { row } : { row, lists, outer: { row } }, [...path, 'where']);
    }
  }
  for (const [index, entry] of (layout.exclude ?? []).entries())
    condition(entry.when, { row: root }, ['exclude', index, 'when']);
  return { reads, columns, lookups, uses };
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
  'use',
  'keepEmpty',
  'history',
  'person',
  'table',
  'key',
]);

/** Places of a list that an expression reads; `outer`: places of the list whose items it reads. */
export function listPaths(
  expression: Expression,
  outer: readonly (readonly PathStep[])[] | undefined,
): (readonly PathStep[])[] {
  const bases = outer?.map((base): readonly PathStep[] => [...base, 'each']) ?? [[]];
  return bases.flatMap((base) => plainColumns(expression).map((name) => [...base, ...parsePath(name)]));
}

/** Columns that an expression hands on as they are. */
function plainColumns(expression: Expression): string[] {
  if (typeof expression === 'string') return [expression];
  if (Array.isArray(expression)) return expression.flatMap(plainColumns);
  if (expression.column !== undefined) return [expression.column];
  return expression.of === undefined ? [] : plainColumns(expression.of);
}

/** An object of expressions (`{email: …, name: …}`), as against one expression written as an object. */
function isGroup(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return ['email', 'name', 'status', 'person', 'id', 'role'].some((key) => Object.hasOwn(value, key));
}
