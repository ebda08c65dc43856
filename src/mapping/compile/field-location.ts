/**
 * Where in a ticket's rows a field of a payload comes from, so that a problem of the field can point there. What was read
 * for a field is known from tracing its rule; this chooses the one cell or key that a person should look at.
 */

import type { RecordPart, Row } from '../../domain/source.ts';
import type { TableColumns } from './column-access.ts';
import { type PathStep, parsePath, valueAt, writtenPath } from './column-path.ts';
import type { FieldOrigin, Touch } from './scope.ts';
import { comparable } from './text-forms.ts';

export interface FieldLocation {
  readonly table: string;
  readonly row: Row;
  /** Of JSON a path from the row's object. */
  readonly part: Exclude<RecordPart, 'defect'>;
}

interface LocationSearch {
  readonly origins: readonly FieldOrigin[];
  columnsOf(table: string): TableColumns | undefined;
  /** Whether it is the row that the problem names. */
  isNamed(row: Row): boolean;
}

/** `field`: the API's path, `messages[1].contact.email`. Undefined where nothing was read for it. */
export function fieldLocation(field: string, search: LocationSearch): FieldLocation | undefined {
  for (const { touched, value, rest = [] } of readFor(field, search.origins)) {
    const touch = mainTouch(touched, comparableOf(valueAt(value, rest)), search);
    if (touch === undefined) continue;
    const { table, row } = touch;
    const columns = search.columnsOf(table);
    const isCsv = columns?.header(row.ref.file) !== undefined;
    const part = isCsv ? cellOf(touch, rest, columns) : pathOf(touch, rest, columns);
    if (part !== undefined) return { table, row, part };
  }
  return undefined;
}

interface ReadFor {
  readonly touched: readonly Touch[];
  readonly value?: unknown;
  /** From what the rule made to the field itself. */
  readonly rest?: readonly PathStep[];
}

/** The author decides which fields of an author there have to be. */
const OF_AUTHOR = /^((?:messages|events)\[\d+\])\.(?:agentId|contactId|contact(?:\..*)?)$/;

/** The field's own rule or that of what holds it; the rules of its parts; the one that says who the author is. */
function readFor(field: string, origins: readonly FieldOrigin[]): ReadFor[] {
  const above = origins
    .filter(
      ({ field: outer }) => field.startsWith(outer) && ['', '.', '['].includes(field[outer.length] ?? ''),
    )
    .sort((a, b) => b.field.length - a.field.length)
    .map((origin) => ({ ...origin, rest: parsePath(field.slice(origin.field.length)) }));
  const parts = origins.filter((origin) => origin.field.startsWith(`${field}.`));
  const item = OF_AUTHOR.exec(field)?.[1];
  const author = origins.find((origin) => origin.field === `${item}.actorType`);
  // a person is read by id first: cells after it may belong to the other side
  const first = author?.touched.find((touch) => touch.value !== undefined);
  return [
    ...above,
    { touched: parts.flatMap(({ touched }) => touched) },
    ...(author === undefined ? [] : [{ ...author, touched: first === undefined ? author.touched : [first] }]),
  ];
}

/** What gave the value; else what was read last in the named row, or anywhere; else the first that is empty. */
function mainTouch(touched: readonly Touch[], text: string, { isNamed }: LocationSearch): Touch | undefined {
  const filled = touched.filter((touch) => touch.value !== undefined);
  return (
    (text === '' ? undefined : filled.findLast(({ value }) => comparableOf(value) === text)) ??
    filled.findLast(({ row }) => isNamed(row)) ??
    filled.at(-1) ??
    touched.find(({ row }) => isNamed(row)) ??
    touched[0]
  );
}

function comparableOf(value: unknown): string {
  return typeof value === 'object' ? '' : comparable(value);
}

/** The cell of the item, or the first of the column's that is filled, or the first of all. */
function cellOf(
  { row, column, item, lists = [] }: Touch,
  rest: readonly PathStep[],
  columns: TableColumns,
): FieldLocation['part'] | undefined {
  const header = columns.header(row.ref.file);
  const isOfRow = item === undefined;
  const names = isOfRow ? columns.names(column) : lists.map(writtenPath);
  const inner = isOfRow && rest.length > 0 ? names.map((name) => `${name}.${writtenPath(rest)}`) : [];
  const find = (name: string) => header?.find(name) ?? [];
  const found = inner.flatMap(find).find(({ within }) => within === undefined) ?? names.flatMap(find)[0];
  const { indexes = [] } = found ?? {};
  const { cells = [] } = row;
  const cell =
    indexes.find((index) => cells[index] === item) ??
    indexes.find((index) => cells[index] !== '') ??
    indexes[0];
  return cell === undefined ? undefined : { cell };
}

function pathOf(
  { row: { object }, column, item }: Touch,
  rest: readonly PathStep[],
  columns: TableColumns | undefined,
): FieldLocation['part'] | undefined {
  const base = object && (item === undefined ? [] : pathTo(object, item));
  if (base === undefined) return undefined;
  const root = item ?? object ?? {};
  const names = item === undefined ? (columns?.names(column) ?? [column]) : [column];
  const whole = names.find((name) => Object.hasOwn(root, name));
  const there = names.find((name) => (valueAt(root, parsePath(name)) ?? undefined) !== undefined);
  if (there === undefined && whole !== undefined) return { path: [...base, whole] };
  return { path: [...base, ...keysOf([...parsePath(there ?? names[0] ?? column), ...rest])] };
}

/** As far as it leads to one value: a list of which every element is meant is one. */
function keysOf(steps: readonly PathStep[]): (string | number)[] {
  const end = steps.indexOf('each');
  return steps
    .slice(0, end < 0 ? steps.length : end)
    .filter((step) => step !== 'each')
    .map((step) => ('index' in step ? step.index : step.key));
}

/** Objects and lists that are looked at in search of one of them. */
const MOST_LOOKED_AT = 200_000;

/** The way from an object to one that is in it: the same one, and not one like it. */
function pathTo(root: object, wanted: unknown): (string | number)[] | undefined {
  const waiting: { value: object; path: (string | number)[] }[] = [{ value: root, path: [] }];
  for (const { value, path } of waiting) {
    if (value === wanted) return path;
    if (waiting.length > MOST_LOOKED_AT) return undefined;
    for (const [key, inner] of Object.entries(value))
      if (typeof inner === 'object' && inner !== null)
        waiting.push({ value: inner, path: [...path, Array.isArray(value) ? Number(key) : key] });
  }
  return undefined;
}
