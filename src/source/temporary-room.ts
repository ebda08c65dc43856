/** Room for the rows and the plan of an export, in the folder that SQLite uses. */
import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Emit } from '../domain/ports.ts';
import { stop } from '../domain/text/stops.ts';

/** At most this many times the unpacked export. */
const TIMES = 3;
const WORTH_SAYING = 200e6;

export function requireTemporaryRoom(bytes: number, emit: Emit, folder = temporaryFolder()): void {
  const needed = bytes * TIMES;
  const free = freeIn(folder);
  if (free !== undefined && free < needed)
    throw stop('temporary-room', { needed: megabytes(needed), folder, free: megabytes(free) });
  if (needed >= WORTH_SAYING)
    emit({
      type: 'note',
      message: `This takes up to ${megabytes(needed)} of temporary disk in ${folder}.`,
    });
}

function temporaryFolder(): string {
  if (process.platform === 'win32') return tmpdir();
  const { SQLITE_TMPDIR, TMPDIR } = process.env;
  const isWritable = (folder: string) =>
    tried(() => accessSync(folder, constants.W_OK | constants.X_OK) ?? true) === true;
  const folders = [SQLITE_TMPDIR, TMPDIR, '/var/tmp', '/usr/tmp', '/tmp'];
  return folders.find((folder) => folder !== undefined && isWritable(folder)) ?? '.';
}

function freeIn(folder: string): number | undefined {
  const { bavail, bsize } = tried(() => statfsSync(folder)) ?? {};
  return bavail === undefined || bsize === undefined ? undefined : bavail * bsize;
}

function tried<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6).toLocaleString('en-US')} MB`;
}
