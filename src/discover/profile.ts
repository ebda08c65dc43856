/** Columns of an export with types, fill and top values. Exact, by SQL. */
import { isEpoch, isZoned, type Stage, type StagedTable, type ValueKind } from './staged-tables.ts';

export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

export type DayOrder = 'day-first' | 'month-first' | 'open' | 'contradictory';

export interface Column {
  readonly name: string;
  readonly list: string | undefined;
  readonly path: string;
  readonly rows: number;
  readonly filled: number;
  readonly type: ValueKind | 'mixed' | 'empty';
  readonly kinds: readonly { readonly kind: ValueKind; readonly count: number }[];
  readonly distinct: number;
  readonly values: readonly ValueCount[];
  readonly examples: readonly string[];
  readonly longest: number;
  readonly average: number;
  /** With and without a zone. */
  readonly times: readonly { readonly zoned: boolean; readonly count: number; readonly example: string }[];
  readonly dayOrder: DayOrder | undefined;
  /** Not counted as filled. */
  readonly nulls: readonly ValueCount[];
}

export interface Table extends StagedTable {
  readonly columns: readonly Column[];
  readonly columnsLeftOut: number;
}

const MOST_COLUMNS = 500;
const MOST_VALUES = 50;
const EXAMPLES = 3;
const EXAMPLE_LENGTH = 200;
const ALIKE: Readonly<Partial<Record<ValueKind, ValueKind>>> = {
  integer: 'number',
  date: 'time',
  html: 'text',
  escaped: 'text',
};
const CLEAR = 0.95;

interface CellValue {
  readonly value: string;
  readonly kind: ValueKind;
  readonly n: number;
  readonly sizes: number;
  readonly longest: number;
}

type Stored = CellValue | (Omit<CellValue, 'kind'> & { readonly kind: 'nothing' });

export function profileTables({ database, tables }: Stage): Table[] {
  database.exec(`
    CREATE TABLE value AS
    SELECT tab, col, value, kind, count(*) AS n, min(rowid) AS first, sum(size) AS sizes, max(size) AS longest
    FROM cell WHERE kind <> 'item' GROUP BY tab, col, value, kind;
    CREATE INDEX value_by_column ON value (tab, col, value);
  `);
  const names = database
    .prepare<[number], string>('SELECT col FROM value WHERE tab = ? GROUP BY col ORDER BY min(first)')
    .pluck();
  const items = database
    .prepare<[number, string], number>(
      "SELECT count(*) FROM cell WHERE tab = ? AND col = ? || '[]' AND kind = 'item'",
    )
    .pluck();
  const values = database.prepare<[number, string], Stored>(
    'SELECT value, kind, n, sizes, longest FROM value WHERE tab = ? AND col = ? ORDER BY first',
  );
  return tables.map((table) => {
    const { id } = table;
    const header = (table.parts[0]?.file.header ?? []).map((name) => name.trim());
    const named = header.filter((name) => name !== '' && name !== '_reason');
    const found = [...new Set([...named, ...names.all(id)])];
    const columns = found.slice(0, MOST_COLUMNS).map((col): Column => {
      const { list, path } = placeOf(col);
      const rows = list === undefined ? table.rows : (items.get(id, list) ?? 0);
      return {
        name: col.replace(/\[\]\.$/, '[]'),
        list,
        path,
        rows,
        ...profiled(values.all(id, col), rows),
      };
    });
    return { ...table, columns, columnsLeftOut: found.length - columns.length };
  });
}

/** `messages[].body` → `body` in `messages`; `lines[][0]` → `0` in `lines`; `tags[].` → `.` in `tags`. */
function placeOf(col: string): Pick<Column, 'list' | 'path'> {
  const at = col.lastIndexOf('[]');
  if (at < 0) return { list: undefined, path: col };
  const rest = col.slice(at + 2);
  return {
    list: col.slice(0, at),
    path: /^\[(\d+)\]$/.exec(rest)?.[1] ?? (rest === '.' ? '.' : rest.slice(1)),
  };
}

function profiled(all: readonly Stored[], rows: number) {
  const found = all.filter((each): each is CellValue => each.kind !== 'nothing');
  const nothing = all.filter(({ kind }) => kind === 'nothing');
  const kinds = countedBy(found, ({ kind }) => kind).map(([kind, count]) => ({ kind, count }));
  const counts = countedBy(found, ({ value }) => value);
  const texts = new Set(found.slice(0, 2 * EXAMPLES).map(({ value }) => value.slice(0, EXAMPLE_LENGTH)));
  const total = sumOf(found, 'n');
  const type = typeOf(found, total);
  const isTime =
    type === 'time' || type === 'date' || (total > 0 && found.every(({ value }) => isEpoch(value)));
  return {
    filled: Math.min(total, rows),
    type,
    kinds,
    distinct: counts.length,
    values: counts.slice(0, MOST_VALUES).map(([value, count]) => ({ value, count })),
    examples: [...texts].slice(0, EXAMPLES),
    longest: found.reduce((most, { longest }) => Math.max(most, longest), 0),
    average: total === 0 ? 0 : sumOf(found, 'sizes') / total,
    times: isTime ? timesOf(found) : [],
    dayOrder: isTime ? dayOrderOf(found) : undefined,
    nulls: nothing.map(({ value, n }) => ({ value, count: n })).sort((a, b) => b.count - a.count),
  };
}

function sumOf(found: readonly CellValue[], of: 'n' | 'sizes'): number {
  return found.reduce((sum, each) => sum + each[of], 0);
}

function countedBy<T>(found: readonly CellValue[], by: (each: CellValue) => T): [T, number][] {
  const counts = new Map<T, number>();
  for (const each of found) counts.set(by(each), (counts.get(by(each)) ?? 0) + each.n);
  return [...counts].sort(([, a], [, b]) => b - a);
}

function typeOf(found: readonly CellValue[], total: number): Column['type'] {
  if (total === 0) return 'empty';
  const kinds = new Map(countedBy(found, ({ kind }) => kind));
  const alike = new Map(countedBy(found, ({ kind }) => ALIKE[kind] ?? kind));
  for (const counts of [kinds, alike])
    for (const [kind, count] of counts) if (count >= CLEAR * total) return kind === 'escaped' ? 'text' : kind;
  // Texts of people may look like anything.
  const isText = (alike.get('text') ?? 0) >= 0.5 * total;
  return isText && (kinds.get('email') ?? 0) < (1 - CLEAR) * total ? 'text' : 'mixed';
}

function timesOf(found: readonly CellValue[]): Column['times'] {
  const times = found.filter(({ value, kind }) => kind === 'time' || kind === 'date' || isEpoch(value));
  return countedBy(times, ({ value }) => isZoned(value)).map(([zoned, count]) => {
    const example = times.find(({ value }) => isZoned(value) === zoned)?.value ?? '';
    return { zoned, count, example };
  });
}

function dayOrderOf(found: readonly CellValue[]): DayOrder | undefined {
  const pairs = found.flatMap(({ value }) => {
    const [, one, other] = /^(\d{1,2})[-/](\d{1,2})[-/]\d{2,4}/.exec(value) ?? [];
    return one === undefined ? [] : [[Number(one), Number(other)] as const];
  });
  const dayFirst = pairs.some(([one]) => one > 12);
  const monthFirst = pairs.some(([, other]) => other > 12);
  if (dayFirst && monthFirst) return 'contradictory';
  if (dayFirst) return 'day-first';
  return monthFirst ? 'month-first' : pairs.length > 0 ? 'open' : undefined;
}

export function ownColumns({ columns }: Pick<Table, 'columns'>): Column[] {
  return columns.filter(({ list }) => list === undefined);
}

export function isTimeColumn({ type, times, filled }: Column): boolean {
  return filled > 0 && (type === 'time' || type === 'date' || times.length > 0);
}

interface JoinEnd {
  readonly table: number;
  readonly column: string;
}

export interface Join {
  readonly from: JoinEnd;
  readonly to: JoinEnd;
  readonly compared: number;
  readonly found: number;
}

const LONGEST_KEY = 60;

export function sharedKeys(
  { database }: Stage,
  from: Table,
  column: Column,
  to: Table,
  key: Column,
): { readonly compared: number; readonly found: number } {
  const counts = database
    .prepare<[number, string, number, string], { found: number; compared: number }>(`
      SELECT count(*) AS compared, count((SELECT 1 FROM value b WHERE b.tab = ? AND b.col = ? AND b.value = a.value)) AS found
      FROM (SELECT DISTINCT value FROM value WHERE tab = ? AND col = ? AND kind <> 'nothing') a`)
    .get(to.id, stored(key), from.id, stored(column));
  return counts ?? { compared: 0, found: 0 };
}

/** True if rows hold a word of the one column in the other: `Pat Jones` and `pat@example.com`. */
export function sharesWords({ database }: Stage, { id }: Table, one: Column, other: Column): boolean {
  const pairs = database
    .prepare<[number, string, string], { one: string; other: string }>(`
      SELECT a.value AS one, b.value AS other FROM cell a JOIN cell b ON b.row = a.row AND b.tab = a.tab
      WHERE a.tab = ? AND a.col = ? AND b.col = ? LIMIT 200`)
    .all(id, stored(one), stored(other));
  const shared = pairs.filter(({ one: name, other: text }) =>
    name
      .toLowerCase()
      .split(/[^\p{L}]+/u)
      .some((word) => word.length > 1 && text.toLowerCase().includes(word)),
  );
  return shared.length > 0 && shared.length >= 0.5 * pairs.length;
}

export function isAround(from: Table, other: Table): boolean {
  return (
    from.collection.path === undefined && other.collection.path !== undefined && from.file === other.file
  );
}

function stored({ name, path }: Column): string {
  return path === '.' ? `${name}.` : name;
}

export function isKey({ type, average, times, distinct }: Column): boolean {
  const isKind = ['integer', 'text', 'email', 'mixed'].includes(type);
  return isKind && average <= LONGEST_KEY && times.length === 0 && distinct > 0;
}

export function isUnique({ filled, rows, distinct }: Column): boolean {
  return filled > 0 && filled >= 0.98 * rows && distinct >= 0.98 * filled;
}

export function variesInGroups({ database }: Stage, { id }: Table, key: Column, column: Column): boolean {
  const first = database
    .prepare<[number, string, string], unknown>(`
      SELECT 1 FROM cell k JOIN cell c ON c.row = k.row AND c.tab = k.tab
      WHERE k.tab = ? AND k.col = ? AND c.col = ? AND c.item = ''
      GROUP BY k.value HAVING count(DISTINCT c.value) > 1 LIMIT 1`)
    .get(id, stored(key), stored(column));
  return first !== undefined;
}
