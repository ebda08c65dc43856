/** Where the messages of a ticket are, and the rules that make them. */
import type { Condition, Expression } from '../mapping/language/expression.ts';
import type { MessageRule, PersonRule } from '../mapping/language/layout.ts';
import type { Tickets } from './choose-tables.ts';
import { type Draft, type PersonColumns, RANK, ROOT } from './draft.ts';
import { isOther, isPeople, matchField, meaningOf, names, namesTicket, plain, yesOrNo } from './names.ts';
import { type Column, holdsKeys, isAround, isTimeColumn, type Table } from './profile.ts';
import { columnChoice } from './questions.ts';

export interface Thread {
  readonly table: Table;
  /** `rows`: of the ticket's own table; `child`: of another; else the list in the ticket's row. */
  readonly place: 'rows' | 'child' | 'list';
  readonly list: string | undefined;
  readonly columns: readonly Column[];
}

export interface Said {
  readonly thread: Thread;
  readonly rule: MessageRule;
  /** When a message is a customer's; undefined where no column says it. */
  readonly customers: Condition | undefined;
  readonly author: PersonRule;
  /** The author where a customer wrote. */
  readonly asker: PersonRule;
  readonly at: Column | undefined;
}

const isText = ({ type }: Column) => type === 'text' || type === 'html' || type === 'mixed';
/** Shorter texts on average are words, not messages. */
const LEAST_TEXT = 12;

/** Lists in the ticket, other tables that name it, or its own rows. */
export function findThreads(draft: Draft, tickets: Tickets): Thread[] {
  const { tables } = draft.evidence;
  const { table, role } = tickets;
  const threads: Thread[] = [];
  if (role === 'group') threads.push({ table, place: 'rows', list: undefined, columns: tickets.columns });
  const inLists: Thread[] = [];
  const lists = Map.groupBy(
    table.columns.filter(({ list }) => list !== undefined && !list.includes('[]')),
    ({ list }) => list,
  );
  for (const [list, columns] of lists)
    if (list !== undefined && isTalk(columns, list)) inLists.push({ table, place: 'list', list, columns });
  threads.push(...oneList(draft, inLists));
  for (const other of tables) {
    // a list in the document of a ticket is read in it
    if (other === table || other.rows === 0 || isAround(table, other)) continue;
    const columns = other.columns.filter(({ list }) => list === undefined);
    if (
      parentOf(draft, tickets, other) !== undefined &&
      isTalk(columns, plain(other.file.replace(/^.*[\\/!]/, '')))
    )
      threads.push({ table: other, place: 'child', list: undefined, columns });
  }
  return threads;
}

/** Lists of equally many items say the same in two ways: one of them is the conversation. */
function oneList(draft: Draft, threads: readonly Thread[]): Thread[] {
  const items = ({ columns }: Thread) => columns[0]?.rows ?? 0;
  const [first, ...rest] = threads;
  if (first === undefined || !rest.some((other) => items(other) === items(first))) return [...threads];
  const list = draft.ask({
    key: 'message.list',
    path: ['mapping', 'messages', 0, 'each'],
    concept: 'list of the messages',
    question: 'Which list holds the messages?',
    choices: threads.map(({ list: name = '', columns }) => ({
      value: name,
      label: `"${name}" (${columns.toSorted((a, b) => b.average - a.average)[0]?.examples[0]?.slice(0, 40) ?? ''})`,
    })),
    kind: 'choice',
    rank: RANK.text,
  });
  return threads.filter((thread) => thread.list === list);
}

/** It has a column of texts by its name, or is itself called so and has texts. */
function isTalk(columns: readonly Column[], called: string): boolean {
  const own = columns.filter(({ path }) => path !== '.');
  if (matchField('message', 'text', own).candidates.some(({ average }) => average >= 2)) return true;
  const words = plain(called).split(' ');
  const isCalled = words.some((word) => names().nouns['message']?.includes(word));
  return (
    own.some((column) => isText(column) && (isCalled || column.average >= LEAST_TEXT) && !isOther(column)) &&
    (isCalled || own.length <= 4)
  );
}

interface Parent {
  readonly column: Column;
  /** The column of the ticket's row that it names, where it is not the ID. */
  readonly to: string | undefined;
}

/** The column of another table that names the ticket. */
export function parentOf(draft: Draft, { table, key }: Tickets, other: Table): Parent | undefined {
  const { joins } = draft.evidence;
  const own = other.columns.filter(({ list }) => list === undefined);
  const joined = joins.filter(({ from, to }) => from.table === other.id && to.table === table.id);
  const candidates = joined.flatMap((join) => {
    const column = own.find(({ name }) => name === join.from.column);
    return column === undefined
      ? []
      : [{ column, to: join.to.column === key.name ? undefined : join.to.column }];
  });
  return (
    candidates.find(({ column }) => namesTicket(column)) ??
    // an address or a name that both have joins people, not tickets
    candidates.find(({ to }) => to === undefined) ??
    askParent(draft, { table, key }, other)
  );
}

/** A table of texts without a column that is called after the tickets, and with some that hold their IDs. */
function askParent(
  draft: Draft,
  { table, key }: Pick<Tickets, 'table' | 'key'>,
  other: Table,
): Parent | undefined {
  const own = other.columns.filter(({ list }) => list === undefined);
  if (isPeople(other) || !own.some((column) => isText(column) && column.average >= LEAST_TEXT))
    return undefined;
  const found = own.filter(
    (column) =>
      column.distinct > 1 &&
      !isTimeColumn(column) &&
      holdsKeys(draft.evidence.stage, other.id, column, table.id, key),
  );
  if (found.length === 0) return undefined;
  const name = other.file.replace(/^.*[\\/!]/, '');
  const path = draft.ask({
    key: `parent.${name}`,
    path: ['mapping', 'tables', draft.tableName(other, 'messages'), 'key'],
    concept: `ticket of a row of ${name}`,
    question: `Which column of ${name} holds the ID of the ticket?`,
    choices: [...found.map(columnChoice), { value: null, label: 'none of these' }],
    kind: 'choice',
    rank: RANK.parent,
  });
  const column = own.find((each) => each.path === path);
  return column === undefined ? undefined : { column, to: undefined };
}

export function threadRule(draft: Draft, tickets: Tickets, thread: Thread, index: number): Said | undefined {
  const { table, place, columns, list } = thread;
  const at = (field: string) => ['messages', index, field];
  let from = {};
  if (place === 'child') {
    const parent = parentOf(draft, tickets, table);
    if (parent === undefined) return undefined;
    const name = draft.tableName(table, 'messages');
    draft.use(table, parent.column);
    draft.tables[name] = {
      role: 'child',
      key: parent.column.path,
      ...(parent.to === undefined ? {} : { parentKey: parent.to }),
      recognise: {},
    };
    from = { from: name };
  } else if (list !== undefined) from = { each: list };
  const cells = cellsOf(columns);
  const content =
    cells?.text ??
    draft.pick(table, 'message', 'text', columns, {
      path: at('content'),
      rank: RANK.text,
      byType: (column) => isText(column) && (place !== 'rows' || tickets.varies(column)),
      order: ({ average }) => average,
    });
  if (content === undefined) return undefined;
  const own = place === 'rows' ? columns.filter(tickets.varies) : columns;
  const time = draft.pick(table, 'message', 'at', own, {
    path: at('occurredAt'),
    rank: RANK.time,
    byType: isTimeColumn,
    isCertainAlone: true,
  });
  const sides = twoSides(draft.free(table, own));
  // a word may be a name of the role or of the author: the role by its name comes first
  const named = sides === undefined ? sideOf(draft, thread, own, at('actorType'), false) : undefined;
  const author =
    sides === undefined
      ? authorOf(draft, table, own, at('author'))
      : sidesPerson(draft, table, sides.columns);
  const isKnown = author.id !== undefined || author.email !== undefined;
  const side =
    named ??
    (sides === undefined && !isKnown ? sideOf(draft, thread, own, at('actorType'), true) : undefined);
  const internal = visibilityOf(draft, table, own, at('isInternal'));
  const attachments = attachmentsOf(draft, table, columns);
  const actorType = sides?.actorType ?? side?.expression;
  const type = contentType(content);
  return {
    thread,
    customers: sides?.customers ?? side?.customers,
    author,
    asker:
      sides === undefined
        ? author
        : sidesPerson(
            draft,
            table,
            sides.columns.filter(({ role }) => role === 'customer'),
          ),
    at: time,
    rule: {
      ...from,
      content: content.path,
      ...(type === undefined ? {} : { contentType: type }),
      ...(time === undefined ? {} : { occurredAt: time.path }),
      ...(actorType === undefined ? {} : { actorType }),
      author,
      ...(internal === undefined ? {} : { isInternal: internal }),
      ...(attachments === undefined ? {} : { attachments }),
    },
  };
}

export function contentType({ kinds, filled, name }: Column): Expression | undefined {
  const html = kinds.find(({ kind }) => kind === 'html')?.count ?? 0;
  return html >= 0.5 * filled || (html > 0 && /html/i.test(name)) || /(?:^|[^a-z])html$/i.test(name)
    ? { const: 'html' }
    : undefined;
}

function authorOf(
  draft: Draft,
  table: Table,
  columns: readonly Column[],
  path: (string | number)[],
): PersonRule {
  const pick = (field: string, key: string, byType?: (column: Column) => boolean) =>
    draft.pick(table, 'message', field, columns, {
      path: [...path, key],
      rank: RANK.role,
      ...(byType === undefined ? {} : { byType }),
    });
  const email = pick('authorEmail', 'email', ({ type }) => type === 'email');
  const id = pick('authorId', email === undefined ? 'id' : 'name');
  const name = pick('authorName', 'name');
  if (id?.type === 'email' && email === undefined) return draft.person(table, { email: id, name });
  return draft.person(table, { email, id, name });
}

/** Items without names, `[speaker, text]`: the words of a role say which is which. */
function cellsOf(columns: readonly Column[]): { readonly role: Column; readonly text: Column } | undefined {
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
  readonly expression: Expression;
  readonly customers: Condition | undefined;
}

/** The column that says which side wrote. */
function sideOf(
  draft: Draft,
  { table }: Thread,
  columns: readonly Column[],
  path: (string | number)[],
  byType: boolean,
): Side | undefined {
  const column =
    cellsOf(columns)?.role ??
    draft.pick(table, 'message', 'role', columns, {
      path: [...path, 'column'],
      rank: RANK.role,
      ...(byType
        ? { byType: ({ type, distinct }) => type === 'text' && distinct >= 2 && distinct <= 6 }
        : {}),
    });
  if (column === undefined) return undefined;
  draft.use(table, column);
  const expression = draft.roleOf(column, path, draft.isOpen('message.role'));
  const map = (expression as { map?: Record<string, unknown> }).map ?? {};
  const customers = Object.keys(map).filter((word) => map[word] === 'customer');
  return {
    expression,
    customers: customers.length === 0 ? undefined : { column: column.path, in: customers },
  };
}

interface Sides {
  readonly actorType: Expression;
  readonly customers: Condition;
  readonly columns: readonly { readonly column: Column; readonly role: string }[];
}

/** Columns `client` and `agent` of which each message fills one: what is filled says who wrote. */
function twoSides(columns: readonly Column[]): Sides | undefined {
  const sides = columns.flatMap((column) => {
    const role = meaningOf('role', column.path.replace(/\d+$/, ''));
    return role === undefined ||
      role === 'system' ||
      column.filled === 0 ||
      column.average > 80 ||
      column.type === 'boolean'
      ? []
      : [{ column, role }];
  });
  const filled = sides.reduce((sum, { column }) => sum + column.filled, 0);
  const has = (role: string) => sides.some((side) => side.role === role);
  if (!has('customer') || !has('agent') || filled > 1.02 * (sides[0]?.column.rows ?? 0)) return undefined;
  const isFilled = ({ column }: { column: Column }): Condition => ({ column: column.path, empty: false });
  const customers = sides.filter(({ role }) => role === 'customer').map(isFilled);
  return {
    columns: sides,
    customers: customers.length === 1 ? (customers[0] as Condition) : { any: customers },
    actorType: {
      // biome-ignore lint/suspicious/noThenProperty: a word of the mapping language
      when: sides.map(({ column, role }) => ({ if: isFilled({ column }), then: { const: role } })),
    },
  };
}

function sidesPerson(draft: Draft, table: Table, columns: Sides['columns']): PersonRule {
  draft.use(table, ...columns.map(({ column }) => column));
  const paths = columns.map(({ column }) => column.path);
  return columns.every(({ column }) => column.type === 'email')
    ? { email: paths }
    : { id: paths, name: paths };
}

/** Whether a message is internal: by a flag, or by words of its kind. */
function visibilityOf(
  draft: Draft,
  table: Table,
  columns: readonly Column[],
  path: (string | number)[],
): Expression | undefined {
  const isFlag = ({ values }: Column) =>
    values.length > 0 && values.every(({ value }) => yesOrNo(value) !== undefined);
  for (const [field, whenYes] of [
    ['internal', true],
    ['public', false],
  ] as const) {
    const column = draft.pick(table, 'message', field, columns.filter(isFlag), {
      path,
      rank: RANK.visibility,
      ...(whenYes ? { byType: ({ type, distinct }) => type === 'boolean' && distinct === 2 } : {}),
    });
    if (column !== undefined)
      return {
        column: column.path,
        map: Object.fromEntries(column.values.map(({ value }) => [value, yesOrNo(value) === whenYes])),
      };
  }
  const free = draft.free(table, columns);
  const words = free.filter(
    (column) =>
      column.type === 'text' &&
      column.distinct >= 2 &&
      column.distinct <= 12 &&
      column.average <= 40 &&
      column.values.some(({ value }) => mayBeInternal(value)),
  );
  const column =
    matchField('message', 'visibility', words).column ??
    words.find(({ values }) => values.some(({ value }) => meaningOf('visibility', value) === 'internal'));
  if (column === undefined) return undefined;
  draft.use(table, column);
  const map: Record<string, boolean> = Object.create(null);
  for (const { value, count } of column.values) {
    const meaning = meaningOf('visibility', value);
    if (meaning !== undefined) map[value] = meaning === 'internal';
    else if (mayBeInternal(value))
      map[value] = draft.ask({
        key: `visibility.${value}`,
        path: ['mapping', ...path, 'map', value],
        concept: `messages of the kind ${JSON.stringify(value)}`,
        question: `Are messages of the kind "${value}" internal (${count} messages)?`,
        choices: [
          { value: true, label: 'internal: the team only' },
          { value: false, label: 'public: the customer sees them' },
        ],
        kind: 'choice',
        rank: RANK.visibility,
      }) as boolean;
    else map[value] = false;
  }
  return { column: column.path, map };
}

function mayBeInternal(value: string): boolean {
  return (
    meaningOf('visibility', value) === 'internal' ||
    /(?:^|\s)(?:notes?|notiz|nota|remarque|bemerkung)(?:\s|$)/.test(plain(value))
  );
}

function attachmentsOf(draft: Draft, table: Table, columns: readonly Column[]): Expression | undefined {
  const column = draft.pick(table, 'message', 'attachment', columns, { path: [], rank: RANK.other });
  if (column === undefined) return undefined;
  const nested = table.columns.filter(({ list }) => list === column.name);
  const objects = nested.filter(({ path }) => path !== '.');
  if (objects.length === 0) return { each: column.path, item: { url: '.' } };
  const item = Object.fromEntries(
    ['url', 'name', 'contentType', 'sizeBytes'].flatMap((field) => {
      const found = matchField('file', field, objects).candidates[0];
      return found === undefined ? [] : [[field, found.path]];
    }),
  );
  return item['url'] === undefined ? undefined : { each: column.path, item };
}

/** The first message of a customer says who asked, where the ticket does not. */
export function firstCustomer({ thread, customers, asker, at }: Said, tableName: string): PersonRule {
  const order = at === undefined ? {} : { order: { column: at.path, time: 'auto' } };
  const where = customers === undefined ? {} : { where: customers };
  const first = (get: Expression): Expression =>
    thread.list === undefined
      ? { rows: tableName, ...where, take: 'first', ...order, get }
      : { each: thread.list, ...where, take: 'first', ...order, get };
  const { person, id, email, name } = asker;
  return {
    ...(person === undefined ? {} : { person }),
    ...(id === undefined ? {} : { id: first(id) }),
    ...(email === undefined ? {} : { email: first(email) }),
    ...(name === undefined ? {} : { name: first(name) }),
  };
}

export type { PersonColumns };
export { ROOT };
