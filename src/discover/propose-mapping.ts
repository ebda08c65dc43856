/**
 * A mapping for an export whose layout is unknown. Columns are taken by their exact names; what is not certain is a question,
 * and a question that is answered makes the proposal anew.
 */
import type { Expression } from '../mapping/language/expression.ts';
import type { MessageRule, PersonRule, TicketRule } from '../mapping/language/layout.ts';
import { chooseTickets, type Tickets } from './choose-tables.ts';
import {
  Draft,
  type Evidence,
  MOST_QUESTIONS,
  type PersonColumns,
  RANK,
  ROLE_CHOICES,
  ROOT,
} from './draft.ts';
import { isPeople, matchField, meaningOf, siblingOf } from './names.ts';
import type { Column } from './profile.ts';
import type { Answers, Comment, Question } from './questions.ts';
import { contentType, findThreads, firstCustomer, type Said, threadRule } from './threads.ts';

export interface Proposal {
  /** The `mapping` section with the likeliest answer at every open place. */
  readonly mapping: Readonly<Record<string, unknown>>;
  readonly comments: readonly Comment[];
  /** In the order of asking. */
  readonly questions: readonly Question[];
  /** Which column each field comes from, for the screen. */
  readonly found: ReadonlyMap<string, string>;
}

/** Undefined where no table has anything like a ticket. Throws AppError `source` for what no answer can make right. */
export function proposeMapping(evidence: Evidence, answers: Answers): Proposal | undefined {
  const all = new Map(answers);
  for (;;) {
    const draft = new Draft(evidence, all);
    const tickets = chooseTickets(draft);
    if (tickets === undefined) return undefined;
    const proposal = makeProposal(draft, tickets);
    const left = MOST_QUESTIONS - answers.size;
    // a word that is asked about may follow a column
    const beyond = proposal.questions.filter(
      ({ rank }, at) =>
        rank > RANK.createdAt && rank !== RANK.word && at >= (rank === RANK.other ? left - 1 : left),
    );
    if (beyond.length === 0) return proposal;
    for (const { key } of beyond) all.set(key, null);
  }
}

const FIELDS = ['status', 'priority', 'tags', 'createdAt', 'resolvedAt', 'closedAt'] as const;

function makeProposal(draft: Draft, tickets: Tickets): Proposal {
  const { table, key, role, latest } = tickets;
  draft.tables[ROOT] = {
    role,
    key: tickets.second === undefined ? key.path : [key.path, tickets.second.path],
    ...(latest === undefined ? {} : { latest: latest.path }),
    recognise: {},
  };
  const steady = tickets.columns.filter((column) => column !== key && !tickets.varies(column));
  const known = knownRequester(draft, tickets, steady);
  const said: Said[] = [];
  for (const thread of findThreads(draft, tickets)) {
    const offset = ownTexts(steady) ? 1 : 0;
    const found = threadRule(draft, tickets, thread, said.length + (role === 'group' ? 0 : offset));
    if (found !== undefined) said.push(found);
  }
  const own = role === 'group' ? [] : ownMessages(draft, tickets, steady, said);
  const fields: Record<string, unknown> = {};
  for (const field of FIELDS) {
    const column = pickField(
      draft,
      tickets,
      steady,
      field,
      said.some(({ at }) => at !== undefined),
    );
    if (column !== undefined) fields[field] = fieldRule(draft, tickets, field, column);
  }
  const subject = subjectRule(draft, tickets, steady, said, own);
  const requester = known ?? requesterBySaid(draft, tickets, said);
  const assignee = assigneeRule(draft, tickets, steady);
  const messages: MessageRule[] = [
    ...own.filter(isFirst),
    ...said.map(({ rule }) => rule),
    ...own.filter((rule) => !isFirst(rule)),
  ].map((rule) => withAuthor(rule, requester, known !== undefined, assignee));
  const ticket: TicketRule = {
    subject,
    ...(fields as TicketRule),
    ...(requester === undefined ? {} : { requester }),
    ...(assignee === undefined ? {} : { assignee }),
  };
  const others = otherAuthors(draft, messages);
  const nulls = nullTexts(draft);
  const mapping = {
    name: 'export',
    title: `Proposed for ${table.file.replace(/^.*[\\/!]/, '')}`,
    tables: draft.recognised(table),
    ...(nulls.length === 0 ? {} : { nulls }),
    ...(Object.keys(draft.people).length === 0 ? {} : { people: draft.people }),
    ...(others === undefined ? {} : { otherAuthors: others }),
    ...(Object.keys(draft.maps).length === 0 ? {} : { maps: draft.maps }),
    ticket,
    ...(messages.length === 0 ? {} : { messages }),
  };
  return {
    mapping: structuredClone(mapping),
    comments: draft.comments.map(({ path, text }) => ({ path: ['mapping', ...path], text })),
    questions: draft.questions.toSorted((a, b) => a.rank - b.rank),
    found: foundColumns(ticket, messages),
  };
}

/** The description comes before the other messages. */
const isFirst = (rule: MessageRule) => rule.use === 'unless-repeated';

function ownTexts(columns: readonly Column[]): boolean {
  return matchField('ticket', 'description', columns).candidates.length > 0;
}

function pickField(
  draft: Draft,
  { table }: Tickets,
  columns: readonly Column[],
  field: (typeof FIELDS)[number],
  hasTimes: boolean,
): Column | undefined {
  const path = field === 'status' || field === 'priority' ? ['ticket', field, 'column'] : ['ticket', field];
  // asked about by type: what every ticket needs; the others by a tie of names alone
  if (field === 'createdAt')
    return draft.pick(table, 'ticket', field, columns, {
      path,
      rank: RANK.createdAt,
      // else it is the time of the first message
      ...(hasTimes ? {} : { byType: () => true }),
    });
  if (field === 'status')
    return draft.pick(table, 'ticket', field, columns, {
      path,
      rank: RANK.status,
      byType: ({ type, distinct, filled, examples }) =>
        type === 'text' &&
        distinct >= 2 &&
        distinct <= 12 &&
        distinct <= 0.7 * filled &&
        examples.every((text) => text.length <= 40),
      order: ({ values }) =>
        values.filter(({ value }) => meaningOf('status', value) !== undefined).length / values.length,
    });
  if (field === 'priority')
    return draft.pick(table, 'ticket', field, columns, {
      path,
      rank: RANK.other,
      byType: ({ name, type, values, distinct }) =>
        type === 'text' &&
        distinct >= 2 &&
        distinct <= 8 &&
        (NAMELESS.test(name) ||
          2 * values.filter(({ value }) => meaningOf('priority', value) !== undefined).length >= distinct),
    });
  return draft.pick(table, 'ticket', field, columns, { path, rank: RANK.other });
}

/** A name that says nothing: `c4`, `Column 12`. */
const NAMELESS = /^(?:[a-z]{1,2}|col|column|field|var|spalte|columna|champ|campo)[ _-]?\d+$/i;

function fieldRule(
  draft: Draft,
  { table }: Tickets,
  field: (typeof FIELDS)[number],
  column: Column,
): Expression {
  if (field === 'tags') return column.type === 'list' ? column.path : { column: column.path, split: 'list' };
  if (field !== 'status' && field !== 'priority') return column.path;
  const { expression, words } = draft.labelled(table, column);
  draft.maps[field] = draft.wordMap(field, words, ['maps', field, 'values'], draft.isOpen(`ticket.${field}`));
  return typeof expression === 'string' ? { column: expression, map: field } : { of: expression, map: field };
}

/** Characters of the line that stands for a missing subject. */
const FIRST_LINE = '\\S[^\\r\\n]{0,119}';

function subjectRule(
  draft: Draft,
  { table, key, role }: Tickets,
  columns: readonly Column[],
  said: readonly Said[],
  own: readonly MessageRule[],
): Expression {
  const column = draft.pick(table, 'ticket', 'subject', columns, {
    path: ['ticket', 'subject'],
    rank: RANK.subject,
    byType: ({ type, average, distinct, filled, examples }) =>
      type === 'text' &&
      average >= 6 &&
      average <= 120 &&
      distinct >= 0.4 * filled &&
      examples.some((text) => /\S\s\S/.test(text)),
  });
  if (column !== undefined) return column.path;
  const id: Expression = { template: `Ticket {${key.path}}` };
  const [first] = said;
  const content = own[0]?.content ?? first?.rule.content;
  if (typeof content !== 'string') return id;
  draft.comments.push({
    path: ['ticket', 'subject'],
    text: 'No column is the subject: the first line of the text stands in for it.',
  });
  if (own.length > 0 || role === 'group') return [{ column: content, match: FIRST_LINE }, id];
  const get = { column: content, match: FIRST_LINE };
  const order = first?.at === undefined ? {} : { order: { column: first.at.path, time: 'auto' } };
  return first?.thread.list === undefined
    ? [{ rows: String(first?.rule.from), take: 'first', ...order, get }, id]
    : [{ each: first.thread.list, take: 'first', ...order, get }, id];
}

/** Texts of the ticket's own row: what the customer wrote, what the team answered, notes of the team. */
function ownMessages(
  draft: Draft,
  { table }: Tickets,
  columns: readonly Column[],
  said: readonly Said[],
): MessageRule[] {
  const pick = (field: string, index: number, byType: boolean) =>
    draft.pick(table, 'ticket', field, columns, {
      path: ['messages', index, 'content'],
      rank: RANK.text,
      ...(byType
        ? {
            byType: ({ type, average }) => ['text', 'html'].includes(type) && average >= 15,
            order: ({ average }) => average,
          }
        : {}),
    });
  const answered = matchField('ticket', 'answer', columns).column !== undefined;
  const description = pick('description', 0, said.length === 0 && !answered);
  const answer = pick('answer', (description === undefined ? 0 : 1) + said.length, false);
  const before = (description === undefined ? 0 : 1) + (answer === undefined ? 0 : 1) + said.length;
  const note = pick('note', before, false);
  const time = (field: string) => matchField('ticket', field, columns).column?.path;
  const rule = (column: Column, times: readonly (string | undefined)[]): MessageRule => {
    const type = contentType(column);
    const found = times.filter((path) => path !== undefined);
    return {
      content: column.path,
      ...(type === undefined ? {} : { contentType: type }),
      ...(found.length === 0 ? {} : { occurredAt: found.length === 1 ? (found[0] ?? '') : found }),
    };
  };
  if (note !== undefined && time('createdAt') !== undefined)
    draft.comments.push({
      path: ['messages', before],
      text: 'Internal notes have no time of their own: they take the time at which their ticket was created.',
    });
  return [
    ...(description === undefined
      ? []
      : [
          {
            ...rule(description, [time('createdAt')]),
            actorType: { const: 'customer' },
            use: 'unless-repeated' as const,
          },
        ]),
    ...(answer === undefined
      ? []
      : [
          {
            ...rule(answer, [time('answeredAt'), time('resolvedAt'), time('closedAt')]),
            actorType: { const: 'agent' },
          },
        ]),
    ...(note === undefined
      ? []
      : [
          {
            ...rule(note, [time('createdAt')]),
            where: { column: note.path, empty: false },
            actorType: { const: 'agent' },
            isInternal: { const: true },
          },
        ]),
  ];
}

/** The requester wrote the description, and the assignee the answer. */
function withAuthor(
  rule: MessageRule,
  requester: PersonRule | undefined,
  isKnown: boolean,
  assignee: PersonRule | undefined,
): MessageRule {
  if (rule.author !== undefined) return rule;
  const { actorType } = rule;
  const isAgents = typeof actorType === 'object' && !Array.isArray(actorType) && actorType.const === 'agent';
  return {
    ...rule,
    author: isAgents ? (assignee ?? {}) : isKnown || requester !== undefined ? (requester ?? {}) : {},
  };
}

function personColumns(
  draft: Draft,
  { table }: Tickets,
  columns: readonly Column[],
  who: 'requester' | 'assignee',
): PersonColumns {
  const rank = who === 'requester' ? RANK.requester : RANK.other;
  const path = (key: string) => ['ticket', who, key];
  const pick = (field: string, key: string, byType?: (column: Column) => boolean) =>
    draft.pick(table, 'ticket', `${who}${field}`, columns, {
      path: path(key),
      rank,
      ...(byType === undefined ? {} : { byType }),
    });
  const id = pick('Id', 'id');
  const isLooked =
    id !== undefined &&
    draft.evidence.joins.some(
      ({ from, to }) => from.table === table.id && from.column === id.name && isPeopleAt(draft, to.table),
    );
  if (isLooked) return { id };
  const email = pick('Email', 'email', who === 'requester' ? ({ type }) => type === 'email' : undefined);
  const name = (email === undefined ? undefined : siblingOf(email, 'name', columns)) ?? pick('Name', 'name');
  draft.use(table, name);
  return { id, email, name };
}

function isPeopleAt(draft: Draft, table: number): boolean {
  const other = draft.evidence.tables[table];
  return other !== undefined && isPeople(other);
}

function knownRequester(draft: Draft, tickets: Tickets, columns: readonly Column[]): PersonRule | undefined {
  const found = personColumns(draft, tickets, columns, 'requester');
  return Object.values(found).every((column) => column === undefined)
    ? undefined
    : draft.person(tickets.table, found);
}

function requesterBySaid(draft: Draft, { key }: Tickets, said: readonly Said[]): PersonRule | undefined {
  const named = said.find(({ author, customers, rule }) => {
    const isNamed = author.id !== undefined || author.email !== undefined;
    return (
      isNamed &&
      (rule.actorType === undefined || customers !== undefined) &&
      (customers === undefined || namesCustomers(draft, author))
    );
  });
  if (named !== undefined) {
    draft.comments.push({
      path: ['ticket', 'requester'],
      text: 'The ticket does not say who asked: the first customer who wrote is the requester.',
    });
    return firstCustomer(named, typeof named.rule.from === 'string' ? named.rule.from : ROOT);
  }
  draft.comments.push({
    path: ['ticket', 'requester'],
    text: 'The export does not name the customers: each ticket gets its own.',
  });
  return { id: key.path };
}

/** A column that is filled for one side alone names nobody of the other. */
function namesCustomers(draft: Draft, author: PersonRule): boolean {
  const path = [author.id, author.email].flat().find((each) => typeof each === 'string');
  const columns = draft.evidence.tables
    .flatMap((table) => table.columns)
    .filter((column) => column.path === path);
  return (
    Array.isArray(author.id) ||
    Array.isArray(author.email) ||
    path === undefined ||
    columns.some(({ filled, rows }) => filled >= 0.95 * rows)
  );
}

function assigneeRule(draft: Draft, tickets: Tickets, columns: readonly Column[]): PersonRule | undefined {
  const found = personColumns(draft, tickets, columns, 'assignee');
  return Object.values(found).every((column) => column === undefined)
    ? undefined
    : draft.person(tickets.table, found);
}

/** Who wrote what neither a column nor a table of people tells. */
function otherAuthors(draft: Draft, messages: readonly MessageRule[]): string | undefined {
  const isOpen = messages.some(
    ({ actorType, author }) => actorType === undefined && !draft.knowsRole(author ?? {}),
  );
  if (!isOpen) return undefined;
  return String(
    draft.ask({
      key: 'otherAuthors',
      path: ['mapping', 'otherAuthors'],
      concept: 'authors other than the requester',
      question: 'No column says who is an agent. Who wrote the messages that the requester did not write?',
      choices: [...ROLE_CHOICES],
      kind: 'choice',
      rank: RANK.role,
    }),
  );
}

/** Texts that mean an empty cell, where they cannot be something that was said. */
function nullTexts({ evidence: { tables } }: Draft): string[] {
  const found = tables.flatMap(({ columns }) =>
    columns.flatMap(({ nulls, type }) =>
      nulls.filter(({ value }) => /null|n\/a|\\n/i.test(value) || type !== 'text'),
    ),
  );
  return [...new Set(found.map(({ value }) => value))];
}

function foundColumns(ticket: TicketRule, messages: readonly MessageRule[]): Proposal['found'] {
  const found = new Map<string, string>();
  for (const [field, rule] of Object.entries(ticket)) found.set(field, inWords(rule));
  if (messages.length > 0) found.set('messages', messages.map(({ content }) => inWords(content)).join(' · '));
  return found;
}

/** The columns that a rule reads, for one line on the screen. */
function inWords(rule: unknown): string {
  const columns: string[] = [];
  const walk = (value: unknown, key: string) => {
    if (typeof value === 'string') {
      if (['column', 'get', 'by', 'id', 'email', 'name', 'each', ''].includes(key)) columns.push(value);
    } else if (Array.isArray(value)) for (const part of value) walk(part, key);
    else if (typeof value === 'object' && value !== null)
      for (const [name, part] of Object.entries(value))
        if (!['map', 'where', 'order', 'person'].includes(name)) walk(part, name);
  };
  walk(rule, '');
  return [...new Set(columns.filter((name) => name !== '.'))].slice(0, 4).join(', ');
}
