/** Where files go, and the store that is a folder. A file is named by its content, so putting it there twice changes nothing. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StoredContent } from '../domain/ledger.ts';
import type { FetchedFile } from './fetch-file.ts';
import { extensionFor } from './file-kind.ts';
import { cannotWrite } from './part-file.ts';

export interface FileStore {
  /** What the ledger knows it by: another one for each place and each public address. */
  readonly id: string;
  /** In words, for people. */
  readonly label: string;
  /** Folder for files on their way. */
  readonly staging: string;
  /** Whether what is sent may arrive although nobody learns of it, and is begun in the ledger for that. */
  readonly isRemote: boolean;
  /** The address that this content has or will have, where that is known before it is sent. */
  addressOf(file: FetchedFile, name: string | undefined): string | undefined;
  /**
   * Puts it there and resolves with its address. May be called again for the same content. Throws AppError for what stops
   * all of it, StoreRefusal for what concerns this file, and the signal's reason. `isBegun`: a process that has ended may have sent
   * a part of it.
   */
  put(file: FetchedFile, name: string | undefined, signal: AbortSignal, isBegun?: boolean): Promise<string>;
  /** Whether what the ledger says is still so, as far as that can be seen at once. */
  has(content: StoredContent): boolean;
  /** Resolves when all that was put there survives a loss of power. */
  settle(): Promise<void>;
}

/** The store does not take this file. */
export class StoreRefusal extends Error {
  override readonly name = 'StoreRefusal';
}

/** `ab/abcd….png`: the same content has the same name, whatever it was called. */
export function contentName(
  { hash, type }: Pick<FetchedFile, 'hash' | 'type'>,
  name: string | undefined,
): string {
  return `${hash.slice(0, 2)}/${hash}${extensionFor(type, name)}`;
}

/** `base`: the public address of the folder, with a slash at its end. `staging`: a folder in it, of this import alone. */
export function folderStore(folder: string, base: string, staging: string): FileStore {
  const made = new Set<string>();
  const addressOf: FileStore['addressOf'] = (file, name) => `${base}${contentName(file, name)}`;
  const unsettled = new Set<string>();
  return {
    id: `folder ${base}`,
    label: `the folder ${folder}`,
    staging,
    isRemote: false,
    addressOf,
    async put(file, name) {
      const path = join(folder, contentName(file, name));
      try {
        if (!made.has(dirname(path))) mkdirSync(dirname(path), { recursive: true });
        made.add(dirname(path));
        if (file.path !== undefined && sizeOf(path) === file.size) rmSync(file.path, { force: true });
        else {
          const draft = file.path ?? join(staging, file.hash);
          // At once: to hand a small file to another thread takes longer than to write it.
          if (file.path === undefined) writeFileSync(draft, file.bytes ?? Buffer.alloc(0));
          // Parts are for their owner alone; what is kept is for the web server.
          else chmodSync(draft, 0o644);
          renameSync(draft, path);
          unsettled.add(path);
        }
      } catch (cause) {
        throw cannotWrite(folder, cause);
      }
      return addressOf(file, name) ?? '';
    },
    has: ({ address, size }) => sizeOf(join(folder, address.slice(base.length))) === size,
    async settle() {
      if (unsettled.size > MANY && (await isSystemFlushed(folder))) unsettled.clear();
      const paths = unsettled.values();
      const worker = async () => {
        for (const path of paths) {
          await using file = await open(path, 'r');
          await file.datasync();
        }
      };
      try {
        await Promise.all(Array.from({ length: SETTLED_TOGETHER }, worker));
      } catch (cause) {
        throw cannotWrite(folder, cause);
      }
      unsettled.clear();
    },
  };
}

/**
 * Files are flushed when all are there: by then the system has written most of them. Many are flushed in one call for the whole
 * file system, since one for each takes longer than to fetch them. A rerun after a loss of power sees by its size which one is
 * missing.
 */
const SETTLED_TOGETHER = 4;
const MANY = 64;

/** By `sync -f`, which Linux has; false where there is no such thing. */
function isSystemFlushed(folder: string): Promise<boolean> {
  return new Promise((flushed) => {
    const sync = spawn('sync', ['-f', folder], { stdio: 'ignore' });
    sync.once('error', () => flushed(false));
    sync.once('exit', (code) => flushed(code === 0));
  });
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}
