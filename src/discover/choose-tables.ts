/** Which table holds the tickets, by which column a ticket is known, and what rows of one ID are. */
import { AppError } from '../domain/errors.ts';
import type { Draft } from './draft.ts';
import { isCalled, isListed, isPeople, matchField, namesTicket } from './names.ts';
import {
  type Column,
  isTimeColumn,
  isUnique,
  ownColumns,
  sharedKeys,
  type Table,
  variesInGroups,
} from './profile.ts';
import { columnChoice, RANK } from './questions.ts';
import { baseName } from './staged-tables.ts';

export interface Tickets {
  readonly table: Table;
  /** The columns of the row itself. */
  readonly columns: readonly Column[];
  readonly key: Column;
  readonly role: 'root' | 'group';
  /** Of rows of one ID the one with the greatest value here counts. */
  readonly latest?: Column | undefined;
  /** With the key it identifies tickets that share an ID. */
  readonly second?: Column | undefined;
  /** Whether rows of one ticket differ in a column. */
  readonly varies: (column: Column) => boolean;
}

const TICKET_FIELDS = 'subject status priority tags createdAt resolvedAt closedAt description'.split(' ');
const PERSON_FIELDS = ['requester', 'assignee'].flatMap((who) => [`${who}Email`, `${who}Name`, `${who}Id`]);
const MOST_CHOICES = 8;

/** Undefined where no table has anything like a ticket. Throws AppError `source` for a chain of replies. */
export function chooseTickets(draft: Draft): Tickets | undefined {
  const { tables } = draft.evidence;
  const candidates = tables
    .filter((table) => table.rows > 0 && !isEnvelope(table, tables))
    .map((table) => {
      const columns = ownColumns(table);
      const named = (fields: readonly string[]) =>
        fields.filter((field) => matchField('ticket', field, columns).column !== undefined).length;
      const fields = named(TICKET_FIELDS) + Math.min(2, named(PERSON_FIELDS));
      const isReferenced = referencedKey(draft, table) !== undefined;
      // criteria of tables, in this order
      return { table, rank: [Number(isReferenced), fields, Number(isCalled(table, 'ticket'))], isReferenced };
    })
    .filter(({ table, isReferenced }) => isReferenced || !isPeople(table))
    .sort((a, b) => compare(b.rank, a.rank) || b.table.rows - a.table.rows);
  const tied = candidates
    .filter(({ rank }) => compare(rank, candidates[0]?.rank ?? []) === 0)
    .slice(0, MOST_CHOICES)
    .map(({ table }) => table);
  if (tied.length <= 1) return tied[0] && withKey(draft, tied[0]);
  const name = draft.ask({
    key: 'tickets.table',
    path: ['mapping', 'tables', 'tickets', 'recognise', 'file'],
    concept: 'file of the tickets',
    question: 'Which file holds the tickets, one row a ticket or a message?',
    choices: tied.map(({ file, columns }) => {
      const some = columns.slice(0, 5).map((column) => column.name);
      return { value: baseName(file), label: `"${baseName(file)}" (${some.join(', ')})` };
    }),
    rank: RANK.table,
  });
  const chosen = tied.find(({ file }) => baseName(file) === name);
  return chosen && withKey(draft, chosen);
}

function compare(one: readonly number[], other: readonly number[]): number {
  return one.map((value, at) => value - (other[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** A document around a list of records has few values of its own. */
function isEnvelope({ rows, file, columns }: Table, all: readonly Table[]): boolean {
  const filled = columns.filter((column) => column.list === undefined && column.filled > 0).length;
  return rows === 1 && filled < 4 && all.some((other) => other.file === file && other.rows > 1);
}

/** The column that other tables name by a column called after tickets. */
function referencedKey({ evidence: { joins, tables } }: Draft, table: Table): Column | undefined {
  const join = joins.find(({ from, to }) => {
    const column = tables[from.table]?.columns.find(({ name }) => name === from.column);
    return to.table === table.id && column !== undefined && namesTicket(column);
  });
  return join && ownColumns(table).find(({ name }) => name === join.to.column);
}

function withKey(draft: Draft, table: Table): Tickets | undefined {
  const columns = ownColumns(table);
  const match = matchField('ticket', 'id', columns);
  let key = referencedKey(draft, table) ?? match.column;
  if (key === undefined || draft.answers.has('tickets.key')) {
    const isOrdinary = (column: Column) =>
      column.filled >= 0.9 * column.rows &&
      ['integer', 'text'].includes(column.type) &&
      column.average <= 60 &&
      column.distinct > 1 &&
      !isTimeColumn(column);
    const rank = (column: Column) => [
      Number(match.candidates.includes(column)),
      Number(!column.examples.some((text) => /\s/.test(text))),
      Number(isUnique(column)),
    ];
    const candidates = columns
      .filter((column) => match.candidates.includes(column) || isOrdinary(column))
      .sort((a, b) => compare(rank(b), rank(a)));
    if (candidates.length === 0) return undefined;
    const path = draft.ask({
      key: 'tickets.key',
      path: ['mapping', 'tables', 'tickets', 'key'],
      concept: 'ID of the ticket',
      question: 'Which column holds the ID of the ticket?',
      choices: candidates.slice(0, MOST_CHOICES).map(columnChoice),
      rank: RANK.key,
    });
    key = columns.find((column) => column.path === path);
  }
  if (key === undefined) return undefined;
  refuseReplies(draft, table, columns, key);
  draft.use(table, key);
  return key.distinct >= key.filled
    ? { table, columns, key, role: 'root', varies: () => false }
    : repeatedRows(draft, table, columns, key);
}

/** Rows of one ID: messages of a ticket, versions of it, or different tickets. */
function repeatedRows(draft: Draft, table: Table, columns: readonly Column[], key: Column): Tickets {
  const varying = new Set(
    columns.filter(
      (column) =>
        // what is filled in some rows alone belongs to these
        column.filled < 0.95 * column.rows || variesInGroups(draft.evidence.stage, table, key, column),
    ),
  );
  const varies = (column: Column) => varying.has(column);
  const named = (field: string) => matchField('message', field, columns).candidates.some(varies);
  const versions = columns.filter((column) => isListed('versions', column) && varies(column));
  const isTalk = named('text') && ['at', 'authorEmail', 'authorName', 'authorId', 'role'].some(named);
  const choices = [
    { value: 'group', label: 'messages of one ticket' },
    { value: 'root', label: 'versions of one ticket: the last one counts' },
    { value: 'different', label: 'different tickets: the ID is in another column too' },
  ];
  if (versions.length > 0 && !isTalk) choices.unshift(...choices.splice(1, 1));
  const answer =
    isTalk && versions.length === 0 && !draft.answers.has('tickets.rows')
      ? 'group'
      : draft.ask({
          key: 'tickets.rows',
          path: ['mapping', 'tables', 'tickets', 'role'],
          concept: `rows with one ${key.name}`,
          question: `Several rows have the same ${key.name}. What are they?`,
          choices,
          rank: RANK.rows,
        });
  if (answer === 'group') return { table, columns, key, role: 'group', varies };
  const times = columns.filter((column) => isTimeColumn(column) && varies(column));
  const latest = answer === 'root' ? (versions[0] ?? times[0]) : undefined;
  const second =
    answer === 'different' ? times.find((column) => column.filled >= 0.98 * column.rows) : undefined;
  draft.use(table, latest, second);
  return { table, columns, key, role: 'root', latest, second, varies: () => false };
}

/** Rows that name the row before them, and no conversation. */
function refuseReplies(draft: Draft, table: Table, columns: readonly Column[], key: Column): void {
  const { joins, stage } = draft.evidence;
  const reply = columns.find((column) => column !== key && column.filled > 0 && isListed('replies', column));
  if (reply === undefined || !isUnique(key) || joins.some(({ to }) => to.table === table.id)) return;
  if (sharedKeys(stage, table, reply, table, key).found < 0.3 * reply.distinct) return;
  throw new AppError(
    'source',
    `Each row of ${baseName(table.file)} names the row it replies to ("${reply.name}"), and no column names the conversation: add a column with the ID of the first message of each chain, and run init again.`,
  );
}
