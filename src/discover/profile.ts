/** What is in the tables of an export: columns with types, fill, distinct values and top values. Exact, by SQL. */
import type { Stage, StagedTable } from './stage-rows.ts';
import { isEpoch, timePattern, type ValueKind } from './value-kind.ts';

export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** Which of day and month is first: proven by some value, open, or contradictory. */
export type DayOrder = 'day-first' | 'month-first' | 'open' | 'contradictory';

export interface Column {
  /** Header, or path from the record on: `messages[].body`. */
  readonly name: string;
  /** The list in whose items it is, and the path from the item on. */
  readonly list: string | undefined;
  readonly path: string;
  /** Rows of the table, or items of the list. */
  readonly rows: number;
  readonly filled: number;
  readonly type: ValueKind | 'mixed' | 'empty';
  readonly kinds: readonly { readonly kind: ValueKind; readonly count: number }[];
  readonly distinct: number;
  /** Most frequent first, at most 50. */
  readonly values: readonly ValueCount[];
  /** The first different values. */
  readonly examples: readonly string[];
  readonly longest: number;
  readonly average: number;
  /** How times are written, most frequent first. */
  readonly times: readonly {
    readonly pattern: string;
    readonly zoned: boolean;
    readonly count: number;
    readonly example: string;
  }[];
  readonly dayOrder: DayOrder | undefined;
  /** Texts for an empty cell; not counted as filled. */
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
/** Kinds that are one thing written in two ways. */
const ALIKE: Readonly<Partial<Record<ValueKind, ValueKind>>> = {
  integer: 'number',
  date: 'time',
  html: 'text',
};
/** So large a share of the values makes the type. */
const CLEAR = 0.95;

interface Found {
  readonly col: string;
  readonly value: string;
  readonly kind: ValueKind | 'nothing';
  readonly n: number;
  readonly first: number;
  readonly sizes: number;
  readonly longest: number;
}

export function profileTables({ database, tables }: Stage): Table[] {
  database.exec(`
    CREATE TABLE value AS
    SELECT tab, col, value, kind, count(*) AS n, min(rowid) AS first, sum(size) AS sizes, max(size) AS longest
    FROM cell WHERE kind <> 'item' GROUP BY tab, col, value, kind;
    CREATE INDEX value_by_column ON value (tab, col, value);
  `);
  const names = database.prepare<[number], { col: string }>(
    'SELECT col FROM value WHERE tab = ? GROUP BY col ORDER BY min(first)',
  );
  const items = database.prepare<[number], { col: string; n: number }>(
    "SELECT col, count(*) AS n FROM cell WHERE tab = ? AND kind = 'item' GROUP BY col",
  );
  const values = database.prepare<[number, string], Found>(
    'SELECT col, value, kind, n, first, sizes, longest FROM value WHERE tab = ? AND col = ? ORDER BY n DESC, first',
  );
  return tables.map((table) => {
    const counts = new Map(items.all(table.id).map(({ col, n }) => [col.slice(0, -2), n]));
    const header = (table.parts[0]?.file.outline.header ?? []).map((name) => name.trim());
    const filled = names.all(table.id).map(({ col }) => col);
    const all = [...new Set([...header.filter((name) => name !== '' && name !== '_reason'), ...filled])];
    const columns = all.slice(0, MOST_COLUMNS).map((col) => {
      const { list, path } = placeOf(col);
      const rows = (list === undefined ? undefined : counts.get(list)) ?? table.rows;
      return columnOf(values.all(table.id, col), { name: col.replace(/\[\]\.$/, '[]'), list, path, rows });
    });
    return { ...table, columns, columnsLeftOut: Math.max(0, all.length - MOST_COLUMNS) };
  });
}

/** `body` in `messages` for `messages[].body`, `0` in `lines` for `lines[][0]`, `.` in `tags` for `tags[].`. */
function placeOf(col: string): Pick<Column, 'list' | 'path'> {
  const at = col.lastIndexOf('[]');
  if (at < 0) return { list: undefined, path: col };
  const rest = col.slice(at + 2);
  return {
    list: col.slice(0, at),
    path: /^\[(\d+)\]$/.exec(rest)?.[1] ?? (rest === '.' ? '.' : rest.slice(1)),
  };
}

function columnOf(found: readonly Found[], place: Pick<Column, 'name' | 'list' | 'path' | 'rows'>): Column {
  const real = found.filter(({ kind }) => kind !== 'nothing');
  const counts = new Map<ValueKind, number>();
  for (const { kind, n } of real) if (kind !== 'nothing') counts.set(kind, (counts.get(kind) ?? 0) + n);
  const kinds = [...counts].map(([kind, count]) => ({ kind, count })).sort((a, b) => b.count - a.count);
  const total = kinds.reduce((sum, { count }) => sum + count, 0);
  const type = typeOf(kinds, total);
  const isTime = type === 'time' || type === 'date' || isEpochs(real);
  return {
    ...place,
    filled: Math.min(total, place.rows),
    type,
    kinds,
    distinct: new Set(real.map(({ value }) => value)).size,
    values: merged(real).slice(0, MOST_VALUES),
    examples: real
      .toSorted((a, b) => a.first - b.first)
      .slice(0, EXAMPLES)
      .map(({ value }) => value.slice(0, EXAMPLE_LENGTH)),
    longest: Math.max(0, ...real.slice(0, 10_000).map(({ longest }) => longest)),
    average: total === 0 ? 0 : real.reduce((sum, { sizes }) => sum + sizes, 0) / total,
    times: isTime ? timesOf(real) : [],
    dayOrder: isTime ? dayOrderOf(real) : undefined,
    nulls: merged(found.filter(({ kind }) => kind === 'nothing')),
  };
}

/** One value may be of two kinds in JSON: `1` and `"1"`. */
function merged(found: readonly Found[]): ValueCount[] {
  const counts = new Map<string, number>();
  for (const { value, n } of found) counts.set(value, (counts.get(value) ?? 0) + n);
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
}

function typeOf(kinds: Column['kinds'], total: number): Column['type'] {
  const [first] = kinds;
  if (first === undefined) return 'empty';
  if (first.count >= CLEAR * total) return first.kind;
  const alike = Map.groupBy(kinds, ({ kind }) => ALIKE[kind] ?? kind);
  for (const [kind, same] of alike)
    if (same.reduce((sum, { count }) => sum + count, 0) >= CLEAR * total) return kind;
  // texts of people may look like anything
  const text = (alike.get('text') ?? []).reduce((sum, { count }) => sum + count, 0);
  return text >= 0.5 * total && !counted(kinds, 'email', total) ? 'text' : 'mixed';
}

function counted(kinds: Column['kinds'], kind: ValueKind, total: number): boolean {
  return (kinds.find((each) => each.kind === kind)?.count ?? 0) >= (1 - CLEAR) * total;
}

function isEpochs(found: readonly Found[]): boolean {
  return found.length > 0 && found.every(({ value }) => isEpoch(value));
}

function timesOf(found: readonly Found[]): Column['times'] {
  const styles = new Map<string, { pattern: string; zoned: boolean; count: number; example: string }>();
  for (const { value, kind, n } of found) {
    if (kind !== 'time' && kind !== 'date' && !isEpoch(value)) continue;
    const { pattern, zoned } = timePattern(value);
    const known = styles.get(pattern);
    if (known === undefined) styles.set(pattern, { pattern, zoned, count: n, example: value });
    else known.count += n;
  }
  return [...styles.values()].sort((a, b) => b.count - a.count).slice(0, 20);
}

function dayOrderOf(found: readonly Found[]): DayOrder | undefined {
  let isOpen = false;
  let dayFirst = false;
  let monthFirst = false;
  for (const { value } of found) {
    const [, one, other] = /^(\d{1,2})[-/](\d{1,2})[-/]\d{2,4}/.exec(value) ?? [];
    if (one === undefined) continue;
    isOpen = true;
    if (Number(one) > 12) dayFirst = true;
    if (Number(other) > 12) monthFirst = true;
  }
  if (dayFirst && monthFirst) return 'contradictory';
  if (dayFirst) return 'day-first';
  return monthFirst ? 'month-first' : isOpen ? 'open' : undefined;
}

export function isTimeColumn({ type, times, filled }: Column): boolean {
  return filled > 0 && (type === 'time' || type === 'date' || times.length > 0);
}

// Joins: columns that hold the keys of another table.

export interface JoinEnd {
  readonly table: number;
  readonly column: string;
}

export interface Join {
  readonly from: JoinEnd;
  readonly to: JoinEnd;
  /** Different keys of `from`, and those of them that `to` has. */
  readonly compared: number;
  readonly found: number;
}

const LONGEST_KEY = 60;
/** So large a share of the keys makes a join. */
const LEAST_FOUND = 0.5;

/** Small numbers are in every column of numbers: those join by their names alone. */
export function findJoins(
  { database }: Stage,
  tables: readonly Table[],
  mayJoin: (from: Column, to: Column, other: Table) => boolean,
): Join[] {
  const compare = database.prepare<[number, string, number, string], { found: number; compared: number }>(`
    SELECT count(*) AS compared, count((SELECT 1 FROM value b WHERE b.tab = ? AND b.col = ? AND b.value = a.value)) AS found
    FROM (SELECT DISTINCT value FROM value WHERE tab = ? AND col = ? AND kind <> 'nothing') a`);
  const joins: Join[] = [];
  for (const from of tables)
    for (const column of from.columns) {
      if (!isKey(column) || column.distinct < 1) continue;
      const found = tables.flatMap((other): Join[] =>
        other === from || isAround(from, other)
          ? []
          : other.columns.flatMap((key) => {
              if (!isKey(key) || key.list !== undefined || !isUnique(key) || !mayJoin(column, key, other))
                return [];
              const counts = compare.get(other.id, stored(key), from.id, stored(column));
              return counts === undefined || counts.found < LEAST_FOUND * counts.compared
                ? []
                : {
                    from: { table: from.id, column: column.name },
                    to: { table: other.id, column: key.name },
                    ...counts,
                  };
            }),
      );
      const [best] = found.sort((a, b) => b.found - a.found);
      if (best !== undefined) joins.push(best);
    }
  return joins;
}

/** A document, and a list in it that is a table of its own. */
export function isAround(from: Table, other: Table): boolean {
  return (
    from.collection.path === undefined && other.collection.path !== undefined && from.file === other.file
  );
}

/** The name under which cells are staged. */
export function stored({ name, path }: Column): string {
  return path === '.' ? `${name}.` : name;
}

function isKey({ type, average, times }: Column): boolean {
  return ['integer', 'text', 'email', 'mixed'].includes(type) && average <= LONGEST_KEY && times.length === 0;
}

export function isUnique({ filled, rows, distinct }: Column): boolean {
  return filled > 0 && filled >= 0.98 * rows && distinct >= 0.98 * filled;
}

/** Whether nearly all values of a column are keys of another table. */
export function holdsKeys(
  { database }: Stage,
  from: number,
  column: Column,
  table: number,
  key: Column,
): boolean {
  const found = database
    .prepare<[number, string, number, string], { n: number }>(
      'SELECT count(*) AS n FROM (SELECT DISTINCT value FROM value WHERE tab = ? AND col = ?) a WHERE EXISTS (SELECT 1 FROM value b WHERE b.tab = ? AND b.col = ? AND b.value = a.value)',
    )
    .get(from, stored(column), table, stored(key));
  return (found?.n ?? 0) >= 0.9 * column.distinct;
}

/** How many groups of rows with one key have a value of a column in their first row. */
export function inFirstRows({ database }: Stage, table: number, key: string, column: string): number {
  return (
    database
      .prepare<[number, string, number, string], { n: number }>(`
        SELECT count(*) AS n FROM (SELECT min(row) AS row FROM cell WHERE tab = ? AND col = ? GROUP BY value) g
        WHERE EXISTS (SELECT 1 FROM cell c WHERE c.tab = ? AND c.col = ? AND c.row = g.row)`)
      .get(table, key, table, column)?.n ?? 0
  );
}

/** How many groups of rows with one key have more than one value in a column. */
export function varyingGroups({ database }: Stage, table: number, key: string, column: string): number {
  return (
    database
      .prepare<[number, string, string], { n: number }>(`
        SELECT count(*) AS n FROM (
          SELECT k.value FROM cell k JOIN cell c ON c.row = k.row AND c.tab = k.tab
          WHERE k.tab = ? AND k.col = ? AND c.col = ? AND c.item = ''
          GROUP BY k.value HAVING count(DISTINCT c.value) > 1)`)
      .get(table, key, column)?.n ?? 0
  );
}
