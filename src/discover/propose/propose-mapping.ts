/**
 * A mapping for an export whose layout nobody knows: which table holds the tickets, which columns are their fields, where
 * the messages are, who speaks. A proposal, not a guess in disguise: what the export does not tell becomes a question.
 */

import type { Finding } from '../../findings/finding.ts';
import type { Expression } from '../../mapping/language/expression.ts';
import type {
  EventRule,
  ExcludeRule,
  MessageRule,
  PersonRule,
  TicketRule,
} from '../../mapping/language/layout.ts';
import type { Join } from '../joins.ts';
import type { TableProfile } from '../table-profile.ts';
import { isCertainNull } from '../value-kind.ts';
import { chooseTicketTable } from './choose-tables.ts';
import { bestColumn, fillRate } from './concepts.ts';
import { pathsOf, written } from './dates-and-clocks.ts';
import { doubtsOf } from './doubts.ts';
import type { Thread } from './find-threads.ts';
import { type Proposal, ProposalNotes } from './proposal.ts';
import { ProposalDraft, ROOT } from './proposal-draft.ts';
import { changeTime, fieldHistory, logHistory, type StatusHistory } from './propose-events.ts';
import { filledPerson, isCustomers, messageRules } from './propose-messages.ts';
import { inTime, ticketRule } from './propose-ticket.ts';
import { namedMap, proposeMap } from './propose-values.ts';
import { recognitionOf } from './scopes.ts';
import { withdrawn } from './withdrawn.ts';

/** Undefined when no table looks like tickets. */
export function proposeMapping(
  tables: readonly TableProfile[],
  joins: readonly Join[],
): Proposal | undefined {
  const ticket = chooseTicketTable(tables, joins);
  return ticket === undefined ? undefined : makeProposal(new ProposalDraft(ticket, tables, joins));
}

function makeProposal(draft: ProposalDraft): Proposal {
  const { key, table } = draft.ticket;
  const latest = key.latest && pathsOf(key.latest.path);
  draft.use(key.column);
  const requester = requesterRule(draft);
  const messages = messageRules(draft, requester);
  const history = statusHistory(draft);
  const fields = ticketRule(draft, requester);
  const maps = valueMaps(draft, history);
  const events = history === undefined ? [] : [eventRule(draft, history)];
  const needsAuthors = messages.some(
    ({ actorType, author }) => actorType === undefined && !draft.people.knowsRole(author),
  );
  const nulls = nullTexts(draft);
  const guessed = guessedColumns(draft);
  const mapping = {
    name: 'export',
    title: `Proposed for ${table.file.replace(/^.*[\\/!]/, '')}`,
    tables: {
      [ROOT]: {
        role: key.role,
        key: key.column.path,
        ...(latest === undefined ? {} : { latest: latest.length === 1 ? latest[0] : latest }),
        recognise: recognitionOf(table, draft.used, draft.tables),
      },
      ...draft.children,
      ...draft.people.tables,
      ...draft.lookups,
    },
    ...(nulls.length === 0 ? {} : { nulls }),
    ...(Object.keys(draft.people.people).length === 0 ? {} : { people: draft.people.people }),
    ...(needsAuthors ? { otherAuthors: 'agent' } : {}),
    ...(Object.keys(maps).length === 0 ? {} : { maps }),
    ticket: fields,
    ...(messages.length === 0 ? {} : { messages }),
    ...(events.length === 0 ? {} : { events }),
    ...excludeRules(draft),
  };
  if (needsAuthors)
    draft.notes.comment(['otherAuthors'], 'Everyone but the requester is taken for an agent of the team.');
  return {
    mapping: written(mapping),
    comments: draft.notes.comments,
    decisions: draft.notes.decisions,
    doubts: [
      ...(guessed === undefined ? [] : [guessed]),
      ...doubtsOf(draft, { ticket: fields, messages, events }),
    ],
    found: foundColumns(fields, messages, events),
  };
}

const NAMED = 24;

/** Columns that were told by their values alone: each with what it was taken for and an example. */
function guessedColumns({ tables }: ProposalDraft): Finding | undefined {
  const guessed = tables.flatMap(({ columns }) =>
    columns.flatMap(({ name, called, examples }) =>
      called === undefined
        ? []
        : `${name} as ${called} (${examples[0]?.replace(/\s+/g, ' ').slice(0, 30) ?? ''})`,
    ),
  );
  return guessed.length === 0
    ? undefined
    : {
        code: 'guessed-columns',
        message: `The names of these columns say nothing, so their values decided: ${guessed.slice(0, NAMED).join(', ')}.`,
        setting: 'mapping.ticket',
      };
}

function statusHistory(draft: ProposalDraft): StatusHistory | undefined {
  if (draft.status === undefined) return undefined;
  if (draft.isLog) return logHistory(draft.ticket, draft.people, draft.status, changeTime(draft));
  return fieldHistory(draft.ticket, draft.people, draft.tables, draft.joins);
}

function eventRule(draft: ProposalDraft, { rule, table }: StatusHistory): EventRule {
  return table === undefined
    ? rule
    : { from: draft.child('history', table.index, [table.key, ...table.used]), ...rule };
}

function valueMaps(draft: ProposalDraft, history: StatusHistory | undefined): Record<string, object> {
  const maps: Record<string, object> = {};
  if (draft.status !== undefined) {
    const columns = [...new Set([draft.valuesOf(draft.status), ...(history?.values ?? [])])];
    const { values, unlisted } = proposeMap('status', columns, namedMap('status'), draft.notes);
    maps['status'] = { values, ...(unlisted === undefined ? {} : { unlisted }) };
  }
  const priority = bestColumn('priority', draft.columns, 0.4);
  if (priority !== undefined) {
    const { values, unlisted } = proposeMap(
      'priority',
      [draft.valuesOf(priority)],
      namedMap('priority'),
      draft.notes,
    );
    maps['priority'] = { values, ...(unlisted === undefined ? {} : { unlisted }) };
  }
  return maps;
}

function excludeRules(draft: ProposalDraft): { exclude?: ExcludeRule[] } {
  const exclude: ExcludeRule[] = [];
  const total = totalRow(draft);
  if (total !== undefined)
    exclude.push({
      when: { column: draft.ticket.key.column.path, in: [total] },
      reason: 'a row of totals in the source',
    });
  const taken = draft.ticket.key.role === 'root' ? withdrawn(draft.columns) : undefined;
  if (taken !== undefined) {
    draft.use(taken.column);
    exclude.push({ when: taken.holds, reason: `${taken.what} in the source` });
  }
  if (draft.status !== undefined) {
    const { notTickets } = proposeMap('status', [draft.status], namedMap('status'), new ProposalNotes());
    if (notTickets.length > 0)
      exclude.push({
        when: { column: draft.status.path, in: [...notTickets] },
        reason: `${notTickets.join(' or ')} in the source`,
      });
  }
  return exclude.length === 0 ? {} : { exclude };
}

const TOTAL =
  /^(?:grand |sub)?(?:total|totals|sum|summe|gesamt|insgesamt|totaal|totale|somme|suma|razem|summa|toplam)\b/i;
/** Beside its name, a count or two. */
const MOST_TOTALS = 3;

/** What a spreadsheet has below its last row. */
function totalRow({ ticket: { table, key } }: ProposalDraft): string | undefined {
  const last = table.complete && table.csv !== undefined ? table.firstRows.at(-1) : undefined;
  const name = last?.get(key.column.path) ?? '';
  return TOTAL.test(name) && (last?.size ?? 0) <= MOST_TOTALS && table.columns.length > MOST_TOTALS
    ? name
    : undefined;
}

/** So often a word is no answer any more: the column has it wherever it has nothing else. */
const OFTEN = 3;
const OFTEN_SHARE = 0.1;
/** In so many columns one text means the same. */
const SPREAD = 3;

/** Texts that mean an empty cell: only where they cannot be an answer. */
function nullTexts(draft: ProposalDraft): string[] {
  const found = new Set<string>();
  // among texts that people wrote, a lone ? is something that somebody said
  const said = new Set<string>();
  const spread = new Map<string, number>();
  for (const { columns } of draft.tables)
    for (const { nulls, type, averageLength, filled, rows } of columns)
      for (const { value, count } of nulls) {
        spread.set(value, (spread.get(value) ?? 0) + 1);
        const isText = ['text', 'html', 'mixed'].includes(type);
        const isOften = count >= OFTEN && count >= OFTEN_SHARE * rows;
        if (isCertainNull(value) || isOften || !isText) found.add(value);
        if (isText && averageLength > 30 && !isOften && filled > 0) said.add(value);
      }
  return [...found].filter(
    (text) =>
      !said.has(text) || (spread.get(text) ?? 0) >= SPREAD || /^(?:\(?null\)?|\\n|#n\/a)$/i.test(text),
  );
}

function foundColumns(
  fields: TicketRule,
  messages: readonly MessageRule[],
  events: readonly EventRule[],
): Proposal['found'] {
  const found = new Map<Parameters<Proposal['found']['get']>[0], string>();
  for (const [field, rule] of Object.entries(fields))
    found.set(
      (field === 'requester' ? 'contact' : field === 'assignee' ? 'assignedToId' : field) as Parameters<
        Proposal['found']['get']
      >[0],
      inWords(rule),
    );
  if (messages.length > 0) found.set('messages', messages.map((rule) => inWords(rule.content)).join(' · '));
  if (events.length > 0) found.set('events', events.map((rule) => inWords(rule.newValue)).join(' · '));
  return found;
}

/** The columns that a rule reads, for one line on the screen. */
function inWords(rule: unknown): string {
  const columns: string[] = [];
  const walk = (value: unknown, key: string) => {
    if (typeof value === 'string') {
      if (['column', 'get', 'id', 'email', 'name', 'status', 'each', ''].includes(key)) columns.push(value);
      if (key === 'template')
        columns.push(...[...value.matchAll(/\{([^{}]+)\}/g)].flatMap(([, name]) => name ?? []));
    } else if (Array.isArray(value)) for (const part of value) walk(part, key);
    else if (typeof value === 'object' && value !== null)
      for (const [name, part] of Object.entries(value))
        if (!['map', 'where', 'if', 'person'].includes(name)) walk(part, name);
  };
  walk(rule, '');
  return [...new Set(columns.filter((name) => name !== '.'))].slice(0, 4).join(', ');
}

// Who asked, where the ticket says it, and where only its messages do.

const WROTE_FIRST =
  'The ticket itself does not say who asked, so its requester is the first customer who wrote.';

function requesterRule(draft: ProposalDraft): PersonRule | undefined {
  const columns = draft.requester;
  const [thread] = draft.threads.threads;
  const inGroup = draft.ticket.key.role === 'group' && thread !== undefined;
  // what is the same in all rows of a ticket is about the ticket
  const inThread =
    inGroup &&
    (columns === undefined || (columns.email === undefined && thread.columns.author?.email !== undefined));
  if (columns !== undefined && !inThread) {
    draft.use(columns.id, columns.email);
    return draft.people.rule(draft.ticket.index, undefined, columns);
  }
  return thread === undefined ? undefined : firstCustomer(draft, thread);
}

/** The author of the first message of a customer, where the ticket itself does not say who asked. */
function firstCustomer(draft: ProposalDraft, thread: Thread): PersonRule | undefined {
  const { role, author } = thread.columns;
  const customers = isCustomers(role);
  const order = inTime(thread.columns.time);
  const pick = (get: Expression): Expression => {
    const where = customers === undefined ? {} : { where: customers };
    if (thread.scope.list !== undefined)
      return { each: thread.scope.list, ...where, take: 'first', ...order, get };
    return { rows: draft.nameOf(thread), ...where, take: 'first', ...order, get };
  };
  // authors only of agents' messages (an agent's address): customers are known by their ticket
  const ofSide = role?.kind === 'filled' ? filledPerson(draft, thread, role, 'customer') : undefined;
  const customersNamed =
    author !== undefined &&
    (customers === undefined || Object.values(author).some((column) => fillRate(column.profile) > 0.95));
  if (ofSide === undefined && (!customersNamed || author === undefined)) {
    if (role === undefined) return undefined;
    draft.notes.comment(
      ['ticket', 'requester'],
      'The export does not name the customers: each ticket gets its own.',
    );
    return { id: draft.ticket.key.column.path };
  }
  draft.notes.comment(['ticket', 'requester'], WROTE_FIRST);
  const { person, ...fields } =
    ofSide ?? draft.people.rule(thread.table ?? draft.ticket.index, thread.scope.list, author ?? {});
  const picked = Object.entries(fields).flatMap(([field, get]) =>
    get === undefined ? [] : [[field, pick(get)] as const],
  );
  return { ...(person === undefined ? {} : { person }), ...Object.fromEntries(picked) };
}
