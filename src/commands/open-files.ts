/** The files of an export as `inspect` and `init` open them: without settings, from flags alone. */

import type { CliContext, Flags } from '../cli/context.ts';
import { endedBy } from '../cli/signals.ts';
import { openExport, type StagedExport } from '../source/open-export.ts';

/** Throws AppError `source` where a file cannot be read. */
export async function openFiles(
  files: readonly string[],
  flags: Flags,
  context: CliContext,
  signal: AbortSignal,
): Promise<StagedExport> {
  return await openExport(files, {
    encoding: textFlag(flags, 'encoding'),
    delimiter: textFlag(flags, 'delimiter'),
    stdin: context.stdin,
    signal,
  });
}

export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

/** Aborted by the first signal: looking at files leaves nothing to finish. */
export function stoppable(
  context: Pick<CliContext, 'onSignal'>,
): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const stopListening = context.onSignal((signal) => {
    controller.abort(endedBy(signal, 'nothing was written'));
  });
  return { signal: controller.signal, [Symbol.dispose]: stopListening };
}
