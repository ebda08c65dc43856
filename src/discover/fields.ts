/** The table of `init`: each field of a ticket, and the person's choice. Pure. */
import { AppError } from '../domain/errors.ts';
import { didYouMean } from '../domain/nearest.ts';
import { TICKET_PRIORITIES, TICKET_STATUSES } from '../domain/payload.ts';
import type { SettingPath } from '../domain/source-file.ts';
import { plain, type WordKind } from '../domain/text/vocabulary.ts';
import { ROW } from '../mapping/language/layout.ts';
import { holdsOther, matchField, roleOf, sideOfName } from './names.ts';
import { type Column, isTimeColumn, type Table } from './profile.ts';
import { baseName } from './staged-tables.ts';

export type Source =
  | { readonly kind: 'column'; readonly table: number; readonly name: string }
  | { readonly kind: 'fixed'; readonly value: string }
  | { readonly kind: 'first-line' }
  /** Each row is a ticket, known by all its cells. */
  | { readonly kind: 'each-row' }
  | { readonly kind: 'rule'; readonly rule: unknown }
  /** `isTold`: a person says that the export has none. */
  | { readonly kind: 'none'; readonly isTold?: true };

export const NONE: Source = { kind: 'none' };

export interface Field {
  readonly key: string;
  readonly label: string;
  readonly source: Source;
  /** Undefined: not decided. */
  readonly words?: ReadonlyMap<string, string | undefined>;
  readonly mark?: string;
  /** If the source is uncertain. */
  readonly likely?: readonly Column[];
}

/** A source by field, and a meaning by `FIELD:WORD`. */
export type Choices = ReadonlyMap<string, Source>;

interface Spec {
  readonly label: string;
  readonly of: 'ticket' | 'message' | 'person' | 'setting';
  readonly meanings?: readonly string[];
  readonly words?: WordKind;
  /** In `vocabulary.yaml`, if it does not follow from the key. */
  readonly called?: string;
  /** In a rule for messages. */
  readonly at?: string | undefined;
  readonly isValue?: true;
}

const ROLES = ['customer', 'agent', 'system'] as const;
const AUDIENCES = ['public', 'internal'] as const;
const ROWS = ['ticket', 'message', 'version'] as const;

/** Texts in the ticket's own row. */
export const [CUSTOMER_TEXT, AGENT_TEXT, NOTE_TEXT] = [
  'message.text.customer',
  'message.text.agent',
  'message.text.note',
] as const;

const ticket = (label: string, more: Partial<Spec> = {}): Spec => ({ label, of: 'ticket', ...more });
const message = (label: string, at?: string, more: Partial<Spec> = {}): Spec => ({
  ...{ label, of: 'message', at },
  ...more,
});
const person = (label: string, more: Partial<Spec> = {}): Spec => ({ label, of: 'person', ...more });
const setting = (label: string, meanings?: readonly string[]): Spec => ({
  label,
  of: 'setting',
  isValue: true,
  ...(meanings === undefined ? {} : { meanings }),
});

export const SPECS: Readonly<Record<string, Spec>> = {
  'ticket.id': ticket('ticket ID'),
  'ticket.rows': ticket('rows with the same ID are', { isValue: true, meanings: ROWS }),
  'ticket.subject': ticket('subject'),
  'ticket.requester': ticket('customer: ID'),
  'ticket.requester.email': ticket('customer: e-mail'),
  'ticket.requester.name': ticket('customer: name'),
  'ticket.status': ticket('status', { meanings: TICKET_STATUSES, words: 'status' }),
  'ticket.priority': ticket('priority', { meanings: TICKET_PRIORITIES, words: 'priority' }),
  'ticket.tags': ticket('tags'),
  'ticket.assignee': ticket('assignee: ID'),
  'ticket.assignee.email': ticket('assignee: e-mail'),
  'ticket.assignee.name': ticket('assignee: name'),
  'ticket.createdAt': ticket('created'),
  'ticket.resolvedAt': ticket('resolved'),
  'ticket.closedAt': ticket('closed'),
  'message.text.customer': ticket("customer's text in the ticket's row", { called: 'description' }),
  'message.text.customer.time': ticket('its time'),
  'message.text.agent': ticket("team's answer in the ticket's row", { called: 'answer' }),
  'message.text.agent.time': ticket('its time', { called: 'answeredAt' }),
  'message.text.agent.name': ticket('its author', { called: 'answeredBy' }),
  'message.text.note': ticket("team's note in the ticket's row", { called: 'note' }),
  'message.text': message('text', 'content'),
  'message.ticket': message('ticket of the message'),
  'message.id': message('message ID', 'once'),
  'message.time': message('time of the message', 'occurredAt', { called: 'at' }),
  'message.writer': message('who wrote it', 'actorType', { meanings: ROLES, words: 'role', called: 'role' }),
  'message.author': message('author: ID', 'author.id'),
  'message.author.email': message('author: e-mail', 'author.email'),
  'message.author.name': message('author: name', 'author.name'),
  'message.visibility': message('who may see it', 'public', { meanings: AUDIENCES, words: 'visibility' }),
  'message.attachment': message('attachments', 'attachments'),
  'message.to': message('sent to', 'to'),
  'person.id': person('people: ID'),
  'person.email': person('people: e-mail'),
  'person.name': person('people: name'),
  'person.role': person('people: role', { meanings: ROLES, words: 'role' }),
  otherAuthors: setting('other authors are', ROLES),
  'source.encoding': setting('encoding'),
  'source.timezone': setting('time zone'),
  'source.dayFirst': setting('day before month', ['true', 'false']),
  'source.missingCreatedAt': setting('time of tickets without one'),
  fallbackAgent: setting('agent who signs for others'),
  'customersWithoutEmail.synthesize': setting('domain for customers without an address'),
  ignore: setting('columns that are left out'),
};

/** Stays the same where lines before it come and go. */
export function numberOf(key: string): number {
  return Object.keys(SPECS).indexOf(key) + 1;
}

export function specOf(key: string): Spec {
  const spec = Object.hasOwn(SPECS, key) ? SPECS[key] : undefined;
  if (spec === undefined)
    throw new AppError('usage', `There is no field "${key}".${didYouMean(key, Object.keys(SPECS))}`, {
      lines: [`Fields: ${Object.keys(SPECS).join(', ')}.`],
    });
  return spec;
}

/** Its place in the settings, in `ticket` or in a rule for messages; undefined for what only tables can say. */
export function placeOf(key: string): SettingPath | undefined {
  const [of, name = '', part] = key.split('.');
  if (specOf(key).of === 'setting')
    return key === 'otherAuthors' || key === 'ignore' ? ['mapping', key] : key.split('.');
  if (of !== 'ticket') return specOf(key).at?.split('.');
  if (name === 'id' || name === 'rows') return undefined;
  return name === 'requester' || name === 'assignee' ? [name, part ?? 'id'] : [name];
}

/** Its name in `vocabulary.yaml`: `ticket.requester.email` is `requesterEmail`, `ticket.requester` is `requesterId`. */
export function nameOf(key: string): string {
  const [, name = '', part] = key.split('.');
  const { called } = specOf(key);
  if (called !== undefined) return called;
  if (!['requester', 'assignee', 'author'].includes(name)) return name;
  return `${name}${part === undefined ? 'Id' : part[0]?.toUpperCase() + part.slice(1)}`;
}

const SAME: ReadonlyMap<string, string> = new Map([
  ['everyone', 'public'],
  ['team', 'internal'],
  ['the team only', 'internal'],
  ['team only', 'internal'],
  ['yes', 'true'],
  ['no', 'false'],
]);

export function columnOf(tables: readonly Table[], source: Source): Column | undefined {
  if (source.kind !== 'column') return undefined;
  return tables[source.table]?.columns.find(({ name }) => name === source.name);
}

/** `FIELD=COLUMN`, `FIELD='fixed'`, `FIELD=`, `FIELD:WORD=MEANING`. Throws AppError `usage`. */
export function changeOf(text: string, tables: readonly Table[], preferred: Preferred): [string, Source] {
  const [, key = '', word, value] = /^([^:=]+)(?::(.*?))?=(.*)$/s.exec(text) ?? [];
  if (value === undefined)
    throw new AppError(
      'usage',
      `"${text}" is no change. Type FIELD=COLUMN, for example ticket.subject=Title.`,
    );
  const field = key.trim();
  return word === undefined
    ? [field, sourceOf(field, value.trim(), tables, preferred)]
    : [`${field}:${word}`, meaningIn(field, value)];
}

function meaningIn(key: string, value: string): Source {
  const { meanings } = specOf(key);
  const meant = SAME.get(value.trim()) ?? value.trim();
  if (meanings === undefined) throw new AppError('usage', `The words of ${key} have no meanings.`);
  if (meant === '') return NONE;
  if (meanings.includes(meant)) return { kind: 'fixed', value: meant };
  throw new AppError(
    'usage',
    `"${value}" is no meaning for ${key}.${didYouMean(meant, meanings)} Meanings: ${meanings.join(', ')}.`,
  );
}

/** The word of the first column that is filled: closed, if there is a time of closing. */
export function byFilled(
  words: readonly (readonly [word: string, column: Column])[],
  other?: string,
): unknown {
  const cases = words.map(([word, { path }]) => ({
    if: { column: path, empty: false },
    // biome-ignore lint/suspicious/noThenProperty: a word of the mapping language
    then: { const: word },
  }));
  return { when: other === undefined ? cases : [...cases, { else: { const: other } }] };
}

/** Values of columns, one after the other. */
export function together(columns: readonly Column[]): Source {
  return { kind: 'rule', rule: { template: columns.map(({ path }) => `{${path}}`).join(' ') } };
}

function eachRow(tables: readonly Table[]): Source {
  const named = tables.find(({ columns }) => columns.some(({ name }) => plain(name) === ROW));
  if (named !== undefined)
    throw new AppError(
      'usage',
      `${baseName(named.file)} has a column called "row". Rename it to take each row as a ticket.`,
    );
  return { kind: 'each-row' };
}

/** Persons of one side, and no words for sides. */
const isOneSide = (column: Column): boolean =>
  sideOfName(column) !== undefined && column.values.every(({ value }) => roleOf(column, value) === undefined);

/** Tables to search first for a name. */
export type Preferred = Readonly<Partial<Record<Spec['of'], number>>>;

/** True, or what the column holds instead. A time of the end is a status, and an agent's address says who wrote. */
export function canBe(key: string, column: Column): true | string {
  const isEnd =
    (key === 'ticket.status' && isTimeColumn(column)) || (key === 'message.writer' && isOneSide(column));
  return isEnd || (holdsOther(nameOf(key), column) ?? true);
}

export function sourceOf(
  key: string,
  typed: string,
  tables: readonly Table[],
  preferred: Preferred = {},
): Source {
  const { of, isValue, meanings } = specOf(key);
  if (typed === '') return { kind: 'none', isTold: true };
  const fixed = /^'(.*)'$/s.exec(typed)?.[1];
  if (isValue === true || fixed !== undefined)
    return meanings === undefined ? { kind: 'fixed', value: fixed ?? typed } : meaningIn(key, fixed ?? typed);
  if (key === 'ticket.subject' && /^first[ -]line$/i.test(typed)) return { kind: 'first-line' };
  if (key === 'ticket.id' && /^each[ -]row$/i.test(typed)) return eachRow(tables);
  const all = tables.flatMap((table) => table.columns.map((column) => ({ table, column })));
  const parts = typed.split(' + ');
  if (parts.length > 1 && !all.some(({ column }) => column.name === typed))
    return together(
      parts.flatMap((part) => columnOf(tables, sourceOf(key, part.trim(), tables, preferred)) ?? []),
    );
  const named = (same: (name: string) => boolean) =>
    all.filter(({ table, column }) => same(column.name) || same(`${baseName(table.file)}:${column.name}`));
  const exact = named((name) => name === typed);
  const found = exact.length > 0 ? exact : named((name) => plain(name) === plain(typed));
  const own = found.filter(({ table }) => table.id === preferred[of]);
  const [first, ...more] = own.length > 0 ? own : found;
  if (first === undefined) {
    const names = all.map(({ column }) => column.name);
    const near = didYouMean(typed, names);
    const some = near === '' ? ` Columns: ${[...new Set(names)].slice(0, 12).join(', ')}.` : near;
    throw new AppError('usage', `No file has a column "${typed}" for ${key}.${some}`);
  }
  if (more.some(({ table }) => table !== first.table) && own.length === 0)
    throw new AppError(
      'usage',
      `Several files have a column "${typed}". Type one of ${[first, ...more]
        .map(({ table, column }) => `${baseName(table.file)}:${column.name}`)
        .join(', ')}.`,
    );
  const other = canBe(key, first.column);
  if (other !== true) {
    const can = all.flatMap(({ column }) =>
      column.filled > 0 && canBe(key, column) === true ? column.name : [],
    );
    const some = can.length === 0 ? '' : ` Columns that can: ${[...new Set(can)].slice(0, 8).join(', ')}.`;
    const said = `"${first.column.name}" holds ${other}, so it cannot be ${key} (${specOf(key).label}).`;
    throw new AppError('usage', `${said}${some}`);
  }
  return chosenSource(key, first.table, first.column);
}

/** A time of the end as the status says that the ticket is over, an agent's address as the writer that the team wrote. */
export function chosenSource(key: string, table: Table, column: Column): Source {
  if (key === 'ticket.status' && isTimeColumn(column)) {
    const isResolved = matchField('ticket', 'resolvedAt', [column]).column !== undefined;
    return { kind: 'rule', rule: byFilled([[isResolved ? 'resolved' : 'closed', column]], 'open') };
  }
  const side = sideOfName(column);
  if (key === 'message.writer' && side !== undefined && isOneSide(column))
    return { kind: 'rule', rule: byFilled([[side, column]], side === 'agent' ? 'customer' : 'agent') };
  return { kind: 'column', table: table.id, name: column.name };
}
