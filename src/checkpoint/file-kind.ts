/** What has the name of a checkpoint: a file, or a link to one. */
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../domain/errors.ts';

/** Whether there is a file. Throws AppError `checkpoint` where something else has the name. */
export function isFileThere(path: string): boolean {
  const stats = statOf(path);
  if (stats === undefined) return false;
  if (!stats.isFile()) throw unopenable(path, 'it is not a file');
  return true;
}

/**
 * The real path of the checkpoint, which its lock is named after: a link and its file are one checkpoint.
 * Throws AppError `checkpoint` where it cannot be: no such folder, or something else has the name.
 */
export function resolveCheckpointPath(path: string): string {
  if (isFileThere(path)) return realpathSync(path);
  const folder = dirname(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new AppError('checkpoint', `The folder ${folder} of ${path} does not exist.`, {
      hint: 'Create it, or name another file.',
    });
  }
  return join(realpathSync(folder), basename(path));
}

/** A file with a second name has two locks and two logs. */
export function requireOneName(path: string): void {
  if (statSync(path).nlink > 1) throw unopenable(path, 'it has a second name (a hard link)');
}

function statOf(path: string): Stats | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    // A link that leads nowhere is no free name.
    if (stats !== undefined || lstatSync(path, { throwIfNoEntry: false }) === undefined) return stats;
  } catch (cause) {
    throw unopenable(path, String((cause as NodeJS.ErrnoException).code), cause);
  }
  throw unopenable(path, 'it is a link to a file that does not exist');
}

function unopenable(path: string, why: string, cause?: unknown): AppError {
  return new AppError('checkpoint', `The checkpoint ${path} cannot be opened: ${why}.`, {
    hint: 'Name another file with --checkpoint.',
    cause,
  });
}
