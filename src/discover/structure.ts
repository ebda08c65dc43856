/** Which tables hold the tickets, their messages and the people, and what joins them. */
import { AppError } from '../domain/errors.ts';
import type { ExportFiles } from '../domain/source-file.ts';
import { isForTeam } from '../domain/text/vocabulary.ts';
import { type Choices, columnOf, type Field, NONE, type Source } from './fields.ts';
import {
  hasNoun,
  isCalled,
  isListed,
  isOther,
  isPeople,
  isRoles,
  isText,
  isTicketNoun,
  isTickets,
  LEAST_TEXT,
  leadsTo,
  matchField,
  mayJoin,
  namesTicket,
  tableName,
} from './names.ts';
import {
  type Column,
  isAround,
  isKey,
  isTimeColumn,
  isUnique,
  type Join,
  ownColumns,
  profileTables,
  sharedKeys,
  type Table,
  variesInGroups,
} from './profile.ts';
import { baseName, type Stage, stageTables } from './staged-tables.ts';

export interface Evidence {
  readonly stage: Stage;
  readonly tables: readonly Table[];
  readonly joins: readonly Join[];
}

export async function evidenceOf(files: ExportFiles, signal: AbortSignal): Promise<Evidence> {
  const stage = await stageTables(files, signal);
  const tables = profileTables(stage);
  return { stage, tables, joins: findJoins(stage, tables) };
}

const LEAST_FOUND = 0.5;

/** The best join of each column; every column of numbers has small ones, so those join by name alone. */
function findJoins(stage: Stage, tables: readonly Table[]): Join[] {
  const keys = tables.flatMap((table) => table.columns.filter(isKey).map((column) => ({ table, column })));
  return keys.flatMap(({ table, column }) => {
    const found = keys.flatMap((to): Join[] => {
      const isOther = to.table !== table && !isAround(table, to.table) && to.column.list === undefined;
      if (!isOther || !isUnique(to.column) || !mayJoin(column, to.column, to.table)) return [];
      const counts = sharedKeys(stage, table, column, to.table, to.column);
      if (counts.found < LEAST_FOUND * counts.compared) return [];
      const end = (each: typeof to) => ({ table: each.table.id, column: each.column.name });
      return [{ from: end({ table, column }), to: end(to), ...counts }];
    });
    const rank = ({ to }: Join) => leadsTo(column, tables[to.table] as Table);
    return found.sort((a, b) => b.found - a.found || rank(b) - rank(a)).slice(0, 1);
  });
}

export interface Thread {
  readonly table: Table;
  readonly list: string | undefined;
}

type Draft = Pick<Field, 'source' | 'mark' | 'likely'>;

export interface Structure {
  readonly tickets: Table;
  readonly id: Draft;
  /** The columns of the ID: none where each row is a ticket. */
  readonly key: readonly Column[];
  readonly rows: string;
  /** Undefined where each ID has one row. */
  readonly rowsAre: Draft | undefined;
  readonly latest: Column | undefined;
  /** Columns that differ within the rows of a ticket. */
  readonly varying: ReadonlySet<Column>;
  readonly thread: Thread | undefined;
  /** Further lists and files, which are called the team's notes. */
  readonly notes: readonly Thread[];
  /** The column of each table that names the ticket. */
  readonly parents: ReadonlyMap<number, Column>;
  readonly people: Table | undefined;
  readonly personId: Source;
}

const TICKET_FIELDS = 'subject status priority tags createdAt resolvedAt closedAt description'.split(' ');
/** Names that no ID has. */
const CONTENT = [...TICKET_FIELDS, 'requesterName', 'requesterEmail', 'assigneeName', 'answer', 'note'];
const PERSON_FIELDS = ['requester', 'assignee'].flatMap((who) => [`${who}Email`, `${who}Name`, `${who}Id`]);
const CHATS = [
  {
    platform: 'Slack',
    has: [/^ts$/, /^user$/, /^text$/, /^(?:client_msg_id|thread_ts|user_profile\.|reply_count|blocks)/],
    hint: 'Threads become tickets with --set ticket.id=thread_ts --set ticket.rows=message. For a channel or a day, give each message a column with the ID of its ticket.',
  },
  {
    platform: 'Telegram',
    has: [/(?:^|\.)from_id$|^message\.from\.id$/, /(?:date_unixtime$|^message\.chat\.id$)/],
    hint: 'Each chat becomes a ticket with --set ticket.id=id, or with --set ticket.id=message.chat.id --set ticket.rows=message for an export of the Bot API.',
  },
];

export function structureOf(evidence: Evidence, choices: Choices): Structure {
  const { stage, tables, joins } = evidence;
  const chosen = (key: string): Source => choices.get(key) ?? NONE;
  const tableOf = (source: Source) => (source.kind === 'column' ? tables[source.table] : undefined);
  const tickets = tableOf(chosen('ticket.id')) ?? ticketsTable(evidence);
  const columns = ownColumns(tickets);
  const own = choices.get('ticket.id');
  const id: Draft = own === undefined ? idOf(evidence, tickets, columns) : { source: own };
  const key = columnOf(tables, id.source);
  const isRepeated = key !== undefined && key.distinct < key.filled;
  const isVarying = (column: Column) =>
    isRepeated &&
    column !== key &&
    (column.filled < 0.95 * column.rows || variesInGroups(stage, tickets, key, column));
  const varying = new Set(columns.filter(isVarying));
  const text = chosen('message.text');
  const told = isRepeated ? rowsOf(key, columns, varying, columnOf(tables, text)) : undefined;
  const source = chosen('ticket.rows').kind === 'fixed' ? chosen('ticket.rows') : told?.source;
  const rows = source?.kind === 'fixed' ? source.value : 'ticket';
  const isEachRow = isRepeated && rows === 'ticket';
  const varies = (is: (column: Column) => boolean) =>
    columns.find((column) => varying.has(column) && is(column));
  const parents = new Map(
    tables.flatMap((table) => {
      const parent = table === tickets ? undefined : parentOf(evidence, table, tickets, key);
      return parent === undefined ? [] : [[table.id, parent] as const];
    }),
  );
  const table = tableOf(text) ?? tickets;
  const list = columnOf(tables, text)?.list;
  const isInRow = table === tickets && list === undefined && rows !== 'message';
  const talks = talksOf(tables, tickets, parents);
  const found = rows === 'message' ? { table: tickets, list: undefined } : talks[0];
  const named = text.kind === 'column' && !isInRow ? { table, list } : undefined;
  const thread = choices.has('message.text') ? named : found;
  const read = [tickets.id, thread?.table.id];
  const joined = joins.find(
    ({ from, to }) =>
      read.includes(from.table) && !read.includes(to.table) && isPeople(tables[to.table] as Table),
  );
  const byJoin: Source = joined ? { kind: 'column', table: joined.to.table, name: joined.to.column } : NONE;
  const personId = choices.get('person.id') ?? byJoin;
  return {
    tickets,
    id: isEachRow ? { source: { kind: 'each-row' } } : id,
    key: isEachRow ? [] : key === undefined ? namedBy(id.source, columns) : [key],
    rows,
    rowsAre: told && source && { ...told, source },
    latest:
      isRepeated && rows === 'version'
        ? (varies((column) => isListed('versions', column)) ?? varies(isTimeColumn))
        : undefined,
    varying,
    thread,
    notes: talks.filter(
      (talk) => isOfNotes(talk) && (talk.table !== thread?.table || talk.list !== thread.list),
    ),
    parents,
    people: tableOf(personId),
    personId,
  };
}

/** Columns that a person's own settings name together. */
function namedBy(source: Source, columns: readonly Column[]): Column[] {
  const paths: unknown = source.kind === 'rule' ? source.rule : undefined;
  return Array.isArray(paths) ? columns.filter(({ path }) => paths.includes(path)) : [];
}

function ticketsTable(evidence: Evidence): Table {
  const rank = (table: Table) => {
    const columns = ownColumns(table);
    const named = (fields: readonly string[]) =>
      fields.filter((field) => matchField('ticket', field, columns).column !== undefined).length;
    return [
      // People are tickets only if nothing else is, and so are the team's notes.
      Number(!isForTeam(tableName(table))),
      Number(isTickets(table) && !isPeople(table)),
      Number(referenced(evidence, table) !== undefined),
      Number(!isPeople(table)),
      named(TICKET_FIELDS) + Math.min(2, named(PERSON_FIELDS)),
      Number(isCalled(table, 'ticket')),
      table.rows,
    ];
  };
  const filled = evidence.tables.filter(({ rows }) => rows > 0);
  const [first] = ranked(filled, rank);
  if (first === undefined) throw new AppError('source', 'The files hold no rows.');
  return first;
}

function ranked<T>(all: readonly T[], rank: (one: T) => readonly number[]): T[] {
  const compare = (one: readonly number[], other: readonly number[]) =>
    one.map((value, at) => value - (other[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
  const ranks = new Map(all.map((one) => [one, rank(one)]));
  return all.toSorted((a, b) => compare(ranks.get(b) ?? [], ranks.get(a) ?? []));
}

function referenced({ joins, tables }: Evidence, table: Table): Column | undefined {
  const join = joins.find(({ from, to }) => {
    const column = tables[from.table]?.columns.find(({ name }) => name === from.column);
    return to.table === table.id && column !== undefined && namesTicket(column);
  });
  return join && ownColumns(table).find(({ name }) => name === join.to.column);
}

function idOf(evidence: Evidence, table: Table, columns: readonly Column[]): Draft {
  refuseChats(evidence);
  const match = matchField('ticket', 'id', columns);
  const nouns = columns.filter(isTicketNoun);
  const isOfMessages = hasNoun(tableName(table), 'message') && !isCalled(table, 'ticket');
  const repeated = isOfMessages
    ? columns.filter((column) => namesTicket(column) && column.distinct < column.filled)
    : [];
  const only = repeated.length === 1 ? repeated[0] : undefined;
  const certain =
    referenced(evidence, table) ?? only ?? match.column ?? (nouns.length === 1 ? nouns[0] : undefined);
  const isNamed = (column: Column) => match.candidates.includes(column);
  const isOrdinary = (column: Column) =>
    column.filled >= 0.9 * column.rows &&
    !CONTENT.some((field) => matchField('ticket', field, [column]).candidates.length > 0) &&
    ['integer', 'text'].includes(column.type) &&
    column.average <= 60 &&
    column.distinct > 1 &&
    !isTimeColumn(column);
  const likely = ranked(
    columns.filter((column) => isNamed(column) || isOrdinary(column)),
    (column) => [
      Number(isNamed(column)),
      Number(!column.examples.some((text) => /\s/.test(text))),
      Number(isUnique(column)),
    ],
  );
  const key = certain ?? likely[0];
  if (key === undefined)
    return {
      source: { kind: 'each-row' },
      mark: 'no column is an ID: is each row a ticket? (each row)',
      likely,
    };
  refuseReplies(evidence, table, columns, key);
  const source: Source = { kind: 'column', table: table.id, name: key.name };
  if (certain === undefined) return { source, mark: 'is this the ID of the ticket?', likely };
  const other = evidence.tables.find(
    (each) =>
      each !== table && each.file !== table.file && each.rows > 0 && isTickets(each) && !isTickets(table),
  );
  if (other !== undefined)
    return {
      source,
      mark: `${baseName(other.file)} looks like the tickets: which file are they in?`,
      likely,
    };
  if (isPeople(table)) return { source, mark: 'looks like a list of people: are these tickets?', likely };
  const groups = columns.filter((column) => column.distinct < column.filled && isOrdinary(column));
  if (isOfMessages && !namesTicket(key) && isUnique(key) && groups.length > 0)
    return {
      source,
      mark: `${baseName(table.file)} holds messages: is each one a ticket?`,
      likely: [key, ...groups],
    };
  return { source, likely };
}

/** Channels of messages are no tickets: what one ticket is there only the person knows. */
function refuseChats({ tables }: Evidence): void {
  for (const { platform, has, hint } of CHATS)
    if (tables.some(({ columns }) => has.every((name) => columns.some((column) => name.test(column.name)))))
      throw new AppError('source', `This looks like an export of ${platform}: a chat, and no tickets.`, {
        hint,
      });
}

function refuseReplies(
  { joins, stage }: Evidence,
  table: Table,
  columns: readonly Column[],
  key: Column,
): void {
  const reply = columns.find((column) => column !== key && column.filled > 0 && isListed('replies', column));
  if (reply === undefined || !isUnique(key) || joins.some(({ to }) => to.table === table.id)) return;
  if (sharedKeys(stage, table, reply, table, key).found < 0.3 * reply.distinct) return;
  throw new AppError(
    'source',
    `Each row of ${baseName(table.file)} names the row it replies to ("${reply.name}"), and no column names the conversation: add a column with the ID of the first message of each chain, and run init again.`,
  );
}

function rowsOf(
  key: Column,
  columns: readonly Column[],
  varying: ReadonlySet<Column>,
  text: Column | undefined,
): Draft {
  const named = (field: string) =>
    matchField('message', field, columns).candidates.some((column) => varying.has(column));
  const hasVersions = columns.some((column) => isListed('versions', column) && varying.has(column));
  const own = columns.filter((column) => varying.has(column));
  const says = named('text') || own.some((column) => isText(column) && column.average >= LEAST_TEXT);
  const isRare = key.filled - key.distinct < 0.05 * key.distinct;
  const isTold =
    !isRare &&
    ((text !== undefined && varying.has(text)) ||
      (says && own.some(isRoles)) ||
      (named('text') && ['authorEmail', 'authorName', 'authorId', 'role'].some(named)) ||
      (named('text') && named('at') && key.distinct <= 0.5 * key.filled));
  const source: Source = { kind: 'fixed', value: isTold || !hasVersions ? 'message' : 'version' };
  if (isTold && !hasVersions) return { source };
  return {
    source,
    mark: `several rows have the same ${key.name}. Is each row a message (group), a later version (root), or is ${key.name} no ticket ID (ticket.rows=ticket)?`,
  };
}

/** Called notes of the team. */
const isOfNotes = ({ table, list }: Thread) => isForTeam(list ?? tableName(table));

/** The conversation first: the longest texts that are not called notes. */
function talksOf(tables: readonly Table[], tickets: Table, parents: ReadonlyMap<number, Column>): Thread[] {
  const lists = Map.groupBy(
    tickets.columns.filter(({ list }) => list !== undefined && !list.includes('[]')),
    ({ list = '' }) => list,
  );
  const inLists = [...lists].flatMap(([list, columns]) =>
    isTalk(columns, list) ? [{ table: tickets, list }] : [],
  );
  const others = tables.flatMap((table) => {
    const isFree = table !== tickets && table.rows > 0 && !isAround(tickets, table) && parents.has(table.id);
    return isFree && isTalk(ownColumns(table), tableName(table)) ? [{ table, list: undefined }] : [];
  });
  const weight = ({ table, list }: Thread) =>
    Math.max(
      0,
      ...table.columns
        .filter((column) => column.list === list && isText(column))
        .map(({ average, filled }) => average * filled),
    );
  return ranked([...inLists, ...others], (talk) => [Number(!isOfNotes(talk)), weight(talk)]);
}

/** By a column's name, or by its own name and texts. */
function isTalk(columns: readonly Column[], called: string): boolean {
  const own = columns.filter(({ path }) => path !== '.');
  if (matchField('message', 'text', own).candidates.some(({ average }) => average >= 2)) return true;
  const isNamed = hasNoun(called, 'message');
  return (
    (isNamed || own.length <= 4) &&
    own.some((column) => isText(column) && (isNamed || column.average >= LEAST_TEXT) && !isOther(column))
  );
}

function parentOf(
  { joins, stage }: Evidence,
  table: Table,
  tickets: Table,
  key: Column | undefined,
): Column | undefined {
  if (key === undefined) return undefined;
  const own = ownColumns(table);
  const isJoined = ({ name }: Column) =>
    joins.some(
      ({ from, to }) =>
        from.table === table.id && from.column === name && to.table === tickets.id && to.column === key.name,
    );
  const joined = own.filter(isJoined);
  const known = joined.find(namesTicket) ?? joined[0];
  if (known !== undefined) return known;
  return own
    .filter((column) => column.distinct > 1 && !isTimeColumn(column))
    .filter((column) => sharedKeys(stage, table, column, tickets, key).found >= 0.9 * column.distinct)
    .sort((a, b) => Number(namesTicket(b)) - Number(namesTicket(a)))[0];
}
