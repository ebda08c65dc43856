import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createChecker } from '../check/check-ticket.ts';
import { type CheckpointReader, readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { type CommandSpec, FILES, SET, shared } from '../cli/command.ts';
import { type CliContext, type Flags, listenForStop, portsOf, READ_ONLY } from '../cli/context.ts';
import { checkpointPath, loadSettings } from '../cli/load-settings.ts';
import { answer } from '../cli/screen.ts';
import { AppError } from '../domain/errors.ts';
import { addressWithId, countOf, csvCell } from '../domain/printable.ts';
import type { RewrittenLink } from '../domain/ticket.ts';
import { TICKET_STATES } from '../domain/ticket-state.ts';
import { examineExport } from '../import/examine.ts';
import { keptFiles } from '../import/keep-files.ts';
import { type Options, optionsOf } from '../import/options.ts';
import { checkRules, openSource } from '../import/source.ts';
import { platformIn } from '../import/source-name.ts';
import { type Block, paragraph } from '../view/blocks.ts';
import { runLoaded } from './run.ts';

export const command: CommandSpec = {
  arguments: [
    [
      '<action>',
      'map, plan or apply; and for plan and apply the files of the export',
      ['map', 'plan', 'apply'],
    ],
    FILES,
  ],
  options: [
    shared('--base-url'),
    shared('--sandbox', { description: 'the messages of an import into the local service' }),
    shared('--yes'),
    SET,
    shared('--only'),
    shared('--checkpoint'),
  ],
  examples: [
    ['links map > moved.csv', 'old and new IDs and addresses of all tickets'],
    ['links plan export/', 'list every link and what it becomes; nothing is sent'],
    ['links apply export/', 'rewrite them, once all tickets are imported; again after a delta'],
  ],
  help: () =>
    'The settings source.ticketUrl and target.ticketUrl say where tickets are shown. Addresses of imported tickets are rewritten. Edits that people made in the new helpdesk stay. Give the files of the export, as for run. With map, --json prints an object a line instead of CSV.',
  run: linksCommand,
};

async function linksCommand(
  [action, ...files]: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  if (action === 'map') return await listMoved(files[0], flags, context);
  const isPlan = action === 'plan';
  const loaded = await loadSettings(
    files,
    isPlan ? { ...flags, dryRun: true } : flags,
    isPlan ? ['files'] : ['files', 'target', 'credentials'],
    context,
  );
  const settings = {
    ...loaded.settings,
    links: isPlan ? ('plan' as const) : ('apply' as const),
  };
  if (settings.target.ticketUrl === undefined)
    throw new AppError('usage', 'The address of tickets in the new helpdesk is not set.', {
      hint: 'Set target.ticketUrl in the settings file, or type --set target.ticketUrl=https://helpdesk.example.com/tickets/{id}.',
    });
  if (!isPlan) return await runLoaded({ ...loaded, settings }, context);
  const links = await plannedLinks(optionsOf(settings), loaded.folder, context);
  const tickets = new Set(links.map(({ externalId }) => externalId)).size;
  const apply = context.commands.again({ files: ['apply', ...files] });
  answer(context, flags, { version: 1, tickets, links }, linkBlocks(links, tickets, apply));
  return 0;
}

async function listMoved(named: string | undefined, flags: Flags, context: CliContext): Promise<number> {
  const { config, set, json } = flags;
  const { settings } = await loadSettings([], { config, set, dryRun: true }, [], { ...context, env: {} });
  using reader = readCheckpoint(await checkpointPath(named, flags, context));
  const lines = mapLines(reader, json === true, optionsOf(settings).links);
  await pipeline(Readable.from(lines), context.stdout, { end: false });
  return 0;
}

function* mapLines(
  reader: CheckpointReader,
  isJson: boolean,
  { source, target }: Options['links'],
): Generator<string> {
  if (!isJson) yield 'old_id,old_address,new_id,new_address\r\n';
  for (const { externalId: oldId, ticketId: newId } of reader.inStates(TICKET_STATES)) {
    if (newId === undefined) continue;
    const oldAddress = source && addressWithId(source, oldId);
    const newAddress = target && addressWithId(target, newId);
    yield isJson
      ? `${JSON.stringify({ oldId, oldAddress, newId, newAddress })}\n`
      : `${[oldId, oldAddress ?? '', newId, newAddress ?? ''].map((text) => csvCell(text)).join(',')}\r\n`;
  }
}

interface PlannedLink extends RewrittenLink {
  readonly externalId: string;
  readonly ticketId: string;
  readonly isDone: boolean;
}

async function plannedLinks(options: Options, folder: string, context: CliContext): Promise<PlannedLink[]> {
  using stop = listenForStop(context, () => undefined, READ_ONLY);
  const ports = { ...portsOf(context, stop), emit: () => undefined, settingsFolder: folder };
  using reader = readCheckpoint(options.checkpointPath);
  await using source = await openSource(options.reading, { ...ports, problem: () => undefined });
  const kept = keptFiles(options, platformIn(options.reading, source));
  await kept.bind(reader, options.helpdesk.baseUrl);
  const rules = checkRules(options, source, context.clock);
  const { selection } = options;
  const job = { source, selection, check: createChecker(rules), view: kept.view(rules.fileName) };
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
