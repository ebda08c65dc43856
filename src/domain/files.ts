import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { open, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** `code`: the system's. */
export class SmallFileError extends Error {
  readonly code: 'not a regular file' | 'too large';

  constructor(code: SmallFileError['code'], path: string) {
    super(`${path} is ${code}`);
    this.code = code;
  }
}

/** Throws SmallFileError, or the system's error. */
export function readSmallFile(path: string, most: number): string {
  // Without waiting for a writer of a pipe.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) throw Object.assign(new Error(`${path} is a folder`), { code: 'EISDIR' });
    if (!stats.isFile()) throw new SmallFileError('not a regular file', path);
    if (stats.size > most) throw new SmallFileError('too large', path);
    // Files of /proc have size 0, and a file may grow meanwhile.
    const buffer = Buffer.alloc(Math.max(stats.size, 4096) + 1);
    const parts: Buffer[] = [];
    let total = 0;
    for (;;) {
      const bytesRead = readSync(file, buffer, 0, buffer.length, null);
      if (bytesRead === 0) break;
      total += bytesRead;
      if (total > most) throw new SmallFileError('too large', path);
      parts.push(Buffer.from(buffer.subarray(0, bytesRead)));
    }
    return Buffer.concat(parts).toString('utf8');
  } finally {
    closeSync(file);
  }
}

/** Throws if it is not a regular file, or too large. A missing file passes. */
export function checkRegular(path: string, most: number): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isFile()) throw new SmallFileError('not a regular file', path);
  if (stats.size > most) throw new SmallFileError('too large', path);
}

export function whyUnread(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  if (error instanceof SmallFileError) return `is ${code}`;
  return code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
}

/** These are never replaced; `/dev/shm` holds files. */
export function isStreamName(path: string): boolean {
  return /^\/(?:dev|proc)\/(?!shm\/)/.test(resolve(path));
}

/**
 * A crash leaves the old or the new one, readable for its owner only. Follows symbolic links. Throws the system's error, and
 * EINVAL for a stream or device.
 */
export async function writeWhole(path: string, content: string | Buffer): Promise<void> {
  const place = await realpath(path).catch(() => path);
  if (isStreamName(path) || isStreamName(place))
    throw Object.assign(new Error('It is a stream or a device.'), { code: 'EINVAL' });
  const draft = join(dirname(place), `.${basename(place)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** True for a process of another user, too. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
