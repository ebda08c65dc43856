/** The checkpoint of a command that needs no other setting: other faults in the settings do not matter. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { SANDBOX_FOLDER } from '../settings/table/run.ts';
import type { CliContext, Flags } from './context.ts';
import { loadSettings } from './load-settings.ts';
import { giveFilesBack } from './optional-values.ts';

/** The named files, or that of `--checkpoint`, `--sandbox`, the settings file, or the default. */
export async function checkpointPaths(
  named: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<readonly [string, ...string[]]> {
  const given = giveFilesBack({ files: named, flags }, context.cwd);
  const [first, ...others] = given.files;
  if (first !== undefined) return [first, ...others];
  const { checkpoint, sandbox, config } = given.flags;
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
