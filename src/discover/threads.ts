/** Where the messages of a ticket are, and the rules that make them. */
import type { Condition, Expression } from '../mapping/language/expression.ts';
import type { MessageRule, PersonRule } from '../mapping/language/layout.ts';
import type { Tickets } from './choose-tables.ts';
import { type Draft, defined, ROOT } from './draft.ts';
import {
  hasNoun,
  isOther,
  isPeople,
  isText,
  matchField,
  meaningOf,
  namesTicket,
  plain,
  yesOrNo,
} from './names.ts';
import { type Column, isAround, isTimeColumn, ownColumns, sharedKeys, type Table } from './profile.ts';
import { columnChoice, NONE, RANK, type SettingPath } from './questions.ts';
import { baseName } from './staged-tables.ts';

interface Thread {
  readonly table: Table;
  /** The list in the ticket's row, or the column of another table that names the ticket; else the ticket's own rows. */
  readonly list?: string | undefined;
  readonly parent?: Column | undefined;
  readonly columns: readonly Column[];
}

export interface Said {
  readonly rule: MessageRule;
  /** The first customer who wrote; undefined where no column says who that is. */
  readonly asker: PersonRule | undefined;
  /** Of the first message of a ticket. */
  readonly first: (get: Expression, where?: Condition) => Expression;
}

/** Shorter texts on average are words, not messages. */
const LEAST_TEXT = 12;

/** Lists in the ticket, other tables that name it, or its own rows. */
export function findThreads(draft: Draft, tickets: Tickets): Thread[] {
  const { table, role } = tickets;
  const lists = Map.groupBy(
    table.columns.filter(({ list }) => list !== undefined && !list.includes('[]')),
    ({ list = '' }) => list,
  );
  const inLists = [...lists].flatMap(([list, columns]): Thread[] =>
    isTalk(columns, list) ? [{ table, list, columns }] : [],
  );
  const children = draft.evidence.tables.flatMap((other): Thread[] => {
    // a list in the document of a ticket is read in it
    if (other === table || other.rows === 0 || isAround(table, other)) return [];
    const columns = ownColumns(other);
    const parent = parentOf(draft, tickets, other);
    return parent !== undefined && isTalk(columns, baseName(other.file))
      ? [{ table: other, parent, columns }]
      : [];
  });
  const own: Thread[] = role === 'group' ? [{ table, columns: tickets.columns }] : [];
  return [...own, ...oneList(draft, inLists), ...children];
}

/** Lists of equally many items say the same in two ways: one of them is the conversation. */
function oneList(draft: Draft, threads: readonly Thread[]): readonly Thread[] {
  const counts = threads.map(({ columns }) => columns[0]?.rows);
  if (counts.indexOf(counts[0], 1) < 0) return threads;
  const list = draft.ask({
    key: 'message.list',
    path: ['mapping', 'messages', 0, 'each'],
    concept: 'list of the messages',
    question: 'Which list holds the messages?',
    choices: threads.map(({ list: name = '', columns }) => {
      const [longest] = columns.toSorted((a, b) => b.average - a.average);
      return { value: name, label: `"${name}" (${longest?.examples[0]?.slice(0, 40) ?? ''})` };
    }),
    rank: RANK.text,
  });
  return threads.filter((thread) => thread.list === list);
}

/** It has a column of texts by its name, or is itself called so and has texts. */
function isTalk(columns: readonly Column[], called: string): boolean {
  const own = columns.filter(({ path }) => path !== '.');
  if (matchField('message', 'text', own).candidates.some(({ average }) => average >= 2)) return true;
  const isCalled = hasNoun(called, 'message');
  return (
    (isCalled || own.length <= 4) &&
    own.some((column) => isText(column) && (isCalled || column.average >= LEAST_TEXT) && !isOther(column))
  );
}

/** The column of another table that names the ticket: called so, or with its IDs, else asked for. */
function parentOf(draft: Draft, { table, key }: Tickets, other: Table): Column | undefined {
  const { joins, stage } = draft.evidence;
  const own = ownColumns(other);
  const joined = joins
    .filter(({ from, to }) => from.table === other.id && to.table === table.id && to.column === key.name)
    .flatMap(({ from }) => own.find(({ name }) => name === from.column) ?? []);
  const known = joined.find(namesTicket) ?? joined[0];
  if (known !== undefined) return known;
  const hasTexts = own.some((column) => isText(column) && column.average >= LEAST_TEXT);
  if (isPeople(other) || !hasTexts) return undefined;
  const found = own.filter(
    (column) =>
      column.distinct > 1 &&
      !isTimeColumn(column) &&
      sharedKeys(stage, other, column, table, key).found >= 0.9 * column.distinct,
  );
  if (found.length === 0) return undefined;
  const name = baseName(other.file);
  const path = draft.ask({
    key: `parent.${name}`,
    path: ['mapping', 'tables', draft.tableName(other, 'messages'), 'key'],
    concept: `ticket of a row of ${name}`,
    question: `Which column of ${name} holds the ID of the ticket?`,
    choices: [...found.map(columnChoice), NONE],
    rank: RANK.parent,
  });
  return own.find((each) => each.path === path);
}

export function threadRule(draft: Draft, tickets: Tickets, thread: Thread, index: number): Said | undefined {
  const { table, columns, list, parent } = thread;
  const at = (...field: string[]) => ['messages', index, ...field];
  const isOwnRow = list === undefined && parent === undefined;
  let from: string | undefined;
  if (parent !== undefined) {
    from = draft.tableName(table, 'messages');
    draft.use(table, parent);
    draft.tables[from] = { role: 'child', key: parent.path, recognise: {} };
  }
  const own = isOwnRow ? columns.filter(tickets.varies) : columns;
  const cells = namelessCells(columns);
  const content =
    cells?.text ??
    draft.pick(table, 'message', 'text', columns, at('content'), {
      byType: (column) => isText(column) && own.includes(column),
      order: ({ average }) => average,
    });
  if (content === undefined) return undefined;
  const time = draft.pick(table, 'message', 'at', own, at('occurredAt'), {
    byType: isTimeColumn,
    isCertainAlone: true,
  });
  const sides = twoSides(draft.free(table, own));
  // a word may be a name of the role or of the author: the role by its name comes first
  const role =
    sides === undefined
      ? (cells?.role ?? draft.pick(table, 'message', 'role', own, at('actorType', 'column')))
      : undefined;
  draft.use(table, role, ...(sides ?? []).map(({ column }) => column));
  const rule = role && draft.roleOf(role, at('actorType'));
  const author = sides === undefined ? authorOf(draft, table, own, at) : { person: sidesPerson(sides) };
  const visibility = visibilityOf(draft, table, own, at('isInternal'));
  const first: Said['first'] = (get, where) => ({
    ...(list === undefined ? { rows: from ?? ROOT } : { each: list }),
    ...(where === undefined ? {} : { where }),
    take: 'first',
    ...(time === undefined ? {} : { order: { column: time.path, time: 'auto' } }),
    get,
  });
  return {
    first,
    asker: askerOf(author, sides, rule, first),
    rule: {
      ...defined({ from, each: list }),
      content: content.path,
      ...defined({
        contentType: contentType(content),
        occurredAt: time?.path,
        actorType: sides === undefined ? rule : sidesRule(sides),
      }),
      author: author.person,
      ...defined({ isInternal: visibility, attachments: attachmentsOf(draft, table, columns) }),
    },
  };
}

export function contentType({ kinds, filled, name }: Column): Expression | undefined {
  const html = kinds.find(({ kind }) => kind === 'html')?.count ?? 0;
  return (filled > 0 && html >= 0.5 * filled) || /html/i.test(name) ? { const: 'html' } : undefined;
}

interface Author {
  readonly person: PersonRule;
  /** The column that identifies authors, if any. */
  readonly key?: Column | undefined;
}

function authorOf(
  draft: Draft,
  table: Table,
  columns: readonly Column[],
  at: (...field: string[]) => SettingPath,
): Author {
  const pick = (field: string, key: string, byType?: (column: Column) => boolean) =>
    draft.pick(table, 'message', field, columns, at('author', key), { byType });
  const email = pick('authorEmail', 'email', ({ type }) => type === 'email');
  const id = pick('authorId', email === undefined ? 'id' : 'name');
  const name = pick('authorName', 'name');
  return { person: draft.person(table, { email, id, name }), key: id ?? email };
}

/** The first message of a customer says who asked, where the ticket does not. */
function askerOf(
  { person: author, key }: Author,
  sides: readonly Side[] | undefined,
  rule: { column: string; map: Record<string, string> } | undefined,
  first: Said['first'],
): PersonRule | undefined {
  const words = Object.entries(rule?.map ?? {}).flatMap(([word, role]) =>
    role === 'customer' ? [word] : [],
  );
  const customers = sides?.filter(({ role }) => role === 'customer');
  const of = customers === undefined ? author : sidesPerson(customers);
  const isNamed = of.id !== undefined || of.email !== undefined;
  // a column that is filled for one side alone does not name the other
  const isForAll = sides !== undefined || rule === undefined || (key?.filled ?? 0) >= 0.95 * (key?.rows ?? 0);
  if (!isNamed || !isForAll || (rule !== undefined && words.length === 0)) return undefined;
  const where: Condition | undefined =
    customers !== undefined ? anyFilled(customers) : rule && { column: rule.column, in: words };
  const get = (value: Expression | undefined) => (value === undefined ? undefined : first(value, where));
  return defined({ person: of.person, id: get(of.id), email: get(of.email), name: get(of.name) });
}

/** Items without names, `[speaker, text]`: the words of a role say which is which. */
function namelessCells(
  columns: readonly Column[],
): { readonly role: Column; readonly text: Column } | undefined {
  if (columns.length > 3 || !columns.every(({ path }) => /^\d+$/.test(path))) return undefined;
  const role = columns.find(
    ({ values, distinct }) =>
      distinct > 0 &&
      distinct <= values.length &&
      values.every(({ value }) => meaningOf('role', value) !== undefined),
  );
  const [text] = columns
    .filter((column) => column !== role && isText(column))
    .sort((a, b) => b.average - a.average);
  return role === undefined || text === undefined ? undefined : { role, text };
}

interface Side {
  readonly column: Column;
  readonly role: string;
}

/** Columns `client` and `agent` of which each message fills one: what is filled says who wrote. */
function twoSides(columns: readonly Column[]): readonly Side[] | undefined {
  const sides = columns.flatMap((column): Side[] => {
    const role = meaningOf('role', column.path.replace(/(?<!\d)\d+$/, ''));
    const isName = column.filled > 0 && column.average <= 80 && column.type !== 'boolean';
    return role !== undefined && role !== 'system' && isName ? [{ column, role }] : [];
  });
  const filled = sides.reduce((sum, { column }) => sum + column.filled, 0);
  const has = (role: string) => sides.some((side) => side.role === role);
  return has('customer') && has('agent') && filled <= 1.02 * (sides[0]?.column.rows ?? 0) ? sides : undefined;
}

const isFilled = ({ column }: Side): Condition => ({ column: column.path, empty: false });

function anyFilled(sides: readonly Side[]): Condition {
  const [first, ...rest] = sides.map(isFilled);
  return first !== undefined && rest.length === 0 ? first : { any: sides.map(isFilled) };
}

function sidesRule(sides: readonly Side[]): Expression {
  return {
    // biome-ignore lint/suspicious/noThenProperty: a word of the mapping language
    when: sides.map((side) => ({ if: isFilled(side), then: { const: side.role } })),
  };
}

function sidesPerson(sides: readonly Side[]): PersonRule {
  const paths = sides.map(({ column }) => column.path);
  return sides.every(({ column }) => column.type === 'email') ? { email: paths } : { id: paths, name: paths };
}

/** Whether a message is internal: by a flag, or by words of its kind. */
function visibilityOf(
  draft: Draft,
  table: Table,
  columns: readonly Column[],
  path: SettingPath,
): Expression | undefined {
  const flags = columns.filter(
    ({ values }) => values.length > 0 && values.every(({ value }) => yesOrNo(value) !== undefined),
  );
  const mapped = (column: Column, isInternal: (value: string, count: number) => boolean) => {
    const map: Record<string, boolean> = Object.create(null);
    for (const { value, count } of column.values) map[value] = isInternal(value, count);
    return { column: column.path, map };
  };
  for (const field of ['internal', 'public'] as const) {
    const column = draft.pick(table, 'message', field, flags, path, {
      byType: field === 'internal' ? ({ type, distinct }) => type === 'boolean' && distinct === 2 : undefined,
    });
    if (column !== undefined) return mapped(column, (value) => yesOrNo(value) === (field === 'internal'));
  }
  const isKnown = (value: string) => meaningOf('visibility', value) === 'internal';
  const words = draft
    .free(table, columns)
    .filter(
      ({ type, distinct, average, values }) =>
        type === 'text' &&
        distinct >= 2 &&
        distinct <= 12 &&
        average <= 40 &&
        values.some(({ value }) => mayBeInternal(value)),
    );
  const column =
    matchField('message', 'visibility', words).column ??
    words.find(({ values }) => values.some(({ value }) => isKnown(value)));
  if (column === undefined) return undefined;
  draft.use(table, column);
  return mapped(column, (value, count) => {
    if (meaningOf('visibility', value) !== undefined || !mayBeInternal(value)) return isKnown(value);
    const answer = draft.ask({
      key: `visibility.${value}`,
      path: ['mapping', ...path, 'map', value],
      concept: `messages of the kind ${JSON.stringify(value)}`,
      question: `Are messages of the kind "${value}" internal (${count} messages)?`,
      choices: [
        { value: true, label: 'internal: the team only' },
        { value: false, label: 'public: the customer sees them' },
      ],
      rank: RANK.visibility,
    });
    return answer === true;
  });
}

function mayBeInternal(value: string): boolean {
  return (
    meaningOf('visibility', value) === 'internal' ||
    /(?:^|\s)(?:notes?|notiz|nota|remarque|bemerkung)(?:\s|$)/.test(plain(value))
  );
}

function attachmentsOf(draft: Draft, table: Table, columns: readonly Column[]): Expression | undefined {
  const column = draft.pick(table, 'message', 'attachment', columns, ['messages']);
  if (column === undefined) return undefined;
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
