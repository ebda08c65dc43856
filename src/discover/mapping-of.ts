/** The table of `init` as a mapping. */

import { AppError } from '../domain/errors.ts';
import type { SettingPath } from '../domain/source-file.ts';
import { stop } from '../domain/text/stops.ts';
import { plain } from '../domain/text/vocabulary.ts';
import { hasColumn } from '../mapping/detect/collections.ts';
import { ROW } from '../mapping/language/layout.ts';
import { AGENT_TEXT, CUSTOMER_TEXT, columnOf, type Field, NONE, NOTE_TEXT, type Source } from './fields.ts';
import { isCustomers, isText, matchField } from './names.ts';
import { type Column, ownColumns, type Table } from './profile.ts';
import type { Fields } from './proposed.ts';
import {
  baseName,
  ESCAPED_TAG,
  FEW_TAGGED,
  NOTE_PARTS,
  NOTE_START,
  TAG_START,
  type ValueKind,
} from './staged-tables.ts';
import type { Tree } from './trees.ts';

/** The mapping's placeholder for what is not decided: the field, and the word of a column. */
const OPEN = '\0';

export const openText = (key: string): string => `${OPEN}${key}`;

/** Open places of a tree. */
export function openPlaces(
  tree: unknown,
  path: SettingPath = [],
): (readonly [key: string, path: SettingPath])[] {
  if (typeof tree === 'string') return tree.startsWith(OPEN) ? [[tree.slice(OPEN.length), path]] : [];
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([step, inner]) =>
    openPlaces(inner, [...path, Array.isArray(tree) ? Number(step) : step]),
  );
}

const MOST_COLUMNS = 8;
/** Several addresses stay together, so that the reader sees all of them. */
const ADDRESS_PART = '[^\\s<>,;|]+@[^\\s<>,;|]+(?:[\\s,;|/]+[^\\s<>,;|]+@[^\\s<>,;|]+)*';
const NAME_PART = '^[^@]+$';

/** Open fields stay open: nothing is read for them. */
export function mappingOf(fields: Fields, isOpen: (field: Field) => boolean = () => false): Tree {
  return new Writing(fields, isOpen).written();
}

type Scope = 'ticket' | 'message' | 'person';

interface NamedTable {
  readonly name: string;
  readonly role: string;
  readonly key: unknown;
  readonly columns: readonly Column[];
}

/** Values of fields that a person says the export lacks, so that no run asks for a column. */
const TOLD: ReadonlyMap<string, unknown> = new Map([['ticket.status', { const: 'open' }]]);

class Writing {
  readonly #fields: Fields;
  readonly #isOpen: (field: Field) => boolean;
  readonly #tables = new Map<Table, NamedTable>();

  constructor(fields: Fields, isOpen: (field: Field) => boolean) {
    this.#fields = fields;
    this.#isOpen = isOpen;
  }

  written(): Tree {
    const { tickets, latest, rows, people, thread, key, tables } = this.#fields;
    const isEachRow = this.#source('ticket.id').kind === 'each-row';
    if (key.length === 0 && !isEachRow) throw stop('no-id-column', { file: baseName(tickets.file) });
    this.#tables.set(tickets, {
      name: 'tickets',
      role: this.#open('ticket.rows') ?? (rows === 'message' ? 'group' : 'root'),
      key:
        this.#open('ticket.id') ??
        (isEachRow ? ROW : key.length === 1 ? key[0]?.path : key.map(({ path }) => path)),
      columns: latest === undefined ? key : [...key, latest],
    });
    if (thread !== undefined && thread.table !== tickets) this.#child(thread.table);
    const persons = people && this.#people(people);
    const own = this.#ownMessages();
    const messages = [...own.slice(0, 1), ...this.#threadRule(), ...own.slice(1), ...this.#notes()];
    const ticket = this.#ticket();
    const nulls = nullTexts(tables);
    return withoutUndefined({
      name: 'export',
      title: `Settings for ${baseName(tickets.file)}`,
      tables: Object.fromEntries(
        [...this.#tables].map(([table, { name, role, key: its }]) => [
          name,
          {
            role,
            key: its,
            latest: table === tickets ? latest?.path : undefined,
            recognise: this.#recognise(table),
          },
        ]),
      ),
      people: persons,
      ticket,
      messages: messages.length === 0 ? undefined : messages,
      nulls: nulls.length === 0 ? undefined : nulls,
    });
  }

  #open(key: string): string | undefined {
    const field = this.#fields.all.get(key);
    const isWords = field?.words !== undefined && [...field.words.values()].includes(undefined);
    return field !== undefined && !isWords && this.#isOpen(field) ? openText(key) : undefined;
  }

  #source(key: string): Source {
    return this.#fields.all.get(key)?.source ?? NONE;
  }

  #column(key: string): Column | undefined {
    return columnOf(this.#fields.tables, this.#source(key));
  }

  #child(table: Table): string {
    const known = this.#tables.get(table);
    if (known !== undefined) return known.name;
    const { thread, parents } = this.#fields;
    const chosen = table === thread?.table ? this.#column('message.ticket') : undefined;
    const parent = chosen ?? parents.get(table.id);
    if (parent === undefined) throw stop('no-ticket-column', { file: baseName(table.file) });
    const open = chosen && this.#open('message.ticket');
    return this.#named(table, table === thread?.table ? 'messages' : undefined, 'child', open, parent);
  }

  #named(table: Table, wanted: string | undefined, role: string, open: unknown, key: Column): string {
    const taken = [...this.#tables.values()].map(({ name }) => name);
    const base = plain(baseName(table.file).replace(/\..*$/, '')).replace(/[^a-z0-9]+/g, '_');
    const isFree = (name: string | undefined) => name !== undefined && name !== '' && !taken.includes(name);
    const name = [wanted, base].find(isFree) ?? `${base}_${table.id}`;
    this.#tables.set(table, { name, role, key: open ?? key.path, columns: [key] });
    return name;
  }

  /** From a row of the ticket, a message or a person; by the words of the column, where the field has some. */
  #read(key: string, scope: Scope): unknown {
    const field = this.#fields.all.get(key);
    const source = this.#source(key);
    const column = this.#column(key);
    const table = source.kind === 'column' ? this.#fields.tables[source.table] : undefined;
    const value = this.#open(key) ?? (table && column && this.#place(table, column, scope, key));
    return sourceRule(key, source, value, field?.words, field !== undefined && this.#isOpen(field));
  }

  #text(key: string, scope: Scope): unknown {
    const text = this.#read(key, scope);
    const column = this.#column(key);
    const escaped = column === undefined ? 0 : countOfKind(column, 'escaped');
    if (typeof text !== 'string' || isOpenText(text) || escaped === 0) return text;
    const read = { column: text, as: 'unescaped' };
    if (escaped === column?.filled) return read;
    return cases({ column: text, matches: ESCAPED_TAG.source }, read, text);
  }

  #place(table: Table, column: Column, scope: Scope, key: string): unknown {
    const { tickets, thread, rows, varying } = this.#fields;
    if (scope === 'person') return column.path;
    if (scope === 'message' && table === thread?.table && column.list === thread.list)
      return item(table, column);
    const isOwn = table === tickets && column.list === undefined;
    if (isOwn && rows === 'message' && scope === 'ticket' && varying.has(column)) {
      const isAsker = key.startsWith('ticket.requester');
      const where = isAsker && !isCustomers(column) ? this.#isByCustomer() : undefined;
      const take = isAsker || key === 'ticket.subject' ? 'first' : 'last';
      return this.#first({ table, list: undefined }, column.path, where, take);
    }
    const of = isOwn ? column.path : this.#first({ table, list: column.list }, item(table, column));
    return scope === 'ticket' ? of : { ticket: of };
  }

  /** Reads the first row or item, by time where messages have one. */
  #first(
    { table, list }: NonNullable<Fields['thread']>,
    get: unknown,
    where?: unknown,
    take: 'first' | 'last' = 'first',
  ): unknown {
    const { thread } = this.#fields;
    const isThreads = table === thread?.table && list === thread.list;
    const column = isThreads ? this.#column('message.time') : undefined;
    const { kind } = this.#source('message.time');
    const time = column?.list === list ? column?.path : undefined;
    const order = isThreads && kind === 'rule' ? this.#read('message.time', 'message') : time;
    return {
      ...(list === undefined ? { rows: this.#child(table) } : { each: listIn(table, list) }),
      where,
      take,
      order:
        order === undefined
          ? undefined
          : { [typeof order === 'string' ? 'column' : 'of']: order, time: 'auto' },
      get,
    };
  }

  #ticket(): Tree {
    const read = (field: string) => this.#read(`ticket.${field}`, 'ticket');
    const tags = read('tags');
    const column = this.#column('ticket.tags');
    const cells = column?.values.map(({ value }) => value) ?? [];
    const isByCommas =
      cells.some((cell) => cell.includes(',')) && !cells.some((cell) => /[;|\n[{]/.test(cell));
    return {
      subject: this.#subject(),
      status: read('status'),
      priority: read('priority'),
      tags:
        typeof tags === 'string' && column?.type !== 'list' && !isOpenText(tags)
          ? { column: tags, split: isByCommas ? ',' : 'list' }
          : tags,
      ...{ createdAt: read('createdAt'), resolvedAt: read('resolvedAt'), closedAt: read('closedAt') },
      requester: { ...(this.#namedRequester() ?? this.#asker() ?? { id: this.#id() }), ...this.#noAddress() },
      assignee: this.#person('ticket.assignee', 'ticket'),
    };
  }

  /** A person says that the export has no address. */
  #noAddress(): Tree {
    const source = this.#source('ticket.requester.email');
    return source.kind === 'none' && source.isTold === true ? { email: { const: '' } } : {};
  }

  #id(): unknown {
    const { key } = this.#fields;
    return key.length < 2 ? (key[0]?.path ?? ROW) : { template: idText(key) };
  }

  /** Without a rule the subject is the first words of what was said in public. */
  #subject(): unknown {
    const { kind } = this.#source('ticket.subject');
    if ((kind !== 'first-line' && kind !== 'none') || this.#open('ticket.subject') !== undefined)
      return this.#read('ticket.subject', 'ticket');
    const hasText = [CUSTOMER_TEXT, 'message.text', AGENT_TEXT].some(
      (key) => this.#source(key).kind !== 'none',
    );
    return kind === 'first-line' && hasText ? undefined : { template: `Ticket ${idText(this.#fields.key)}` };
  }

  #requester = () => this.#person('ticket.requester', 'ticket');

  /** A requester with an address alone has the name of the first customer who writes. */
  #namedRequester(): Tree | undefined {
    const own = this.#requester();
    const isNameless = own !== undefined && own['name'] === undefined && own['person'] === undefined;
    if (!isNameless || this.#column('message.author.email') !== undefined) return own;
    return { ...own, name: this.#asker()?.['name'] };
  }

  #person(key: string, scope: Scope): Tree | undefined {
    const [id, email, name] = ['', '.email', '.name'].map((part) => this.#read(`${key}${part}`, scope));
    if (id === undefined && email === undefined && name === undefined) return undefined;
    const { people } = this.#fields;
    const isByEmail = this.#column('person.id')?.type === 'email';
    const personId = people && (id ?? (isByEmail ? email : undefined));
    const either = email ?? name ?? id;
    const part = email !== undefined ? '.email' : name !== undefined ? '.name' : '';
    const { type, filled = 1, kinds = [] } = this.#column(`${key}${part}`) ?? {};
    const share = (kinds.find(({ kind }) => kind === 'email')?.count ?? 0) / filled;
    // A few other words among addresses are mistakes.
    const isMixed = type === 'email' || share >= 0.05 ? email === undefined || share < 0.8 : false;
    if (personId === undefined && isMixed && typeof either === 'string' && !isOpenText(either))
      return type === 'email'
        ? { email: { column: either, as: 'email' }, name: { column: either, as: 'name' } }
        : {
            email: { column: either, match: ADDRESS_PART },
            name: email !== undefined && name !== undefined ? name : { column: either, match: NAME_PART },
          };
    const hasNames = this.#column(`${key}.email`)?.examples.some((text) => text.includes('<'));
    const mailbox = (as: 'email' | 'name') =>
      hasNames === true && typeof email === 'string' ? { column: email, as } : undefined;
    return {
      person: personId === undefined ? undefined : 'people',
      id: personId ?? id ?? (email === undefined && !isOpenText(name) ? name : undefined),
      email: mailbox('email') ?? email,
      name: name ?? mailbox('name'),
    };
  }

  /** If the ticket does not name its requester: the first customer who writes. */
  #asker(): Tree | undefined {
    const { thread } = this.#fields;
    const of = this.#person('message.author', 'message');
    if (thread === undefined || of === undefined) return undefined;
    const where = this.#isByCustomer();
    if (where === undefined && this.#column('message.writer') !== undefined) return undefined;
    const first = (get: unknown) => (get === undefined ? undefined : this.#first(thread, get, where));
    return {
      person: of['person'],
      id: first(of['id']),
      email: first(of['email']),
      name: first(of['name']),
    };
  }

  /** Messages of customers: by a word, or each fills the column of its author's side. */
  #isByCustomer(): unknown {
    const writer = this.#column('message.writer');
    const words = [...(this.#fields.all.get('message.writer')?.words ?? [])].flatMap(([word, role]) =>
      role === 'customer' ? [word] : [],
    );
    if (writer !== undefined) return words.length === 0 ? undefined : { column: writer.path, in: words };
    const source = this.#source('message.writer');
    const cases = source.kind === 'rule' ? (source.rule as { when?: readonly Tree[] }).when : undefined;
    const isCustomer = ({ then }: Tree) => (then as Tree | undefined)?.['const'] === 'customer';
    return cases && { any: cases.filter(isCustomer).map((each) => each['if']) };
  }

  #ownMessages(): Tree[] {
    const { rows, tickets } = this.#fields;
    const scope = rows === 'message' ? 'message' : 'ticket';
    const isAlone = this.#source('message.text').kind === 'none';
    const assignee = this.#person('ticket.assignee', scope);
    const named = this.#read(`${AGENT_TEXT}.name`, scope);
    const answerer = named === undefined ? assignee : { id: named, name: named };
    const asker = this.#person('ticket.requester', scope);
    const closed = ['ticket.resolvedAt', 'ticket.closedAt'];
    const said = [
      { key: CUSTOMER_TEXT, author: asker ?? { id: this.#id() }, at: ['ticket.createdAt'] },
      { key: AGENT_TEXT, author: answerer, at: closed },
      { key: NOTE_TEXT, author: assignee, at: ['ticket.createdAt'] },
    ];
    return said.flatMap(({ key, author = {}, at }) => {
      const content = this.#text(key, scope);
      if (content === undefined) return [];
      const its = scope === 'message' ? [`${key}.time`, 'message.time'] : [`${key}.time`, ...at];
      const times = its.flatMap((time) => this.#read(time, scope) ?? []);
      return [
        {
          content,
          contentType: contentType(this.#column(key)),
          actorType: { const: key === CUSTOMER_TEXT ? 'customer' : 'agent' },
          public: key !== NOTE_TEXT,
          author,
          occurredAt: times.length < 2 ? times[0] : times,
          ...(key === CUSTOMER_TEXT && { attachments: isAlone ? this.#attachments(tickets) : undefined }),
          ...(key === CUSTOMER_TEXT && scope === 'ticket'
            ? { typedBy: this.#typist(), use: 'unless-repeated' }
            : {}),
        },
      ];
    });
  }

  /** An assignee who opened the ticket wrote its text. */
  #typist(): Tree | undefined {
    const { tickets, tables, all } = this.#fields;
    const read = [...all.values()].map(({ source }) => columnOf(tables, source));
    const typist = ownColumns(tickets).find(
      (column) => !read.includes(column) && matchField('ticket', 'typedBy', [column]).column !== undefined,
    );
    return typist && { email: { column: typist.path, as: 'email' }, name: typist.path };
  }

  #threadRule(): Tree[] {
    const { thread, tickets } = this.#fields;
    const content = thread && this.#text('message.text', 'message');
    if (thread === undefined || content === undefined) return [];
    const { table, list } = thread;
    const id = this.#read('message.id', 'message');
    return [
      {
        from: table === tickets ? undefined : this.#child(table),
        each: list === undefined ? undefined : listIn(table, list),
        content,
        contentType: contentType(this.#column('message.text')),
        occurredAt: this.#read('message.time', 'message'),
        actorType: this.#read('message.writer', 'message'),
        author: this.#person('message.author', 'message') ?? {},
        public: this.#read('message.visibility', 'message') ?? 'unknown',
        attachments: this.#attachments(table),
        to: this.#read('message.to', 'message'),
        once: id,
        messageId: isMailId(this.#column('message.id')) ? id : undefined,
      },
    ];
  }

  #notes(): Tree[] {
    return this.#fields.notes.map(({ table, list }) => {
      const columns = table.columns.filter((column) => column.list === list);
      const of = (field: string) => matchField('message', field, columns).candidates[0];
      const text = of('text') ?? columns.find(isText);
      const [email, name] = [of('authorEmail')?.path, of('authorName')?.path];
      return {
        from: table === this.#fields.tickets ? undefined : this.#child(table),
        each: list,
        content: text?.path,
        contentType: contentType(text),
        occurredAt: of('at')?.path,
        actorType: { const: 'agent' },
        author: { id: email === undefined ? name : undefined, email, name },
        public: false,
        once: of('id')?.path,
      };
    });
  }

  #attachments(table: Table): unknown {
    const source = this.#source('message.attachment');
    const column = this.#column('message.attachment');
    if (source.kind === 'rule') return isTemplate(source.rule) ? filesIn(source.rule) : source.rule;
    if (column === undefined) return undefined;
    if (column.type !== 'list') return filesIn({ column: column.path });
    const objects = table.columns.filter(({ list, path }) => list === column.name && path !== '.');
    const found = ['url', 'name', 'contentType', 'sizeBytes'].map((field) => [
      field,
      matchField('file', field, objects).candidates[0]?.path,
    ]);
    const files = objects.length === 0 ? { url: '.' } : Object.fromEntries(found);
    return files['url'] === undefined ? undefined : { each: column.path, item: files };
  }

  #people(table: Table): Tree {
    const key = this.#column('person.id');
    if (key === undefined) return {};
    if (this.#tables.has(table) || key.list !== undefined)
      throw new AppError(
        'usage',
        `${baseName(table.file)} holds ${this.#tables.has(table) ? 'tickets or messages' : 'lists of people'}, so person.id cannot be "${key.name}".`,
        { hint: 'Name a column of a file that holds people alone, one a row.' },
      );
    const own = ownColumns(table);
    const [first, last] = ['first', 'last'].map((field) => matchField('people', field, own).column?.path);
    const whole = first && last ? { template: `{${first}} {${last}}` } : undefined;
    const read = (field: string) => this.#read(`person.${field}`, 'person');
    const name = this.#named(table, 'people', 'lookup', undefined, key);
    return {
      people: {
        ...{ table: name, id: key.path, email: read('email') },
        ...{ name: read('name') ?? whole, role: read('role') },
      },
    };
  }

  /** By the columns that are read, and by the file if another table has them too. */
  #recognise(table: Table): Tree {
    const { all, tables } = this.#fields;
    const keys = new Set([...this.#tables.values()].flatMap(({ key }) => key));
    const fields = [...all.values()].flatMap(({ source }) =>
      source.kind === 'column' && source.table === table.id ? (columnOf(tables, source) ?? []) : [],
    );
    const paths = [...(this.#tables.get(table)?.columns ?? []), ...fields]
      // An empty column may be absent in another export.
      .filter(
        ({ path, list }) =>
          table.collection.format === 'csv' || list !== undefined || keys.has(path) || !path.includes('.'),
      )
      .map(({ name, list, path }) => (list === undefined ? path : (name.split('[]')[0] ?? path)));
    const columns = [...new Set(paths)]
      .filter((path) => !path.includes('|') && table.parts.every((part) => hasColumn(part.collection, path)))
      .slice(0, MOST_COLUMNS);
    const place = placeOf(table);
    const hasTwin = tables.some(
      (other) =>
        other !== table &&
        other.collection.format === table.collection.format &&
        JSON.stringify(placeOf(other)) === JSON.stringify(place) &&
        columns.every((path) => hasColumn(other.collection, path)),
    );
    return {
      ...(columns.length === 0 ? {} : { columns }),
      ...place,
      ...(hasTwin || columns.length === 0 ? { file: baseName(table.file) } : {}),
    };
  }
}

/** By the words of a column, if the field has some. `value` reads the column. */
export function sourceRule(
  key: string,
  source: Source,
  value: unknown,
  words: ReadonlyMap<string, string | undefined> | undefined,
  isOpen: boolean,
): unknown {
  if (words !== undefined) return wordRule(key, value, [...words], isOpen);
  if (value !== undefined || source.kind === 'column') return value;
  if (source.kind === 'rule') return source.rule;
  if (source.kind === 'none' && source.isTold === true) return TOLD.get(key);
  if (source.kind !== 'fixed') return undefined;
  return key === 'message.visibility' ? source.value !== 'internal' : { const: source.value };
}

/** A rule for the words of a column. Undecided ones are internal: only the team sees them until they are decided. */
export function wordRule(
  key: string,
  value: unknown,
  words: readonly (readonly [word: string, meaning: string | undefined])[],
  isOpen: boolean,
): Tree {
  const openOf = (word: string) => (isOpen ? openText(`${key}:${word}`) : undefined);
  if (key === 'message.visibility') {
    const internal = words.flatMap(([word, meaning]) =>
      meaning === 'public' ? [] : [meaning === undefined ? (openOf(word) ?? word) : word],
    );
    return {
      column: value,
      in: words.flatMap(([word, meaning]) => (meaning === 'public' ? [word] : [])),
      ...(internal.length === 0 ? {} : { internal }),
    };
  }
  // A word of an export may be called `__proto__`, which this makes a key like any other.
  const map = Object.fromEntries(
    words.flatMap(([word, meaning]) => {
      const known = meaning ?? openOf(word);
      return known === undefined ? [] : [[word, known === 'none' ? null : known]];
    }),
  );
  return { ...(typeof value === 'string' ? { column: value } : { of: value }), map };
}

const isOpenText = (value: unknown) => typeof value === 'string' && value.startsWith(OPEN);

const idText = (key: readonly Column[]) => key.map(({ path }) => `{${path}}`).join(' ') || `{${ROW}}`;

const isNotes = (table: Table, list: string | undefined) =>
  table.columns.some(({ name, type }) => name === list && type !== 'list');

/** The items of a list, or the notes of a cell. */
function listIn(table: Table, list: string): unknown {
  return isNotes(table, list) ? { column: list, split: `/${NOTE_START.source}/` } : list;
}

function item(table: Table, { list, path }: Column): unknown {
  const part = isNotes(table, list) ? NOTE_PARTS[path] : undefined;
  return part === undefined ? path : { column: '.', ...part };
}

const isTemplate = (rule: unknown): rule is Tree =>
  typeof rule === 'object' && rule !== null && 'template' in rule;

/** Addresses in a cell are files; its other words are kept. */
export const filesIn = (text: Tree): Tree => ({
  each: { ...text, split: '/[\\s,;|]+/' },
  where: { column: '.', matches: '^https?://\\S+$' },
  item: { url: '.' },
});

const isMailId = (column: Column | undefined) =>
  column?.examples.every((text) => /^<?[^\s@]+@[^\s@]+>?$/.test(text)) === true;

function contentType(column: Column | undefined): Tree | undefined {
  if (column === undefined) return undefined;
  const tagged = countOfKind(column, 'html') + countOfKind(column, 'escaped');
  if (tagged < FEW_TAGGED * column.filled || tagged === 0) return undefined;
  const [html, text] = [{ const: 'html' }, { const: 'text' }];
  if (tagged >= 0.5 * column.filled) return html;
  return cases({ column: column.path, matches: TAG_START.source }, html, text);
}

const countOfKind = ({ kinds }: Column, kind: ValueKind): number =>
  kinds.find((each) => each.kind === kind)?.count ?? 0;

const cases = (condition: Tree, then: unknown, other: unknown): Tree => ({
  when: [{ if: condition, then }, { else: other }],
});

/** Words for an empty cell that cannot be messages. */
function nullTexts(tables: readonly Table[]): string[] {
  const found = tables.flatMap(({ columns }) =>
    columns.flatMap(({ nulls, type }) =>
      nulls.filter(
        ({ value, count }) => /null|n\/a|\\n/i.test(value) || type !== 'text' || (value === '-' && count > 1),
      ),
    ),
  );
  return [...new Set(found.map(({ value }) => value))];
}

function placeOf({ collection }: Table): Tree {
  const { kind, path, stream, format } = collection;
  if (stream !== undefined && kind === undefined) return { stream };
  if (format === 'csv') return {};
  return {
    ...(path === undefined ? { path: '.' } : path.length === 0 ? {} : { path: path.join('.') }),
    ...(kind === undefined ? {} : { where: { column: kind.column, in: [kind.value] } }),
  };
}

export function withoutUndefined(tree: object): Tree {
  return JSON.parse(JSON.stringify(tree));
}
