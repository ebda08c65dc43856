/** Where the messages of the tickets are: lists in the ticket, tables beside it, columns that repeat, or its own columns. */

import { roughInstant } from '../../time/rough-instant.ts';
import { tableWords } from '../concept-words.ts';
import { idName } from '../id-name.ts';
import type { Join } from '../joins.ts';
import type { TableProfile } from '../table-profile.ts';
import { tableSort } from '../table-sort.ts';
import { epochPattern, nullText, timePattern } from '../value-kind.ts';
import type { TicketTable } from './choose-tables.ts';
import { bestColumn, conceptScore, ranked, type ScopeColumn } from './concepts.ts';
import { Grouping } from './grouping.ts';
import {
  contentColumn,
  isInternalText,
  type MessageColumns,
  mayTellNotes,
  messageColumns,
} from './message-columns.ts';
import { roleOfName } from './propose-values.ts';
import { listScopes, type ProfileScope, rowsScope } from './scopes.ts';

export interface Thread {
  readonly scope: ProfileScope;
  readonly columns: MessageColumns;
  /** Index of the table where it is another one than the tickets'. */
  readonly table: number | undefined;
  /** The column that names the ticket, in another table. */
  readonly key: string | undefined;
  /** The table between, whose rows `key` names: a conversation of the ticket. */
  readonly via?: Via | undefined;
}

export interface Via {
  /** Index of the table, the column that other tables name its rows by, and the one that names the ticket. */
  readonly table: number;
  readonly key: string;
  readonly get: string;
}

export interface Threads {
  readonly threads: readonly Thread[];
  /** A header that the CSV repeats, a message in each cell. */
  readonly repeated:
    | { readonly header: string; readonly parts: boolean; readonly addresses: boolean }
    | undefined;
  /** Two columns of texts of which each row fills one: what customers said, and what the team said. */
  readonly sides?: Sides | undefined;
  /** The first message, in a column of the ticket. */
  readonly description: ScopeColumn | undefined;
  /** What the team answered, in a column of the ticket. */
  readonly answer: ScopeColumn | undefined;
  /** What the team noted for itself, in a column of the row. */
  readonly note: ScopeColumn | undefined;
}

interface Sides {
  readonly customer: ScopeColumn;
  readonly agent: ScopeColumn;
  readonly time: ScopeColumn | undefined;
}

/** Below this, a list or table with a text in it is not taken for messages. */
const LEAST = 1.25;
const MOST_TABLES = 3;
/** So surely a column that other tables point to is an id of the tickets. */
const NAMED = 0.5;

export function findThreads(
  ticket: TicketTable,
  tables: readonly TableProfile[],
  joins: readonly Join[],
): Threads {
  const { table, index, key } = ticket;
  const all = rowsScope(table);
  const note = all.columns.find((column) => column !== key.column && isInternalText(column));
  const own = { ...all, columns: all.columns.filter((column) => column !== note) };
  if (key.role === 'group') {
    const grouping = new Grouping(table, key.column.path);
    const others = own.columns.filter((column) => column !== key.column);
    const varying = grouping.tells
      ? others.filter(
          (column) => grouping.varies(column) || (mayTellNotes(column) && !grouping.isConstant(column)),
        )
      : others;
    const sides = findSides(table, key.column, others, varying);
    if (sides !== undefined)
      return { threads: [], repeated: undefined, sides, description: undefined, answer: undefined, note };
    const columns =
      messageColumns({ ...own, columns: varying }) ?? messageColumns({ ...own, columns: others });
    const isMessage = columns !== undefined && conceptScore('body', columns.content) >= 0.7;
    const thread = isMessage ? [{ scope: own, columns, table: undefined, key: undefined }] : [];
    return { threads: thread, repeated: undefined, description: undefined, answer: undefined, note };
  }
  const lists = listScopes(table)
    .flatMap((scope) => threadIn(scope, undefined, undefined))
    .sort((a, b) => b.columns.points - a.columns.points)
    .slice(0, 1);
  const direct = joins.filter(
    ({ from, to, found }) =>
      to.table === index &&
      from.table !== index &&
      (to.column === key.column.path ||
        (key.latest === undefined && idName(to.column, tableWords(table)) >= NAMED)) &&
      found > 0,
  );
  // messages name their conversation, and that its ticket
  const through = joins.flatMap(({ from, to, found }) => {
    const end = direct.find((other) => other.from.table === to.table && other.from.column !== to.column);
    const isDirect = direct.some((other) => other.from.table === from.table);
    return end === undefined || isDirect || found === 0 || from.table === index
      ? []
      : [{ from, via: { table: to.table, key: to.column, get: end.from.column } }];
  });
  const beside = [...direct.map(({ from }) => ({ from, via: undefined })), ...through]
    .flatMap(({ from, via }) => {
      const other = tables[from.table];
      const middle = via === undefined ? undefined : tables[via.table];
      if (
        [other, middle].some(
          (each) => each !== undefined && ['people', 'beside'].includes(tableSort(each) ?? ''),
        )
      )
        return [];
      if (other === undefined) return [];
      const scope = rowsScope(other);
      const without = { ...scope, columns: scope.columns.filter(({ path }) => path !== from.column) };
      return threadIn(without, from.table, from.column).map((thread) => ({ ...thread, via }));
    })
    .sort((a, b) => b.columns.points - a.columns.points)
    .slice(0, MOST_TABLES);
  const repeated = repeatedComments(table);
  const columns = own.columns.filter(({ path }) => path !== key.column.path && path !== repeated?.header);
  const answer = ranked(columns, (column) => conceptScore('answer', column), 0.5)[0];
  const subject = bestColumn('subject', columns);
  const description = contentColumn(columns.filter((column) => column !== subject && column !== answer));
  return {
    threads: [...lists, ...beside],
    repeated,
    description: description ?? briefDescription(columns, subject, answer),
    // a column named like an answer that holds the only text is the text
    answer:
      answer !== undefined && answer !== description && roleOfName(answer.path) !== 'customer'
        ? answer
        : undefined,
    note,
  };
}

/** Rows in which not exactly one of the two is filled. */
const MOST_EXCEPTIONS = 0.05;

/** `varying`: those that differ within a ticket, as the time of a message does. */
function findSides(
  table: TableProfile,
  key: ScopeColumn,
  columns: readonly ScopeColumn[],
  varying: readonly ScopeColumn[],
): Sides | undefined {
  const texts = columns.filter(
    (column) =>
      ['text', 'html', 'mixed'].includes(column.profile.type) &&
      column.profile.averageLength >= 20 &&
      conceptScore('subject', column) < 0.7,
  );
  const rows = table.firstRows;
  for (const [at, one] of texts.entries())
    for (const other of texts.slice(at + 1)) {
      const odd = rows.filter((row) => isFilled(row, one) === isFilled(row, other)).length;
      const both = [one, other].every((column) => rows.some((row) => isFilled(row, column)));
      if (!both || rows.length < 4 || odd > MOST_EXCEPTIONS * rows.length) continue;
      const time = bestColumn('sentAt', varying, 0.35) ?? bestColumn('updatedAt', varying, 0.55);
      const named = teamByName(one, other) ?? teamByName(other, one);
      const agent = named ?? (firstSaid(rows, key, time, one, other) === one ? other : one);
      return { customer: agent === one ? other : one, agent, time };
    }
  return undefined;
}

function isFilled(row: ReadonlyMap<string, string>, { path }: ScopeColumn): boolean {
  const text = row.get(path) ?? '';
  return text !== '' && nullText(text) === undefined;
}

/** `one`, where it or the other one is called so: `agent_text`, `response` beside `question`. */
function teamByName(one: ScopeColumn, other: ScopeColumn): ScopeColumn | undefined {
  const isAnswer = conceptScore('answer', one) >= 0.5 && conceptScore('answer', other) < 0.5;
  return roleOfName(one.path) === 'agent' || roleOfName(other.path) === 'customer' || isAnswer
    ? one
    : undefined;
}

/** Which of two texts most tickets begin with. */
function firstSaid(
  rows: readonly ReadonlyMap<string, string>[],
  { path: key }: ScopeColumn,
  time: ScopeColumn | undefined,
  one: ScopeColumn,
  other: ScopeColumn,
): ScopeColumn {
  const at = (row: ReadonlyMap<string, string>) => roughInstant(row.get(time?.path ?? '') ?? '') ?? 0;
  const threads = [...Map.groupBy(rows, (row) => row.get(key)).values()];
  const begins = threads.filter((thread) => {
    const [first] = thread.toSorted((a, b) => at(a) - at(b));
    return first !== undefined && isFilled(first, one);
  });
  return begins.length * 2 >= threads.length ? one : other;
}

function threadIn(scope: ProfileScope, table: number | undefined, key: string | undefined): Thread[] {
  const columns = messageColumns(scope);
  return columns === undefined || columns.points < LEAST ? [] : [{ scope, columns, table, key }];
}

/** A second subject is the description: `Complaint Type` and `Descriptor`. */
function briefDescription(
  columns: readonly ScopeColumn[],
  subject: ScopeColumn | undefined,
  answer: ScopeColumn | undefined,
): ScopeColumn | undefined {
  const others = columns.filter((column) => column !== subject && column !== answer);
  return ranked(others, (column) => conceptScore('subject', column), 0.29).find(
    ({ path, profile }) => !/name/i.test(path) && profile.distinct > 20,
  );
}

/** Cells such as `05/Sep/25 7:24 AM;account;text` come apart; others are the text. */
function repeatedComments(table: TableProfile): Threads['repeated'] {
  for (const header of table.csv?.duplicateHeaders ?? []) {
    const profile = table.columns.find(({ name }) => name === header);
    if (profile === undefined || profile.filled === 0) continue;
    if (conceptScore('body', { path: header, profile }) < 0.45) continue;
    const parts = profile.examples.every((example) => {
      const [time = '', author] = example.split(';');
      return author !== undefined && (timePattern(time) ?? epochPattern(time)) !== undefined;
    });
    const addresses =
      parts && profile.examples.some((example) => example.split(';')[1]?.includes('@') === true);
    return { header, parts, addresses };
  }
  return undefined;
}
