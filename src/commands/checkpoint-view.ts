/** The checkpoint that a command shows. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CheckpointReader, readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import type { CliContext, Flags } from '../cli/context.ts';
import { loadSettings } from '../cli/load-settings.ts';
import { AppError } from '../domain/errors.ts';
import { SANDBOX_FOLDER } from '../settings/table/run.ts';

export const ALL_TICKETS = 2 ** 31 - 1;

/** The named checkpoint, or that of `--checkpoint`, `--sandbox`, the settings or the default. Faults in other settings do not matter. */
export async function checkpointPath(
  named: string | undefined,
  flags: Flags,
  context: CliContext,
): Promise<string> {
  if (named !== undefined) return named;
  const { checkpoint, sandbox, config } = flags;
  if (typeof checkpoint === 'string' && sandbox === undefined) return checkpoint;
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
  return path;
}

export async function withReader<T>(
  path: string,
  work: (reader: CheckpointReader) => T | Promise<T>,
): Promise<T> {
  const reader = readCheckpoint(path);
  try {
    return await work(reader);
  } finally {
    reader.close();
  }
}
