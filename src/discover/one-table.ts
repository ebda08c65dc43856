/** Tables that hold the same things in parts: a list of tickets, and their details by the same id. */
import type { ColumnProfile } from './column-profile.ts';
import { ID_WORDS, tableWords, wordsOf } from './concept-words.ts';
import { listOfPath, type TableProfile } from './table-profile.ts';
import { tableSort } from './table-sort.ts';

/** Share of ids that both have. */
const SHARED = 0.8;
const LEAST_ROWS = 3;
/** Columns in common, at most: tables with the same columns are one table in several files. */
const ALIKE = 0.6;

/** Tables whose rows belong together one to one become one; the others stay as they are. */
export function oneTable(tables: readonly TableProfile[]): TableProfile[] {
  const left: TableProfile[] = [];
  for (const table of tables) {
    const at = left.findIndex((other) => sharedKey(other, table) !== undefined);
    const other = left[at];
    const key = other === undefined ? undefined : sharedKey(other, table);
    if (other === undefined || key === undefined) left.push(table);
    else left[at] = together(other, table, key);
  }
  return left;
}

function sharedKey(one: TableProfile, other: TableProfile): string | undefined {
  if (one.rows < LEAST_ROWS || other.rows < LEAST_ROWS || !areNamedAlike(one, other)) return undefined;
  if ([one, other].some((table) => ['people', 'message'].includes(tableSort(table) ?? ''))) return undefined;
  const common = one.columns.filter(({ name }) => other.columns.some((column) => column.name === name));
  const fewest = Math.min(one.columns.length, other.columns.length);
  if (common.length > Math.max(2, ALIKE * fewest)) return undefined;
  return common.find((column) => {
    const twin = other.columns.find(({ name }) => name === column.name);
    if (twin === undefined || !isKey(column, one) || !isKey(twin, other)) return false;
    const { found, compared } = column.keys.matches(twin.keys);
    const back = twin.keys.matches(column.keys);
    return found >= SHARED * compared || back.found >= SHARED * back.compared;
  })?.name;
}

/** `tickets` and `tickets_details`: numbers from 1 on, which orders have too, say nothing. */
function areNamedAlike(one: TableProfile, other: TableProfile): boolean {
  const [a, b] = [tableWords(one), tableWords(other)];
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return short.length > 0 && short.every((word, at) => long[at] === word);
}

function isKey(
  { name, type, distinct, filled, averageLength }: ColumnProfile,
  { rows }: TableProfile,
): boolean {
  return (
    listOfPath(name) === undefined &&
    ['integer', 'text', 'mixed'].includes(type) &&
    averageLength <= 60 &&
    filled >= 0.98 * rows &&
    distinct >= 0.9 * filled &&
    (wordsOf(name).some((word) => ID_WORDS.has(word)) || /\d/.test(name))
  );
}

function together(one: TableProfile, other: TableProfile, key: string): TableProfile {
  const rest = new Map(other.firstRows.map((row) => [row.get(key) ?? '', row]));
  const known = new Map(one.columns.map((column) => [column.name, column]));
  for (const column of other.columns)
    if (column.filled > (known.get(column.name)?.filled ?? -1)) known.set(column.name, column);
  return {
    ...one,
    rows: Math.max(one.rows, other.rows),
    columns: [...known.values()],
    firstRows: one.firstRows.map((row) => new Map([...(rest.get(row.get(key) ?? '') ?? []), ...row])),
    firstItems: new Map([...one.firstItems, ...other.firstItems]),
    parts: [...(one.parts ?? [one]), ...(other.parts ?? [other])],
  };
}
