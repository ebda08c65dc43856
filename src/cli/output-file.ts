/** What a command writes goes into files: to open a pipe waits for somebody who reads it, and no signal ends that. */
import { statSync } from 'node:fs';
import { isStreamName } from '../disk/whole-file.ts';
import { AppError } from '../domain/errors.ts';

/**
 * Throws AppError `usage` where something that is neither a file nor a folder has the name. `mayBeStream`: what is under /dev,
 * such as a pipe of the shell, is taken as well.
 */
export function requireOutputFile(path: string, name: string, { mayBeStream = false } = {}): void {
  const isStream = isStreamName(path);
  if (mayBeStream && isStream) return;
  let found: ReturnType<typeof statSync>;
  try {
    found = statSync(path, { throwIfNoEntry: false });
  } catch {
    // Writing says why.
    return;
  }
  // What the shell has redirected is a file, and would be one beside which nothing may be written.
  if (!isStream && (found === undefined || found.isFile() || found.isDirectory())) return;
  throw new AppError('usage', `${name} is a pipe or a device, so it cannot be written as a file.`, {
    hint: 'Name a file.',
  });
}
