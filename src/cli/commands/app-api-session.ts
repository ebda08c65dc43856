/** What the commands of the app API do first: settings of that API, and ports that end with Ctrl-C. */
import type { AppPorts } from '../../app/usage-target.ts';
import { AppError } from '../../domain/errors.ts';
import type { Need } from '../../settings/setting-rules.ts';
import { version } from '../../version.ts';
import type { CliContext } from '../context.ts';
import { type LoadedSettings, loadSettings } from '../load-settings.ts';
import type { Flags } from '../program.ts';

export async function loadAppSettings(
  files: readonly string[],
  flags: Flags,
  needs: readonly Need[],
  context: CliContext,
): Promise<LoadedSettings> {
  const loaded = await loadSettings(files, flags, ['appApi', ...needs], context);
  for (const warning of loaded.warnings) context.stderr.write(`Warning: ${warning}\n`);
  return loaded;
}

/** For commands that ask one thing: the first signal ends them. */
export function appPorts(context: CliContext): AppPorts & Disposable & { readonly signal: AbortSignal } {
  const end = new AbortController();
  const stopListening = context.onSignal((signal) =>
    end.abort(
      new AppError(
        signal === 'SIGINT' ? 'interrupted' : 'terminated',
        'Stopped by you; nothing was changed.',
      ),
    ),
  );
  return {
    clock: context.clock,
    random: Math.random,
    emit: () => {},
    env: context.env,
    version: version(),
    signal: end.signal,
    [Symbol.dispose]: stopListening,
  };
}
