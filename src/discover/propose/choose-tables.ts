/** Which table of an export holds the tickets, and what the others are to it. */
import { FILE_COLUMN, idInColumn, KEY_COLUMN, ownColumn, ROW_COLUMN } from '../../domain/join-plan.ts';
import { ColumnCollector, type ColumnProfile } from '../column-profile.ts';
import { tableWords } from '../concept-words.ts';
import { idName } from '../id-name.ts';
import type { Join } from '../joins.ts';
import type { TableProfile } from '../table-profile.ts';
import { type TableSort, tableSort } from '../table-sort.ts';
import { bestColumn, nameOf, personColumn, type ScopeColumn } from './concepts.ts';
import { Grouping } from './grouping.ts';
import { messageColumns } from './message-columns.ts';
import { listScopes, rowsScope } from './scopes.ts';

export interface TicketTable {
  /** Index in the profile. */
  readonly index: number;
  readonly table: TableProfile;
  readonly key: TicketKey;
}

const LEAST = 2.5;
/** So surely a list or the rows of a group are messages. */
const THREAD = 1.4;

/** The likeliest table of tickets; undefined when nothing looks like tickets. */
export function chooseTicketTable(
  tables: readonly TableProfile[],
  joins: readonly Join[],
): TicketTable | undefined {
  const candidates = tables.flatMap((table, index) => {
    const scope = rowsScope(table);
    const hasBody =
      bestColumn('body', scope.columns, 0.7) !== undefined || scope.columns.filter(isOwnText).length >= 2;
    const named = surest(
      ticketKey(scope.columns, table.rows, tableWords(table), hasBody),
      derivedKey(table, index, joins),
    );
    if (named === undefined || table.rows === 0) return [];
    const found = keyOfRepeated(table, named) ?? named;
    const key = withVersions(table, found, (column) => isJoined(index, column, joins));
    if (key.role === 'group' && !isGrouped(key.column) && key.points < SURELY) return [];
    const points =
      contentPoints(table, key) +
      // alone it is what there is, whatever it is called
      (tables.length === 1 ? Math.max(0, sortPoints(table)) : sortPoints(table)) +
      key.points +
      joinPoints(index, tables, joins);
    return [{ index, table, key, points }];
  });
  const best = candidates.sort((a, b) => b.points - a.points || b.table.rows - a.table.rows)[0];
  return best === undefined || best.points < LEAST ? withoutKey(tables) : best;
}

/** So surely a table holds tickets that a row is one, though nothing names it. */
const LEAST_WITHOUT_KEY = 4.5;

/** A row is a ticket, known by a fingerprint of it. */
function withoutKey(tables: readonly TableProfile[]): TicketTable | undefined {
  const profile = (rows: number): ColumnProfile => ({
    ...new ColumnCollector(ROW_COLUMN).profile(rows),
    filled: rows,
    distinct: rows,
    type: 'text',
  });
  const [best] = tables
    .map((table, index): TicketTable & { points: number } => {
      const key: TicketKey = {
        column: { path: ROW_COLUMN, profile: profile(table.rows) },
        role: 'root',
        points: 0,
      };
      return { index, table, key, points: contentPoints(table, key) + sortPoints(table) };
    })
    .filter(({ points, table }) => points >= LEAST_WITHOUT_KEY && table.rows > 0)
    .sort((a, b) => b.points - a.points);
  return best;
}

function contentPoints(table: TableProfile, key: TicketKey): number {
  const scope = rowsScope(table);
  const { columns } = scope;
  const has = (concept: Parameters<typeof bestColumn>[0], points: number) =>
    bestColumn(concept, columns, 0.4) === undefined ? 0 : points;
  const requester = columns.some((column) => (personColumn('requester', column)?.points ?? 0) >= 0.6) ? 1 : 0;
  const inLists = listScopes(table).some((list) => (messageColumns(list)?.points ?? 0) >= THREAD);
  const inRows = key.role === 'group' && (messageColumns(scope)?.points ?? 0) >= THREAD;
  const thread = inLists || inRows ? 2.5 : 0;
  return (
    has('subject', 3) +
    has('status', 2) +
    has('body', 1.5) +
    has('priority', 1) +
    has('createdAt', 1) +
    requester +
    thread
  );
}

function sortPoints(table: TableProfile): number {
  const points = { ticket: 3, message: -1, people: -4, beside: -3 } as const;
  const sort = tableSort(table);
  return sort === undefined ? 0 : points[sort];
}

function joinPoints(index: number, tables: readonly TableProfile[], joins: readonly Join[]): number {
  const pointedAt = new Set(
    joins
      .filter(({ to, from }) => to.table === index && sortAt(tables, from.table) !== 'ticket')
      .map(({ from }) => from.table),
  );
  const points = joins.some(
    ({ from, to, found }) => from.table === index && found > 0 && sortAt(tables, to.table) === 'ticket',
  );
  return Math.min(3, pointedAt.size) * 0.7 - (points ? 3 : 0);
}

function sortAt(tables: readonly TableProfile[], index: number): TableSort {
  const table = tables[index];
  return table === undefined ? undefined : tableSort(table);
}

/** A name for a table of the mapping: `users` for `export_zendesk_users.csv`. */
export function tableName(table: TableProfile, taken: ReadonlySet<string>): string {
  const words = tableWords(table);
  const last = words.at(-1) ?? 'row';
  const short = last.endsWith('s') ? last : last.endsWith('y') ? `${last.slice(0, -1)}ies` : `${last}s`;
  const base = taken.has(short) && words.length > 1 ? `${words.slice(0, -1).join('_')}_${short}` : short;
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base}_${n}`;
  return name;
}

// Which column identifies a ticket, and whether one row is a ticket or one of several rows of it.

interface TicketKey {
  readonly column: ScopeColumn;
  /** `root`: one row a ticket. `group`: all rows with the same key are one ticket. */
  readonly role: 'root' | 'group';
  readonly points: number;
  /** Rows of one key are versions of it: the one with the greatest value here stands. */
  readonly latest?: ScopeColumn | undefined;
}

const UNIQUE = 0.98;
/** Rows of a group on average, at least; below, ids repeat by accident, or few tickets have several rows. */
const LEAST_GROUP = 1.2;
/** So surely a column is the ticket's id that few repeated ones do not make each row a ticket of its own. */
const SURELY = 0.8;
/** So many rows a ticket at most, where they are versions: what an export adds when something has changed. */
const MOST_VERSIONS = 6;

/**
 * Rows of one key that all say the same but for a state and the time of a change are versions of one ticket, no messages.
 */
function withVersions(
  table: TableProfile,
  key: TicketKey,
  isParent: (column: ScopeColumn) => boolean,
): TicketKey {
  if (key.role !== 'group') return key;
  const grouping = new Grouping(table, key.column.path);
  const { columns } = rowsScope(table);
  const { filled, distinct } = key.column.profile;
  // the same ticket in several files, and rows that stand twice
  const isRepeated = table.files > 1 && filled <= table.files * distinct && listScopes(table).length > 0;
  const latest = bestColumn('updatedAt', columns, 0.55);
  const isChanged = latest !== undefined && grouping.varies(latest);
  if (grouping.tells && (isRepeated || columns.every((column) => grouping.isConstant(column))))
    return { ...key, role: 'root', latest: isChanged ? latest : undefined };
  const texts = columns.filter((column) => column !== key.column && isLong(column));
  if (!isGrouped(key.column) && key.points >= SURELY && texts.every((column) => grouping.isConstant(column)))
    return { ...key, role: 'root', latest: isChanged ? latest : undefined };
  if (!grouping.tells || !isChanged) return key;
  const isVersion =
    table.rows <= MOST_VERSIONS * Math.max(1, key.column.profile.distinct) &&
    texts.every((column) => grouping.isConstant(column)) &&
    (texts.some((column) => bestColumn('body', [column], 0.45) !== undefined) || isParent(key.column));
  return isVersion ? { ...key, role: 'root', latest } : key;
}

function isLong({ profile }: ScopeColumn): boolean {
  return ['text', 'html', 'mixed'].includes(profile.type) && profile.averageLength >= 30;
}

/** Nearly each row has another long text. */
function isOwnText(column: ScopeColumn): boolean {
  return isLong(column) && column.profile.distinct >= 0.5 * column.profile.filled;
}

function isJoined(index: number, { path }: ScopeColumn, joins: readonly Join[]): boolean {
  return joins.some(({ to, found }) => to.table === index && to.column === path && found > 0);
}

/** What a ticket has once, whichever of its rows says it. */
const OF_TICKET = ['subject', 'status', 'priority'] as const;

/**
 * The rows of a join repeat all that they say of a ticket: its id is the one in whose rows that stays the same while the
 * text changes, though each row has an id of its own (`t_id`, `t_subject`, `m_id`, `m_body`).
 */
function keyOfRepeated(table: TableProfile, named: TicketKey): TicketKey | undefined {
  if (named.role === 'group') return undefined;
  const { columns } = rowsScope(table);
  const body = bestColumn('body', columns, 0.4);
  const once = OF_TICKET.map((concept) => bestColumn(concept, columns, 0.4)).filter(
    (column) => column !== undefined,
  );
  if (body === undefined || once.length < 2) return undefined;
  const keys = columns.filter((candidate) => {
    if (idName(nameOf(candidate), tableWords(table)) === 0 || isUnique(candidate, table.rows)) return false;
    if (!canIdentify(candidate, table.rows) || !isGrouped(candidate)) return false;
    const grouping = new Grouping(table, candidate.path);
    return grouping.tells && grouping.varies(body) && once.every((each) => grouping.isConstant(each));
  });
  const key = best(keys.map((column) => ({ column, points: idName(nameOf(column), tableWords(table)) })));
  return key && { column: key.column, role: 'group', points: named.points };
}

/** `organization_id` is less an id of the ticket than its address is. */
function surest(own: TicketKey | undefined, derived: TicketKey | undefined): TicketKey | undefined {
  return own !== undefined && own.points >= (derived?.points ?? 0) ? own : (derived ?? own);
}

/** The name of the file, or the id in the record's own address: the one that other tables name, else the first. */
function derivedKey(table: TableProfile, index: number, joins: readonly Join[]): TicketKey | undefined {
  const derived = table.columns
    .filter((profile) => ownColumn(profile.name) !== profile.name)
    .map((profile) => ({ path: profile.name, profile }))
    .filter((column) => canIdentify(column, table.rows) && isUnique(column, table.rows));
  const column =
    derived.find((each) => isJoined(index, each, joins)) ??
    derived.find(({ path }) => /self/i.test(path)) ??
    derived.find(({ path }) => path === KEY_COLUMN) ??
    named(table) ??
    derived.find(({ path }) => path === idInColumn(FILE_COLUMN)) ??
    derived.find(({ path }) => path === FILE_COLUMN) ??
    derived[0];
  return column === undefined ? undefined : { column, role: 'root', points: 0.3 };
}

/** Of a record in a file that is named after it, the whole id, whatever its column is called: `1041-2019` in 1041.json. */
function named(table: TableProfile): ScopeColumn | undefined {
  return rowsScope(table).columns.find(
    (column) =>
      canIdentify(column, table.rows) &&
      isUnique(column, table.rows) &&
      table.files > 1 &&
      table.firstRows.every((row) => row.get(column.path)?.includes(row.get(FILE_COLUMN) ?? '\u0000')),
  );
}

/** Undefined when no column is named and filled like an id. `rows`: how many were looked at. */
export function ticketKey(
  columns: readonly ScopeColumn[],
  rows: number,
  tableWords: readonly string[],
  hasBody: boolean,
): TicketKey | undefined {
  const named = columns
    .map((column) => ({ column, points: idName(nameOf(column), tableWords) }))
    .filter(({ column, points }) => points > 0 && canIdentify(column, rows));
  const unique = best(named.filter(({ column }) => isUnique(column, rows)));
  const repeated = best(
    named.filter(
      ({ column, points }) =>
        (points >= 0.5 || (hasBody && hasIds(column))) && points >= 0.3 && !isUnique(column, rows),
    ),
  );
  // every message has an id of its own too: the conversation's is the ticket
  const isMessageTable =
    repeated !== undefined &&
    repeated.points > 0.95 &&
    hasBody &&
    (unique === undefined || unique.points <= repeated.points - 0.05);
  if (unique !== undefined && !isMessageTable) return { ...unique, role: 'root' };
  return repeated === undefined ? undefined : { ...repeated, role: 'group' };
}

/** More words than an id has: `Case no. 12`. */
const SENTENCE = /\S\s+\S+\s+\S+\s+\S/;

function canIdentify({ profile }: ScopeColumn, rows: number): boolean {
  return (
    ['integer', 'text', 'mixed', 'number', 'url'].includes(profile.type) &&
    profile.averageLength <= 80 &&
    !profile.examples.some((text) => SENTENCE.test(text)) &&
    profile.filled >= UNIQUE * rows
  );
}

function isUnique({ profile }: ScopeColumn, rows: number): boolean {
  return profile.distinct >= UNIQUE * Math.min(profile.filled, rows);
}

/** Numbers, or words with numbers in them: `Issue` may be a kind of problem as well. */
function hasIds({ profile: { type, examples } }: ScopeColumn): boolean {
  return type === 'integer' || examples.every((text) => /\d/.test(text));
}

function isGrouped({ profile }: ScopeColumn): boolean {
  return profile.filled >= LEAST_GROUP * profile.distinct;
}

function best(
  found: readonly { column: ScopeColumn; points: number }[],
): { column: ScopeColumn; points: number } | undefined {
  return [...found].sort((a, b) => b.points - a.points)[0];
}
