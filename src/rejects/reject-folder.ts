/**
 * The folder of the rejects on disk. A new one is written beside it and takes its place at the end, so the old one stays
 * whole until then, and may itself be what is read. A marker tells that a folder is one of rejects: no other is ever
 * replaced. What a killed process left beside it is cleared away when the folder is opened again.
 */
import {
  createReadStream,
  createWriteStream,
  existsSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../domain/errors.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const FLUSH_BYTES = 1024 * 1024;

export class RejectFolder {
  readonly path: string;
  readonly #fresh: string;
  readonly #old: string;
  readonly #pending = new Map<string, Buffer[]>();
  #pendingBytes = 0;
  #made = false;
  /** Which folder stood there when this one was opened. */
  readonly #before: number | undefined;

  private constructor(path: string) {
    this.path = path;
    this.#fresh = `${path}.new-${process.pid}`;
    this.#old = `${path}.old-${process.pid}`;
    this.#before = inodeOf(path);
  }

  /** Throws AppError `usage` when there is something else at this path. */
  static open(path: string): RejectFolder {
    try {
      clearLeftovers(resolve(path));
      // By its own name, so that a link to it stays one.
      const folder = new RejectFolder(existsSync(path) ? realpathSync(path) : resolve(path));
      clearLeftovers(folder.path);
      if (!existsSync(folder.path) || existsSync(join(folder.path, MARKER))) return folder;
      if (statSync(folder.path).isDirectory() && readdirSync(folder.path).length === 0) return folder;
    } catch (cause) {
      throw unwritable(path, cause);
    }
    throw new AppError('usage', `${path} is not a folder of rejects, so it is not replaced.`, {
      hint: 'Name another folder with --rejects, or move what is there.',
    });
  }

  /** Adds to the end of a file of the new folder. `name` may have folders in it. */
  async append(name: string, ...bytes: readonly Buffer[]): Promise<void> {
    const pending = this.#pending.get(name) ?? [];
    this.#pending.set(name, pending);
    for (const part of bytes) {
      pending.push(part);
      this.#pendingBytes += part.length;
    }
    if (!this.#made || this.#pendingBytes >= FLUSH_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    await onDisk(this.#fresh, async () => {
      await this.#make();
      for (const [name, parts] of this.#pending) {
        const path = join(this.#fresh, name);
        if (name.includes('/')) await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
        await appendFile(path, Buffer.concat(parts), { mode: FILE_MODE });
      }
      this.#pending.clear();
      this.#pendingBytes = 0;
    });
  }

  /** Adds the whole of another file of the new folder. */
  async appendFile(name: string, other: string): Promise<void> {
    await this.flush();
    await onDisk(this.#fresh, () =>
      pipeline(
        createReadStream(join(this.#fresh, other)),
        createWriteStream(join(this.#fresh, name), { flags: 'a', mode: FILE_MODE }),
      ),
    );
  }

  async remove(name: string): Promise<void> {
    await onDisk(this.#fresh, () => rm(join(this.#fresh, name), { recursive: true, force: true }));
  }

  /** Whether another process has replaced the folder in the meantime. */
  get isOvertaken(): boolean {
    return inodeOf(this.path) !== this.#before;
  }

  /** The new folder takes the place of the old one; without a new one the old one goes. */
  async swap(): Promise<void> {
    if (this.#made) await this.flush();
    await onDisk(this.path, async () => {
      if (existsSync(this.path)) renameSync(this.path, this.#old);
      if (this.#made) renameSync(this.#fresh, this.path);
      await rm(this.#old, { recursive: true, force: true });
    });
    this.#made = false;
  }

  /** Leaves the old folder as it is. */
  async discard(): Promise<void> {
    this.#pending.clear();
    await onDisk(this.#fresh, () => rm(this.#fresh, { recursive: true, force: true }));
    this.#made = false;
  }

  async #make(): Promise<void> {
    if (this.#made) return;
    await mkdir(this.#fresh, { recursive: true, mode: FOLDER_MODE });
    await writeFile(
      join(this.#fresh, MARKER),
      'Written by helpdesk-import: rows that are imported leave this folder, and all others stay.\n',
      {
        mode: FILE_MODE,
      },
    );
    this.#made = true;
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** New folders that dead processes left, and an old one that was moved away and not replaced. */
function clearLeftovers(path: string): void {
  const parent = dirname(path);
  if (!existsSync(parent)) return;
  for (const name of readdirSync(parent)) {
    const [, stem, kind, pid] = /^(.*)\.(new|old)-(\d+)$/.exec(name) ?? [];
    if (stem !== basename(path)) continue;
    const left = join(parent, name);
    // Whatever process it was: nothing else is left of the rejects.
    if (kind === 'old' && !existsSync(path)) renameSync(left, path);
    else if (!isAlive(Number(pid))) rmSync(left, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function onDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

function unwritable(path: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  const why = code === 'ENOSPC' ? 'the disk is full' : code === 'EACCES' ? 'it is not permitted' : code;
  return new AppError('disk-write', `The rejects in ${path} cannot be written: ${why}.`, {
    hint: 'Free up space or name another folder with --rejects, and run again.',
    cause,
  });
}

/** A file that stands in every folder of rejects: no other folder is ever replaced. */
export const MARKER = '.helpdesk-import-rejects';
