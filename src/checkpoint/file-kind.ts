/** What stands under the name of a checkpoint: a file, a link to one, or something that cannot be one. */
import { lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { AppError } from '../domain/errors.ts';

/** Whether there is a file. Throws AppError `checkpoint` where something else stands under the name. */
export function isFileThere(path: string): boolean {
  const stats = statOf(path);
  if (stats === undefined) return false;
  if (stats.isDirectory())
    throw new AppError('checkpoint', `${path} is a folder, so it cannot be the checkpoint.`, {
      hint: 'Name a file with --checkpoint.',
    });
  if (!stats.isFile())
    throw new AppError('checkpoint', `${path} is a pipe or a device, so it cannot be the checkpoint.`, {
      hint: 'Name a file with --checkpoint.',
    });
  return true;
}

function statOf(path: string): Stats | undefined {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw unreachable(path, cause);
  }
  if (stats === undefined && lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    throw new AppError('checkpoint', `The checkpoint ${path} is a link to a file that does not exist.`, {
      hint: 'Put the file back, or name another one with --checkpoint.',
    });
  return stats;
}

function unreachable(path: string, cause: unknown): AppError {
  const { code } = cause as NodeJS.ErrnoException;
  const why = code === 'ELOOP' ? 'is a link that leads back to itself' : `cannot be reached (${code})`;
  return new AppError('checkpoint', `The checkpoint ${path} ${why}.`, {
    hint: 'Name another file with --checkpoint.',
    cause,
  });
}

/** One checkpoint under two names has two logs, and each of them lacks what the other has. */
export function requireOneName(path: string, mounts = mountInfo()): void {
  if (statSync(path).nlink > 1) throw severalNames(path);
  if (isMountPoint(path, mounts)) throw mountedAlone(path);
}

/** A single file is mounted at this path (as resolved), as containers do with `-v file:file`. Told by Linux alone. */
function isMountPoint(path: string, reported: string): boolean {
  return reported.split('\n').some((line) => placeOf(line) === path);
}

function mountInfo(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return '';
  }
}

/** The fifth field; spaces and the like stand as octal numbers. */
function placeOf(line: string): string | undefined {
  return line
    .split(' ')[4]
    ?.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function severalNames(path: string): AppError {
  return new AppError(
    'checkpoint',
    `The checkpoint ${path} has a second name (a hard link), under which another run could write to it.`,
    {
      hint: 'Remove the other name, or make a copy of the file and use that alone: two names of one checkpoint lose what was recorded.',
    },
  );
}

function mountedAlone(path: string): AppError {
  return new AppError(
    'checkpoint',
    `The checkpoint ${path} is mounted as a single file, so the files beside it are not those of the other side.`,
    { hint: 'Mount its folder instead.' },
  );
}

/** Files that stand beside a checkpoint. Throws AppError `checkpoint` where something else has the name of one. */
export function requireFilesBeside(path: string): void {
  for (const ending of ['-wal', '-shm', '-journal', '.new', '.new-journal', '.lock']) {
    const beside = `${path}${ending}`;
    if (lstatSync(beside, { throwIfNoEntry: false }) === undefined) continue;
    if (isFile(beside)) continue;
    throw new AppError('checkpoint', `${beside} is not a file, and a file of the checkpoint has this name.`, {
      hint: 'Move it away, or name another checkpoint with --checkpoint.',
    });
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // A link that leads nowhere, or to itself.
    return false;
  }
}
