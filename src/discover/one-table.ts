/** Tables that hold the same things in parts: a list of tickets, and their details by the same id. */
import type { ColumnProfile } from './column-profile.ts';
import { ID_WORDS, isOtherName, tableWords, wordsOf } from './concept-words.ts';
import { idName } from './id-name.ts';
import { listOfPath, type TableProfile } from './table-profile.ts';
import { tableSort } from './table-sort.ts';

/** Share of ids that both have. */
const SHARED = 0.8;
/** The same of tables whose names do not say that they belong together, in their numbers of rows too. */
const SHARED_BY_ALL = 0.95;
/** How surely a column is the id of a ticket and of nothing else. */
const TICKETS_OWN = 0.9;
/** How surely `id` or `reference` is, which may be of anything. */
const BARE_ID = 0.8;
/** Characters of ids that are no mere numbers. */
const LEAST_WORD = 5;
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
    else left[at] = isDetails(other, table) ? together(table, other, key) : together(other, table, key);
  }
  return left;
}

/** `tickets_details` of `tickets`: what other tables are named after is the latter. */
function isDetails(one: TableProfile, other: TableProfile): boolean {
  const isNamed = [one, other].map((table) => tableSort(table) === 'ticket');
  return isNamed[0] === isNamed[1] ? tableWords(other).length < tableWords(one).length : isNamed[1] === true;
}

function sharedKey(one: TableProfile, other: TableProfile): string | undefined {
  if (one.rows < LEAST_ROWS || other.rows < LEAST_ROWS) return undefined;
  if ([one, other].some((table) => ['people', 'message'].includes(tableSort(table) ?? ''))) return undefined;
  const isAlike = areNamedAlike(one, other);
  if (!isAlike && !mayBeHalves(one, other)) return undefined;
  const common = one.columns.filter(({ name }) => other.columns.some((column) => column.name === name));
  const fewest = Math.min(one.columns.length, other.columns.length);
  if (common.length > Math.max(2, ALIKE * fewest)) return undefined;
  return common.find((column) => {
    const twin = other.columns.find(({ name }) => name === column.name);
    if (twin === undefined || !isKey(column, one) || !isKey(twin, other)) return false;
    const { found, compared } = column.keys.matches(twin.keys);
    const back = twin.keys.matches(column.keys);
    const isMostly = found >= SHARED * compared || back.found >= SHARED * back.compared;
    const isByAll = found >= SHARED_BY_ALL * compared && back.found >= SHARED_BY_ALL * back.compared;
    return isAlike
      ? isMostly
      : isByAll && tellsTickets(column) && !hasOwnKey(one, column) && !hasOwnKey(other, column);
  })?.name;
}

/** `tickets` and `tickets_details`: numbers from 1 on, which orders have too, say nothing. */
function areNamedAlike(one: TableProfile, other: TableProfile): boolean {
  const [a, b] = [tableWords(one), tableWords(other)];
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return short.length > 0 && short.every((word, at) => long[at] === word);
}

/** A row for every ticket, whatever the table is called; scores and calls are no part of a ticket even so. */
function mayBeHalves(one: TableProfile, other: TableProfile): boolean {
  const [fewer, more] = [one.rows, other.rows].toSorted((a, b) => a - b);
  const isBeside = [one, other].some((table) => tableSort(table) === 'beside' || isOtherName(table.file));
  return !isBeside && (fewer ?? 0) >= SHARED_BY_ALL * (more ?? 0);
}

/** `Ticketnummer`, or `reference` with values such as T-0001; a mere number would agree by chance. */
function tellsTickets({ name, type, averageLength }: ColumnProfile): boolean {
  const points = idName(name, []);
  return points > TICKETS_OWN || (points >= BARE_ID && type !== 'integer' && averageLength >= LEAST_WORD);
}

/** Records with an id of their own, as conversations of tickets have, are no part of another one. */
function hasOwnKey(table: TableProfile, shared: ColumnProfile): boolean {
  return table.columns.some(
    (column) =>
      column.name !== shared.name &&
      isKey(column, table) &&
      idName(column.name, tableWords(table)) >= TICKETS_OWN,
  );
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
