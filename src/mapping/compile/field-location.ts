/** The one cell or key that a problem of a payload field points to, chosen among what its rule read. */
import type { RecordPart, Row } from '../../domain/source.ts';
import type { TableColumns, Touch } from './columns.ts';
import type { FieldOrigin } from './context.ts';
import { keysOf, type Path, parsePath, valueAt } from './paths.ts';
import { comparable } from './values.ts';

type Part = Exclude<RecordPart, 'defect'>;

export interface FieldLocation {
  readonly table: string;
  readonly row: Row;
  readonly part: Part;
}

/** `field`: the API's path. Undefined if nothing was read for it. `isNamed`: the problem names the row. */
export function fieldLocation(
  field: string,
  origins: readonly FieldOrigin[],
  tables: ReadonlyMap<string, TableColumns>,
  isNamed: (row: Row) => boolean,
): FieldLocation | undefined {
  for (const { touched, value, rest } of readFor(field, origins)) {
    const touch = mainTouch(touched, textIn(valueAt(value, rest)), isNamed);
    if (touch === undefined) continue;
    const { table, row } = touch;
    const columns = tables.get(table);
    const isCsv = columns?.headers.has(row.ref.file) === true;
    const part = isCsv ? cellOf(touch, rest, columns) : pathOf(touch, rest, columns);
    if (part !== undefined) return { table, row, part };
  }
  return undefined;
}

/** `rest`: from the rule's result to the field. */
type ReadFor = Pick<FieldOrigin, 'touched' | 'value'> & { readonly rest: Path };

const OF_AUTHOR = /^((?:messages|events)\[\d+\])\.(?:agentId|contactId|contact(?:\..*)?)$/;

/** The field's own rule or that of its parent; the rules of its parts; the author's rule. */
function readFor(field: string, origins: readonly FieldOrigin[]): ReadFor[] {
  const above = origins
    .filter(
      ({ field: outer }) => field.startsWith(outer) && ['', '.', '['].includes(field[outer.length] ?? ''),
    )
    .sort((a, b) => b.field.length - a.field.length)
    .map((origin) => ({ ...origin, rest: parsePath(field.slice(origin.field.length)) }));
  const parts = origins.filter((origin) => origin.field.startsWith(`${field}.`));
  const author = origins.find((origin) => origin.field === `${OF_AUTHOR.exec(field)?.[1]}.actorType`);
  // A person is read by ID first: cells after it may belong to another.
  const first = author?.touched.find((touch) => touch.value !== undefined);
  return [
    ...above,
    { touched: parts.flatMap(({ touched }) => touched), value: undefined, rest: [] },
    ...(author === undefined ? [] : [{ ...author, touched: first ? [first] : author.touched, rest: [] }]),
  ];
}

/** The cell that gave the value; else the last cell read; else the first empty one. */
function mainTouch(
  touched: readonly Touch[],
  text: string,
  isNamed: (row: Row) => boolean,
): Touch | undefined {
  const filled = touched.filter(({ value }) => value !== undefined);
  return (
    (text === '' ? undefined : filled.findLast(({ value }) => textIn(value) === text)) ??
    filled.findLast(({ row }) => isNamed(row)) ??
    filled.at(-1) ??
    touched.find(({ row }) => isNamed(row)) ??
    touched[0]
  );
}

function textIn(value: unknown): string {
  return typeof value === 'object' ? '' : comparable(value);
}

function cellOf(
  { row, column, item, lists = [] }: Touch,
  rest: Path,
  columns: TableColumns,
): Part | undefined {
  const header = columns.headers.get(row.ref.file);
  const isOfRow = item === undefined;
  const names = isOfRow ? columns.names(column) : lists.map((path) => keysOf(path).join('.'));
  const inner = isOfRow && rest.length > 0 ? names.map((name) => `${name}.${keysOf(rest).join('.')}`) : [];
  const find = (name: string) => header?.find(name) ?? [];
  const found = inner.flatMap(find).find(({ within }) => within === undefined) ?? names.flatMap(find)[0];
  const { indexes = [] } = found ?? {};
  const cells = row.cells ?? [];
  const cell =
    indexes.find((index) => cells[index] === item) ??
    indexes.find((index) => cells[index] !== '') ??
    indexes[0];
  return cell === undefined ? undefined : { cell };
}

function pathOf(
  { row: { object }, column, item }: Touch,
  rest: Path,
  columns: TableColumns | undefined,
): Part | undefined {
  const base = object && (item === undefined ? [] : pathTo(object, item));
  if (base === undefined) return undefined;
  const root = item ?? object ?? {};
  const names = item === undefined ? (columns?.names(column) ?? [column]) : [column];
  const whole = names.find((name) => Object.hasOwn(root, name));
  const there = names.find((name) => (valueAt(root, parsePath(name)) ?? undefined) !== undefined);
  if (there === undefined && whole !== undefined) return { path: [...base, whole] };
  const steps = [...parsePath(there ?? names[0] ?? column), ...rest];
  // A list meant as a whole is one value.
  const end = steps.indexOf('each');
  const own = (end < 0 ? steps : steps.slice(0, end)).filter((step) => step !== 'each');
  return { path: [...base, ...own.map((step) => ('index' in step ? step.index : step.key))] };
}

const MOST_LOOKED_AT = 200_000;

/** The same object, not an equal one. */
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
