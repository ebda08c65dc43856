/** Which table of an export holds the tickets, and what the others are to it. */
import { tableWords } from '../column-words.ts';
import { BESIDE_WORDS, MESSAGE_WORDS, PEOPLE_WORDS, TICKET_WORDS } from '../concept-words.ts';
import type { Join } from '../joins.ts';
import type { TableProfile } from '../table-profile.ts';
import { bestColumn, personColumn } from './concepts.ts';
import { messageColumns } from './message-columns.ts';
import { listScopes, rowsScope } from './scopes.ts';
import { type TicketKey, ticketKey } from './ticket-key.ts';

export interface TicketTable {
  /** Index in the profile. */
  readonly index: number;
  readonly table: TableProfile;
  readonly key: TicketKey;
}

/** What a table's name says it holds, by its last telling word: `ticket_comments` are comments. */
export type TableSort = 'ticket' | 'message' | 'people' | 'beside' | undefined;

const LEAST = 2.5;
/** So surely a list or the rows of a group are messages. */
const THREAD = 1.4;

export function tableSort(table: TableProfile): TableSort {
  const words = tableWords(table);
  for (const word of words.toReversed()) {
    if (BESIDE_WORDS.has(word)) return 'beside';
    if (MESSAGE_WORDS.has(word)) return 'message';
    if (TICKET_WORDS.has(word)) return 'ticket';
    if (PEOPLE_WORDS.has(word)) return 'people';
  }
  return undefined;
}

/** The likeliest table of tickets; undefined when nothing looks like tickets. */
export function chooseTicketTable(
  tables: readonly TableProfile[],
  joins: readonly Join[],
): TicketTable | undefined {
  const candidates = tables.flatMap((table, index) => {
    const scope = rowsScope(table);
    const hasBody = bestColumn('body', scope.columns, 0.7) !== undefined;
    const key = ticketKey(scope.columns, table.rows, tableWords(table), hasBody);
    if (key === undefined || table.rows === 0) return [];
    const points =
      contentPoints(table, key) +
      // alone it is what there is, whatever it is called
      (tables.length === 1 ? Math.max(0, sortPoints(table)) : sortPoints(table)) +
      key.points +
      joinPoints(index, tables, joins);
    return [{ index, table, key, points }];
  });
  const best = candidates.sort((a, b) => b.points - a.points || b.table.rows - a.table.rows)[0];
  return best === undefined || best.points < LEAST ? undefined : best;
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
