/** The table of `init` as a mapping, and back. */
import { AppError } from '../domain/errors.ts';
import { hasColumn } from '../mapping/detect/collections.ts';
import type { Condition, Expression } from '../mapping/language/expression.ts';
import type {
  MessageRule,
  PeopleTable,
  PersonRule,
  Recognition,
  TableRule,
} from '../mapping/language/layout.ts';
import { columnOf, type Field, NONE, type Source } from './fields.ts';
import { matchField, plain } from './names.ts';
import { type Column, ownColumns, type Table } from './profile.ts';
import type { Fields } from './proposed.ts';
import { baseName, NOTE_PARTS, NOTE_START } from './staged-tables.ts';

export type SettingPath = readonly (string | number)[];

/** Stands in the mapping for what is not decided: the field, and the word of a column. */
const OPEN = '\0';

export const openText = (key: string): string => `${OPEN}${key}`;

export function openKey(value: unknown): string | undefined {
  return typeof value === 'string' && value.startsWith(OPEN) ? value.slice(OPEN.length) : undefined;
}

const ROOT = 'tickets';
const FIRST_LINE = '\\S[^\\r\\n]{0,119}';
const MOST_COLUMNS = 8;
/** What is no address, of a column of addresses and names. */
export const NAME_PART = '^[^@]+$';

/** Open fields stay open: nothing is read for them. */
export function mappingOf(
  fields: Fields,
  isOpen: (field: Field) => boolean = () => false,
): Readonly<Record<string, unknown>> {
  return new Writing(fields, isOpen).written();
}

class Writing {
  readonly #fields: Fields;
  readonly #tables: Record<string, TableRule> = {};
  readonly #names = new Map<number, string>();
  readonly #used = new Map<number, Set<Column>>();
  readonly #maps: Record<string, unknown> = {};
  readonly #isOpen: (field: Field) => boolean;

  constructor(fields: Fields, isOpen: (field: Field) => boolean) {
    this.#fields = fields;
    this.#isOpen = isOpen;
  }

  written(): Readonly<Record<string, unknown>> {
    const { tickets, latest, rows, people, thread, key } = this.#fields;
    const [first] = key;
    if (first === undefined)
      throw new AppError('source', `No column of ${baseName(tickets.file)} is the ID of a ticket.`, {
        hint: 'Name it with --set ticket.id=COLUMN, or take --set "ticket.id=each row".',
      });
    this.#names.set(tickets.id, ROOT);
    for (const column of key) this.#use(tickets, column);
    this.#tables[ROOT] = {
      role: (this.#open('ticket.rows') as 'root' | undefined) ?? (rows === 'message' ? 'group' : 'root'),
      key: this.#open('ticket.id') ?? (key.length === 1 ? first.path : key.map(({ path }) => path)),
      ...(latest === undefined ? {} : { latest: latest.path }),
      recognise: {},
    };
    if (latest !== undefined) this.#use(tickets, latest);
    if (thread !== undefined && thread.table !== tickets) this.#child(thread.table, 'messages');
    const persons = people === undefined ? {} : this.#people(people);
    const own = this.#ownMessages();
    const said = this.#threadRule();
    const messages = [...own.slice(0, 1), ...(said === undefined ? [] : [said]), ...own.slice(1)];
    const ticket = this.#ticket();
    const mapping = {
      name: 'export',
      title: `Settings for ${baseName(tickets.file)}`,
      tables: this.#recognised(),
      ...(people === undefined ? {} : { people: persons }),
      ...(Object.keys(this.#maps).length === 0 ? {} : { maps: this.#maps }),
      ticket,
      ...(messages.length === 0 ? {} : { messages }),
    };
    const nulls = nullTexts(this.#fields.tables);
    const withNulls = nulls.length === 0 ? mapping : { ...mapping, nulls };
    return structuredClone(withNulls);
  }

  #field(key: string): Field | undefined {
    return this.#fields.all.get(key);
  }

  #open(key: string): string | undefined {
    const field = this.#field(key);
    const isWords = field?.words !== undefined && [...field.words.values()].includes(undefined);
    return field !== undefined && !isWords && this.#isOpen(field) ? openText(key) : undefined;
  }

  /** The meaning of a word where it is decided. */
  #meaning(key: string, word: string, meaning: string | undefined): string | undefined {
    const field = this.#field(key);
    return meaning ?? (field !== undefined && this.#isOpen(field) ? openText(`${key}:${word}`) : undefined);
  }

  #source(key: string): Source {
    return this.#field(key)?.source ?? NONE;
  }

  #column(key: string): Column | undefined {
    return columnOf(this.#fields.tables, this.#source(key));
  }

  #use(table: Table, column: Column | undefined): void {
    const used = this.#used.get(table.id) ?? new Set();
    this.#used.set(table.id, used);
    if (column !== undefined) used.add(column);
  }

  #child(table: Table, wanted: string): string {
    const known = this.#names.get(table.id);
    if (known !== undefined) return known;
    const chosen = table === this.#fields.thread?.table ? this.#column('message.ticket') : undefined;
    const parent = chosen ?? this.#fields.parents.get(table.id);
    if (parent === undefined)
      throw new AppError('usage', `No column of ${baseName(table.file)} is known to name the ticket.`, {
        hint: 'Name it with --set message.ticket=COLUMN.',
      });
    const name = this.#name(table, wanted);
    this.#use(table, parent);
    const open = chosen === undefined ? undefined : this.#open('message.ticket');
    this.#tables[name] = { role: 'child', key: open ?? parent.path, recognise: {} };
    return name;
  }

  #name(table: Table, wanted: string): string {
    const taken = [...this.#names.values()];
    const base = plain(baseName(table.file).replace(/\..*$/, '')).replace(/[^a-z0-9]+/g, '_');
    const name = [wanted, base].find((each) => each !== '' && !taken.includes(each)) ?? `${base}_${table.id}`;
    this.#names.set(table.id, name);
    return name;
  }

  #read(key: string, scope: 'ticket' | 'message'): Expression | undefined {
    const source = this.#source(key);
    const open = this.#open(key);
    if (open !== undefined) {
      if (source.kind === 'column') this.#use(this.#fields.tables[source.table] as Table, this.#column(key));
      return open;
    }
    if (source.kind === 'fixed') return { const: source.value };
    if (source.kind === 'rule') return source.rule as Expression;
    if (source.kind !== 'column') return undefined;
    const { tables, tickets, thread, rows } = this.#fields;
    const table = tables[source.table];
    const column = this.#column(key);
    if (table === undefined || column === undefined) return undefined;
    this.#use(table, column);
    if (scope === 'message' && table === thread?.table && column.list === thread.list)
      return this.#item(table, column);
    if (scope === 'message' && table === tickets && column.list === undefined) return { ticket: column.path };
    if (table === tickets && column.list === undefined) return column.path;
    const time = this.#column('message.time');
    const isOwnRows = table === tickets && rows === 'message';
    const first: Expression = {
      ...(column.list === undefined
        ? { rows: isOwnRows ? ROOT : this.#child(table, baseName(table.file)) }
        : { each: this.#list(table, column.list) }),
      take: 'first',
      ...(time !== undefined && table === thread?.table && time.list === column.list
        ? { order: { column: time.path, time: 'auto' as const } }
        : {}),
      get: this.#item(table, column),
    };
    return scope === 'ticket' ? first : { ticket: first };
  }

  /** The items of a list, or the notes of a cell. */
  #list(table: Table, list: string): Expression {
    const cell = table.columns.find(({ name }) => name === list);
    return isCell(cell) ? { column: list, split: `/${NOTE_START.source}/` } : list;
  }

  #item(table: Table, { list, path }: Column): Expression {
    const part = isCell(table.columns.find(({ name }) => name === list)) ? NOTE_PARTS[path] : undefined;
    return part === undefined ? path : { column: '.', ...part };
  }

  #id(): Expression {
    const { key } = this.#fields;
    return key.length === 1 ? (key[0]?.path ?? '') : { template: idText(key) };
  }

  #ticket(): Record<string, unknown> {
    const ticket: Record<string, unknown> = {};
    const put = (key: string, value: unknown) => {
      if (value !== undefined) ticket[key.slice('ticket.'.length)] = value;
    };
    put('ticket.subject', this.#subject());
    for (const kind of ['status', 'priority'] as const) put(`ticket.${kind}`, this.#mapped(kind));
    const tags = this.#read('ticket.tags', 'ticket');
    const isList = this.#column('ticket.tags')?.type === 'list';
    put('ticket.tags', typeof tags === 'string' && !isList ? { column: tags, split: 'list' } : tags);
    for (const field of ['createdAt', 'resolvedAt', 'closedAt'])
      put(`ticket.${field}`, this.#read(`ticket.${field}`, 'ticket'));
    const requester = this.#person('ticket.requester', 'ticket') ?? this.#asker();
    return {
      ...ticket,
      requester: requester ?? { id: this.#id() },
      ...defined({ assignee: this.#person('ticket.assignee', 'ticket') }),
    };
  }

  /** Without a rule the subject is the first words of what was said in public. */
  #subject(): Expression | undefined {
    const { kind } = this.#source('ticket.subject');
    if ((kind !== 'first-line' && kind !== 'none') || this.#open('ticket.subject') !== undefined)
      return this.#read('ticket.subject', 'ticket');
    const id: Expression = { template: `Ticket ${idText(this.#fields.key)}` };
    if (kind === 'none') return id;
    const texts = ['message.text.customer', 'message.text', 'message.text.agent'];
    if (texts.some((key) => this.#open(key) !== undefined)) return undefined;
    const lines = texts.flatMap((key): Expression[] => {
      const text = this.#read(key, 'ticket');
      // on a row of messages the first row of the ticket is the ticket's
      if (typeof text === 'string') return [{ column: text, match: FIRST_LINE }];
      const { get, ...first } = (text ?? {}) as { get?: Expression };
      const visible = this.#visibility();
      if (typeof get !== 'string' || visible === false || visible === 'unknown') return [];
      const where = typeof visible === 'object' ? { where: { column: visible.column, in: visible.in } } : {};
      return [{ ...first, ...where, get: { column: get, match: FIRST_LINE } } as Expression];
    });
    return lines.length === 0 ? id : [...lines, id];
  }

  #mapped(kind: 'status' | 'priority'): unknown {
    const key = `ticket.${kind}`;
    const value = this.#read(key, 'ticket');
    const words = this.#field(key)?.words;
    if (value === undefined || words === undefined) return value;
    const values: Record<string, unknown> = Object.create(null);
    for (const [word, meaning] of words) {
      const known = this.#meaning(key, word, meaning);
      if (known !== undefined) values[word] = known === 'none' ? null : known;
    }
    this.#maps[kind] = { values };
    return { ...sourceIn(value), map: kind };
  }

  #person(key: string, scope: 'ticket' | 'message'): PersonRule | undefined {
    const id = this.#read(key, scope);
    const email = this.#read(`${key}.email`, scope);
    const name = this.#read(`${key}.name`, scope);
    if (id === undefined && email === undefined && name === undefined) return undefined;
    const { people } = this.#fields;
    const personKey = this.#column('person.id');
    const byEmail =
      people !== undefined && personKey?.type === 'email' && id === undefined ? email : undefined;
    const part = email !== undefined ? '.email' : name !== undefined ? '.name' : '';
    const either = email ?? name ?? id;
    const column = this.#column(`${key}${part}`);
    const person = people !== undefined && (id ?? byEmail) !== undefined ? 'people' : undefined;
    if (
      person === undefined &&
      typeof either === 'string' &&
      column !== undefined &&
      holdsAddresses(column) &&
      (email === undefined || !isOfAddresses(column))
    )
      return column.type === 'email'
        ? { email: { column: either, as: 'email' }, name: { column: either, as: 'name' } }
        : {
            email: { column: either, match: '[^\\s<>]+@[^\\s<>]+' },
            name: email !== undefined && name !== undefined ? name : { column: either, match: NAME_PART },
          };
    const isMailbox = this.#column(`${key}.email`)?.examples.some((text) => text.includes('<')) === true;
    return defined({
      person,
      id: id ?? byEmail ?? (email === undefined && openKey(name) === undefined ? name : undefined),
      email: isMailbox && typeof email === 'string' ? { column: email, as: 'email' as const } : email,
      name:
        name ?? (isMailbox && typeof email === 'string' ? { column: email, as: 'name' as const } : undefined),
    }) as PersonRule;
  }

  /** If the ticket does not name its requester. */
  #asker(): PersonRule | undefined {
    const { thread, tickets } = this.#fields;
    const of = this.#person('message.author', 'message');
    if (thread === undefined || of === undefined) return undefined;
    const writer = this.#column('message.writer');
    const words = [...(this.#field('message.writer')?.words ?? [])].flatMap(([word, role]) =>
      role === 'customer' ? [word] : [],
    );
    if (writer !== undefined && words.length === 0) return undefined;
    const where: Condition | undefined = writer && { column: writer.path, in: words };
    const time = this.#column('message.time');
    const first = (get: Expression | undefined): Expression | undefined =>
      get && {
        ...(thread.list === undefined
          ? { rows: thread.table === tickets ? ROOT : this.#child(thread.table, 'messages') }
          : { each: this.#list(thread.table, thread.list) }),
        ...(where === undefined ? {} : { where }),
        take: 'first',
        ...(time === undefined ? {} : { order: { column: time.path, time: 'auto' } }),
        get,
      };
    return defined({
      person: of.person,
      id: first(of.id),
      email: first(of.email),
      name: first(of.name),
    }) as PersonRule;
  }

  #ownMessages(): MessageRule[] {
    const rule = (key: string, actor: string, author: PersonRule | undefined, more: Partial<MessageRule>) => {
      const content = this.#read(key, 'ticket');
      if (content === undefined) return [];
      return [
        {
          content,
          ...defined({ contentType: contentType(this.#column(key)) }),
          actorType: { const: actor },
          public: true,
          author: author ?? {},
          ...more,
        } as MessageRule,
      ];
    };
    const time = (...keys: string[]) => {
      const found = keys.flatMap((key) => this.#read(key, 'ticket') ?? []);
      return found.length === 0 ? {} : { occurredAt: found.length === 1 ? (found[0] as Expression) : found };
    };
    const requester = this.#person('ticket.requester', 'ticket') ?? {
      id: this.#id(),
    };
    const assignee = this.#person('ticket.assignee', 'ticket');
    const named = this.#read('message.text.agent.name', 'ticket');
    const customer = rule('message.text.customer', 'customer', requester, {
      ...time('message.text.customer.time', 'ticket.createdAt'),
      use: 'unless-repeated',
    });
    return [
      ...customer,
      ...rule('message.text.agent', 'agent', named === undefined ? assignee : { id: named, name: named }, {
        ...time('message.text.agent.time', 'ticket.resolvedAt', 'ticket.closedAt'),
      }),
      ...rule('message.text.note', 'agent', assignee, {
        ...time('ticket.createdAt'),
        public: false,
      }),
    ];
  }

  #threadRule(): MessageRule | undefined {
    const { thread, tickets } = this.#fields;
    const content = thread && this.#read('message.text', 'message');
    if (thread === undefined || content === undefined) return undefined;
    const { table, list } = thread;
    const writer = this.#read('message.writer', 'message');
    const words = this.#field('message.writer')?.words;
    const map: Record<string, unknown> = Object.create(null);
    for (const [word, meaning] of words ?? []) {
      const known = this.#meaning('message.writer', word, meaning);
      if (known !== undefined) map[word] = known;
    }
    return {
      ...defined({
        from: table === tickets ? undefined : this.#child(table, 'messages'),
        each: list === undefined ? undefined : this.#list(table, list),
      }),
      content,
      ...defined({
        contentType: contentType(this.#column('message.text')),
        occurredAt: this.#read('message.time', 'message'),
        actorType: writer !== undefined && words !== undefined ? { ...sourceIn(writer), map } : writer,
      }),
      author: this.#person('message.author', 'message') ?? {},
      ...defined({
        public: this.#visibility(),
        attachments: this.#attachments(table),
        once: this.#read('message.id', 'message'),
        messageId: isMailId(this.#column('message.id')) ? this.#read('message.id', 'message') : undefined,
      }),
    } as MessageRule;
  }

  /** Undecided words are internal: only the team sees them until they are decided. */
  #visibility(): MessageRule['public'] {
    const key = 'message.visibility';
    const open = this.#open(key);
    if (open !== undefined) return open as 'unknown';
    const source = this.#source(key);
    if (source.kind === 'fixed') return source.value !== 'internal';
    const value = this.#read(key, 'message');
    if (value === undefined) return 'unknown';
    const words = [...(this.#field(key)?.words ?? [])];
    const known = words.filter(([, meaning]) => meaning === 'public').map(([word]) => word);
    const internal = words
      .filter(([, meaning]) => meaning !== 'public')
      .map(([word, meaning]) => (meaning !== undefined ? word : (this.#meaning(key, word, meaning) ?? word)));
    return { column: value, in: known, ...(internal.length === 0 ? {} : { internal }) };
  }

  #attachments(table: Table): Expression | undefined {
    const column = this.#column('message.attachment');
    if (column === undefined) return undefined;
    this.#use(table, column);
    const objects = table.columns.filter(({ list, path }) => list === column.name && path !== '.');
    if (objects.length === 0) return { each: column.path, item: { url: '.' } };
    const item = Object.fromEntries(
      ['url', 'name', 'contentType', 'sizeBytes'].flatMap((field) => {
        const found = matchField('file', field, objects).candidates[0];
        return found === undefined ? [] : [[field, found.path]];
      }),
    );
    return item['url'] === undefined ? undefined : { each: column.path, item };
  }

  #people(table: Table): Record<string, PeopleTable> {
    const key = this.#column('person.id');
    const name = this.#name(table, 'people');
    if (key === undefined) return {};
    const read = (field: string) => {
      const column = this.#column(`person.${field}`);
      this.#use(table, column);
      return column?.path;
    };
    this.#use(table, key);
    this.#tables[name] = { role: 'lookup', key: key.path, recognise: {} };
    const own = ownColumns(table);
    const [first, last] = ['first', 'last'].map((field) => matchField('people', field, own).column?.path);
    const role = read('role');
    const map: Record<string, string> = Object.create(null);
    for (const [word, meaning] of this.#field('person.role')?.words ?? []) {
      const known = this.#meaning('person.role', word, meaning);
      if (known !== undefined) map[word] = known;
    }
    return {
      people: {
        table: name,
        id: key.path,
        ...defined({
          email: read('email'),
          name:
            read('name') ??
            (first !== undefined && last !== undefined ? { template: `{${first}} {${last}}` } : undefined),
          role: role === undefined ? undefined : { column: role, map },
        }),
      } as PeopleTable,
    };
  }

  /** By the read columns, and by the file if another table has them too. */
  #recognised(): Record<string, TableRule> {
    const ids = new Map([...this.#names].map(([id, name]) => [name, id]));
    return Object.fromEntries(
      Object.entries(this.#tables).map(([name, rule]) => {
        const table = this.#fields.tables[ids.get(name) ?? 0] as Table;
        return [name, { ...rule, recognise: this.#recognise(table) }];
      }),
    );
  }

  #recognise(table: Table): Recognition {
    const keys = new Set(Object.values(this.#tables).flatMap(({ key }) => key));
    const paths = [...(this.#used.get(table.id) ?? [])]
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
    const hasTwin = this.#fields.tables.some(
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

const idText = (key: readonly Column[]) => key.map(({ path }) => `{${path}}`).join(' ');

const isCell = (column: Column | undefined) => column !== undefined && column.type !== 'list';

function sourceIn(value: Expression): { column: string } | { of: Expression } {
  return typeof value === 'string' ? { column: value } : { of: value };
}

function holdsAddresses({ type, kinds, filled }: Column): boolean {
  const emails = kinds.find(({ kind }) => kind === 'email')?.count ?? 0;
  return type === 'email' || (emails > 0 && emails >= 0.05 * filled);
}

/** A few other words among addresses are mistakes. */
function isOfAddresses({ type, kinds, filled }: Column): boolean {
  return type === 'email' || (kinds.find(({ kind }) => kind === 'email')?.count ?? 0) >= 0.8 * filled;
}

const isMailId = (column: Column | undefined) =>
  column?.examples.every((text) => /^<?[^\s@]+@[^\s@]+>?$/.test(text)) === true;

function contentType(column: Column | undefined): Expression | undefined {
  if (column === undefined) return undefined;
  const { kinds, filled, name } = column;
  const html = kinds.find(({ kind }) => kind === 'html')?.count ?? 0;
  return (filled > 0 && html >= 0.5 * filled) || /html/i.test(name) ? { const: 'html' } : undefined;
}

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

function placeOf({ collection }: Table): Recognition {
  const { kind, path, stream, format } = collection;
  if (stream !== undefined && kind === undefined) return { stream };
  if (format === 'csv') return {};
  return {
    ...(path === undefined ? { path: '.' } : path.length === 0 ? {} : { path: path.join('.') }),
    ...(kind === undefined ? {} : { where: { column: kind.column, in: [kind.value] } }),
  };
}

export function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
