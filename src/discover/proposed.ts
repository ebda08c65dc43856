/** The table as first filled in: certain names and types, and the person's choices. */
import {
  isAboutReaders,
  isForTeam,
  meaningOf,
  mentions,
  plain,
  readingOf,
  vocabulary,
  type WordKind,
  yesOrNo,
} from '../domain/text/vocabulary.ts';
import {
  AGENT_TEXT,
  byFilled,
  type Choices,
  CUSTOMER_TEXT,
  columnOf,
  type Field,
  NONE,
  NOTE_TEXT,
  nameOf,
  type Source,
  specOf,
  together,
} from './fields.ts';
import {
  isBareName,
  isBothSides,
  isCalled,
  isClock,
  isCustomers,
  isFullNames,
  isOther,
  isRoles,
  isText,
  isTimeOf,
  LEAST_TEXT,
  matchField,
  mayBe,
  namesTicket,
  roleOf,
  sideOfName,
  tableName,
} from './names.ts';
import {
  type Column,
  isAround,
  isTimeColumn,
  ownColumns,
  sharedKeys,
  sharesWords,
  type Table,
  variesInGroups,
} from './profile.ts';
import { baseName } from './staged-tables.ts';
import { type Evidence, type Structure, structureOf, type Thread } from './structure.ts';

export interface Fields extends Structure {
  readonly all: ReadonlyMap<string, Field>;
  readonly tables: readonly Table[];
  readonly unread: { readonly texts: readonly Column[]; readonly files: readonly string[] };
}

export function proposed(evidence: Evidence, choices: Choices): Fields {
  return new Proposing(evidence, choices).fields();
}

type Is = (column: Column) => boolean;

const MOST_WORDS = 40;
const LONGEST_SUBJECT = 100;
const LEAST_KEY = 4;
/** Average length of texts that can be nothing else. */
const SENTENCE = 30;
const PERSON_PARTS = ['.email', '', '.name'];

const isWords =
  (kind: WordKind): Is =>
  ({ distinct, filled, values }) =>
    distinct >= 2 &&
    distinct <= 12 &&
    filled > 2 * distinct &&
    values.some(({ value }) => !/^\d+$/.test(value) && meaningOf(kind, value) !== undefined);

const isBody: Is = ({ type, average, distinct, path, examples }) =>
  ['text', 'html'].includes(type) &&
  average >= LEAST_TEXT &&
  distinct > 1 &&
  !isForTeam(path) &&
  !examples.every((text) => /^(?:[a-z]:\\|\/|https?:)\S*$/i.test(text));

const isFew: Is = ({ type, distinct, filled }) =>
  ['text', 'integer', 'mixed'].includes(type) && distinct >= 2 && distinct <= 12 && distinct < filled;

const isTitle =
  (tickets: number): Is =>
  (column) =>
    column.type === 'text' &&
    column.average >= 4 &&
    column.average <= 120 &&
    column.distinct > 1 &&
    (column.distinct >= 0.5 * Math.min(column.filled, tickets) ||
      column.examples.every((text) => /\S\s+\S+\s+\S/.test(text))) &&
    !isOther(column);

const isStatus: Is = (column) => isFew(column) && mayBe('ticket', 'status', column);

const isPerson: Is = (column) =>
  ['text', 'mixed', 'email', 'integer'].includes(column.type) &&
  column.average <= 60 &&
  column.distinct > 1 &&
  !isTimeColumn(column) &&
  !isOther(column);

const isSaying: Is = ({ distinct, average, type }) =>
  distinct >= 2 && average <= 60 && ['text', 'integer', 'mixed', 'boolean'].includes(type);

const isNote = (value: string) => meaningOf('visibility', value) === 'internal' || isForTeam(value);

const writtenBy = (writer: Column, side: string): number =>
  writer.values.reduce((sum, { value, count }) => sum + (roleOf(writer, value) === side ? count : 0), 0);

const isAbout = (one: number, other: number): boolean => Math.abs(one - other) <= 0.02 * other;

/** May say who sees a message. */
const isFlag: Is = (column) =>
  column.distinct >= 2 &&
  column.distinct < column.filled &&
  (['boolean', 'text'].includes(column.type) || (column.type === 'integer' && column.distinct <= 3)) &&
  !['status', 'priority'].some((field) => matchField('ticket', field, [column]).candidates.length > 0);

class Proposing {
  readonly #evidence: Evidence;
  readonly #choices: Choices;
  readonly #structure: Structure;
  readonly #all = new Map<string, Field>();
  readonly #used = new Set<Column>();

  constructor(evidence: Evidence, choices: Choices) {
    this.#evidence = evidence;
    this.#choices = choices;
    this.#structure = structureOf(evidence, choices);
    for (const [key, source] of choices) this.#use(source, key);
  }

  fields(): Fields {
    const { tables } = this.#evidence;
    const { tickets, rows, rowsAre, varying, thread, people, personId, id } = this.#structure;
    const columns = ownColumns(tickets);
    for (const [key, draft] of Object.entries({ 'ticket.id': id, 'ticket.rows': rowsAre }))
      if (draft !== undefined) this.#put(key, draft.source, draft.mark, draft.likely);
    const isItsOwn = (column: Column) =>
      isCustomers(column) ||
      ['subject', 'status', 'priority'].some(
        (field) => matchField('ticket', field, [column]).column !== undefined,
      );
    const steady =
      rows === 'message' ? columns.filter((column) => !varying.has(column) || isItsOwn(column)) : columns;
    const own = thread === undefined ? [] : this.#itsColumns(thread);
    const cell = thread && tickets.columns.find(({ name }) => name === thread.list);
    if (cell !== undefined && cell.type !== 'list') this.#used.add(cell);
    this.#ticketFields(steady);
    const isPair = rows === 'message' && this.#hasPairs(columns);
    if (rows !== 'message' || isPair) this.#ownTexts(isPair ? own : steady);
    for (const key of ['ticket.status', 'ticket.priority']) {
      const column = rows === 'message' ? this.#column(key) : undefined;
      if (column !== undefined && varying.has(column))
        this.#mark(key, 'differs within a ticket: the last row counts', [column]);
    }
    if (isPair) {
      this.#put('message.text', NONE);
      this.#pickTime('message.time', own, isTimeColumn);
    } else if (thread !== undefined) this.#threadFields(thread, own, cell?.type !== 'list');
    if (people !== undefined) {
      this.#put('person.id', personId);
      for (const part of ['email', 'name', 'role']) this.#pick(`person.${part}`, ownColumns(people));
    }
    this.#gaps(steady, own);
    const left = tables.filter((table) => this.#isLeft(table));
    for (const table of left) {
      const names = this.#structure.parents.get(table.id);
      const mark = `no field reads ${baseName(table.file)}, which has the same IDs: are the tickets or their messages in it?`;
      // Small numbers are everywhere.
      const isTelling = names !== undefined && (namesTicket(names) || names.average >= LEAST_KEY);
      if (isTelling) this.#mark('ticket.id', mark, [names]);
    }
    const isUnread = (column: Column) =>
      ['text', 'html'].includes(column.type) &&
      column.average >= 30 &&
      column.distinct > 1 &&
      !this.#used.has(column);
    return {
      ...this.#structure,
      all: this.#all,
      tables,
      unread: {
        texts: [...new Set([...columns, ...own])].filter(isUnread),
        files: left.map(({ file }) => baseName(file)),
      },
    };
  }

  #isLeft(table: Table): boolean {
    const { tickets, thread, notes, people } = this.#structure;
    const isAroundOne = this.#evidence.tables.some((other) => isAround(table, other));
    const read = [tickets, thread?.table, people, ...notes.map((each) => each.table)];
    return table.rows > 0 && !read.includes(table) && !isAroundOne;
  }

  /** A long text is a message even if it is the subject too, and who wrote the messages may name the customer. */
  #use(source: Source, key: string): Column | undefined {
    const column = columnOf(this.#evidence.tables, source);
    if (column === undefined) return undefined;
    const isLong = key === 'ticket.subject' && column.longest > LONGEST_SUBJECT;
    const { rows, varying } = this.#structure;
    const isAuthors = rows === 'message' && key.startsWith('ticket.requester') && varying.has(column);
    if (!isLong && (!isAuthors || isCustomers(column))) this.#used.add(column);
    return column;
  }

  /** A choice goes first, and needs no mark; a word that is not decided is one. */
  #put(key: string, proposal: Source, mark?: string, likely?: readonly Column[]): Column | undefined {
    const { label, words: kind } = specOf(key);
    const chosen = this.#choices.get(key);
    const source = chosen ?? proposal;
    const column = this.#use(source, key);
    const all = column?.values.slice(0, MOST_WORDS).map(({ value }) => value) ?? [];
    const words = meaningsOf(key, column, all, this.#choices);
    const isDecided = chosen !== undefined || all.some((word) => this.#choices.has(`${key}:${word}`));
    const kept = [...words.values()].includes(undefined) ? 'decide the words' : isDecided ? undefined : mark;
    const more = { ...(likely && !chosen && { likely }), ...(kept !== undefined && { mark: kept }) };
    const hasWords = kind !== undefined && column !== undefined;
    this.#all.set(key, { key, label, source, ...more, ...(hasWords && { words }) });
    return column;
  }

  #putColumn(key: string, column: Column, mark?: string, likely = [column]): Column | undefined {
    const table = this.#evidence.tables.find(({ columns }) => columns.includes(column));
    const source: Source = { kind: 'column', table: table?.id ?? 0, name: column.name };
    return this.#put(key, source, mark, mark === undefined ? undefined : likely);
  }

  #column(key: string): Column | undefined {
    return columnOf(this.#evidence.tables, this.#all.get(key)?.source ?? NONE);
  }

  #isNone(key: string): boolean {
    return ['none', 'first-line'].includes((this.#all.get(key)?.source ?? NONE).kind);
  }

  /** By choice, by name, or by its values, which is marked. */
  #pick(key: string, columns: readonly Column[], isLikely?: Is, name = nameOf(key)): Column | undefined {
    if (!this.#isNone(key)) return this.#column(key);
    const { of } = specOf(key);
    const scope = of === 'ticket' || of === 'message' ? of : 'people';
    const free = columns.filter((column) => !this.#used.has(column));
    const { column, candidates } = matchField(scope, name, free);
    if (column !== undefined) return this.#putColumn(key, column);
    const [first, ...more] = candidates;
    const several = more.length > 0 ? 'several columns have this name' : 'is this it?';
    if (first !== undefined) return this.#putColumn(key, first, several, [...candidates]);
    const mayBeIt = (each: Column) =>
      isLikely === isRoles || (scope !== 'people' && mayBe(scope, name, each));
    const likely = free.filter((each) => isLikely?.(each) === true && mayBeIt(each));
    const [only] = likely;
    if (only !== undefined) {
      const isSure = likely.length === 1 && this.#isSure(key, only);
      return this.#putColumn(key, only, isSure ? undefined : 'only its values say so: is this it?', likely);
    }
    return this.#put(key, NONE);
  }

  /** A date and the time of day in another column are one time. */
  #pickTime(key: string, columns: readonly Column[], isLikely?: Is): void {
    const date = this.#pick(key, columns, isLikely);
    if (date?.type !== 'date' || this.#choices.has(key)) return;
    const clocks = columns.filter((column) => !this.#used.has(column) && isClock(column));
    const isAlone = clocks.length === 1 && columns.filter(({ type }) => type === 'date').length === 1;
    const named = clocks.find((column) => isAlone || isTimeOf(date, column));
    if (named === undefined) {
      if (clocks.length > 0)
        this.#mark(key, `a date without a time: or "${date.name} + ${clocks[0]?.name}"?`, [date]);
      return;
    }
    this.#used.add(named);
    this.#put(key, together([date, named]), this.#all.get(key)?.mark, [date]);
  }

  /** Addresses of files may be in several columns. */
  #pickFiles(columns: readonly Column[]): void {
    const free = columns.filter((column) => !this.#used.has(column));
    const { candidates } = matchField('message', 'attachment', free);
    if (candidates.length < 2 || candidates.some(({ type }) => type === 'list')) {
      this.#pick('message.attachment', columns);
      return;
    }
    for (const column of candidates) this.#used.add(column);
    this.#put('message.attachment', together(candidates));
  }

  /** A message of the team to others than the customer is internal. */
  #pickRecipients(own: readonly Column[]): void {
    const to = this.#pick('message.to', own);
    const free = own.filter((column) => !this.#used.has(column));
    const { candidates: copies } = matchField('message', 'cc', free);
    if (to === undefined || copies.length === 0 || this.#choices.has('message.to')) return;
    for (const column of copies) this.#used.add(column);
    this.#put('message.to', { kind: 'rule', rule: [to, ...copies].map(({ path }) => path) });
  }

  /** By its values alone. */
  #isSure(key: string, column: Column): boolean {
    if (key === 'message.writer') return isBothSides(column);
    if (key === 'message.text') return column.average >= SENTENCE && this.#structure.varying.has(column);
    if (key !== 'ticket.status') return false;
    const meanings = column.values.map(({ value }) => meaningOf('status', value));
    return !meanings.includes(undefined) && new Set(meanings).size > 1;
  }

  #ticketFields(columns: readonly Column[]): void {
    const isTitled = ({ path, examples }: Column) =>
      plain(path) === 'name' && examples.every((text) => /\S\s+\S+\s+\S/.test(text));
    const name = columns.find(isTitled);
    const isNamed = matchField('ticket', 'subject', columns).candidates.length > 0;
    if (name !== undefined && !isNamed) this.#putColumn('ticket.subject', name, 'is this the subject?');
    else if (this.#pick('ticket.subject', columns) === undefined)
      this.#put('ticket.subject', { kind: 'first-line' });
    const bare = columns.find(({ path }) => isBareName(path));
    const isAlone = this.#structure.thread === undefined;
    const likely: Readonly<Record<string, Is>> = {
      status: isWords('status'),
      priority: isWords('priority'),
      'requester.email': ({ type }) => type === 'email',
      ...(isAlone && { createdAt: isTimeColumn }),
    };
    const people = ['requester', 'assignee'].flatMap((who) => PERSON_PARTS.map((part) => `${who}${part}`));
    for (const field of ['status', 'priority', 'tags', ...people])
      this.#pick(`ticket.${field}`, columns, likely[field]);
    for (const field of ['createdAt', 'resolvedAt', 'closedAt'])
      this.#pickTime(`ticket.${field}`, columns, likely[field]);
    const email = this.#column('ticket.requester.email');
    const { stage } = this.#evidence;
    const isPersons = bare && email && sharesWords(stage, this.#structure.tickets, bare, email);
    const isTold = isNamed || this.#choices.has('ticket.subject');
    if (bare !== undefined && !isTold && bare === this.#column('ticket.requester.name') && isPersons !== true)
      this.#mark('ticket.subject', `the first words, or "${bare.name}", which may be who asked?`, [bare]);
    this.#statusByTimes(columns);
  }

  /** A ticket with a closing time is closed, if no column is the status. */
  #statusByTimes(columns: readonly Column[]): void {
    const ends = ['resolved', 'closed'].flatMap((status) => {
      const column = this.#column(`ticket.${status}At`);
      return column === undefined ? [] : [[status, column] as const];
    });
    if (!this.#isNone('ticket.status') || ends.length === 0 || this.#choices.has('ticket.status')) return;
    const others = columns.filter((column) => !this.#used.has(column) && isStatus(column));
    const mark = others.length === 0 ? undefined : 'by the times of its end: or one of these?';
    this.#put('ticket.status', { kind: 'rule', rule: byFilled(ends.toReversed(), 'open') }, mark, others);
  }

  /** Rows of a question and its answer. */
  #hasPairs(columns: readonly Column[]): boolean {
    if (this.#choices.has(AGENT_TEXT) || this.#choices.has(CUSTOMER_TEXT)) return true;
    const has = (field: string) => matchField('ticket', field, columns).candidates.length > 0;
    return !this.#choices.has('message.text') && has('answer') && (has('description') || has('request'));
  }

  /** The customer's text, the team's answer and notes in the ticket's row. */
  #ownTexts(columns: readonly Column[]): void {
    const answer =
      this.#pick(AGENT_TEXT, columns) ?? this.#pick(AGENT_TEXT, columns, undefined, 'perhapsAnswer');
    if (this.#pick(NOTE_TEXT, columns) === undefined) {
      const found = columns.find(
        (each) => !this.#used.has(each) && isText(each) && isForTeam(each.path) && !isFullNames(each),
      );
      if (found !== undefined) this.#putColumn(NOTE_TEXT, found);
    }
    if (answer !== undefined && matchField('ticket', 'answer', [answer]).column === undefined)
      this.#mark(AGENT_TEXT, 'did the customer see it?', [answer]);
    const chosen = this.#choices.get('message.text');
    const isAlone = this.#structure.thread === undefined;
    if (chosen?.kind === 'column' && isAlone) this.#put(CUSTOMER_TEXT, chosen);
    const byLength = columns.toSorted((a, b) => b.average - a.average);
    if (this.#pick(CUSTOMER_TEXT, byLength) === undefined)
      this.#pick(CUSTOMER_TEXT, byLength, isAlone ? isBody : undefined, 'request');
    const text = this.#column(CUSTOMER_TEXT);
    if (text !== undefined && isForTeam(tableName(this.#structure.tickets)))
      this.#mark(CUSTOMER_TEXT, 'the file is called notes: did the customer write it?', [text]);
    if (isAlone || this.#structure.rows === 'message') this.#pickFiles(columns);
    if (this.#choices.has(`${CUSTOMER_TEXT}.time`)) this.#put(`${CUSTOMER_TEXT}.time`, NONE);
    if (answer === undefined) return;
    this.#pickTime(`${AGENT_TEXT}.time`, columns);
    this.#pick(`${AGENT_TEXT}.name`, columns);
  }

  /** Rows of one ticket differ in their messages. */
  #itsColumns({ table, list }: Thread): Column[] {
    const columns = table.columns.filter((column) => column.list === list);
    const own = columns.filter((column) => this.#structure.varying.has(column));
    return list === undefined && own.length > 0 ? own : columns;
  }

  #threadFields({ table, list }: Thread, own: readonly Column[], isCell: boolean): void {
    const { tickets } = this.#structure;
    if (list === undefined && table !== tickets) this.#parent(table);
    if (list !== undefined && isCell)
      for (const [key, part] of Object.entries({ time: '0', 'author.name': '1', text: '2' })) {
        const column = own.find(({ path }) => path === part);
        if (column !== undefined) this.#putColumn(`message.${key}`, column);
      }
    const byLength = own.toSorted((a, b) => b.average - a.average);
    const text = this.#pick('message.text', byLength, isBody);
    if (text === undefined) return;
    this.#pickTime('message.time', own, isTimeColumn);
    this.#pickRecipients(own);
    if (this.#sides(own)) this.#used.add(text);
    else {
      this.#pick('message.writer', own, isRoles);
      const theirs = this.#isNone('message.writer') ? own : own.filter((column) => !isCustomers(column));
      this.#pick('message.author.email', theirs, ({ type }) => type === 'email');
      for (const part of ['', '.name']) this.#pick(`message.author${part}`, own);
    }
    this.#visibility(table, own, text);
    this.#pickFiles(own);
    this.#pick('message.id', own);
  }

  #parent(table: Table): void {
    const { stage, joins } = this.#evidence;
    const { parents, tickets, key } = this.#structure;
    const [id] = key;
    const parent = parents.get(table.id);
    if (parent === undefined) {
      this.#put('message.ticket', NONE, 'no column names the ticket');
      return;
    }
    const isNamed =
      namesTicket(parent) || joins.some(({ from }) => from.table === table.id && from.column === parent.name);
    const { compared, found } = id
      ? sharedKeys(stage, table, parent, tickets, id)
      : { compared: 0, found: 0 };
    const missing = `${compared - found} of its ${compared} tickets are not in ${baseName(tickets.file)}`;
    const mark = !isNamed ? 'joined by its values' : found < 0.9 * compared ? missing : undefined;
    this.#putColumn('message.ticket', parent, mark);
  }

  /** Each message fills `client` or `agent`, or `agent` where the team wrote: that says who wrote. */
  #sides(own: readonly Column[]): boolean {
    const sides = own.flatMap((column) => {
      const role = sideOfName(column);
      const isName = column.filled > 0 && column.average <= 80 && column.type !== 'boolean';
      return role !== undefined && isName ? [{ column, role }] : [];
    });
    const filledBy = (side: string) =>
      sides.reduce((sum, { column, role }) => sum + (role === side ? column.filled : 0), 0);
    const [ours, theirs, rows] = [filledBy('agent'), filledBy('customer'), own[0]?.rows ?? 0];
    const isChosen = ['author', 'author.email', 'author.name'].some((key) =>
      this.#choices.has(`message.${key}`),
    );
    if (isChosen || ours === 0 || ours > 0.98 * rows) return false;
    const isEither = theirs > 0 && ours + theirs <= 1.02 * rows;
    const others = own.filter((column) => sideOfName(column) === undefined);
    const isSigned = ['authorEmail', 'authorName'].some(
      (field) => matchField('message', field, others).column !== undefined,
    );
    if (!isEither && isSigned) return false;
    const writer = isEither ? undefined : this.#pick('message.writer', own, isRoles);
    // The author is the agent's own column then.
    if (writer !== undefined && (theirs === 0 || !isAbout(ours, writtenBy(writer, 'agent')))) return false;
    const columns = sides.map(({ column }) => column);
    for (const column of columns) this.#used.add(column);
    const put = (key: string, rule: unknown, mark?: string) =>
      this.#put(key, { kind: 'rule', rule }, mark, columns);
    const known = sides.filter(({ role }) => isEither || role === 'agent');
    const rule = byFilled(
      known.map(({ column, role }) => [role, column]),
      isEither ? undefined : 'customer',
    );
    const [{ column: agent } = {}] = sides.filter(({ role }) => role === 'agent');
    const mark = `did the team write where "${agent?.name}" is filled, and the customer the rest?`;
    if (writer === undefined) put('message.writer', rule, isEither ? undefined : mark);
    const inTurn = isEither ? sides : sides.toSorted((a, b) => a.role.localeCompare(b.role));
    const named = inTurn.map(({ column }) => column);
    const isAddress: Is = ({ type }) => type === 'email';
    const addresses = named.filter(isAddress);
    const names = named.filter((column) => !isAddress(column));
    const authors = { author: names, 'author.email': addresses, 'author.name': names };
    for (const [part, columns] of Object.entries(authors))
      if (columns.length > 0)
        put(
          `message.${part}`,
          columns.map(({ path }) => path),
        );
    return true;
  }

  #visibility(table: Table, own: readonly Column[], text: Column): void {
    const key = 'message.visibility';
    const hasNote: Is = ({ values }) => values.some(({ value }) => isNote(value));
    const writer = this.#column('message.writer');
    const isFree: Is = (each) => !this.#used.has(each) || (each === writer && hasNote(each));
    const free = own.filter((each) => isFree(each) && each.distinct <= 12 && each.average <= 40);
    const yesNo = free.filter(
      ({ values }) => values.length > 0 && values.every(({ value }) => yesOrNo(value) !== undefined),
    );
    const isNamed = (name: string, columns: readonly Column[]) => matchField('message', name, columns).column;
    const found =
      isNamed('internal', yesNo) ??
      isNamed('public', yesNo) ??
      free.find((each) => hasNote(each) && isNamed('visibility', [each]) !== undefined) ??
      free.find(hasNote);
    if (found !== undefined) this.#putColumn(key, found);
    else {
      const likely = free.filter(isFlag);
      const flag = likely.find(({ path }) => isAboutReaders(path, 'names'));
      const called = own[0]?.list ?? (isCalled(table, 'ticket') ? '' : baseName(table.file));
      const isNotes = [text.path, called].some((name) => isForTeam(name.replace(/\.\w+$/, '')));
      const fixed = (value: string, mark?: string) =>
        this.#put(key, { kind: 'fixed', value }, mark, mark === undefined ? undefined : likely);
      if (flag !== undefined) this.#putColumn(key, flag, 'who sees which?', likely);
      else if (isNotes) fixed('internal', 'called notes: who may see them?');
      else fixed('public', likely.length === 0 ? undefined : 'everything is public: please check');
    }
  }

  #mark(key: string, mark: string, likely: readonly Column[]): void {
    const field = this.#all.get(key);
    if (field !== undefined && likely.length > 0 && !this.#choices.has(key) && field.mark === undefined)
      this.#all.set(key, { ...field, mark, likely: field.likely ?? likely });
  }

  /** Fields without a source, for which a column is left. */
  #gaps(columns: readonly Column[], own: readonly Column[]): void {
    const { thread, tickets, key } = this.#structure;
    const left = (all: readonly Column[], is: Is) =>
      all.filter((column) => column.filled > 0 && !this.#used.has(column) && is(column));
    const people = (who: string) => PERSON_PARTS.map((part) => `${who}${part}`);
    const lists = tickets.columns.filter(({ list }) => list !== undefined);
    const isPriority: Is = (column) => isFew(column) && mentions(vocabulary().likely.priority, column.path);
    const titles = isTitle(key[0]?.distinct ?? tickets.rows);
    const askers = [...people('ticket.requester'), ...people('message.author')];
    const gaps: readonly (readonly [string, string, readonly Column[], Is, (readonly string[])?])[] = [
      ['ticket.status', 'none, so every ticket is open: or one of these?', columns, isStatus],
      ['ticket.priority', 'none: or one of these?', columns, isPriority],
      ['ticket.subject', 'the first words of the text, or one of these?', columns, titles],
      ['ticket.requester.name', 'no column says who asked', columns, isPerson, askers],
      [CUSTOMER_TEXT, 'no text', [...columns, ...lists], isBody, [AGENT_TEXT, 'message.text']],
      ['message.time', 'no time', own, isTimeColumn],
      ['message.writer', 'no column says who wrote it', own, isSaying, people('message.author')],
    ];
    for (const [key, mark, from, is, others = []] of gaps)
      if ([key, ...others].every((each) => this.#isNone(each))) this.#mark(key, mark, left(from, is));
    if (thread !== undefined)
      this.#steadyAuthor(
        thread,
        left(own, ({ path }) => mentions(vocabulary().likely.author, path)),
      );
  }

  /** An author who is the same in each row of a ticket is the ticket's own person. */
  #steadyAuthor({ table, list }: Thread, others: readonly Column[]): void {
    const parent = this.#column(this.#all.has('message.ticket') ? 'message.ticket' : 'ticket.id');
    if (list !== undefined || parent === undefined) return;
    const varies = (column: Column) => variesInGroups(this.#evidence.stage, table, parent, column);
    for (const part of PERSON_PARTS) {
      const column = this.#column(`message.author${part}`);
      if (column !== undefined && !varies(column))
        this.#mark(`message.author${part}`, 'is one person in each ticket', others.filter(varies));
    }
  }
}

/** By choice, or by the word; undefined: not decided. */
export function meaningsOf(
  key: string,
  column: Column | undefined,
  words: readonly string[],
  choices: Choices,
): Map<string, string | undefined> {
  const kind = specOf(key).words;
  if (kind === undefined) return new Map();
  const meaning = (word: string) => {
    const choice = choices.get(`${key}:${word}`);
    if (choice !== undefined) return choice.kind === 'fixed' ? choice.value : 'none';
    if (kind === 'visibility') return column && audienceOf(column, word);
    if (kind === 'role') return column && roleOf(column, word);
    // A number means nothing by itself.
    return /^\d+(?:\.0)?$/.test(word) ? undefined : readingOf(kind, word);
  };
  const all = new Map(words.map((word) => [word, meaning(word)]));
  const others = [...all].flatMap(([word, role]) => (isUser(word) ? [] : (role ?? [])));
  // A "user" may be an agent where customers have another name, and agents none.
  if (kind === 'role' && others.includes('customer') && !others.includes('agent'))
    for (const word of words) if (isUser(word) && !choices.has(`${key}:${word}`)) all.set(word, undefined);
  return all;
}

const isUser = (word: string) => plain(word) === 'user';

/** Yes and no have a meaning if the column's name says which. */
function audienceOf(column: Column, value: string): string | undefined {
  const yes = yesOrNo(value);
  if (yes === undefined && isRoles(column)) return isNote(value) ? 'internal' : 'public';
  if (yes === undefined) return readingOf('visibility', value);
  const field = ['internal', 'public'].find((name) => matchField('message', name, [column]).column);
  return field && (yes === (field === 'internal') ? 'internal' : 'public');
}
