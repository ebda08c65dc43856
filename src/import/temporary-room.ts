/** Whether the rows and the plan of an export fit into the temporary folder: known before anything is read. */
import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { AppError } from '../domain/errors.ts';
import type { Emit } from '../domain/run-events.ts';

/** They take at most so many times the unpacked export. */
const TIMES = 2.2;
/** Less is not worth a line. */
const WORTH_SAYING = 200e6;

/** `bytes`: of the export, as far as known. Throws AppError `disk-write` where it cannot fit. */
export function requireTemporaryRoom(bytes: number, emit: Emit, folder = temporaryFolder()): void {
  const needed = bytes * TIMES;
  const free = freeIn(folder);
  if (free !== undefined && free < needed)
    throw new AppError(
      'disk-write',
      `The rows and the plan of this export need up to ${megabytes(needed)} in ${folder}, which has ${megabytes(free)} free.`,
      { hint: 'Nothing was sent. Free up space, or name another folder in SQLITE_TMPDIR, and run again.' },
    );
  if (needed >= WORTH_SAYING)
    emit({
      type: 'note',
      message: `This takes up to ${megabytes(needed)} of temporary disk in ${folder}.`,
    });
}

/** Where SQLite puts temporary files. */
function temporaryFolder(): string {
  if (process.platform === 'win32') return tmpdir();
  const { SQLITE_TMPDIR, TMPDIR } = process.env;
  const folders = [SQLITE_TMPDIR, TMPDIR, '/var/tmp', '/usr/tmp', '/tmp'];
  return folders.find((folder) => folder !== undefined && isWritable(folder)) ?? '.';
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function freeIn(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6).toLocaleString('en-US')} MB`;
}
