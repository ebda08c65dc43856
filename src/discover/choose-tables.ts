/** Which table holds the tickets, by which column a ticket is known, and what rows of one ID are. */
import { AppError } from '../domain/errors.ts';
import { type Draft, RANK } from './draft.ts';
import { isCalled, isListed, isPeople, matchField, namesTicket } from './names.ts';
import {
  type Column,
  inFirstRows,
  isTimeColumn,
  isUnique,
  stored,
  type Table,
  varyingGroups,
} from './profile.ts';
import { columnChoice } from './questions.ts';

export interface Tickets {
  readonly table: Table;
  /** The columns of the row itself. */
  readonly columns: readonly Column[];
  readonly key: Column;
  readonly role: 'root' | 'group';
  /** Of rows of one ID the one with the greatest value here counts. */
  readonly latest: Column | undefined;
  /** With the key it tells tickets apart that have one ID. */
  readonly second?: Column | undefined;
  /** Whether rows of one ticket differ in a column. */
  readonly varies: (column: Column) => boolean;
}

const TICKET_FIELDS = [
  'subject',
  'status',
  'priority',
  'tags',
  'createdAt',
  'resolvedAt',
  'closedAt',
  'description',
];
const PERSON_FIELDS = [
  'requesterEmail',
  'requesterName',
  'requesterId',
  'assigneeEmail',
  'assigneeName',
  'assigneeId',
];

/** Undefined where no table has anything like a ticket. Throws AppError `source` for a chain of replies. */
export function chooseTickets(draft: Draft): Tickets | undefined {
  const { tables, joins } = draft.evidence;
  const candidates = tables
    .filter((table) => table.rows > 0)
    .map((table) => {
      const columns = table.columns.filter(({ list }) => list === undefined);
      const named = (fields: readonly string[]) =>
        fields.filter((field) => matchField('ticket', field, columns).column !== undefined).length;
      const isReferenced = joins.some(
        ({ from, to }) =>
          to.table === table.id &&
          tables[from.table]?.columns.some((column) => column.name === from.column && namesTicket(column)) ===
            true,
      );
      // a document around a list of records has few values of its own
      const isEnvelope =
        table.rows === 1 &&
        tables.some((other) => other.file === table.file && other.rows > 1) &&
        columns.filter(({ filled }) => filled > 0).length < 4;
      return {
        table,
        columns,
        isReferenced,
        isOut: isEnvelope || (isPeople(table) && !isReferenced),
        fields: named(TICKET_FIELDS) + Math.min(2, named(PERSON_FIELDS)),
        isCalled: isCalled(table, 'ticket'),
      };
    })
    .filter(({ isOut }) => !isOut)
    .sort(
      (a, b) =>
        Number(b.isReferenced) - Number(a.isReferenced) ||
        b.fields - a.fields ||
        Number(b.isCalled) - Number(a.isCalled) ||
        b.table.rows - a.table.rows,
    );
  const [best, second] = candidates;
  if (best === undefined) return undefined;
  let chosen = best;
  const isTie =
    second !== undefined &&
    second.isReferenced === best.isReferenced &&
    second.fields === best.fields &&
    second.isCalled === best.isCalled;
  if (isTie) {
    const tied = candidates.filter(
      ({ fields, isCalled: called }) => fields === best.fields && called === best.isCalled,
    );
    const name = draft.ask({
      key: 'tickets.table',
      path: ['mapping', 'tables', 'tickets', 'recognise', 'file'],
      concept: 'file of the tickets',
      question: 'Which file holds the tickets, one row a ticket or a message?',
      choices: tied.slice(0, 8).map(({ table }) => ({
        value: baseName(table.file),
        label: `"${baseName(table.file)}" (${table.columns
          .slice(0, 5)
          .map((column) => column.name)
          .join(', ')})`,
      })),
      kind: 'choice',
      rank: RANK.table,
    });
    chosen = tied.find(({ table }) => baseName(table.file) === name) ?? best;
  }
  return withKey(draft, chosen.table, chosen.columns);
}

function withKey(draft: Draft, table: Table, columns: readonly Column[]): Tickets | undefined {
  const { joins, tables, stage } = draft.evidence;
  const match = matchField('ticket', 'id', columns);
  const referenced = joins
    .filter(
      ({ from, to }) =>
        to.table === table.id &&
        tables[from.table]?.columns.some((column) => column.name === from.column && namesTicket(column)),
    )
    .map(({ to }) => columns.find(({ name }) => name === to.column))
    .find((column) => column !== undefined);
  let key = referenced ?? match.column;
  const candidates = [
    ...match.candidates,
    ...columns.filter(
      (column) =>
        !match.candidates.includes(column) &&
        column.filled >= 0.9 * column.rows &&
        ['integer', 'text'].includes(column.type) &&
        column.average <= 60 &&
        column.distinct > 1 &&
        !isTimeColumn(column),
    ),
  ];
  const answered = draft.answers.get('tickets.key');
  if (key === undefined || answered !== undefined) {
    if (candidates.length === 0) return undefined;
    const spaces = ({ examples }: Column) => examples.some((text) => /\s/.test(text));
    const path = draft.ask({
      key: 'tickets.key',
      path: ['mapping', 'tables', 'tickets', 'key'],
      concept: 'ID of the ticket',
      question: 'Which column holds the ID of the ticket?',
      choices: candidates
        .toSorted(
          (a, b) =>
            Number(match.candidates.includes(b)) - Number(match.candidates.includes(a)) ||
            Number(spaces(a)) - Number(spaces(b)) ||
            Number(isUnique(b)) - Number(isUnique(a)),
        )
        .slice(0, 8)
        .map(columnChoice),
      kind: 'choice',
      rank: RANK.key,
    });
    key = columns.find((column) => column.path === path);
  }
  if (key === undefined) return undefined;
  refuseReplies(draft, table, columns, key);
  draft.use(table, key);
  const none = () => false;
  if (key.distinct >= key.filled)
    return { table, columns, key, role: 'root', latest: undefined, varies: none };
  const varying = new Map<Column, boolean>();
  const varies = (column: Column) => {
    // what is filled in some rows alone belongs to these, unless the first row of each ticket has it
    const isPartial =
      column.filled < 0.95 * column.rows &&
      inFirstRows(stage, table.id, stored(key), stored(column)) < column.filled;
    const known =
      varying.get(column) ?? (isPartial || varyingGroups(stage, table.id, stored(key), stored(column)) > 0);
    varying.set(column, known);
    return known;
  };
  return repeatedRows(draft, table, columns, key, varies);
}

/** Rows of one ID: messages of a ticket, versions of it, or different tickets. */
function repeatedRows(
  draft: Draft,
  table: Table,
  columns: readonly Column[],
  key: Column,
  varies: (column: Column) => boolean,
): Tickets {
  const versions = columns.filter((column) => isListed('versions', column) && varies(column));
  const named = (field: string) => matchField('message', field, columns).candidates.some(varies);
  const isTalk =
    named('text') &&
    (named('at') || named('authorEmail') || named('authorName') || named('authorId') || named('role'));
  const answer =
    isTalk && versions.length === 0 && !draft.answers.has('tickets.rows')
      ? 'group'
      : draft.ask({
          key: 'tickets.rows',
          path: ['mapping', 'tables', 'tickets', 'role'],
          concept: `rows with one ${key.name}`,
          question: `Several rows have the same ${key.name}. What are they?`,
          choices: [
            { value: 'group', label: 'messages of one ticket' },
            { value: 'root', label: 'versions of one ticket: the last one counts' },
            { value: 'different', label: 'different tickets: the ID is in another column too' },
          ].sort((a, b) =>
            versions.length > 0 && !isTalk ? Number(b.value === 'root') - Number(a.value === 'root') : 0,
          ),
          kind: 'choice',
          rank: RANK.rows,
        });
  if (answer === 'group') return { table, columns, key, role: 'group', latest: undefined, varies };
  const times = columns.filter((column) => isTimeColumn(column) && varies(column));
  const latest = answer === 'root' ? (versions[0] ?? times[0]) : undefined;
  const second =
    answer === 'different' ? times.find((column) => column.filled >= 0.98 * column.rows) : undefined;
  draft.use(table, latest, second);
  return { table, columns, key, role: 'root', latest, second, varies: () => false };
}

/** Rows that name the row before them, and no conversation. */
function refuseReplies(draft: Draft, table: Table, columns: readonly Column[], key: Column): void {
  const reply = columns.find((column) => column !== key && column.filled > 0 && isListed('replies', column));
  if (reply === undefined || !isUnique(key) || draft.evidence.joins.some(({ to }) => to.table === table.id))
    return;
  const found = draft.evidence.stage.database
    .prepare<[number, string, number, string], { n: number }>(
      'SELECT count(*) AS n FROM value a WHERE a.tab = ? AND a.col = ? AND EXISTS (SELECT 1 FROM value b WHERE b.tab = ? AND b.col = ? AND b.value = a.value)',
    )
    .get(table.id, stored(reply), table.id, stored(key));
  if ((found?.n ?? 0) < 0.3 * reply.distinct) return;
  throw new AppError(
    'source',
    `Each row of ${baseName(table.file)} names the row it replies to ("${reply.name}"), and no column names the conversation: add a column with the ID of the first message of each chain, and run init again.`,
  );
}

export function baseName(file: string): string {
  return file.replace(/^.*[\\/!]/, '');
}
