/** The table as first filled in: certain names and types, and the person's choices. */
import {
  AGENT_TEXT,
  type Choices,
  CUSTOMER_TEXT,
  columnOf,
  type Field,
  NONE,
  NOTE_TEXT,
  nameOf,
  type Source,
  specOf,
} from './fields.ts';
import {
  isCalled,
  isForTeam,
  isOther,
  isText,
  LEAST_TEXT,
  matchField,
  mayBe,
  meaningOf,
  namesTicket,
  plain,
  type Words,
  yesOrNo,
} from './names.ts';
import {
  type Column,
  isAround,
  isTimeColumn,
  ownColumns,
  sharedKeys,
  type Table,
  togetherUnique,
  variesInGroups,
} from './profile.ts';
import { baseName } from './staged-tables.ts';
import { type Evidence, type Structure, structureOf, type Thread } from './structure.ts';

export interface Fields {
  readonly all: ReadonlyMap<string, Field>;
  readonly tables: readonly Table[];
  readonly tickets: Table;
  readonly thread: Thread | undefined;
  readonly people: Table | undefined;
  /** The columns of the ID: several where each row is a ticket. */
  readonly key: readonly Column[];
  readonly rows: string;
  readonly latest: Column | undefined;
  readonly parents: ReadonlyMap<number, Column>;
  readonly unread: { readonly texts: readonly Column[]; readonly files: readonly string[] };
}

export function proposed(evidence: Evidence, choices: Choices): Fields {
  return new Proposing(evidence, choices).fields();
}

type Is = (column: Column) => boolean;

const MOST_WORDS = 40;
const PERSON_PARTS = ['.email', '', '.name'];

const isWords =
  (kind: Words): Is =>
  ({ distinct, filled, values }) =>
    distinct >= 2 &&
    distinct <= 12 &&
    filled > 2 * distinct &&
    values.some(({ value }) => !/^\d+$/.test(value) && meaningOf(kind, value) !== undefined);

const isRoles: Is = ({ values, distinct }) =>
  distinct >= 2 &&
  distinct <= 6 &&
  values.every(({ value }) => !/^\d+$/.test(value) && meaningOf('role', value) !== undefined);

const isBody: Is = ({ type, average, distinct, path, examples }) =>
  ['text', 'html'].includes(type) &&
  average >= LEAST_TEXT &&
  distinct > 1 &&
  !isForTeam(path) &&
  !examples.every((text) => /^(?:[a-z]:\\|\/|https?:)\S*$/i.test(text));

const isFew: Is = ({ type, distinct, filled, path }) =>
  ['text', 'integer', 'mixed'].includes(type) &&
  distinct >= 2 &&
  distinct <= 12 &&
  (distinct < filled || /stat|zustand|estado|etat/i.test(path));

const isTitle =
  (tickets: number): Is =>
  (column) =>
    column.type === 'text' &&
    column.average >= 4 &&
    column.average <= 120 &&
    column.distinct > 1 &&
    column.distinct >= 0.5 * Math.min(column.filled, tickets) &&
    !isOther(column);

const isPerson: Is = (column) =>
  ['text', 'mixed', 'email', 'integer'].includes(column.type) &&
  column.average <= 60 &&
  column.distinct > 1 &&
  !isTimeColumn(column) &&
  !isOther(column);

const isSaying: Is = ({ distinct, average, type }) =>
  distinct >= 2 && average <= 60 && ['text', 'integer', 'mixed', 'boolean'].includes(type);

const isNote = (value: string) => meaningOf('visibility', value) === 'internal' || isForTeam(value);

/** May say who sees a message. */
const isFlag: Is = (column) =>
  column.distinct >= 2 &&
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
    for (const source of choices.values()) this.#use(source);
  }

  fields(): Fields {
    const { stage, tables } = this.#evidence;
    const { tickets, key, rows, rowsAre, latest, varying, thread, parents, people, id } = this.#structure;
    const columns = ownColumns(tickets);
    this.#put('ticket.id', id);
    if (rowsAre !== undefined) this.#put('ticket.rows', rowsAre);
    const steady = rows === 'message' ? columns.filter((column) => !varying.has(column)) : columns;
    const own = thread === undefined ? [] : this.#itsColumns(thread);
    const cell = thread && tickets.columns.find(({ name }) => name === thread.list);
    if (cell !== undefined && cell.type !== 'list') this.#used.add(cell);
    this.#ticketFields(steady);
    if (rows !== 'message') this.#ownTexts(steady);
    if (thread !== undefined) this.#threadFields(thread, own, cell?.type !== 'list');
    if (people !== undefined) {
      this.#put('person.id', { source: people.id });
      for (const part of ['email', 'name', 'role']) this.#pick(`person.${part}`, ownColumns(people.table));
    }
    this.#gaps(steady, own);
    const read = new Set([tickets, thread?.table, people?.table]);
    return {
      all: this.#all,
      key: id.source.kind === 'each-row' ? togetherUnique(stage, tickets) : key === undefined ? [] : [key],
      tables,
      tickets,
      thread,
      people: people?.table,
      rows,
      latest,
      parents,
      unread: {
        texts: [...new Set([...columns, ...own])].filter(
          (column) =>
            ['text', 'html'].includes(column.type) &&
            column.average >= 30 &&
            column.distinct > 1 &&
            !this.#used.has(column),
        ),
        files: tables
          .filter((table) => table.rows > 0 && !read.has(table) && !tables.some((t) => isAround(table, t)))
          .map(({ file }) => baseName(file)),
      },
    };
  }

  #use(source: Source): Column | undefined {
    const column = columnOf(this.#evidence.tables, source);
    if (column !== undefined) this.#used.add(column);
    return column;
  }

  /** A choice needs no mark. */
  #put(key: string, { mark, ...rest }: Partial<Field> & Pick<Field, 'source'>): Column | undefined {
    const isMarked = mark !== undefined && !this.#choices.has(key);
    this.#all.set(key, { key, label: specOf(key).label, ...rest, ...(isMarked ? { mark } : {}) });
    const column = this.#use(rest.source);
    this.#words(key);
    return column;
  }

  #putColumn(key: string, column: Column, mark?: string, likely?: readonly Column[]): Column | undefined {
    const table = this.#evidence.tables.find(({ columns }) => columns.includes(column));
    const source: Source = { kind: 'column', table: table?.id ?? 0, name: column.name };
    return this.#put(key, { source, ...(mark === undefined ? {} : { mark, likely: likely ?? [column] }) });
  }

  #column(key: string): Column | undefined {
    return columnOf(this.#evidence.tables, this.#all.get(key)?.source ?? NONE);
  }

  #isNone(key: string): boolean {
    return (this.#all.get(key)?.source ?? NONE).kind === 'none';
  }

  /** By choice, by name, or by its values, which is marked. */
  #pick(key: string, columns: readonly Column[], isLikely?: Is, name = nameOf(key)): Column | undefined {
    const chosen = this.#choices.get(key);
    if (!this.#isNone(key)) return this.#column(key);
    if (chosen !== undefined) return this.#put(key, { source: chosen });
    const near = key.endsWith('.name') ? this.#nextToAddress(key, columns) : undefined;
    if (near !== undefined) return this.#putColumn(key, near);
    const { of } = specOf(key);
    const scope = of === 'ticket' || of === 'message' ? of : 'people';
    const free = columns.filter((column) => !this.#used.has(column));
    const { column, candidates } = matchField(scope, name, free);
    if (column !== undefined) return this.#putColumn(key, column);
    const [first, ...more] = candidates;
    if (first !== undefined)
      return this.#putColumn(
        key,
        first,
        more.length > 0 ? 'several columns have this name' : 'is this it?',
        candidates,
      );
    const likely =
      isLikely === undefined || scope === 'people'
        ? []
        : free.filter((each) => isLikely(each) && mayBe(scope, name, each));
    const [only] = likely;
    if (only !== undefined) return this.#putColumn(key, only, 'by its values: is this it?', likely);
    return this.#put(key, { source: NONE });
  }

  /** `contact.name` next to `contact.email`. */
  #nextToAddress(key: string, columns: readonly Column[]): Column | undefined {
    const { path } = this.#column(key.replace(/name$/, 'email')) ?? { path: '' };
    const at = path.lastIndexOf('.');
    if (at < 0 || /\s/.test(path)) return undefined;
    const names = ['name', 'full_name', 'fullName', 'display_name', 'displayName'];
    return columns.find((column) => names.some((name) => column.path === `${path.slice(0, at)}.${name}`));
  }

  #ticketFields(columns: readonly Column[]): void {
    const name = columns.find(
      ({ name, examples }) => plain(name) === 'name' && examples.every((text) => /\S\s+\S+\s+\S/.test(text)),
    );
    const isSubject =
      name !== undefined &&
      !this.#choices.has('ticket.subject') &&
      matchField('ticket', 'subject', columns).candidates.length === 0;
    if (isSubject) this.#putColumn('ticket.subject', name, 'is this the subject?');
    else if (this.#pick('ticket.subject', columns) === undefined && !this.#choices.has('ticket.subject'))
      this.#put('ticket.subject', { source: { kind: 'first-line' } });
    for (const kind of ['status', 'priority'] as const) this.#pick(`ticket.${kind}`, columns, isWords(kind));
    this.#pick('ticket.tags', columns);
    const isAddress: Is = ({ type }) => type === 'email';
    for (const part of PERSON_PARTS)
      this.#pick(`ticket.requester${part}`, columns, part === '.email' ? isAddress : undefined);
    for (const part of PERSON_PARTS) this.#pick(`ticket.assignee${part}`, columns);
    const isAlone = this.#structure.thread === undefined;
    this.#pick('ticket.createdAt', columns, isAlone ? isTimeColumn : undefined);
    for (const field of ['resolvedAt', 'closedAt']) this.#pick(`ticket.${field}`, columns);
  }

  /** The customer's text, the team's answer and notes in the ticket's row. */
  #ownTexts(columns: readonly Column[]): void {
    const answer =
      this.#pick(AGENT_TEXT, columns) ?? this.#pick(AGENT_TEXT, columns, undefined, 'perhapsAnswer');
    if (this.#pick(NOTE_TEXT, columns) === undefined && !this.#choices.has(NOTE_TEXT)) {
      const found = columns.find((each) => !this.#used.has(each) && isText(each) && isForTeam(each.path));
      if (found !== undefined) this.#putColumn(NOTE_TEXT, found);
    }
    if (answer !== undefined && matchField('ticket', 'answer', [answer]).column === undefined)
      this.#mark(AGENT_TEXT, 'did the customer see it?', [answer]);
    const chosen = this.#choices.get('message.text');
    const isAlone = this.#structure.thread === undefined;
    if (chosen?.kind === 'column' && isAlone && !this.#choices.has(CUSTOMER_TEXT))
      this.#put(CUSTOMER_TEXT, { source: chosen });
    const byLength = columns.toSorted((a, b) => b.average - a.average);
    this.#pick(CUSTOMER_TEXT, byLength, isAlone && answer === undefined ? isBody : undefined);
    if (answer === undefined) return;
    this.#pick(`${AGENT_TEXT}.time`, columns);
    for (const key of [`${AGENT_TEXT}.name`, `${CUSTOMER_TEXT}.time`]) {
      const source = this.#choices.get(key);
      if (source !== undefined) this.#put(key, { source });
    }
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
        if (column !== undefined && !this.#choices.has(`message.${key}`))
          this.#putColumn(`message.${key}`, column);
      }
    const byLength = own.toSorted((a, b) => b.average - a.average);
    const text = this.#pick('message.text', byLength, isBody);
    if (text === undefined) return;
    this.#pick('message.time', own, isTimeColumn);
    if (this.#sides(own)) this.#used.add(text);
    else {
      this.#pick('message.writer', own, isRoles);
      this.#pick('message.author.email', own, ({ type }) => type === 'email');
      for (const part of ['', '.name']) this.#pick(`message.author${part}`, own);
    }
    this.#visibility(table, own, text);
    this.#pick('message.attachment', own);
    this.#pick('message.id', own);
  }

  #parent(table: Table): void {
    const { stage, joins } = this.#evidence;
    const { parents, tickets, key } = this.#structure;
    const chosen = this.#choices.get('message.ticket');
    const parent = parents.get(table.id);
    if (chosen !== undefined || parent === undefined) {
      this.#put('message.ticket', { source: chosen ?? NONE, mark: 'no column names the ticket' });
      return;
    }
    const isNamed =
      namesTicket(parent) || joins.some(({ from }) => from.table === table.id && from.column === parent.name);
    const { compared, found } = key
      ? sharedKeys(stage, table, parent, tickets, key)
      : { compared: 0, found: 0 };
    const missing = `${compared - found} of its ${compared} tickets are not in ${baseName(tickets.file)}`;
    const mark = !isNamed ? 'joined by its values' : found < 0.9 * compared ? missing : undefined;
    this.#putColumn('message.ticket', parent, mark);
  }

  /** Each message fills `client` or `agent`: that says who wrote. */
  #sides(own: readonly Column[]): boolean {
    const sides = own.flatMap((column) => {
      const role = meaningOf('role', column.path.replace(/(?<!\d)\d+$/, ''));
      const isName = column.filled > 0 && column.average <= 80 && column.type !== 'boolean';
      return (role === 'customer' || role === 'agent') && isName ? [{ column, role }] : [];
    });
    const filled = sides.reduce((sum, { column }) => sum + column.filled, 0);
    const customers = sides.filter(({ role }) => role === 'customer');
    const isChosen = ['writer', 'author', 'author.email', 'author.name'].some((key) =>
      this.#choices.has(`message.${key}`),
    );
    const isOneSided = customers.length === 0 || customers.length === sides.length;
    if (isChosen || isOneSided || filled > 1.02 * (own[0]?.rows ?? 0)) return false;
    for (const { column } of sides) this.#used.add(column);
    const put = (key: string, rule: unknown) => this.#put(key, { source: { kind: 'rule', rule } });
    const isFilled = (column: Column) => ({ column: column.path, empty: false });
    put('message.writer', {
      // biome-ignore lint/suspicious/noThenProperty: a word of the mapping language
      when: sides.map(({ column, role }) => ({ if: isFilled(column), then: { const: role } })),
    });
    const paths = sides.map(({ column }) => column.path);
    for (const key of ['message.author', 'message.author.name']) put(key, paths);
    return true;
  }

  #visibility(table: Table, own: readonly Column[], text: Column): void {
    const key = 'message.visibility';
    const chosen = this.#choices.get(key);
    const free = own.filter((each) => !this.#used.has(each) && each.distinct <= 12 && each.average <= 40);
    const yesNo = free.filter(
      ({ values }) => values.length > 0 && values.every(({ value }) => yesOrNo(value) !== undefined),
    );
    const hasNote: Is = ({ values }) => values.some(({ value }) => isNote(value));
    const isNamed = (name: string, columns: readonly Column[]) => matchField('message', name, columns).column;
    const found =
      isNamed('internal', yesNo) ??
      isNamed('public', yesNo) ??
      free.find((each) => hasNote(each) && isNamed('visibility', [each]) !== undefined) ??
      free.find(hasNote);
    if (chosen !== undefined) this.#put(key, { source: chosen });
    else if (found !== undefined) this.#putColumn(key, found);
    else {
      const likely = free.filter(isFlag);
      const flag = likely.find(({ path }) => /visib|public|intern|privat|note|portal|staff/i.test(path));
      const called = own[0]?.list ?? (isCalled(table, 'ticket') ? '' : baseName(table.file));
      const isNotes = [text.path, called].some((name) => isForTeam(name.replace(/\.\w+$/, '')));
      const fixed = (value: string, mark?: string) =>
        this.#put(key, {
          source: { kind: 'fixed', value },
          ...(mark === undefined ? {} : { mark, likely }),
        });
      if (flag !== undefined) this.#putColumn(key, flag, 'who sees which?', likely);
      else if (isNotes) fixed('internal', 'called notes: who may see them?');
      else fixed('public', likely.length === 0 ? undefined : 'everything is public: please check');
    }
  }

  /** The meaning of each word; a field with an undecided one is marked. */
  #words(key: string): void {
    const field = this.#all.get(key);
    const column = this.#column(key);
    const { words: kind, meanings = [] } = specOf(key);
    if (field === undefined || column === undefined || kind === undefined) return;
    const all = column.values.slice(0, MOST_WORDS).map(({ value }) => value);
    const words = meaningsOf(key, column, all, this.#choices);
    const isChosen = [...words.keys()].some((word) => this.#choices.has(`${key}:${word}`));
    const { mark, ...rest } = field;
    const kept = [...words.values()].includes(undefined) ? 'decide the words' : isChosen ? undefined : mark;
    this.#all.set(key, { ...rest, words, meanings, ...(kept === undefined ? {} : { mark: kept }) });
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
    const isNobody = (who: string) => PERSON_PARTS.every((part) => this.#isNone(`${who}${part}`));
    const lists = tickets.columns.filter(({ list }) => list !== undefined);
    const hasAuthor = !isNobody('message.author');
    const isStatus: Is = (column) => isFew(column) && mayBe('ticket', 'status', column);
    const isPriority: Is = (column) => isFew(column) && /prio|urg|sever|import|dring/i.test(column.path);
    const titles = left(columns, isTitle(key?.distinct ?? tickets.rows));
    if (this.#isNone('ticket.status'))
      this.#mark('ticket.status', 'none, so every ticket is open: or one of these?', left(columns, isStatus));
    if (this.#isNone('ticket.priority'))
      this.#mark('ticket.priority', 'none: or one of these?', left(columns, isPriority));
    if (this.#all.get('ticket.subject')?.source.kind === 'first-line')
      this.#mark('ticket.subject', 'the first words of the text, or one of these?', titles);
    if (isNobody('ticket.requester') && !hasAuthor)
      this.#mark('ticket.requester.name', 'no column says who asked', left(columns, isPerson));
    if (thread === undefined) {
      if (this.#isNone(CUSTOMER_TEXT) && this.#isNone(AGENT_TEXT))
        this.#mark(CUSTOMER_TEXT, 'no text', left([...columns, ...lists], isBody));
      return;
    }
    if (this.#isNone('message.time')) this.#mark('message.time', 'no time', left(own, isTimeColumn));
    if (this.#isNone('message.writer') && !hasAuthor)
      this.#mark('message.writer', 'no column says who wrote it', left(own, isSaying));
    this.#steadyAuthor(
      thread,
      left(own, ({ path }) => /creat|author|by|from|user|send/i.test(path)),
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
    // A number means nothing by itself.
    return /^\d+(?:\.0)?$/.test(word) ? undefined : meaningOf(kind, word);
  };
  return new Map(words.map((word) => [word, meaning(word)]));
}

/** Yes and no have a meaning if the column's name says which. */
function audienceOf(column: Column, value: string): string | undefined {
  const yes = yesOrNo(value);
  if (yes === undefined) return meaningOf('visibility', value);
  const field = ['internal', 'public'].find((name) => matchField('message', name, [column]).column);
  return field && (yes === (field === 'internal') ? 'internal' : 'public');
}
