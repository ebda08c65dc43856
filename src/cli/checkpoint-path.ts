/** The checkpoint of a command that needs no other setting: other faults in the settings do not matter. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { SANDBOX_FOLDER } from '../settings/table/run.ts';
import type { CliContext, Flags } from './context.ts';
import { loadSettings } from './load-settings.ts';

/** The named files, or that of `--checkpoint`, `--sandbox`, the settings file, or the default. */
export async function checkpointPaths(
  named: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<readonly [string, ...string[]]> {
  const [first, ...others] = named;
  if (first !== undefined) return [first, ...others];
  const { checkpoint, sandbox, config } = flags;
  if (typeof checkpoint === 'string' && sandbox === undefined) return [checkpoint];
  const { settings } = await loadSettings([], { checkpoint, sandbox, config }, [], {
    ...context,
    env: {},
  });
  const path = settings.output.checkpoint;
  const local = join(dirname(path), SANDBOX_FOLDER, 'checkpoint.sqlite');
  if (sandbox === undefined && !existsSync(path) && existsSync(local))
    throw new AppError('checkpoint', `There is no checkpoint at ${path}.`, {
      hint: 'There is one of imports into the local sandbox service: add --sandbox.',
    });
  return [path];
}
