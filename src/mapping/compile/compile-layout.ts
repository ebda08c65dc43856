/**
 * Binds a layout to an export: compiles its rules, finds out the order of day and month where times leave it open, and
 * asks for agents' ids where somebody can tell them. What comes out maps tickets synchronously.
 */
import { AppError } from '../../domain/errors.ts';
import type { JoinedExport, JoinPlan } from '../../domain/join-plan.ts';
import type { Row } from '../../domain/source.ts';
import type { ExportFiles } from '../../domain/source-file.ts';
import type { UnmappedPolicy } from '../../domain/unmapped.ts';
import type { Layout } from '../language/layout.ts';
import type { ActorRules } from '../people/actor-rules.ts';
import { withAgentNames } from '../people/agent-names.ts';
import { AgentDirectory, type AgentSettings } from '../people/agents.ts';
import { embeddedPeople } from '../people/embedded-people.ts';
import { type CustomersWithoutEmail, isAddress, ROLE } from '../people/people.ts';
import type { EmbeddedPeople } from '../people/person.ts';
import { decideOrders, waiting } from '../time/day-order.ts';
import { type Observe, observeSamples, observeTables } from '../time/observe-times.ts';
import { nullsOf, TableColumns } from './column-access.ts';
import { aliasMap, type CompileContext } from './compile-context.ts';
import { LossLog } from './loss-log.ts';
import { createMapper, type Mapper } from './mapper.ts';
import { loadTransform } from './transform.ts';

export interface MappingSettings extends AgentSettings {
  /** Zone of times that state none; comes before the layout's own. */
  readonly timezone: string | undefined;
  /** `03/04/2025`: the day first (true) or the month, where the export itself leaves it open. */
  readonly dayFirst: boolean | undefined;
  readonly customersWithoutEmail: CustomersWithoutEmail;
  /** Domains whose addresses are the team's. */
  readonly agentDomains: readonly string[];
  /** The address by which a person of several is known; undefined for others. */
  readonly personOf?: ((address: string) => string | undefined) | undefined;
  /** Where goes what no rule uses. */
  readonly unmapped: UnmappedPolicy;
  /** Columns that the user's own mapping leaves out; a built-in layout's list only spares warnings. */
  readonly ignored: readonly string[];
}

export interface MappingContext {
  readonly files: ExportFiles;
  readonly joined: JoinedExport;
  readonly settings: MappingSettings;
  /** Folder from which a relative `transform` is loaded: that of the settings file. */
  readonly folder: string;
  /** Agent id for an address, where the target can tell. Asked once for each address that the export needs. */
  readonly findAgent?: ((email: string, signal: AbortSignal) => Promise<string | undefined>) | undefined;
  readonly signal: AbortSignal;
}

export const defaultMappingSettings: MappingSettings = {
  timezone: undefined,
  dayFirst: undefined,
  agents: {},
  fallbackAgent: undefined,
  customersWithoutEmail: 'reject',
  agentDomains: [],
  unmapped: 'drop',
  ignored: [],
};

/** Throws AppError `configuration` for what the layout or the settings leave open or get wrong. */
export async function compileLayout(
  layout: Layout,
  plan: JoinPlan,
  context: MappingContext,
): Promise<Mapper> {
  const { files, joined, settings, signal } = context;
  const aliases = aliasMap(layout);
  const nulls = nullsOf(layout);
  const tables = new Map(
    plan.tables.map((table) => [table.name, new TableColumns(table, files.files, aliases, nulls)] as const),
  );
  const rootTable = plan.tables.find((table) => table.role === 'root' || table.role === 'group')?.name;
  if (rootTable === undefined)
    throw new AppError('internal', `The plan for ${layout.name} has no table of tickets.`);
  const names = new Map(files.files.map((file) => [file.id, file.name]));
  const loss = new LossLog();
  const agents = new AgentDirectory(settings);
  let onLookup: (row: Row) => void = () => {};
  let embedded: EmbeddedPeople = new Map();

  const compiling: CompileContext = {
    layout,
    tables,
    rootTable,
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
    fileName: (ref) => names.get(ref.file) ?? '',
    noteUnlisted: (field, value, action) => {
      if (field !== ROLE || action === 'error') loss.unmapped(field, value, action);
    },
  };
  const actors: ActorRules = {
    agents,
    agentDomains: new Set(
      [...settings.agentDomains, ...(layout.agentDomains ?? [])].map((domain) =>
        domain.toLowerCase().replace(/^@/, ''),
      ),
    ),
    otherwise: layout.otherAuthors ?? 'unknown',
    customersWithoutEmail: settings.customersWithoutEmail,
    loss,
  };
  const mapper = createMapper({
    context: compiling,
    actors,
    transform:
      layout.transform === undefined ? undefined : await loadTransform(layout.transform, context.folder),
    unmapped: settings.unmapped,
    ignored: settings.ignored,
  });
  onLookup = mapper.seeLookedUp;

  const stated = settings.dayFirst ?? layout.times?.dayFirst;
  await settleDayOrder(compiling, mapper.observe, plan, files, stated, signal);
  embedded = await embeddedPeople(compiling, plan, files, joined, signal);
  if (context.findAgent !== undefined && asksForAgents(layout))
    await askForAgents(mapper, joined, agents, context.findAgent, signal);
  mapper.restart();
  return withAgentNames(mapper, compiling, agents);
}

/** Shows `observe` as much of the export as decides every column of times; throws a question where nothing does. */
export async function settleDayOrder(
  context: Pick<CompileContext, 'timeColumns' | 'mode'>,
  observe: Observe,
  plan: JoinPlan,
  files: ExportFiles,
  stated: boolean | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (context.timeColumns.length === 0) return;
  context.mode.observing = true;
  observeSamples(plan, files, observe);
  const open = waiting(context.timeColumns);
  // a proof in one column settles the others, so the whole export is read only where there is neither proof nor answer
  if (open.length > 0 && stated === undefined) {
    const tables = new Set(open.map((column) => column.table));
    const enough = () => waiting(context.timeColumns).length === 0;
    await observeTables(plan, files, tables, observe, enough, signal);
  }
  context.mode.observing = false;
  decideOrders(context.timeColumns, stated);
}

/** Whether the layout tells people apart at all; the native one names agent ids itself. */
function asksForAgents(layout: Layout): boolean {
  return (
    layout.ticket.assignee !== undefined ||
    (layout.messages ?? []).some((rule) => rule.author !== undefined) ||
    (layout.events ?? []).some((rule) => rule.actor !== undefined)
  );
}

/** One pass over the export for the agents that it names, then one question for each address. */
async function askForAgents(
  mapper: Mapper,
  joined: JoinedExport,
  agents: AgentDirectory,
  findAgent: NonNullable<MappingContext['findAgent']>,
  signal: AbortSignal,
): Promise<void> {
  for await (const items of joined.tickets(signal))
    for (const item of items) if (item.kind === 'ticket') mapper.map(item);
  // An assignee and an author are counted apart: the fallback is for authors alone.
  const addresses = new Set(mapper.loss().agentsWithoutId.map(({ agent }) => agent));
  for (const agent of addresses) {
    if (!isAddress(agent)) continue;
    const id = await findAgent(agent, signal);
    if (id !== undefined) agents.add(agent, id);
  }
}
