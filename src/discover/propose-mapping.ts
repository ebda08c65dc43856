/**
 * A mapping for an unknown layout. Columns are mapped by exact name; everything uncertain is a question, and each answer makes the proposal
 * anew.
 */
import type { Expression } from '../mapping/language/expression.ts';
import type { MessageRule, PersonRule, TicketRule } from '../mapping/language/layout.ts';
import { chooseTickets, type Tickets } from './choose-tables.ts';
import { Draft, defined, type Evidence, ROOT } from './draft.ts';
import { isPeople, matchField, meaningOf, nameBeside } from './names.ts';
import { type Column, isTimeColumn } from './profile.ts';
import {
  type Answers,
  type Comment,
  MOST_QUESTIONS,
  type Question,
  RANK,
  ROLE_CHOICES,
} from './questions.ts';
import { baseName } from './staged-tables.ts';
import { contentType, findThreads, type Said, threadRule } from './threads.ts';

export interface Proposal {
  /** The `mapping` section with the likeliest answer at every open place. */
  readonly mapping: Readonly<Record<string, unknown>>;
  readonly comments: readonly Comment[];
  /** In the order of asking. */
  readonly questions: readonly Question[];
  /** Which columns each field comes from, for the screen. */
  readonly found: ReadonlyMap<string, readonly string[]>;
}

/** Undefined without a table of tickets. Throws AppError `source` for exports that no answer can fix. */
export function proposeMapping(evidence: Evidence, answers: Answers): Proposal | undefined {
  const all = new Map(answers);
  const left = MOST_QUESTIONS - answers.size - laterQuestions(evidence, answers);
  for (;;) {
    const draft = new Draft(evidence, all);
    const tickets = chooseTickets(draft);
    if (tickets === undefined) return undefined;
    const proposal = makeProposal(draft, tickets);
    const beyond = proposal.questions.filter(
      ({ rank, key }, at) => rank > RANK.createdAt && at >= left - draft.unknownWords && !all.has(key),
    );
    if (beyond.length === 0) return proposal;
    for (const { key } of beyond) all.set(key, null);
  }
}

/** Questions that follow once the tickets are mapped: the zone of times, the order of day and month, people without addresses. */
function laterQuestions({ tables }: Evidence, answers: Answers): number {
  const columns = tables.flatMap((table) => table.columns);
  const keys = [
    ...(columns.some(({ times }) => times.some(({ zoned }) => !zoned)) ? ['source.timezone'] : []),
    ...(columns.some(({ dayOrder }) => dayOrder === 'open') ? ['source.dayFirst'] : []),
    ...(columns.some(({ type }) => type === 'email')
      ? []
      : ['fallbackAgent', 'customersWithoutEmail.synthesize']),
  ];
  return keys.filter((key) => !answers.has(key)).length;
}

function makeProposal(draft: Draft, tickets: Tickets): Proposal {
  const { table, key, role, latest, second } = tickets;
  draft.tables[ROOT] = {
    role,
    key: second === undefined ? key.path : [key.path, second.path],
    ...(latest === undefined ? {} : { latest: latest.path }),
    recognise: {},
  };
  const steady = tickets.columns.filter((column) => column !== key && !tickets.varies(column));
  const known = personRule(draft, tickets, steady, 'requester');
  const said: Said[] = [];
  const hasText = role === 'root' && matchField('ticket', 'description', steady).candidates.length > 0;
  for (const thread of findThreads(draft, tickets)) {
    const found = threadRule(draft, tickets, thread, said.length + (hasText ? 1 : 0));
    if (found !== undefined) said.push(found);
  }
  const own = role === 'group' ? {} : ownMessages(draft, tickets, steady, said);
  const fields = fieldRules(draft, tickets, steady, said);
  const subject = subjectRule(draft, tickets, steady, said, own.description?.content);
  const requester = known ?? requesterBySaid(draft, tickets, said);
  const assignee = personRule(draft, tickets, steady, 'assignee');
  const messages: MessageRule[] = [
    ...(own.description === undefined ? [] : [{ ...own.description, author: requester }]),
    ...said.map(({ rule }) => rule),
    ...[own.answer, own.note].flatMap((rule) =>
      rule === undefined ? [] : [{ ...rule, author: assignee ?? {} }],
    ),
  ];
  const ticket: TicketRule = { subject, ...fields, requester, ...defined({ assignee }) };
  const others = otherAuthors(draft, messages);
  const nulls = nullTexts(draft);
  const isEmpty = (object: object) => Object.keys(object).length === 0;
  const mapping = {
    name: 'export',
    title: `Proposed for ${baseName(table.file)}`,
    tables: draft.recognised(table),
    ...(nulls.length === 0 ? {} : { nulls }),
    ...(isEmpty(draft.people) ? {} : { people: draft.people }),
    ...(others === undefined ? {} : { otherAuthors: others }),
    ...(isEmpty(draft.maps) ? {} : { maps: draft.maps }),
    ticket,
    ...(messages.length === 0 ? {} : { messages }),
  };
  return {
    mapping: structuredClone(mapping),
    comments: draft.comments,
    questions: draft.questions.toSorted((a, b) => a.rank - b.rank),
    found: draft.found,
  };
}

/** A name that says nothing: `c4`, `Column 12`. */
const NAMELESS = /^(?:[a-z]{1,2}|col|column|field|var|spalte|columna|champ|campo)[ _-]?\d+$/i;

/** Status, priority, tags and times. */
function fieldRules(
  draft: Draft,
  { table }: Tickets,
  columns: readonly Column[],
  said: readonly Said[],
): Partial<TicketRule> {
  const pick = (field: string, picking?: Parameters<Draft['pick']>[5], ...more: string[]) =>
    draft.pick(table, 'ticket', field, columns, ['ticket', field, ...more], picking);
  const known = (kind: 'status' | 'priority', { values }: Column) =>
    values.filter(({ value }) => meaningOf(kind, value) !== undefined).length / values.length;
  const isWords = ({ type, distinct }: Column, most: number) =>
    type === 'text' && distinct >= 2 && distinct <= most;
  const isStatus = (column: Column) =>
    isWords(column, 12) &&
    column.distinct <= 0.7 * column.filled &&
    column.examples.every((text) => text.length <= 40);
  const isPriority = (column: Column) =>
    isWords(column, 8) && (NAMELESS.test(column.name) || known('priority', column) >= 0.5);
  const word = (kind: 'status' | 'priority', byType: (column: Column) => boolean) => {
    const column = pick(kind, { byType, order: (each) => known(kind, each) }, 'column');
    return () => {
      if (column === undefined) return undefined;
      draft.wordMap(kind, column);
      return { column: column.path, map: kind };
    };
  };
  const [status, priority] = [word('status', isStatus), word('priority', isPriority)];
  const tags = pick('tags');
  // else it is the time of the first message
  const isTimed = said.some(({ rule }) => rule.occurredAt !== undefined);
  const createdAt = pick('createdAt', isTimed ? {} : { byType: isTimeColumn });
  return defined({
    status: status(),
    priority: priority(),
    tags: tags && (tags.type === 'list' ? tags.path : { column: tags.path, split: 'list' as const }),
    createdAt: createdAt?.path,
    resolvedAt: pick('resolvedAt')?.path,
    closedAt: pick('closedAt')?.path,
  });
}

/** Characters of the line that is taken for a missing subject. */
const FIRST_LINE = '\\S[^\\r\\n]{0,119}';

function subjectRule(
  draft: Draft,
  { table, key, role }: Tickets,
  columns: readonly Column[],
  [first]: readonly Said[],
  description: Expression | undefined,
): Expression {
  const column = draft.pick(table, 'ticket', 'subject', columns, ['ticket', 'subject'], {
    byType: ({ type, average, distinct, filled, examples }) =>
      type === 'text' &&
      average >= 6 &&
      average <= 120 &&
      distinct >= 0.4 * filled &&
      examples.some((text) => /\S\s\S/.test(text)),
  });
  if (column !== undefined) return column.path;
  const id: Expression = { template: `Ticket {${key.path}}` };
  const content = description ?? first?.rule.content;
  if (typeof content !== 'string') return id;
  draft.comments.push({
    path: ['mapping', 'ticket', 'subject'],
    text: 'No column is the subject: the first line of the text is taken.',
  });
  const line: Expression = { column: content, match: FIRST_LINE };
  return [
    description !== undefined || role === 'group' || first === undefined ? line : first.first(line),
    id,
  ];
}

/** Texts of the ticket's own row: what the customer wrote, what the team answered, notes of the team. */
function ownMessages(
  draft: Draft,
  { table }: Tickets,
  columns: readonly Column[],
  said: readonly Said[],
): { readonly description?: MessageRule; readonly answer?: MessageRule; readonly note?: MessageRule } {
  const isAnswered = matchField('ticket', 'answer', columns).column !== undefined;
  const description = draft.pick(table, 'ticket', 'description', columns, ['messages', 0, 'content'], {
    byType:
      said.length === 0 && !isAnswered
        ? ({ type, average }) => ['text', 'html'].includes(type) && average >= 15
        : undefined,
    order: ({ average }) => average,
  });
  const index = said.length + (description === undefined ? 0 : 1);
  const answer = draft.pick(table, 'ticket', 'answer', columns, ['messages', index, 'content']);
  const last = index + (answer === undefined ? 0 : 1);
  const note = draft.pick(table, 'ticket', 'note', columns, ['messages', last, 'content']);
  const rule = (column: Column, actor: string, times: readonly string[]): MessageRule => {
    const found = times.flatMap((field) => matchField('ticket', field, columns).column?.path ?? []);
    return {
      content: column.path,
      ...defined({ contentType: contentType(column) }),
      ...(found.length === 0 ? {} : { occurredAt: found.length === 1 ? (found[0] ?? '') : found }),
      actorType: { const: actor },
    };
  };
  const noted = note && rule(note, 'agent', ['createdAt']);
  if (noted?.occurredAt !== undefined)
    draft.comments.push({
      path: ['mapping', 'messages', last],
      text: 'Internal notes have no time of their own: they take the time at which their ticket was created.',
    });
  return defined({
    description: description && {
      ...rule(description, 'customer', ['createdAt']),
      use: 'unless-repeated' as const,
    },
    answer: answer && rule(answer, 'agent', ['answeredAt', 'resolvedAt', 'closedAt']),
    note: note &&
      noted && { ...noted, where: { column: note.path, empty: false }, isInternal: { const: true } },
  });
}

function personRule(
  draft: Draft,
  { table }: Tickets,
  columns: readonly Column[],
  who: 'requester' | 'assignee',
): PersonRule | undefined {
  const pick = (field: string, byType?: (column: Column) => boolean) =>
    draft.pick(table, 'ticket', `${who}${field}`, columns, ['ticket', who, field.toLowerCase()], { byType });
  const { joins, tables } = draft.evidence;
  const id = pick('Id');
  const join = id && joins.find(({ from }) => from.table === table.id && from.column === id.name);
  const people = join && tables[join.to.table];
  if (people !== undefined && isPeople(people)) return draft.person(table, { id });
  const email = pick('Email', who === 'requester' ? ({ type }) => type === 'email' : undefined);
  const name = (email === undefined ? undefined : nameBeside(email, columns)) ?? pick('Name');
  draft.use(table, name);
  return id === undefined && email === undefined && name === undefined
    ? undefined
    : draft.person(table, { id, email, name });
}

function requesterBySaid(draft: Draft, { key }: Tickets, said: readonly Said[]): PersonRule {
  const asker = said.find((each) => each.asker !== undefined)?.asker;
  draft.comments.push({
    path: ['mapping', 'ticket', 'requester'],
    text:
      asker === undefined
        ? 'The export does not name the customers: each ticket gets its own.'
        : 'The ticket does not say who asked: the first customer who wrote is the requester.',
  });
  return asker ?? { id: key.path };
}

/** Authors that neither a column nor a table of people names. */
function otherAuthors(draft: Draft, messages: readonly MessageRule[]): string | undefined {
  if (messages.every(({ actorType, author }) => actorType !== undefined || draft.knowsRole(author ?? {})))
    return undefined;
  return String(
    draft.ask({
      key: 'otherAuthors',
      path: ['mapping', 'otherAuthors'],
      concept: 'authors other than the requester',
      question: 'No column says who is an agent. Who wrote the messages that the requester did not write?',
      choices: ROLE_CHOICES,
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
