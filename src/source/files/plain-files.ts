/**
 * Plain files, read in place. An export may be a folder with a hundred thousand of them, so only a few are open at a
 * time; a file that is opened again must still be the one that was looked at first.
 */
import { closeSync, fstatSync, openSync, type Stats } from 'node:fs';
import { changedSource } from '../../domain/errors.ts';
import { type ByteSource, readFrom, readFromSync } from './byte-source.ts';
import { unreadableFile } from './file-problems.ts';

/** Bytes of a file that is read where it is opened: of a hundred thousand small ones the waiting would be most. */
const AT_ONCE = 64 * 1024;
const TURN = 16;

interface OpenFile {
  readonly fd: number;
  /** Reads under way; only an idle file is closed. */
  readers: number;
}

export class PlainFiles implements Disposable {
  readonly #limit: number;
  #atOnce = 0;
  /** Least recently used first. */
  readonly #open = new Map<string, OpenFile>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  source(path: string, name: string, identity: Stats): ByteSource {
    return {
      size: identity.size,
      read: async (target, position) => {
        const file = this.#acquire(path, name, identity);
        file.readers++;
        try {
          // Now and then others have their turn: signals, and what collects memory.
          if (identity.size <= AT_ONCE && ++this.#atOnce % TURN !== 0)
            return complete(name, readFromSync(file.fd, target, position), target.length);
          return complete(name, await readFrom(file.fd, target, position), target.length);
        } catch (cause) {
          throw unreadableFile(name, cause);
        } finally {
          file.readers--;
        }
      },
      readSync: (target, position) => {
        const file = this.#acquire(path, name, identity);
        try {
          return complete(name, readFromSync(file.fd, target, position), target.length);
        } catch (cause) {
          throw unreadableFile(name, cause);
        }
      },
    };
  }

  [Symbol.dispose](): void {
    for (const { fd } of this.#open.values()) closeSync(fd);
    this.#open.clear();
  }

  #acquire(path: string, name: string, identity: Stats): OpenFile {
    const known = this.#open.get(path);
    if (known !== undefined) {
      this.#open.delete(path);
      this.#open.set(path, known);
      return known;
    }
    const file: OpenFile = { fd: openUnchanged(path, name, identity), readers: 0 };
    for (const [other, { fd, readers }] of this.#open) {
      if (this.#open.size < this.#limit) break;
      if (readers > 0) continue;
      closeSync(fd);
      this.#open.delete(other);
    }
    this.#open.set(path, file);
    return file;
  }
}

function openUnchanged(path: string, name: string, identity: Stats): number {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (cause) {
    throw unreadableFile(name, cause);
  }
  const now = fstatSync(fd);
  if (now.ino === identity.ino && now.size === identity.size && now.mtimeMs === identity.mtimeMs) return fd;
  closeSync(fd);
  throw changedSource([name]);
}

/** All callers ask for bytes that the file had when it was opened, so fewer mean that somebody cut it. */
function complete(name: string, filled: number, asked: number): number {
  if (filled < asked) throw changedSource([name]);
  return filled;
}
