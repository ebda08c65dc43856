/**
 * Binds a layout to an export: compiles its rules, settles the order of day and month, and asks the helpdesk for IDs of agents.
 * The result maps tickets synchronously.
 */

import type { UnmappedPolicy } from '../../domain/snapshot.ts';
import type { Row, SourceTicket } from '../../domain/source.ts';
import type { ExportFiles, JoinedExport, JoinPlan } from '../../domain/source-file.ts';
import { type Layout, rootTableOf } from '../language/layout.ts';
import { type ActorRules, AgentDirectory, type AgentSettings } from '../people/actors.ts';
import { type CustomersWithoutEmail, embeddedPeople, type OwnCells, ROLE } from '../people/people.ts';
import { TableColumns } from './columns.ts';
import { type CompileContext, newNotes } from './context.ts';
import { settleDayOrder } from './day-order.ts';
import { Entries } from './entries.ts';
import { Mapper } from './mapper.ts';
import { comparesTexts } from './message-rules.ts';
import { compileLayoutRules } from './rules.ts';

export interface MappingSettings extends AgentSettings {
  /** For times without a zone; overrides the layout's. */
  readonly timezone: string | undefined;
  /** `03/04/2025`: day first (true) or month, if the export leaves it open. */
  readonly dayFirst: boolean | undefined;
  readonly customersWithoutEmail: CustomersWithoutEmail;
  readonly unmapped: UnmappedPolicy;
  /** Lists unused values even if they are dropped: `init` proposes a note for them. */
  readonly listsUnmapped?: boolean;
  /** Left out by the user's own mapping; a built-in layout's list only spares warnings. */
  readonly ignored: readonly string[];
}

export interface MappingContext {
  readonly files: ExportFiles;
  readonly joined: JoinedExport;
  readonly settings: MappingSettings;
  /** Called once for each address. */
  readonly findAgent?: ((email: string, signal: AbortSignal) => Promise<string | undefined>) | undefined;
  readonly signal: AbortSignal;
}

export const defaultMappingSettings: MappingSettings = {
  timezone: undefined,
  dayFirst: undefined,
  agents: {},
  fallbackAgent: undefined,
  customersWithoutEmail: 'reject',
  unmapped: 'drop',
  ignored: [],
};

export async function compileLayout(
  layout: Layout,
  plan: JoinPlan,
  { files, joined, settings, findAgent, signal }: MappingContext,
): Promise<Mapper> {
  const entries = new Entries();
  const { zone, zoneWith } = layout.times ?? {};
  const tables = new Map(
    plan.tables.map((table) => [table.name, new TableColumns(table, files.files, layout)]),
  );
  const hasZone = zoneWith === undefined || tables.get(rootTableOf(layout))?.has(zoneWith) === true;
  const context: CompileContext = {
    layout,
    tables,
    rootTable: rootTableOf(layout),
    zone: settings.timezone ?? (hasZone ? zone : undefined),
    htmlText: comparesTexts(layout)
      ? (await import('../../view/conversation/html-text.ts')).htmlText
      : undefined,
    timeColumns: [],
    timeCells: new Map(),
    embedded: new Map(),
    lookup: (table, columns, values) => joined.lookup(table, columns, values),
    fileName: ({ file }) => files.files[file]?.name ?? '',
    noteUnlisted: (field, value, action) => {
      if (field !== ROLE || action === 'error') entries.add('unmapped', value, field, action);
    },
    reads: [],
    lookups: [],
  };
  const actors = actorsOf(layout, settings, entries);
  const rules = compileLayoutRules(context, actors);
  settleOrder(context, joined, rules, settings.dayFirst, signal);
  const { see, cells } = embeddedPeople(context, plan, files);
  const tickets = ticketsOf(joined, context.rootTable, signal);
  if (see !== undefined) for (const ticket of tickets(cells)) see(ticket);
  learnSpeakers(layout, rules, tickets);
  // The same tickets are counted when they are mapped.
  entries.forget();
  const { unmapped, listsUnmapped, ignored } = settings;
  return new Mapper({
    ...{ context, actors, mapRules: rules.map, unmapped, listsUnmapped, ignored, findAgent },
    olderRows: joined.olderRows(),
    equalRows: joined.equalRows(),
  });
}

type Rules = ReturnType<typeof compileLayoutRules>;
/** All tickets, or one for each set of unlike values in these cells. */
type Tickets = (alike?: OwnCells) => Iterable<SourceTicket>;

function ticketsOf(joined: JoinedExport, rootTable: string, signal: AbortSignal): Tickets {
  return function* (alike) {
    if (alike !== undefined) for (const row of joined.unlikeRows(alike)) yield ticketOf(row, rootTable);
    else
      for (const items of joined.tickets(signal))
        for (const item of items) if (item.kind === 'ticket') yield item;
  };
}

function actorsOf(layout: Layout, settings: MappingSettings, entries: Entries): ActorRules {
  const domains = layout.agentDomains ?? [];
  return {
    agents: new AgentDirectory(settings),
    entries,
    agentDomains: new Set(domains.map((domain) => domain.toLowerCase().replace(/^@/, ''))),
    customersWithoutEmail: settings.customersWithoutEmail,
    otherwise: layout.otherAuthors ?? 'unknown',
  };
}

function settleOrder(
  context: CompileContext,
  joined: JoinedExport,
  { map }: Rules,
  dayFirst: boolean | undefined,
  signal: AbortSignal,
): void {
  const weighing = () => newNotes({ weighs: true });
  const weighTickets = function* () {
    for (const items of joined.tickets(signal)) {
      for (const item of items) if (item.kind === 'ticket') map(item, weighing());
      yield;
    }
  };
  const weighRows = function* () {
    for (const row of joined.datedRows()) yield map(ticketOf(row, context.rootTable), weighing());
  };
  settleDayOrder(context.timeColumns, weighTickets, weighRows, dayFirst);
}

/** Learns the speakers of the team, and first texts that repeat. */
function learnSpeakers(layout: Layout, { look, assignees, addAssignee }: Rules, tickets: Tickets): void {
  if (!identifiesPeople(layout) && !comparesTexts(layout)) return;
  for (const ticket of tickets()) if (look(ticket)) break;
  if (layout.ticket.assignee === undefined) return;
  for (const ticket of tickets(assignees.cells)) addAssignee(ticket);
}

/** A ticket with this row alone, as its own and as its part. */
function ticketOf(row: Row, rootTable: string): SourceTicket {
  const own = row.table === rootTable ? row : { table: rootTable, ref: row.ref, object: {} };
  return { kind: 'ticket', seq: 0, externalId: '', row: own, children: new Map([[row.table, [row]]]) };
}

function identifiesPeople({ ticket, messages = [], events = [] }: Layout): boolean {
  return (
    ticket.assignee !== undefined ||
    messages.some(({ author }) => author !== undefined) ||
    events.some(({ actor }) => actor !== undefined)
  );
}
