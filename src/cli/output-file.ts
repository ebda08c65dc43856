/** What a command writes goes into files: to open a pipe waits for somebody who reads it, and no signal ends that. */
import { statSync } from 'node:fs';
import { AppError } from '../domain/errors.ts';

/**
 * Throws AppError `usage` where something that is neither a file nor a folder has the name. `mayBeStream`: what is under /dev,
 * such as a pipe of the shell, is taken as well.
 */
export function requireOutputFile(path: string, name: string, { mayBeStream = false } = {}): void {
  if (mayBeStream && path.startsWith('/dev/')) return;
  let found: ReturnType<typeof statSync>;
  try {
    found = statSync(path, { throwIfNoEntry: false });
  } catch {
    // Writing says why.
    return;
  }
  if (found === undefined || found.isFile() || found.isDirectory()) return;
  throw new AppError('usage', `${name} is a pipe or a device, so it cannot be written as a file.`, {
    hint: 'Name a file.',
  });
}
