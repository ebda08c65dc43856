/**
 * Where in a ticket's rows a field of a payload comes from, so that a problem of the field can point there. What was read
 * for a field is known from tracing its rule; this chooses the one cell or key that a person should look at.
 */

import type { RecordPart, Row } from '../../domain/source.ts';
import { textOf } from '../../domain/source-file.ts';
import type { TableColumns } from './column-access.ts';
import { type Header, type PathStep, parsePath, valueAt, writtenPath } from './column-path.ts';
import type { FieldOrigin, Touch } from './scope.ts';

export interface FieldLocation {
  readonly table: string;
  readonly row: Row;
  /** Of JSON a path from the row's object. */
  readonly part: Exclude<RecordPart, 'defect'>;
}

export interface LocationSearch {
  readonly origins: readonly FieldOrigin[];
  columnsOf(table: string): TableColumns | undefined;
  /** Whether it is the row that the problem names. */
  isNamed(row: Row): boolean;
}

/** `field`: the API's path, `messages[1].contact.email`. Undefined where nothing was read for it. */
export function fieldLocation(field: string, search: LocationSearch): FieldLocation | undefined {
  for (const { touched, value, rest } of readFor(field, search.origins)) {
    const touch = mainTouch(touched, valueAt(value, rest), search);
    const part = touch && partOf(touch, rest, search);
    if (touch !== undefined && part !== undefined) return { table: touch.table, row: touch.row, part };
  }
  return undefined;
}

interface ReadFor {
  readonly touched: readonly Touch[];
  readonly value: unknown;
  /** From what the rule made to the field itself. */
  readonly rest: readonly PathStep[];
}

/** Who wrote says in which fields an author has to stand. */
const OF_AUTHOR = /^((?:messages|events)\[\d+\])\.(?:agentId|contactId|contact(?:\..*)?)$/;

/** The field's own rule or that of what holds it; the rules of its parts; the one that says who the author is. */
function* readFor(field: string, origins: readonly FieldOrigin[]): Generator<ReadFor> {
  const above = origins.filter((origin) => origin.field === field || isWithin(field, origin.field));
  for (const origin of above.toSorted((a, b) => b.field.length - a.field.length))
    yield { ...origin, rest: parsePath(field.slice(origin.field.length)) };
  const touched = origins
    .filter((origin) => origin.field.startsWith(`${field}.`))
    .flatMap((part) => part.touched);
  yield { touched, value: undefined, rest: [] };
  const item = OF_AUTHOR.exec(field)?.[1];
  const author = origins.find((origin) => origin.field === `${item}.actorType`);
  if (author === undefined) return;
  // A person is read by id first: cells after it may belong to the other side.
  const first = author.touched.find((touch) => touch.value !== undefined);
  yield { ...author, touched: first === undefined ? author.touched : [first], rest: [] };
}

function isWithin(inner: string, outer: string): boolean {
  const next = inner[outer.length];
  return (next === '.' || next === '[') && inner.startsWith(outer);
}

/** What gave the value; else what was read last in the named row, or anywhere; else the first that is empty. */
function mainTouch(
  touched: readonly Touch[],
  value: unknown,
  { isNamed }: LocationSearch,
): Touch | undefined {
  const filled = touched.filter((touch) => touch.value !== undefined);
  const text = comparable(value);
  return (
    (text === '' ? undefined : filled.findLast((touch) => comparable(touch.value) === text)) ??
    filled.findLast(({ row }) => isNamed(row)) ??
    filled.at(-1) ??
    touched.find(({ row }) => isNamed(row)) ??
    touched[0]
  );
}

function comparable(value: unknown): string {
  return typeof value === 'object' ? '' : textOf(value).trim().toLowerCase();
}

function partOf(
  touch: Touch,
  rest: readonly PathStep[],
  search: LocationSearch,
): FieldLocation['part'] | undefined {
  const { row } = touch;
  const columns = search.columnsOf(touch.table);
  const header = columns?.header(row.ref.file);
  if (header !== undefined) return cellOf(touch, rest, header, columns);
  return row.object && pathOf(touch, row.object, rest, columns);
}

/** The cell of the item, or the first of the column's that is filled, or the first of all. */
function cellOf(
  { row: { cells = [] }, column, item, lists = [] }: Touch,
  rest: readonly PathStep[],
  header: Header,
  columns: TableColumns | undefined,
): FieldLocation['part'] | undefined {
  const names = item === undefined ? (columns?.names(column) ?? []) : lists.map(writtenPath);
  const inner =
    item === undefined && rest.length > 0 ? names.map((name) => `${name}.${writtenPath(rest)}`) : [];
  const found =
    inner.map((name) => header.find(name)).find((each) => each !== undefined && each.within === undefined) ??
    names.map((name) => header.find(name)).find((each) => each !== undefined);
  if (found === undefined) return undefined;
  const { indexes } = found;
  const cell =
    indexes.find((index) => cells[index] === item) ??
    indexes.find((index) => cells[index] !== '') ??
    indexes[0];
  return cell === undefined ? undefined : { cell };
}

function pathOf(
  { column, item }: Touch,
  object: object,
  rest: readonly PathStep[],
  columns: TableColumns | undefined,
): FieldLocation['part'] | undefined {
  const base = item === undefined ? [] : pathTo(object, item);
  if (base === undefined) return undefined;
  const root = item ?? object;
  const names = item === undefined ? (columns?.names(column) ?? [column]) : [column];
  const steps = names.map(parsePath);
  const at = steps.findIndex((path) => (valueAt(root, path) ?? undefined) !== undefined);
  if (at < 0) {
    const whole = names.find((name) => Object.hasOwn(root, name));
    if (whole !== undefined) return { path: [...base, whole] };
  }
  return { path: [...base, ...keysOf([...(steps[Math.max(0, at)] ?? []), ...rest])] };
}

/** As far as it leads to one value: a list of which every element is meant is one. */
function keysOf(steps: readonly PathStep[]): (string | number)[] {
  const keys: (string | number)[] = [];
  for (const step of steps) {
    if (step === 'each') break;
    keys.push('index' in step ? step.index : step.key);
  }
  return keys;
}

/** Objects and lists that are looked at in search of one of them. */
const MOST_LOOKED_AT = 200_000;

/** The way from an object to one that is in it: the same one, and not one like it. */
function pathTo(root: object, wanted: unknown): (string | number)[] | undefined {
  if (root === wanted) return [];
  const waiting: { value: object; path: readonly (string | number)[] }[] = [{ value: root, path: [] }];
  for (let looked = 0; looked < Math.min(waiting.length, MOST_LOOKED_AT); looked++) {
    const next = waiting[looked];
    if (next === undefined) break;
    const isList = Array.isArray(next.value);
    for (const [key, value] of Object.entries(next.value)) {
      if (typeof value !== 'object' || value === null) continue;
      const path = [...next.path, isList ? Number(key) : key];
      if (value === wanted) return path;
      waiting.push({ value, path });
    }
  }
  return undefined;
}
