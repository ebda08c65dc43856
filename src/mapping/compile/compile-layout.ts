/**
 * Binds a layout to an export: compiles its rules, finds out the order of day and month where times leave it open, and
 * asks the target for ids of agents. What comes out maps tickets synchronously.
 */
import type { JoinedExport, JoinPlan } from '../../domain/join-plan.ts';
import type { Row } from '../../domain/source.ts';
import type { ExportFiles } from '../../domain/source-file.ts';
import type { UnmappedPolicy } from '../../domain/unmapped.ts';
import { type Layout, rootTableOf } from '../language/layout.ts';
import { type ActorRules, AgentDirectory, type AgentSettings } from '../people/actors.ts';
import { type CustomersWithoutEmail, embeddedPeople, isAddress, ROLE } from '../people/people.ts';
import { TableColumns } from './columns.ts';
import { type CompileContext, type EmbeddedPeople, LossLog, newNotes } from './context.ts';
import { settleDayOrder } from './day-order.ts';
import { createMapper, type Mapper } from './mapper.ts';
import { compileLayoutRules } from './rules.ts';
import { loadTransform } from './transform.ts';

export interface MappingSettings extends AgentSettings {
  /** Zone of times without one; overrides the layout's own. */
  readonly timezone: string | undefined;
  /** `03/04/2025`: the day first (true) or the month, where the export itself leaves it open. */
  readonly dayFirst: boolean | undefined;
  readonly customersWithoutEmail: CustomersWithoutEmail;
  /** The first address of a person who has several; undefined for others. */
  readonly personOf?: ((address: string) => string | undefined) | undefined;
  /** Where goes what no rule uses. */
  readonly unmapped: UnmappedPolicy;
  /** Lists what no rule uses of a ticket even where it goes nowhere: `init` proposes a note for it. */
  readonly listsUnmapped?: boolean;
  /** Columns that the user's own mapping leaves out; a built-in layout's list only spares warnings. */
  readonly ignored: readonly string[];
}

export interface MappingContext {
  readonly files: ExportFiles;
  readonly joined: JoinedExport;
  readonly settings: MappingSettings;
  /** Folder from which a relative `transform` is loaded: that of the settings file. */
  readonly folder: string;
  /** Agent ID for an address, if the target answers. Called once for each address. */
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

/** Throws AppError `configuration` for what the layout or the settings leave open or get wrong. */
export async function compileLayout(
  layout: Layout,
  plan: JoinPlan,
  { files, joined, settings, folder, findAgent, signal }: MappingContext,
): Promise<Mapper> {
  const loss = new LossLog();
  const agents = new AgentDirectory(settings);
  let onLookup: (row: Row) => void = () => {};
  let embedded: EmbeddedPeople = new Map();
  const context: CompileContext = {
    layout,
    tables: new Map(plan.tables.map((table) => [table.name, new TableColumns(table, files.files, layout)])),
    rootTable: rootTableOf(layout),
    zone: settings.timezone ?? layout.times?.zone,
    htmlText: layout.messages?.some(({ use }) => use?.startsWith('unless'))
      ? (await import('../../view/conversation/html-text.ts')).htmlText
      : undefined,
    timeColumns: [],
    mode: { observing: false },
    personOf: settings.personOf,
    embedded: () => embedded,
    lookup: (table, columns, values) => {
      const row = joined.lookup(table, columns, values);
      if (row !== undefined) onLookup(row);
      return row;
    },
    fileName: ({ file }) => files.files[file]?.name ?? '',
    noteUnlisted: (field, value, action) => {
      if (field !== ROLE || action === 'error') loss.add('unmapped', value, field, action);
    },
    reads: [],
    lookups: [],
  };
  const { customersWithoutEmail, unmapped, listsUnmapped, ignored } = settings;
  const domains = layout.agentDomains ?? [];
  const actors: ActorRules = {
    agents,
    loss,
    agentDomains: new Set(domains.map((domain) => domain.toLowerCase().replace(/^@/, ''))),
    customersWithoutEmail,
    otherwise: layout.otherAuthors ?? 'unknown',
  };
  const transform =
    layout.transform === undefined ? undefined : await loadTransform(layout.transform, folder);
  const mapRules = compileLayoutRules(context, actors);
  // what a column holds and who wrote is looked at without the transform: it may count its calls
  const mapAll = async function* () {
    for await (const items of joined.tickets(signal)) {
      for (const item of items) if (item.kind === 'ticket') mapRules(item, newNotes());
      yield;
    }
  };
  await settleDayOrder(context, mapAll, settings.dayFirst);
  embedded = await embeddedPeople(context, plan, files, joined, signal);
  if (findAgent !== undefined && asksForAgents(layout)) {
    loss.clear();
    for await (const _ of mapAll());
    // An assignee and an author are counted apart: the fallback is for authors alone.
    const missing = new Set(loss.report([]).agentsWithoutId.map(({ agent }) => agent));
    for (const agent of [...missing].filter(isAddress)) {
      const id = await findAgent(agent, signal);
      if (id !== undefined) agents.add(agent, id);
    }
  }
  loss.clear();
  const mapper = createMapper({ context, actors, mapRules, transform, unmapped, listsUnmapped, ignored });
  onLookup = mapper.seeLookedUp;
  return mapper;
}

/** Whether the layout identifies people; the native one has agent IDs itself. */
function asksForAgents({ ticket, messages = [], events = [] }: Layout): boolean {
  return (
    ticket.assignee !== undefined ||
    messages.some(({ author }) => author !== undefined) ||
    events.some(({ actor }) => actor !== undefined)
  );
}
