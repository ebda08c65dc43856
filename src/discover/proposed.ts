/** The table as first filled in: certain names and types, and the person's choices. */
import { AppError } from '../domain/errors.ts';
import { type Choices, columnOf, type Field, NONE, type Source, specOf } from './fields.ts';
import {
  hasNoun,
  isCalled,
  isForTeam,
  isListed,
  isOther,
  isPeople,
  isText,
  matchField,
  mayBe,
  meaningOf,
  namesTicket,
  plain,
  yesOrNo,
} from './names.ts';
import {
  type Column,
  isAround,
  isTimeColumn,
  isUnique,
  type Join,
  ownColumns,
  sharedKeys,
  type Table,
  togetherUnique,
  variesInGroups,
} from './profile.ts';
import { baseName, type Stage } from './staged-tables.ts';

export interface Evidence {
  readonly stage: Stage;
  readonly tables: readonly Table[];
  readonly joins: readonly Join[];
}

export interface Thread {
  readonly table: Table;
  readonly list: string | undefined;
}

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

const LEAST_TEXT = 12;
const MOST_WORDS = 40;
const TICKET_FIELDS = 'subject status priority tags createdAt resolvedAt closedAt description'.split(' ');
/** What no ID is called. */
const CONTENT = [...TICKET_FIELDS, 'requesterName', 'requesterEmail', 'assigneeName', 'answer', 'note'];
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
const PERSON_FIELDS = ['requester', 'assignee'].flatMap((who) => [`${who}Email`, `${who}Name`, `${who}Id`]);

class Proposing {
  readonly #evidence: Evidence;
  readonly #choices: Choices;
  readonly #all = new Map<string, Field>();
  readonly #used = new Set<Column>();

  constructor(evidence: Evidence, choices: Choices) {
    this.#evidence = evidence;
    this.#choices = choices;
    for (const source of choices.values()) {
      const column = columnOf(evidence.tables, source);
      if (column !== undefined) this.#used.add(column);
    }
  }

  fields(): Fields {
    const { tables } = this.#evidence;
    const tickets = this.#ticketsTable();
    const columns = ownColumns(tickets);
    const key = this.#key(tickets, columns);
    const varying = new Set(
      key === undefined || key.distinct >= key.filled
        ? []
        : columns.filter(
            (column) =>
              column !== key &&
              (column.filled < 0.95 * column.rows ||
                variesInGroups(this.#evidence.stage, tickets, key, column)),
          ),
    );
    const { rows, latest } = this.#rows(columns, key, varying);
    const steady = rows === 'message' ? columns.filter((column) => !varying.has(column)) : columns;
    const thread = this.#thread(tickets, rows, key);
    const cell = thread && tickets.columns.find(({ name, type }) => name === thread.list && type !== 'list');
    if (cell !== undefined) this.#used.add(cell);
    this.#ticketFields(tickets, steady, thread);
    const own = thread && this.#threadColumns(thread, varying);
    if (rows !== 'message') this.#ownTexts(tickets, steady, thread);
    if (thread !== undefined && own !== undefined) this.#threadFields(thread, own, tickets, key);
    if (rows === 'message') this.#late(tickets, steady);
    const people = this.#people(tickets, thread);
    const lists = tickets.columns.filter(({ list }) => list !== undefined);
    this.#marks(steady, lists, thread, own ?? []);
    const read = new Set([tickets, thread?.table, people]);
    const texts = [...new Set([...columns, ...(own ?? [])])].filter(
      (column) =>
        ['text', 'html'].includes(column.type) &&
        column.average >= 30 &&
        column.distinct > 1 &&
        !this.#used.has(column),
    );
    const isEachRow = this.#all.get('ticket.id')?.source.kind === 'each-row';
    return {
      all: this.#all,
      key: isEachRow ? togetherUnique(this.#evidence.stage, tickets) : key === undefined ? [] : [key],
      tables,
      tickets,
      thread,
      people,
      rows,
      latest,
      parents: new Map(
        tables.flatMap((table) => {
          const parent = table === tickets ? undefined : this.#parent(table, tickets, key);
          return parent === undefined ? [] : [[table.id, parent] as const];
        }),
      ),
      unread: {
        texts,
        files: tables
          .filter((table) => table.rows > 0 && !read.has(table) && !tables.some((t) => isAround(table, t)))
          .map(({ file }) => baseName(file)),
      },
    };
  }

  #put(key: string, source: Source, more: Partial<Field> = {}): Column | undefined {
    const { label } = specOf(key);
    const isChosen = this.#choices.has(key);
    const { mark, ...rest } = more;
    this.#all.set(key, {
      key,
      label,
      source,
      ...rest,
      ...(mark === undefined || isChosen ? {} : { mark }),
    });
    const column = columnOf(this.#evidence.tables, source);
    if (column !== undefined) this.#used.add(column);
    return column;
  }

  #pick(
    key: string,
    table: Table,
    scope: 'ticket' | 'message' | 'people',
    field: string,
    columns: readonly Column[],
    isLikely?: (column: Column) => boolean,
  ): Column | undefined {
    const chosen = this.#choices.get(key);
    const known = this.#all.get(key);
    if (known !== undefined && known.source.kind !== 'none')
      return columnOf(this.#evidence.tables, known.source);
    if (chosen !== undefined) return this.#put(key, chosen);
    const free = columns.filter((column) => !this.#used.has(column));
    const { column, candidates } = matchField(scope, field, free);
    if (column !== undefined) return this.#put(key, from(table, column));
    const [first] = candidates;
    if (first !== undefined)
      return this.#put(key, from(table, first), {
        mark: candidates.length > 1 ? 'several columns have this name' : 'is this it?',
        likely: candidates,
      });
    const likely =
      isLikely === undefined || scope === 'people'
        ? []
        : free.filter((each) => isLikely(each) && mayBe(scope, field, each));
    const [only] = likely;
    if (only !== undefined)
      return this.#put(key, from(table, only), { mark: 'by its values: is this it?', likely });
    return this.#put(key, NONE);
  }

  #ticketsTable(): Table {
    const { tables } = this.#evidence;
    const chosen = this.#choices.get('ticket.id');
    if (chosen?.kind === 'column' && tables[chosen.table] !== undefined) return tables[chosen.table] as Table;
    const rank = (table: Table) => {
      const columns = ownColumns(table);
      const named = (fields: readonly string[]) =>
        fields.filter((field) => matchField('ticket', field, columns).column !== undefined).length;
      return [
        Number(this.#referenced(table) !== undefined),
        // People are tickets only if nothing else is.
        Number(!isPeople(table)),
        named(TICKET_FIELDS) + Math.min(2, named(PERSON_FIELDS)),
        Number(isCalled(table, 'ticket')),
        table.rows,
      ];
    };
    const [first] = tables
      .filter((table) => table.rows > 0 && !isEnvelope(table, tables))
      .map((table) => ({ table, rank: rank(table) }))
      .sort((a, b) => compare(b.rank, a.rank));
    if (first === undefined) throw new AppError('source', 'The files hold no rows.');
    return first.table;
  }

  #referenced(table: Table): Column | undefined {
    const { joins, tables } = this.#evidence;
    const join = joins.find(({ from: { table: other, column: name }, to }) => {
      const column = tables[other]?.columns.find((each) => each.name === name);
      return to.table === table.id && column !== undefined && namesTicket(column);
    });
    return join && ownColumns(table).find(({ name }) => name === join.to.column);
  }

  #key(table: Table, columns: readonly Column[]): Column | undefined {
    const chosen = this.#choices.get('ticket.id');
    if (chosen !== undefined) return this.#put('ticket.id', chosen);
    this.#refuseChats();
    const match = matchField('ticket', 'id', columns);
    const certain = this.#referenced(table) ?? match.column;
    const isOrdinary = (column: Column) =>
      column.filled >= 0.9 * column.rows &&
      !CONTENT.some((field) => matchField('ticket', field, [column]).candidates.length > 0) &&
      ['integer', 'text'].includes(column.type) &&
      column.average <= 60 &&
      column.distinct > 1 &&
      !isTimeColumn(column);
    const rank = (column: Column) => [
      Number(match.candidates.includes(column)),
      Number(!column.examples.some((text) => /\s/.test(text))),
      Number(isUnique(column)),
    ];
    const likely = columns
      .filter((column) => match.candidates.includes(column) || isOrdinary(column))
      .sort((a, b) => compare(rank(b), rank(a)));
    const key = certain ?? likely[0];
    if (key !== undefined) this.#refuseReplies(table, columns, key);
    const people = isPeople(table) ? `looks like a list of people: are these tickets?` : undefined;
    const mark =
      key === undefined
        ? 'no column is an ID: is each row a ticket? (each row)'
        : 'is this the ID of the ticket?';
    return this.#put('ticket.id', key === undefined ? { kind: 'each-row' } : from(table, key), {
      ...(certain === undefined ? { mark } : people === undefined ? {} : { mark: people }),
      likely,
    });
  }

  /** Channels of messages are no tickets: what one ticket is there only the person knows. */
  #refuseChats(): void {
    for (const { platform, has, hint } of CHATS) {
      const table = this.#evidence.tables.find(({ columns }) =>
        has.every((name) => columns.some((column) => name.test(column.name))),
      );
      if (table !== undefined)
        throw new AppError('source', `This looks like an export of ${platform}: a chat, and no tickets.`, {
          hint,
        });
    }
  }

  #refuseReplies(table: Table, columns: readonly Column[], key: Column): void {
    const { joins, stage } = this.#evidence;
    const reply = columns.find(
      (column) => column !== key && column.filled > 0 && isListed('replies', column),
    );
    if (reply === undefined || !isUnique(key) || joins.some(({ to }) => to.table === table.id)) return;
    if (sharedKeys(stage, table, reply, table, key).found < 0.3 * reply.distinct) return;
    throw new AppError(
      'source',
      `Each row of ${baseName(table.file)} names the row it replies to ("${reply.name}"), and no column names the conversation: add a column with the ID of the first message of each chain, and run init again.`,
    );
  }

  #rows(columns: readonly Column[], key: Column | undefined, varying: ReadonlySet<Column>) {
    const source = this.#choices.get('ticket.rows');
    const chosen = source?.kind === 'fixed' ? source.value : undefined;
    if (key === undefined || key.distinct >= key.filled)
      return { rows: chosen ?? 'ticket', latest: undefined };
    const named = (field: string) =>
      matchField('message', field, columns).candidates.some((column) => varying.has(column));
    const versions = columns.filter((column) => isListed('versions', column) && varying.has(column));
    const text = columnOf(this.#evidence.tables, this.#choices.get('message.text') ?? NONE);
    const isTalk =
      (text !== undefined && varying.has(text)) ||
      (named('text') && ['at', 'authorEmail', 'authorName', 'authorId', 'role'].some(named));
    const rows = chosen ?? (isTalk || versions.length === 0 ? 'message' : 'version');
    const isCertain = isTalk && versions.length === 0;
    this.#put(
      'ticket.rows',
      { kind: 'fixed', value: rows },
      isCertain
        ? {}
        : { mark: `several rows have one ${key.name}: group (its messages), or root (its versions)?` },
    );
    const times = columns.filter((column) => isTimeColumn(column) && varying.has(column));
    return { rows, latest: rows === 'version' ? (versions[0] ?? times[0]) : undefined };
  }

  #ticketFields(table: Table, columns: readonly Column[], thread: Thread | undefined): void {
    const pick = (key: string, field: string, isLikely?: (column: Column) => boolean) =>
      this.#pick(key, table, 'ticket', field, columns, isLikely);
    const name = columns.find(
      (column) =>
        plain(column.name) === 'name' && column.examples.every((text) => /\S\s+\S+\s+\S/.test(text)),
    );
    if (
      name !== undefined &&
      !this.#choices.has('ticket.subject') &&
      matchField('ticket', 'subject', columns).candidates.length === 0
    )
      this.#put('ticket.subject', from(table, name), { mark: 'is this the subject?', likely: [name] });
    else {
      const subject = pick('ticket.subject', 'subject');
      if (subject === undefined && !this.#choices.has('ticket.subject'))
        this.#put('ticket.subject', { kind: 'first-line' });
    }
    const isFew = ({ distinct, filled }: Column) => distinct >= 2 && distinct <= 12 && filled > 2 * distinct;
    const isWordy = (kind: 'status' | 'priority') => (column: Column) =>
      isFew(column) &&
      column.values.some(({ value }) => meaningOf(kind, value) !== undefined && !/^\d+$/.test(value));
    for (const kind of ['status', 'priority'] as const) {
      pick(`ticket.${kind}`, kind, isWordy(kind));
      this.#words(`ticket.${kind}`, kind);
    }
    pick('ticket.tags', 'tags');
    for (const who of ['requester', 'assignee'] as const) {
      const email = pick(
        `ticket.${who}.email`,
        `${who}Email`,
        who === 'requester' ? ({ type }) => type === 'email' : undefined,
      );
      pick(`ticket.${who}`, `${who}Id`);
      const inside = email === undefined ? undefined : this.#nameOfAddress(email, columns);
      if (inside === undefined || this.#choices.has(`ticket.${who}.name`))
        pick(`ticket.${who}.name`, `${who}Name`);
      else this.#put(`ticket.${who}.name`, from(table, inside));
    }
    pick('ticket.createdAt', 'createdAt', thread === undefined ? isTimeColumn : undefined);
    for (const field of ['resolvedAt', 'closedAt']) pick(`ticket.${field}`, field);
  }

  #nameOfAddress({ path }: Column, columns: readonly Column[]): Column | undefined {
    const at = path.lastIndexOf('.');
    if (at < 0 || /\s/.test(path)) return undefined;
    return columns.find((column) =>
      ['name', 'full_name', 'fullName', 'display_name', 'displayName'].some(
        (name) => column.path === `${path.slice(0, at)}.${name}`,
      ),
    );
  }

  /** A column read for something else may still name a person. */
  #late(table: Table, columns: readonly Column[]): void {
    if (!this.#all.has('ticket.createdAt'))
      this.#pick('ticket.createdAt', table, 'ticket', 'createdAt', columns);
  }

  #words(key: string, kind: 'status' | 'priority' | 'role' | 'visibility'): void {
    const field = this.#all.get(key);
    const column = field && columnOf(this.#evidence.tables, field.source);
    if (field === undefined || column === undefined) return;
    const given = (value: string) => {
      const choice = this.#choices.get(`${key}:${value}`);
      if (choice !== undefined) return choice.kind === 'fixed' ? choice.value : 'none';
      if (kind === 'visibility') return this.#audience(column, value);
      // A number means nothing by itself.
      return /^\d+(?:\.0)?$/.test(value) ? undefined : meaningOf(kind, value);
    };
    const words = new Map(column.values.slice(0, MOST_WORDS).map(({ value }) => [value, given(value)]));
    const open = [...words.values()].filter((meaning) => meaning === undefined).length;
    const isChosen = [...words.keys()].some((word) => this.#choices.has(`${key}:${word}`));
    const { mark, ...rest } = field;
    const kept = isChosen ? undefined : mark;
    this.#all.set(key, {
      ...rest,
      words,
      meanings: specOf(key).meanings ?? [],
      ...(open > 0 ? { mark: 'decide the words' } : kept === undefined ? {} : { mark: kept }),
    });
  }

  /** Yes and no have a meaning if the column's name says which. */
  #audience(column: Column, value: string): string | undefined {
    const yes = yesOrNo(value);
    if (yes === undefined) return meaningOf('visibility', value);
    for (const field of ['internal', 'public'] as const)
      if (matchField('message', field, [column]).column !== undefined)
        return yes === (field === 'internal') ? 'internal' : 'public';
    return undefined;
  }

  #thread(tickets: Table, rows: string, key: Column | undefined): Thread | undefined {
    const { tables } = this.#evidence;
    const chosen = this.#choices.get('message.text');
    if (chosen?.kind === 'none') return undefined;
    if (chosen?.kind === 'column') {
      const table = tables[chosen.table] ?? tickets;
      const list = columnOf(tables, chosen)?.list;
      return table === tickets && list === undefined && rows !== 'message' ? undefined : { table, list };
    }
    if (rows === 'message') return { table: tickets, list: undefined };
    const lists = Map.groupBy(
      tickets.columns.filter(({ list }) => list !== undefined && !list.includes('[]')),
      ({ list = '' }) => list,
    );
    const inLists = [...lists].flatMap(([list, columns]) =>
      isTalk(columns, list) ? [{ table: tickets, list }] : [],
    );
    const others = tables.flatMap((table) => {
      if (table === tickets || table.rows === 0 || isAround(tickets, table)) return [];
      const columns = ownColumns(table);
      const isNamed = this.#parent(table, tickets, key) !== undefined;
      return isNamed && isTalk(columns, baseName(table.file)) ? [{ table, list: undefined }] : [];
    });
    const found = [...inLists, ...others];
    return found.toSorted((a, b) => weight(b) - weight(a))[0];
  }

  #parent(table: Table, tickets: Table, key: Column | undefined): Column | undefined {
    const { joins, stage } = this.#evidence;
    const own = ownColumns(table);
    const joined = joins
      .filter(
        ({ from: end, to }) => end.table === table.id && to.table === tickets.id && to.column === key?.name,
      )
      .flatMap(({ from: end }) => own.find(({ name }) => name === end.column) ?? []);
    const known = joined.find(namesTicket) ?? joined[0];
    if (known !== undefined || key === undefined) return known;
    return own
      .filter((column) => column.distinct > 1 && !isTimeColumn(column))
      .filter((column) => sharedKeys(stage, table, column, tickets, key).found >= 0.9 * column.distinct)
      .sort((a, b) => Number(namesTicket(b)) - Number(namesTicket(a)))[0];
  }

  #threadColumns({ table, list }: Thread, varying: ReadonlySet<Column>): Column[] {
    const columns = table.columns.filter((column) => column.list === list);
    // Rows of one ticket differ in their messages.
    const own = columns.filter((column) => varying.has(column));
    return list === undefined && own.length > 0 ? own : columns;
  }

  #threadFields(
    { table, list }: Thread,
    own: readonly Column[],
    tickets: Table,
    key: Column | undefined,
  ): void {
    const pick = (field: string, name: string, isLikely?: (column: Column) => boolean) =>
      this.#pick(`message.${field}`, table, 'message', name, own, isLikely);
    if (list === undefined && table !== tickets && !this.#choices.has('message.ticket')) {
      const parent = this.#parent(table, tickets, key);
      const isNamed =
        parent !== undefined &&
        (namesTicket(parent) ||
          this.#evidence.joins.some(({ from: end }) => end.table === table.id && end.column === parent.name));
      this.#put('message.ticket', parent === undefined ? NONE : from(table, parent), {
        ...(parent === undefined
          ? { mark: 'no column names the ticket' }
          : isNamed
            ? this.#share(table, parent, tickets, key)
            : { mark: 'joined by its values' }),
      });
    } else if (list === undefined && table !== tickets)
      this.#put('message.ticket', this.#choices.get('message.ticket') ?? NONE);
    const cell = list === undefined ? undefined : table.columns.find(({ name }) => name === list);
    if (cell !== undefined && cell.type !== 'list')
      for (const [key, part] of [
        ['message.time', '0'],
        ['message.author.name', '1'],
        ['message.text', '2'],
      ] as const) {
        const column = own.find(({ path }) => path === part);
        if (column !== undefined && !this.#choices.has(key)) this.#put(key, from(table, column));
      }
    const byLength = own.toSorted((a, b) => b.average - a.average);
    const text = this.#pick('message.text', table, 'message', 'text', byLength, (column) => isBody(column));
    if (text === undefined) return;
    pick('time', 'at', isTimeColumn);
    if (!this.#sides(own, list, table === tickets)) {
      pick('writer', 'role', isRoleWords);
      this.#words('message.writer', 'role');
    }
    const hasSides = this.#all.get('message.author')?.source.kind === 'rule';
    const email = hasSides ? undefined : pick('author.email', 'authorEmail', ({ type }) => type === 'email');
    if (!hasSides) pick('author', 'authorId');
    const name = email && this.#nameOfAddress(email, own);
    if (hasSides) this.#used.add(text);
    else if (name === undefined || this.#choices.has('message.author.name'))
      pick('author.name', 'authorName');
    else this.#put('message.author.name', from(table, name));
    this.#visibility(table, own);
    pick('attachment', 'attachment');
    pick('id', 'id');
  }

  #share(table: Table, parent: Column, tickets: Table, key: Column | undefined): Partial<Field> {
    if (key === undefined) return {};
    const { compared, found } = sharedKeys(this.#evidence.stage, table, parent, tickets, key);
    if (found >= 0.9 * compared) return {};
    const mark = `${compared - found} of its ${compared} tickets are not in ${baseName(tickets.file)}`;
    return { mark, likely: [parent] };
  }

  /** Each message fills `client` or `agent`: that says who wrote. */
  #sides(own: readonly Column[], list: string | undefined, isRoot: boolean): boolean {
    const sides = own.flatMap((column) => {
      const role = meaningOf('role', column.path.replace(/(?<!\d)\d+$/, ''));
      const isName = column.filled > 0 && column.average <= 80 && column.type !== 'boolean';
      return (role === 'customer' || role === 'agent') && isName ? [{ column, role }] : [];
    });
    const filled = sides.reduce((sum, { column }) => sum + column.filled, 0);
    const keys = ['message.writer', 'message.author', 'message.author.email', 'message.author.name'];
    const customers = sides.filter(({ role }) => role === 'customer').map(({ column }) => column.path);
    const isChosen = keys.some((key) => this.#choices.has(key));
    const isOneSided = customers.length === 0 || customers.length === sides.length;
    if (isChosen || isOneSided || filled > 1.02 * (sides[0]?.column.rows ?? 0)) return false;
    const paths = sides.map(({ column }) => column.path);
    const put = (key: string, rule: unknown) => this.#put(key, { kind: 'rule', rule });
    for (const { column } of sides) this.#used.add(column);
    const filledIn = (path: string) => ({ column: path, empty: false });
    put('message.writer', {
      // biome-ignore lint/suspicious/noThenProperty: a word of the mapping language
      when: sides.map(({ column, role }) => ({ if: filledIn(column.path), then: { const: role } })),
    });
    put('message.author', paths);
    put('message.author.name', paths);
    const place = list !== undefined ? { each: list } : { rows: isRoot ? 'tickets' : 'messages' };
    const first = { ...place, where: { any: customers.map(filledIn) }, take: 'first', get: customers };
    for (const key of ['ticket.requester', 'ticket.requester.name'])
      if (!this.#choices.has(key) && this.#all.get(key)?.source.kind === 'none') put(key, first);
    return true;
  }

  #visibility(table: Table, own: readonly Column[]): void {
    const key = 'message.visibility';
    const chosen = this.#choices.get(key);
    const free = own.filter(
      (column) => !this.#used.has(column) && column.distinct <= 12 && column.average <= 40,
    );
    const flags = free.filter(
      ({ values }) => values.length > 0 && values.every(({ value }) => yesOrNo(value) !== undefined),
    );
    const hasNote = ({ values }: Column) => values.some(({ value }) => isNote(value));
    const found =
      matchField('message', 'internal', flags).column ??
      matchField('message', 'public', flags).column ??
      free.find(
        (column) => matchField('message', 'visibility', [column]).column !== undefined && hasNote(column),
      ) ??
      free.find(hasNote);
    if (chosen !== undefined) this.#put(key, chosen);
    else if (found !== undefined) this.#put(key, from(table, found));
    else {
      const likely = free.filter(
        (column) =>
          column.distinct >= 2 &&
          ['boolean', 'text', 'integer'].includes(column.type) &&
          (column.type !== 'integer' || column.distinct <= 3) &&
          !isTicketWord(column),
      );
      const [flag] = likely.filter(({ path }) => /visib|public|intern|privat|note|portal|staff/i.test(path));
      const { list } = own[0] ?? {};
      const text = columnOf(this.#evidence.tables, this.#all.get('message.text')?.source ?? NONE);
      const isNotes = [
        text?.path,
        list ?? (isCalled(table, 'ticket') ? undefined : baseName(table.file)),
      ].some((name) => name !== undefined && isForTeam(name.replace(/\.\w+$/, '')));
      if (flag !== undefined) this.#put(key, from(table, flag), { mark: `who sees which?`, likely });
      else if (isNotes)
        this.#put(
          key,
          { kind: 'fixed', value: 'internal' },
          { mark: 'called notes: who may see them?', likely },
        );
      else
        this.#put(
          key,
          { kind: 'fixed', value: 'public' },
          likely.length === 0 ? {} : { mark: `everything is public: please check`, likely },
        );
    }
    this.#words(key, 'visibility');
  }

  /** The customer's text, the team's answer, notes. */
  #ownTexts(table: Table, columns: readonly Column[], thread: Thread | undefined): void {
    const chosen = this.#choices.get('message.text');
    const pick = (key: string, field: string, isLikely?: (column: Column) => boolean) =>
      this.#pick(`message.text.${key}`, table, 'ticket', field, columns, isLikely);
    const answer = pick('agent', 'answer') ?? pick('agent', 'perhapsAnswer');
    if (pick('note', 'note') === undefined && !this.#choices.has('message.text.note')) {
      const [note] = columns.filter(
        (column) => !this.#used.has(column) && isText(column) && isForTeam(column.path),
      );
      if (note !== undefined) this.#put('message.text.note', from(table, note));
    }
    if (answer !== undefined && matchField('ticket', 'answer', [answer]).column === undefined)
      this.#mark('message.text.agent', 'did the customer see it?', [answer]);
    if (chosen?.kind === 'column' && thread === undefined && !this.#choices.has('message.text.customer'))
      this.#put('message.text.customer', chosen);
    else {
      const byLength = columns.toSorted((a, b) => b.average - a.average);
      this.#pick(
        'message.text.customer',
        table,
        'ticket',
        'description',
        byLength,
        thread === undefined && answer === undefined ? isBody : undefined,
      );
    }
    if (answer !== undefined) {
      pick('agent.time', 'answeredAt');
      for (const key of ['message.text.agent.name', 'message.text.customer.time']) {
        const source = this.#choices.get(key);
        if (source !== undefined) this.#put(key, source);
      }
    }
  }

  #people(tickets: Table, thread: Thread | undefined): Table | undefined {
    const { tables, joins } = this.#evidence;
    const chosen = this.#choices.get('person.id');
    if (chosen?.kind === 'none') return undefined;
    const joined = joins.find(
      ({ from: end, to }) =>
        [tickets.id, thread?.table.id].includes(end.table) &&
        ![tickets.id, thread?.table.id].includes(to.table) &&
        isPeople(tables[to.table] as Table),
    );
    const table = chosen?.kind === 'column' ? tables[chosen.table] : tables[joined?.to.table ?? -1];
    if (table === undefined) return undefined;
    const columns = ownColumns(table);
    if (chosen === undefined && joined !== undefined)
      this.#put('person.id', { kind: 'column', table: table.id, name: joined.to.column });
    else if (chosen !== undefined) this.#put('person.id', chosen);
    for (const field of ['email', 'name', 'role'])
      this.#pick(`person.${field}`, table, 'people', field, columns);
    this.#words('person.role', 'role');
    return table;
  }

  #mark(key: string, mark: string, likely: readonly Column[] = []): void {
    const field = this.#all.get(key);
    if (field !== undefined && !this.#choices.has(key) && field.mark === undefined)
      this.#all.set(key, { ...field, mark, likely: field.likely ?? likely });
  }

  /** What cannot be known from names and types. */
  #marks(
    columns: readonly Column[],
    lists: readonly Column[],
    thread: Thread | undefined,
    own: readonly Column[],
  ): void {
    const none = (key: string) => (this.#all.get(key)?.source ?? NONE).kind === 'none';
    const free = columns.filter((column) => !this.#used.has(column) && column.filled > 0);
    const few = free.filter(
      (column) =>
        ['text', 'integer', 'mixed'].includes(column.type) &&
        column.distinct >= 2 &&
        column.distinct <= 12 &&
        (column.distinct < column.filled || /stat|zustand|estado|etat/i.test(column.path)) &&
        mayBe('ticket', 'status', column),
    );
    if (none('ticket.status') && few.length > 0)
      this.#mark('ticket.status', 'none, so every ticket is open: or one of these?', few);
    const titles = free.filter(
      (column) =>
        column.type === 'text' &&
        column.average >= 4 &&
        column.average <= 120 &&
        column.distinct > 1 &&
        column.distinct >= 0.5 * column.filled &&
        !isOther(column),
    );
    if (this.#all.get('ticket.subject')?.source.kind === 'first-line' && titles.length > 0)
      this.#mark('ticket.subject', 'the first words of the text, or one of these?', titles);
    const isAsked = (key: string) => ['', '.email', '.name'].some((part) => !none(`${key}${part}`));
    const names = free.filter(
      (column) =>
        ['text', 'mixed', 'email', 'integer'].includes(column.type) &&
        column.average <= 60 &&
        column.distinct > 1 &&
        !isTimeColumn(column) &&
        !isOther(column),
    );
    const hasAuthor = isAsked('message.author');
    if (!isAsked('ticket.requester') && !hasAuthor && names.length > 0)
      this.#mark('ticket.requester.name', 'no column says who asked', names);
    if (thread === undefined) {
      const bodies = [...free, ...lists].filter((column) => isBody(column) && !this.#used.has(column));
      if (none('message.text.customer') && none('message.text.agent') && bodies.length > 0)
        this.#mark('message.text.customer', 'no text', bodies);
      return;
    }
    const rest = own.filter((column) => !this.#used.has(column) && column.filled > 0);
    const saying = rest.filter(
      ({ distinct, average, type }) =>
        distinct >= 2 && average <= 60 && ['text', 'integer', 'mixed', 'boolean'].includes(type),
    );
    if (none('message.time') && rest.some(isTimeColumn))
      this.#mark('message.time', 'no time', rest.filter(isTimeColumn));
    if (none('message.writer') && !hasAuthor && saying.length > 0)
      this.#mark('message.writer', 'no column says who wrote it', saying);
    this.#steadyAuthor(thread, rest);
  }

  /** An author who is the same in each row of a ticket is the ticket's own person. */
  #steadyAuthor({ table, list }: Thread, rest: readonly Column[]): void {
    const parent = columnOf(
      this.#evidence.tables,
      (this.#all.get('message.ticket') ?? this.#all.get('ticket.id'))?.source ?? NONE,
    );
    if (list !== undefined || parent === undefined) return;
    for (const key of ['message.author', 'message.author.email', 'message.author.name']) {
      const column = columnOf(this.#evidence.tables, this.#all.get(key)?.source ?? NONE);
      if (column === undefined || variesInGroups(this.#evidence.stage, table, parent, column)) continue;
      const others = rest.filter(
        (other) =>
          /creat|author|by|from|user|send/i.test(other.path) &&
          variesInGroups(this.#evidence.stage, table, parent, other),
      );
      if (others.length > 0) this.#mark(key, 'is one person in each ticket', others);
    }
  }
}

function from(table: Table, { name }: Column): Source {
  return { kind: 'column', table: table.id, name };
}

function compare(one: readonly number[], other: readonly number[]): number {
  return one.map((value, at) => value - (other[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

function isEnvelope({ rows, file, columns }: Table, all: readonly Table[]): boolean {
  const filled = columns.filter((column) => column.list === undefined && column.filled > 0).length;
  return rows === 1 && filled < 4 && all.some((other) => other.file === file && other.rows > 1);
}

function weight({ table, list }: Thread): number {
  const columns = table.columns.filter((column) => column.list === list);
  return Math.max(0, ...columns.filter(isText).map(({ average, filled }) => average * filled));
}

function isBody(column: Column): boolean {
  return (
    ['text', 'html'].includes(column.type) &&
    column.average >= LEAST_TEXT &&
    column.distinct > 1 &&
    !isForTeam(column.path) &&
    !column.examples.every((text) => /^(?:[a-z]:\\|\/|https?:)\S*$/i.test(text))
  );
}

function isRoleWords({ values, distinct }: Column): boolean {
  return (
    distinct >= 2 &&
    distinct <= 6 &&
    values.every(({ value }) => !/^\d+$/.test(value) && meaningOf('role', value) !== undefined)
  );
}

function isNote(value: string): boolean {
  return meaningOf('visibility', value) === 'internal' || isForTeam(value);
}

function isTicketWord(column: Column): boolean {
  return ['status', 'priority'].some((field) => matchField('ticket', field, [column]).candidates.length > 0);
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
