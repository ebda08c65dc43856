/**
 * Columns whose names say nothing (`c1`, words of a language that is not known here) are called by what stands in them, so
 * that a proposal can be made of them as of any others. What came about so is asked: see `guessed-columns`.
 */

import { roughInstant } from '../time/rough-instant.ts';
import { type ColumnProfile, isTimeColumn } from './column-profile.ts';
import { isTellingName } from './concept-words.ts';
import { byValue, type Items, type NamedColumn, nameMessage, nameTicket } from './name-by-value.ts';
import { isClock } from './propose/dates-and-clocks.ts';
import { Grouping } from './propose/grouping.ts';
import { itemPath, listOfPath, type TableProfile } from './table-profile.ts';
import { tableSort } from './table-sort.ts';

/** With so many telling names the others are about something else. */
const FEW = 0.4;

export function namedByValues(tables: readonly TableProfile[]): TableProfile[] {
  // a table of keys beside others that have names needs none
  const named = tables.filter((table) => !isNameless(table));
  const nameless = new Set(tables.filter(isNameless));
  const columnsOf = (some: Iterable<TableProfile>) =>
    [...some].reduce((sum, { columns }) => sum + columns.length, 0);
  if (nameless.size === 0 || columnsOf(named) > columnsOf(nameless)) return [...tables];
  const people = tables.filter((table) => tableSort(table) === 'people');
  // people first: by their keys the others are known
  const called = new Map<TableProfile, TableProfile>();
  for (const table of people)
    called.set(table, nameless.has(table) ? withNames(table, peopleNames(table, tables)) : table);
  const keys = [...called.values()].flatMap(({ columns }) =>
    columns.filter((column) => isKey(column) && column.type !== 'email'),
  );
  return tables.map((table) => {
    const known = called.get(table);
    if (known !== undefined) return known;
    return nameless.has(table) ? withNames(table, names(table, tables, keys)) : table;
  });
}

type Row = Items['rows'][number];

function isNameless({ columns }: TableProfile): boolean {
  const filled = columns.filter(
    ({ name, filled, type }) => filled > 0 && type !== 'list' && type !== 'object' && !/\[\d+\]$/.test(name),
  );
  const telling = filled.filter(({ name }) => isTellingName(name));
  return filled.length >= 3 && telling.length <= FEW * filled.length;
}

function withNames(table: TableProfile, given: ReadonlyMap<string, string>): TableProfile {
  return {
    ...table,
    columns: table.columns.map((column) => {
      const called = given.get(column.name);
      return called === undefined || isTellingName(column.name) ? column : { ...column, called };
    }),
  };
}

/** Different in each row, as an id is; no text, no time. */
function isKey(column: ColumnProfile): boolean {
  return isId(column) && column.distinct >= 0.98 * column.filled && column.distinct > 1;
}

function isId(column: ColumnProfile): boolean {
  const { type, averageLength, examples, filled } = column;
  return (
    filled > 0 &&
    ['integer', 'text', 'mixed', 'number'].includes(type) &&
    averageLength <= 60 &&
    !isTimeColumn(column) &&
    !isClock(column) &&
    examples.every((text) => /\d/.test(text) && !/\s/.test(text))
  );
}

function peopleNames(table: TableProfile, tables: readonly TableProfile[]): Map<string, string> {
  const given = new Map<string, string>();
  const isUsed = (key: ColumnProfile) =>
    tables.some(
      (other) =>
        other !== table &&
        other.columns.some((column) => isId(column) && byValue(column.keys, key.keys) >= 0.3),
    );
  for (const column of table.columns) {
    const { name, type, examples } = column;
    if (type === 'email') given.set(name, 'email');
    else if (isKey(column)) given.set(name, name === 'id' || isUsed(column) ? 'id' : 'code');
    else if (type === 'text' && examples.every((text) => /^\S+(?: \S+){1,3}$/.test(text)))
      given.set(name, 'name');
    else if (type === 'text' && column.distinct <= 4) given.set(name, 'role');
  }
  return given;
}

function names(
  table: TableProfile,
  tables: readonly TableProfile[],
  people: readonly ColumnProfile[],
): Map<string, string> {
  const given = new Map<string, string>();
  const own = table.columns.filter(
    ({ name, filled }) =>
      listOfPath(name) === undefined &&
      filled > 0 &&
      !table.firstItems.has(name) &&
      table.csv?.duplicateHeaders.includes(name) !== true,
  );
  const isPerson = (column: ColumnProfile) =>
    people.reduce((sum, key) => sum + byValue(column.keys, key.keys), 0) >= 0.9 && isId(column);
  const ids = own.filter((column) => isId(column) && !isPerson(column));
  const rowId = ids.find((column) => isKey(column) && column.filled >= 0.98 * table.rows);
  const others = tables.filter((other) => other !== table && tableSort(other) !== 'people');
  // the column that holds the keys of another table, else the one by which rows belong together
  const reference = ids.find(
    (column) =>
      column !== rowId &&
      others.some(({ columns }) =>
        columns.some(
          (key) =>
            isKey(key) &&
            // an envelope has the columns of its lists too
            listOfPath(key.name) === undefined &&
            key.type === column.type &&
            byValue(column.keys, key.keys) >= 0.8,
        ),
      ),
  );
  const group =
    reference ??
    (rowId === undefined
      ? ids
          .filter(({ filled, distinct }) => filled >= 0.98 * table.rows && filled >= 1.2 * distinct)
          .sort((a, b) => b.distinct - a.distinct)[0]
      : undefined);
  if (rowId !== undefined) given.set(rowId.name, group === undefined ? 'ticket_id' : 'message_id');
  if (group !== undefined) given.set(group.name, 'ticket_id');
  const key = group ?? rowId;
  const rows = table.firstRows;
  const scope: NamedColumn[] = own
    .filter((column) => column !== key && column !== rowId)
    .map((profile) => ({ path: profile.name, profile, isPersonId: isPerson(profile) }));
  const grouping = new Grouping(table, key?.name ?? '');
  const varies = new Set(scope.flatMap((column) => (grouping.varies(column) ? [column.path] : [])));
  const thread = (row: Row) => row.get(key?.name ?? '');
  const units = key?.distinct ?? table.rows;
  const items: Items = { rows, thread, units, isAlone: others.length === 0 && table.firstItems.size === 0 };
  const inRows = group !== undefined;
  const steady = inRows ? scope.filter(({ path }) => !varies.has(path)) : scope;
  if (reference === undefined)
    for (const [path, name] of nameTicket(steady, { ...items, rows: lastRows(scope, items, varies) }, scope))
      given.set(path, name);
  if (inRows) {
    const isLog = [...given].some(([path, name]) => name === 'status' && varies.has(path));
    const changing =
      reference === undefined ? scope.filter(({ path }) => varies.has(path) && !given.has(path)) : scope;
    for (const [path, name] of nameMessage(changing, items, isLog)) given.set(path, name);
  }
  for (const [list, found] of table.firstItems) {
    const columns = table.columns
      .filter(({ name, filled }) => listOfPath(name) === list && filled > 0)
      .map((profile) => ({ path: itemPath(profile.name), profile, isPersonId: isPerson(profile) }));
    if (!columns.some(({ path }) => path !== '.')) continue;
    for (const [path, name] of nameMessage(
      columns,
      { rows: found, thread: (item) => item.get(''), units, isAlone: false },
      false,
    )) {
      const whole = columns.find((column) => column.path === path)?.profile.name;
      if (whole !== undefined) given.set(whole, name);
    }
  }
  return given;
}

/** Of rows that belong together the latest: how the ticket stands. */
function lastRows(
  columns: readonly NamedColumn[],
  { rows, thread }: Items,
  varies: ReadonlySet<string>,
): Items['rows'] {
  const time = columns.find(({ path, profile }) => varies.has(path) && isTimeColumn(profile));
  if (time === undefined) return rows;
  const at = (row: Row) => roughInstant(row.get(time.path) ?? '') ?? 0;
  return [...Map.groupBy(rows, thread).values()].flatMap(
    (group) => group.toSorted((a, b) => at(a) - at(b)).at(-1) ?? [],
  );
}
