/** `helpdesk-import checkpoint backup` and `checkpoint rebuild`. */

import { backUpCheckpoint } from '../../checkpoint/backup.ts';
import { checkpointPaths } from '../../cli/checkpoint-path.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { writeJson } from '../../cli/show-error.ts';
import { listenForStop } from '../../cli/signals.ts';
import { AppError } from '../../domain/errors.ts';
import { openTarget } from '../../import/target.ts';
import { countOf } from '../../present/terminal/format.ts';
import { createStyle } from '../../present/terminal/style.ts';
import { wrap } from '../../present/terminal/text-block.ts';
import { version } from '../../version.ts';
import { rebuildCheckpoint } from './rebuild.ts';

export async function checkpointCommand(
  [action, ...files]: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  if (action === 'backup') return await backUp(files, flags, context);
  if (action === 'rebuild') return await rebuild(files, flags, context);
  throw new AppError('usage', `checkpoint has no action "${action ?? ''}".`, {
    hint: 'There are: checkpoint backup [file], checkpoint rebuild [files].',
  });
}

async function backUp(files: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const [path] = await checkpointPaths([], flags, context);
  const [to = `${path}.backup`, ...more] = files;
  if (more.length > 0)
    throw new AppError('usage', 'checkpoint backup writes one file.', { hint: 'Name one file.' });
  await backUpCheckpoint(path, to, context.clock.now());
  if (flags['json'] === true) writeJson(context.stdout, { version: 1, checkpoint: path, backup: to });
  else say(`The checkpoint ${path} was copied to ${to}.`, flags, context);
  return 0;
}

async function rebuild(files: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const needs = ['target', 'credentials'] as const;
  const { settings, folder } = await loadSettings(files, flags, needs, context);
  using stop = listenForStop(context, (message) => void context.stderr.write(`${message}\n`));
  const { clock, env, stdin } = context;
  const result = await rebuildCheckpoint(settings, await openTarget(settings, context.clock), {
    clock,
    random: Math.random,
    emit: () => undefined,
    env,
    stdin,
    soft: stop.soft,
    hard: stop.hard,
    version: version(),
    settingsFolder: folder,
  });
  const { tickets, severalTimes, unknown } = result;
  if (flags['json'] === true) writeJson(context.stdout, result);
  else {
    say(
      `${countOf(tickets, 'ticket')} of the target ${tickets === 1 ? 'is' : 'are'} in ${result.checkpoint} now. The next run reads their threads and sends what is missing.`,
      flags,
      context,
    );
    if (severalTimes.length > 0)
      say(
        `${countOf(severalTimes.length, 'ticket')} of the source ${severalTimes.length === 1 ? 'stands' : 'stand'} several times in the target and ${severalTimes.length === 1 ? 'is' : 'are'} in doubt: ${severalTimes.slice(0, 20).join(', ')}. Choose with: ${context.commands.about('resolve')}`,
        flags,
        context,
      );
    if (unknown > 0)
      say(
        `The external id of ${countOf(unknown, 'ticket')} cannot be told from the tags${files.length === 0 ? ': give the files of the export' : ''}.`,
        flags,
        context,
      );
  }
  return severalTimes.length > 0 || unknown > 0 ? 4 : 0;
}

function say(text: string, flags: Flags, { stdout, env, commands }: CliContext): void {
  const style = createStyle({ stream: stdout, env, color: flags['color'] !== false, commands });
  stdout.write(`${wrap(text, style).join('\n')}\n`);
}
