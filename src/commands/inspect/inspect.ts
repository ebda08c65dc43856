/** `helpdesk-import inspect`: what is in an export. Sends nothing and writes nothing. */

import type { CliContext, Flags } from '../../cli/context.ts';
import { writeJson } from '../../cli/show-error.ts';
import { inspectExport, inspectionJson } from '../../discover/inspection.ts';
import { builtinLayouts } from '../../mapping/platforms/builtin-layouts.ts';
import { createStyle } from '../../present/terminal/style.ts';
import { inspectionLines } from './inspect-view.ts';
import { nothingNamed, openFiles, stoppable, textFlag } from './open-files.ts';

export async function inspectCommand(
  files: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  if (files.length === 0) throw nothingNamed('inspect');
  using stop = stoppable(context);
  await using opened = await openFiles(files, flags, context, stop.signal);
  const inspection = await inspectExport(opened, builtinLayouts(), {
    full: flags['full'] === true,
    from: textFlag(flags, 'from'),
    signal: stop.signal,
  });
  if (flags['json'] === true) {
    writeJson(context.stdout, inspectionJson(inspection, opened.files));
    return 0;
  }
  const style = createStyle({
    stream: context.stdout,
    env: context.env,
    commands: context.commands,
    color: flags['color'] !== false,
  });
  context.stdout.write(`${inspectionLines(inspection, opened.files, files, style).join('\n')}\n`);
  return 0;
}
