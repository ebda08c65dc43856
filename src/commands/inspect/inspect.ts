/** `helpdesk-import inspect`: what is in an export. Sends nothing and writes nothing. */

import { answer } from '../../cli/answer.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { inspectExport, inspectionJson } from '../../discover/inspection.ts';
import { builtinLayouts } from '../../mapping/platforms/builtin-layouts.ts';
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
  answer(
    context,
    flags,
    () => inspectionJson(inspection, opened.files),
    (style) => inspectionLines(inspection, opened.files, files, style),
  );
  return 0;
}
