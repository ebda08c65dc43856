/** After a run with --serve: the pages of its trial, until Ctrl-C. */
import { type CliContext, portsOf, type StopSignals } from '../../cli/context.ts';
import { AppError } from '../../domain/errors.ts';
import { connect, type TargetAddress } from '../../import/target.ts';
import type { Facts } from '../../plan/facts.ts';
import type { Settings } from '../../settings/settings.ts';
import { type Block, paragraph } from '../../view/blocks.ts';
import { quoteArgument } from '../../view/command-line.ts';
import { formatMinute } from '../../view/format.ts';
import { trialSides } from './old-side.ts';
import { openTrialDesk, type TrialDesk } from './routes.ts';

interface Serving {
  readonly settings: Settings;
  readonly target: TargetAddress;
  readonly facts: Facts;
}

/** Undefined if the run chose no tickets, or the export was standard input. */
export async function serveTrial(
  { settings, target, facts }: Serving,
  context: CliContext,
  stop: StopSignals,
): Promise<TrialDesk | undefined> {
  const { picks } = facts;
  const without = settings.people.customersWithoutEmail;
  if (picks.length === 0 || settings.source.files.includes('-')) return undefined;
  const ports = { ...portsOf(context, stop), emit: () => undefined };
  // The import is over and recorded: a page that cannot be made is no failure of it.
  const tickets = await trialSides(settings, picks, ports).catch((error: unknown) => {
    if (error instanceof AppError || stop.soft.aborted) return [];
    throw error;
  });
  if (tickets.length === 0) return undefined;
  const api = connect(target, settings.run, ports);
  const desk = await openTrialDesk({
    ...{ tickets, facts, api, clock: context.clock, version: ports.version, signal: stop.soft },
    checkpointPath: settings.output.checkpoint,
    domain: typeof without === 'object' ? without.synthesize : undefined,
    nextOf: (wrong) => nextBlocks(wrong, facts, context),
  });
  return {
    url: desk.url,
    [Symbol.asyncDispose]: async () => {
      await desk[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
    },
  };
}

function nextBlocks([first]: readonly string[], facts: Facts, { commands, clock }: CliContext): Block[] {
  const { files } = facts.export;
  const run = (...more: string[]) => commands.about('run', { files, more });
  const signed = paragraph(`Signed. ${formatMinute(new Date(clock.now()).toISOString())}`, { look: 'lead' });
  const step = (text: string, command: string): Block => ({ kind: 'command', text, command });
  if (first === undefined) return [signed, step('Import the rest:', run())];
  return [
    signed,
    step(
      'See where a value comes from, and correct the settings:',
      commands.about('inspect', { files, more: ['--ticket', quoteArgument(first)] }),
    ),
    step('Take the trial back. Tickets that people edited in the helpdesk stay:', commands.about('undo')),
    step('Make the trial again. Marks of tickets that look the same stay:', run('--trial', '--serve')),
  ];
}
