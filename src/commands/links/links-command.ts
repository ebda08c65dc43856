/** `helpdesk-import links plan|apply`: links between tickets lead to where the tickets are now. */

import { createChecker } from '../../check/check-ticket.ts';
import { readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { writeJson } from '../../cli/show-error.ts';
import { listenForStop, portsOf, READING } from '../../cli/signals.ts';
import { AppError } from '../../domain/errors.ts';
import { printable } from '../../domain/printable.ts';
import type { RewrittenLink } from '../../domain/ticket.ts';
import { checkRules } from '../../import/check-rules.ts';
import { examineExport } from '../../import/examine.ts';
import { KeptFiles } from '../../import/files/keep-files.ts';
import { openSource } from '../../import/source.ts';
import { platformIn } from '../../import/source-name.ts';
import type { Settings } from '../../settings/settings.ts';
import { countOf } from '../../view/format.ts';
import { addressIn } from '../map/map-command.ts';
import { runLoaded } from '../run/run.ts';

const ACTIONS = ['plan', 'apply'] as const;

export async function linksCommand(
  [action, ...files]: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const links = ACTIONS.find((one) => one === action);
  if (links === undefined)
    throw new AppError('usage', `links has no action "${action ?? ''}".`, {
      hint: 'There are: links plan and links apply, each with the files of the export.',
    });
  const needs = links === 'plan' ? (['files'] as const) : (['files', 'target', 'credentials'] as const);
  const given = links === 'plan' ? { ...flags, dryRun: true } : flags;
  const loaded = await loadSettings(files, given, needs, context);
  const { source, target } = loaded.settings;
  const settings: Settings = {
    ...loaded.settings,
    links,
    source: { ...source, ticketUrl: addressIn(flags['sourceUrl'], '--source-url') ?? source.ticketUrl },
    target: { ...target, ticketUrl: addressIn(flags['targetUrl'], '--target-url') ?? target.ticketUrl },
  };
  if (settings.target.ticketUrl === undefined)
    throw new AppError('usage', 'It is not known where tickets are in the new helpdesk.', {
      hint: 'Give the address of a ticket with --target-url, or as target.ticketUrl in the settings: https://helpdesk.example.com/tickets/{id}.',
    });
  if (links !== 'plan') return await runLoaded({ ...loaded, settings }, context);
  return await plan(settings, loaded.folder, context);
}

interface PlannedLink extends RewrittenLink {
  readonly externalId: string;
  readonly ticketId: string | undefined;
  /** Whether the target has it so already. */
  readonly isDone: boolean;
}

async function plan(settings: Settings, folder: string, context: CliContext): Promise<number> {
  using stop = listenForStop(context, () => undefined, READING);
  const ports = { ...portsOf(context, stop), emit: () => undefined, settingsFolder: folder };
  const reader = readCheckpoint(settings.output.checkpoint);
  try {
    await using source = await openSource(settings, { ...ports, problem: () => undefined });
    const kept = new KeptFiles(settings);
    kept.links.setPlatform(platformIn(settings, source));
    await kept.bind(reader, settings.target.baseUrl);
    const rules = checkRules(settings, source, context.clock);
    const check = createChecker(rules);
    const view = kept.view(rules.fileName);
    const { json } = settings.output;
    const found: PlannedLink[] = [];
    const tickets = new Set<string>();
    for await (const chunk of examineExport({ source, settings, check, view }, stop.soft, reader))
      for (const examined of chunk) {
        if (examined.kind !== 'ticket' || examined.skippedBecause !== undefined) continue;
        const { checked } = examined.result;
        if (checked?.links === undefined || examined.record?.ticketId === undefined) continue;
        const { externalId } = checked;
        const { ticketId } = examined.record;
        const isDone = reader.links.get(externalId)?.state === 'on';
        tickets.add(externalId);
        const links = checked.links.map((link) => ({ externalId, ticketId, ...link, isDone }));
        if (json) found.push(...links);
        else for (const link of links) context.stdout.write(`${printable(lineOf(link))}\n`);
      }
    if (json) writeJson(context.stdout, { version: 1, tickets: tickets.size, links: found });
    else
      context.stdout.write(
        tickets.size === 0
          ? 'No link to another ticket was found.\n'
          : `${countOf(tickets.size, 'ticket')} with links. To rewrite them: ${context.commands.again()?.replace('links plan', 'links apply') ?? 'helpdesk-import links apply'}\n`,
      );
    return 0;
  } finally {
    reader.close();
  }
}

function lineOf({ externalId, message, written, newAddress, isDone }: PlannedLink): string {
  return `${externalId}, message ${message + 1}: ${written} → ${newAddress}${isDone ? ' (rewritten)' : ''}`;
}
