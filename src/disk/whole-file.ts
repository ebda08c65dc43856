import { randomBytes } from 'node:crypto';
import { open, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

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

/** Also of another user. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
