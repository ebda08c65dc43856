/** A command never replaces a file that it did not write. */

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { isStreamName } from '../domain/files.ts';
import { stop } from '../domain/text/stops.ts';

export interface Output {
  readonly path: string;
  /** Default: its path. */
  readonly name?: string | undefined;
  readonly isOurs: (head: string) => boolean;
  readonly isDatabase?: boolean | undefined;
  readonly force?: boolean | undefined;
  /** Such as a pipe of the shell. */
  readonly mayBeStream?: boolean | undefined;
}

const HEAD_BYTES = 512;
const SQLITE = 'SQLite format 3\0';

export function requireOutput({ path, name = path, isOurs, isDatabase, force, mayBeStream }: Output): void {
  if (path === '-')
    throw new AppError('usage', `${name} is a file, not standard output.`, { hint: 'Name a file.' });
  const isStream = isStreamName(path);
  if (mayBeStream === true && isStream) return;
  const folder = dirname(resolve(path));
  if (statOf(folder)?.isDirectory() !== true) throw stop('output-folder', { path });
  const there = statOf(path);
  // A redirection is a file, and no draft may be written next to it.
  if (isStream || (there !== undefined && !there.isFile() && !there.isDirectory()))
    throw stop('output-device', { name });
  if (there === undefined) return;
  if (there.isDirectory()) throw stop('output-is-folder', { name });
  if (there.size === 0) return;
  const head = headOf(path);
  if (head?.startsWith(SQLITE) === true && !(isDatabase === true && isOurs(head)))
    throw stop('output-is-database', { name });
  if (force === true || (head !== undefined && isOurs(head))) return;
  throw new AppError('usage', `${name} already exists. It is not replaced.`, {
    hint: `Name another file, or ${force === undefined ? 'delete this one' : 'replace this one with --force'}.`,
  });
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Opening a pipe would wait for its writer. */
export function headOf(path: string): string | undefined {
  if (statOf(path)?.isFile() !== true) return undefined;
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const bytes = Buffer.alloc(HEAD_BYTES);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, HEAD_BYTES, 0));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
