/** `helpdesk-import links plan|apply`: links between tickets lead to where the tickets are now. */
import { createChecker } from '../check/check-ticket.ts';
import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { type CommandSpec, EXPORT_OPTIONS, FILES, shared } from '../cli/command.ts';
import { type CliContext, type Flags, listenForStop, portsOf, READ_ONLY } from '../cli/context.ts';
import { loadSettings } from '../cli/load-settings.ts';
import { answer } from '../cli/screen.ts';
import { AppError } from '../domain/errors.ts';
import type { RewrittenLink } from '../domain/ticket.ts';
import { checkRules } from '../import/check-rules.ts';
import { examineExport } from '../import/examine.ts';
import { KeptFiles } from '../import/files/keep-files.ts';
import { openSource } from '../import/source.ts';
import { platformIn } from '../import/source-name.ts';
import { option } from '../settings/option-spec.ts';
import { parseTicketUrl } from '../settings/parsers.ts';
import type { Settings } from '../settings/settings.ts';
import { type Block, paragraph } from '../view/blocks.ts';
import { countOf } from '../view/format.ts';
import { runLoaded } from './run/run.ts';

/** Where tickets are shown, before and after. */
export const TICKET_ADDRESSES = (
  [
    ['source', 'old'],
    ['target', 'new'],
  ] as const
).map(([section, age]) =>
  option(
    'What to do',
    `--${section}-url <template>`,
    `address of a ticket in the ${age} helpdesk, with {id} for its id there`,
    { byDefault: `${section}.ticketUrl`, parse: parseTicketUrl },
  ),
);

export const command: CommandSpec = {
  arguments: [['<action>', 'plan or apply, and the files of the export', ['plan', 'apply']], FILES],
  options: [
    ...TICKET_ADDRESSES,
    shared('--sandbox', { description: 'the messages of an import into the local service' }),
    shared('--yes'),
    ...EXPORT_OPTIONS,
    shared('--only'),
    shared('--checkpoint'),
    shared('--json'),
  ],
  examples: [
    ['links plan export/', 'list every link and what it becomes; nothing is sent'],
    ['links apply export/', 'rewrite them, when all tickets are in the target; again after a delta'],
  ],
  help: () =>
    'Addresses of imported tickets are rewritten. Edits that people made in the new helpdesk stay. Give the files of the export, as for run.',
  run: linksCommand,
};

async function linksCommand(
  [action, ...files]: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const isPlan = action === 'plan';
  const loaded = await loadSettings(
    files,
    isPlan ? { ...flags, dryRun: true } : flags,
    isPlan ? ['files'] : ['files', 'target', 'credentials'],
    context,
  );
  const settings = {
    ...loaded.settings,
    ...ticketAddresses(flags, loaded.settings),
    links: isPlan ? ('plan' as const) : ('apply' as const),
  };
  if (settings.target.ticketUrl === undefined)
    throw new AppError('usage', 'It is not known where tickets are in the new helpdesk.', {
      hint: 'Give the address of a ticket with --target-url, or as target.ticketUrl in the settings: https://helpdesk.example.com/tickets/{id}.',
    });
  if (!isPlan) return await runLoaded({ ...loaded, settings }, context);
  const links = await plannedLinks(settings, loaded.folder, context);
  const tickets = new Set(links.map(({ externalId }) => externalId)).size;
  const apply = context.commands.again({ files: ['apply', ...files] });
  answer(context, flags, { version: 1, tickets, links }, linkBlocks(links, tickets, apply));
  return 0;
}

/** From the command line, else from the settings. */
export function ticketAddresses(
  { sourceUrl, targetUrl }: Flags,
  { source, target }: Settings,
): Pick<Settings, 'source' | 'target'> {
  return {
    source: typeof sourceUrl === 'string' ? { ...source, ticketUrl: sourceUrl } : source,
    target: typeof targetUrl === 'string' ? { ...target, ticketUrl: targetUrl } : target,
  };
}

interface PlannedLink extends RewrittenLink {
  readonly externalId: string;
  readonly ticketId: string;
  /** Whether the target has it so already. */
  readonly isDone: boolean;
}

async function plannedLinks(settings: Settings, folder: string, context: CliContext): Promise<PlannedLink[]> {
  using stop = listenForStop(context, () => undefined, READ_ONLY);
  const ports = { ...portsOf(context, stop), emit: () => undefined, settingsFolder: folder };
  const reader = readCheckpoint(settings.output.checkpoint);
  try {
    await using source = await openSource(settings, { ...ports, problem: () => undefined });
    const kept = new KeptFiles(settings);
    kept.links.setPlatform(platformIn(settings, source));
    await kept.bind(reader, settings.target.baseUrl);
    const rules = checkRules(settings, source, context.clock);
    const job = { source, settings, check: createChecker(rules), view: kept.view(rules.fileName) };
    const found: PlannedLink[] = [];
    for await (const chunk of examineExport(job, stop.soft, reader))
      for (const examined of chunk) {
        if (examined.kind !== 'ticket' || examined.skippedBecause !== undefined) continue;
        const { externalId, record, result } = examined;
        const { ticketId } = record ?? {};
        if (ticketId === undefined) continue;
        const isDone = reader.links.get(externalId)?.state === 'on';
        const links = result.checked?.links ?? [];
        found.push(...links.map((link) => ({ externalId, ticketId, ...link, isDone })));
      }
    return found;
  } finally {
    reader.close();
  }
}

function linkBlocks(links: readonly PlannedLink[], tickets: number, apply: string): Block[] {
  if (tickets === 0) return [paragraph('No link to another ticket was found.')];
  return [
    ...links.map(({ externalId, message, written, newAddress, isDone }) =>
      paragraph(
        `${externalId}, message ${message + 1}: ${written} → ${newAddress}${isDone ? ' (rewritten)' : ''}`,
        { look: 'verbatim' },
      ),
    ),
    { kind: 'command', text: `${countOf(tickets, 'ticket')} with links. To rewrite them:`, command: apply },
  ];
}
