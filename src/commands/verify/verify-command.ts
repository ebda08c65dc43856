/**
 * `helpdesk-import verify`: reads imported tickets back and compares them with the export. Ends with 0 when all that was
 * compared is equal, 3 when something differs or nothing could be compared, 5 when the token may not read.
 */

import { readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { openScreen } from '../../cli/open-screen.ts';
import { writeJson } from '../../cli/show-error.ts';
import { listenForStop, portsOf, READING } from '../../cli/signals.ts';
import { AppError } from '../../domain/errors.ts';
import type { Emit } from '../../domain/run-events.ts';
import { openTarget, type TargetAddress } from '../../import/target.ts';
import { wholeNumber } from '../../settings/parsers.ts';
import { countOf } from '../../view/format.ts';
import { wantsBar } from '../../view/terminal/screen.ts';
import { createStyle } from '../../view/terminal/style.ts';
import { type SampleSize, verifyImport } from './verify.ts';
import { verifyLines } from './verify-view.ts';

const SAMPLE = 100;

export async function verifyCommand(
  files: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const size = sampleSize(flags);
  const { settings, warnings, folder } = await loadSettings(
    files,
    flags,
    ['files', 'target', 'credentials'],
    context,
  );
  const { output } = settings;
  // Before a sandbox is started for it, and before the export is read.
  readCheckpoint(output.checkpoint).close();
  const { stdout, stderr, env, clock, commands } = context;
  const { screen, say, warn } = await openScreen(settings, context);
  const hasBar = wantsBar(stderr, env, output.progress);
  const emit: Emit = (event) => {
    // Lines of a log would call it an import.
    if (event.type !== 'start-import' || hasBar) screen.emit(event);
    else screen.print([`reading ${countOf(event.tickets, 'ticket')} back`]);
  };
  using stop = listenForStop(context, say, READING);
  let target: TargetAddress | undefined;
  try {
    for (const warning of warnings) warn(warning);
    target = await openTarget(settings, clock);
    const result = await verifyImport(settings, target, size, {
      ...portsOf(context, stop),
      emit,
      settingsFolder: folder,
    });
    screen.close();
    const shown = createStyle({ stream: stdout, env, commands });
    if (output.json) writeJson(stdout, result);
    else stdout.write(`${verifyLines(result, shown).join('\n')}\n`);
    return result.exitCode;
  } finally {
    screen.close();
    await target?.sandbox?.close();
  }
}

function sampleSize(flags: Flags): SampleSize {
  const { all, sample } = flags;
  if (all === true) return 'all';
  if (typeof sample !== 'string') return SAMPLE;
  const parsed = wholeNumber(1, 100_000)(sample);
  if ('value' in parsed) return parsed.value;
  throw new AppError('usage', `--sample ${parsed.problem}.`);
}
