/**
 * All rules of a layout, compiled. The columns that they read are noted meanwhile, which also says what a layout refers to
 * without an export at hand.
 */
import type { SourceTicket } from '../../domain/source.ts';
import type { MappedTicket } from '../../domain/ticket.ts';
import { type Layout, rootTableOf } from '../language/layout.ts';
import { type ActorRules, AgentDirectory } from '../people/actors.ts';
import { compileEmbedded, compilePeopleTable } from '../people/people.ts';
import { TableColumns } from './columns.ts';
import { type CompileContext, LossLog, type Notes, type Read, rowPlace, rowScope } from './context.ts';
import { compileEvents } from './event-rules.ts';
import { compileHolds } from './expressions.ts';
import { compileDeclared } from './items.ts';
import { compileMessages } from './message-rules.ts';
import { listOf } from './paths.ts';
import { compileTicket } from './ticket-rule.ts';

type Mapped = Pick<MappedTicket, 'ticket' | 'messages' | 'events' | 'declared' | 'requester' | 'excluded'>;

/** `counted`: the columns of rules that only count or leave out, of which nothing is sent. */
export function compileLayoutRules(
  context: CompileContext,
  actors: ActorRules,
  counted: Read[] = [],
): (source: SourceTicket, notes: Notes) => Mapped {
  const { layout, mode, rootTable } = context;
  const mapTicket = compileTicket(context, actors);
  const mapMessages = compileMessages(context, actors);
  const mapEvents = compileEvents(context, actors);
  const aside = { ...context, reads: counted };
  const declared = compileDeclared(aside);
  const exclusions = (layout.exclude ?? []).map(({ when, reason }) => {
    return { holds: compileHolds(when, rowPlace(rootTable), aside), reason };
  });
  return (source, notes) => {
    const scope = rowScope(source, source.row, notes);
    const excluded = mode.observing ? undefined : exclusions.find(({ holds }) => holds(scope))?.reason;
    if (excluded !== undefined) return { ticket: {}, messages: [], events: [], excluded };
    const { ticket, requester } = mapTicket(scope);
    return {
      ticket,
      messages: mapMessages(source, requester, notes, ticket),
      events: mapEvents(source, requester, notes),
      requester: requester.person,
      declared: declared(source),
    };
  };
}

export interface References {
  /** Columns of which something is sent, in rows and in items of their lists. */
  readonly sent: readonly Read[];
  /** Columns by which tickets are left out, or that only say how many messages there are. */
  readonly counted: readonly Read[];
  /** Columns (paths) that rules read from rows of a table. */
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  /** Keys other than the table's own by which rows are looked up. */
  readonly lookups: CompileContext['lookups'];
}

const known = new WeakMap<Layout, References>();

/** Of a layout that has passed the schema. Remembered. */
export function referencesOf(layout: Layout): References {
  const found = known.get(layout) ?? collect(layout);
  known.set(layout, found);
  return found;
}

/** Compiles the rules for tables of which nothing is known. */
function collect(layout: Layout): References {
  const tables = Object.entries(layout.tables).map(([name, { role, key }]) => {
    const table = { name, role, key: listOf(key), inputs: [] };
    return [name, new TableColumns(table, [], layout)] as const;
  });
  const context: CompileContext = {
    layout,
    tables: new Map(tables),
    rootTable: rootTableOf(layout),
    timeColumns: [],
    mode: { observing: false },
    embedded: () => new Map(),
    lookup: () => undefined,
    fileName: () => '',
    noteUnlisted: () => {},
    reads: [],
    lookups: [],
  };
  const counted: Read[] = [];
  compileLayoutRules(context, NO_ACTORS, counted);
  for (const [name, people] of Object.entries(layout.people ?? {})) compilePeopleTable(name, people, context);
  // people are collected from there, which says nothing of the tickets in which they are
  const ofPeople: Read[] = [];
  compileEmbedded({ ...context, reads: ofPeople });
  const columns = new Map<string, Set<string>>();
  for (const { table, column, list } of [...context.reads, ...ofPeople, ...counted])
    if (list === undefined) columns.set(table, (columns.get(table) ?? new Set()).add(column));
  return { sent: context.reads, counted, columns, lookups: context.lookups };
}

const NO_ACTORS: ActorRules = {
  agents: new AgentDirectory({ agents: {}, fallbackAgent: undefined }),
  loss: new LossLog(),
  agentDomains: new Set(),
  customersWithoutEmail: 'reject',
  otherwise: 'unknown',
};
