/** All rules of a layout, compiled. The columns they read are noted, which also shows references without an export. */

import type { SourceTicket } from '../../domain/source.ts';
import type { RowMarks } from '../../domain/source-file.ts';
import type { MappedTicket, UnmetClaim } from '../../domain/ticket.ts';
import { type Layout, ROW, rootTableOf } from '../language/layout.ts';
import { type ActorRules, AgentDirectory, withKind } from '../people/actors.ts';
import { compileEmbedded, compilePeopleTable, compilePerson, personLabel } from '../people/people.ts';
import { Aside } from './aside.ts';
import { TableColumns } from './columns.ts';
import {
  type CompileContext,
  columnsOf,
  type Doubt,
  type Notes,
  newNotes,
  type Read,
  rowPlace,
  rowScope,
  wordIn,
} from './context.ts';
import { Entries } from './entries.ts';
import { compileEvents } from './event-rules.ts';
import { compileExpression, compileHolds, compileOptional, itemsOf } from './expressions.ts';
import { compileSource } from './items.ts';
import { compileMessages, isOwnText } from './message-rules.ts';
import { listOf } from './paths.ts';
import { type Assignees, compileAssignee, compileContact, compileTicket } from './ticket-rule.ts';

interface LayoutRules {
  map(source: SourceTicket, notes: Notes): Mapped;
  /** Looks at a ticket before any is mapped: who speaks, and texts that repeat first messages. True once enough was seen. */
  look(source: SourceTicket): boolean;
  readonly assignees: Assignees;
  addAssignee(source: SourceTicket): void;
}

type Mapped = Pick<
  MappedTicket,
  'ticket' | 'messages' | 'events' | 'unmet' | 'requester' | 'assignee' | 'excluded'
>;

/** `counted`: columns that only count or exclude; nothing of them is sent. */
export function compileLayoutRules(
  context: CompileContext,
  actors: ActorRules,
  counted: Read[] = [],
): LayoutRules {
  const { layout, rootTable } = context;
  const mapTicket = compileTicket(context, actors);
  const assignees = compileAssignee(context);
  const deciding: Read[] = [];
  const messages = compileMessages(context, actors, deciding);
  const mapEvents = compileEvents(context, actors);
  const counting = { ...context, reads: counted };
  const unmetOf = compileClaims(counting);
  const exclusions = (layout.exclude ?? []).map(({ when, reason }) => {
    return { holds: compileHolds(when, rowPlace(rootTable), counting), reason };
  });
  const asked = counted.flatMap(({ table, column }) => columnsOf(context, table).written(column));
  const aside = new Aside(rowPlace(rootTable), layout, asked, 'ticket');
  counted.push(...deciding);
  const { embeds } = layout;
  const isApart =
    layout.messages?.some(({ from }) => from !== undefined && context.tables.has(from)) === true;
  const readList = isApart
    ? undefined
    : compileOptional(embeds?.list, rowPlace(rootTable), counting, 'compare');
  const addAssignee = (source: SourceTicket) => {
    const assignee = assignees.of(source);
    if (assignee !== undefined) actors.agents.addAssignee(assignee);
  };
  const map = (source: SourceTicket, notes: Notes): Mapped => {
    const scope = rowScope(source, source.row, notes);
    const doubt: Doubt = {};
    const said = notes.weighs ? undefined : exclusions.find(({ holds }) => holds(scope, doubt))?.reason;
    const rows = source.children.get(rootTable) ?? [source.row];
    const [own, ...others] = rows.map((row) => aside.said(row.object));
    // A group is marked if all its rows are, as one row is a message.
    const isMarked = !notes.weighs && said === undefined && others.every(({ mark }) => mark !== undefined);
    const mark = isMarked ? own?.mark : undefined;
    const excluded = said ?? (mark?.says === 'leave out' ? `marked by its column ${mark.column}` : undefined);
    const unknown = wordIn(doubt) ?? (mark?.says === 'unknown' ? mark : undefined);
    if (excluded === undefined && unknown !== undefined)
      actors.entries.add('exclusion', unknown.column, unknown.word);
    if (excluded !== undefined) return { ticket: {}, messages: [], events: [], excluded };
    if (embeds !== undefined && itemsOf(readList?.(scope)).length >= embeds.most)
      actors.entries.add('cutList');
    const { ticket, requester } = mapTicket(scope);
    const made = messages.map(source, requester, notes, ticket, own?.files ?? 0);
    return {
      ticket,
      messages: made,
      events: mapEvents(source, requester, notes),
      assignee: requester.assignee && personLabel(requester.assignee),
      requester: requester.person && withKind(requester.person, 'customer', actors),
      unmet: unmetOf(source, notes, made.length, own?.messages ?? 0),
    };
  };
  return { map, look: (source) => messages.look(source, newNotes()), assignees, addAssignee };
}

/** Messages that the export claims of a ticket and does not hold in their fullest place. */
function compileClaims(
  context: CompileContext,
): (ticket: SourceTicket, notes: Notes, made: number, claimed: number) => UnmetClaim | undefined {
  const { layout, rootTable } = context;
  const isNamed = layout.isOwn === true && layout.tables[rootTable]?.role === 'root';
  const claims = (layout.claims ?? []).map(({ messages, in: all, says }) => ({
    says,
    read: compileExpression(messages, rowPlace(rootTable), context, 'compare'),
    places: all
      .filter(({ from }) => from === undefined || context.tables.has(from))
      .map((place) => compileSource(place, context)),
  }));
  return (ticket, notes, made, claimed) => {
    for (const { says, read, places } of claims) {
      const messages = Number(read(rowScope(ticket, ticket.row, newNotes(notes))) ?? Number.NaN);
      if (!Number.isInteger(messages) || messages < 1) continue;
      const has = Math.max(0, ...places.map(({ scopes }) => scopes(ticket, newNotes(notes)).length));
      if (has < messages) return { messages, has, says };
    }
    return isNamed && claimed > made ? { messages: claimed, has: made, says: undefined } : undefined;
  };
}

export interface References {
  readonly reads: readonly Read[];
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  readonly lookups: CompileContext['lookups'];
  readonly marks: RowMarks;
}

const known = new WeakMap<Layout, References>();

export function referencesOf(layout: Layout): References {
  const found = known.get(layout) ?? collect(layout);
  known.set(layout, found);
  return found;
}

function collect(layout: Layout): References {
  const tables = Object.entries(layout.tables).map(([name, { role, key }]) => {
    const table = { name, role, key: key === ROW ? [] : listOf(key), inputs: [] };
    return [name, new TableColumns(table, [], layout)] as const;
  });
  const context: CompileContext = {
    layout,
    tables: new Map(tables),
    rootTable: rootTableOf(layout),
    timeColumns: [],
    timeCells: new Map(),
    embedded: new Map(),
    lookup: () => undefined,
    fileName: () => '',
    noteUnlisted: () => {},
    reads: [],
    lookups: [],
  };
  const counted: Read[] = [];
  compileLayoutRules(context, NO_ACTORS, counted);
  for (const [name, people] of Object.entries(layout.people ?? {})) compilePeopleTable(name, people, context);
  // People are collected there, which says nothing about their tickets.
  const ofPeople: Read[] = [];
  compileEmbedded({ ...context, reads: ofPeople });
  const columns = new Map<string, Set<string>>();
  const reads = [...context.reads, ...counted];
  for (const { table, column, list } of [...reads, ...ofPeople])
    if (list === undefined) columns.set(table, (columns.get(table) ?? new Set()).add(column));
  return { reads, columns, lookups: context.lookups, marks: marksOf(context) };
}

function marksOf(context: CompileContext): RowMarks {
  const { layout, rootTable } = context;
  const { createdAt, requester, contact } = layout.ticket;
  const place = rowPlace(rootTable);
  const readBy = (compile: (aside: CompileContext) => void): string[] => {
    const reads: Read[] = [];
    compile({ ...context, reads });
    const own = reads.filter(({ table, list }) => table === rootTable && list === undefined);
    return [...new Set(own.map(({ column }) => column))];
  };
  return {
    created: readBy((aside) => compileOptional(createdAt, place, aside, 'value')),
    text: readBy((aside) => {
      for (const rule of layout.messages ?? [])
        if (isOwnText(rule, layout)) compileOptional(rule.content, place, aside, 'value');
    }),
    person: readBy((aside) => {
      if (requester !== undefined) compilePerson(requester, place, aside);
      if (contact !== undefined) compileContact(contact, place, aside, NO_ACTORS);
    }).flatMap((column) => [column, `${column}.email`]),
  };
}

const NO_ACTORS: ActorRules = {
  agents: new AgentDirectory({ agents: {}, fallbackAgent: undefined }),
  entries: new Entries(),
  agentDomains: new Set(),
  customersWithoutEmail: 'reject',
  otherwise: 'unknown',
};
