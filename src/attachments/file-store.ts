/** Stores of files, and the folder as a store. Files are named by content, so storing one twice changes nothing. */

import { statSync } from 'node:fs';
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StoredContent } from '../domain/ledger.ts';
import { cannotWrite, type FetchedFile } from './fetch-file.ts';
import { extensionFor } from './file-kind.ts';

export interface FileStore {
  /** Its name in the ledger, unique for place and public address. */
  readonly id: string;
  /** Folder for files in transfer. */
  readonly staging: string;
  /** Whether a file may arrive without an answer; then the ledger records its beginning. */
  readonly isRemote: boolean;
  /** The address of this content, if known before it is sent. */
  addressOf(file: FetchedFile, name: string | undefined): string | undefined;
  /**
   * Stores the file and resolves with its address. May be repeated. Throws AppError for what stops all files, StoreRefusal for this one,
   * and the signal's reason.
   */
  put(file: FetchedFile, name: string | undefined, signal: AbortSignal): Promise<string>;
  /** Whether the ledger is still right, as far as can be seen at once. */
  has(content: StoredContent): boolean;
  /** Resolves when all stored files survive a loss of power. */
  settle(): Promise<void>;
}

/** The store refuses this file. */
export class StoreRefusal extends Error {
  override readonly name = 'StoreRefusal';
}

/** `ab/abcd….png`: the name follows from the content. */
export function contentName(
  { hash, type }: Pick<FetchedFile, 'hash' | 'type'>,
  name: string | undefined,
): string {
  return `${hash.slice(0, 2)}/${hash}${extensionFor(type, name)}`;
}

/** `base`: public address of the folder, with a slash at its end. `staging`: this import's folder in it. */
export function folderStore(folder: string, base: string, staging: string): FileStore {
  const addressOf = (file: FetchedFile, name: string | undefined) => `${base}${contentName(file, name)}`;
  const changed = new Set<string>();
  const writing = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (cause) {
      throw cannotWrite(folder, cause);
    }
  };
  return {
    id: `folder ${base}`,
    staging,
    isRemote: false,
    addressOf,
    async put(file, name) {
      const path = join(folder, contentName(file, name));
      if (sizeOf(path) !== file.size)
        await writing(async () => {
          await mkdir(dirname(path), { recursive: true });
          // In transfer only the owner reads it; afterwards the web server does.
          await chmod(file.path, 0o644);
          await rename(file.path, path);
          changed.add(folder).add(dirname(path));
        });
      else await rm(file.path, { force: true });
      return addressOf(file, name);
    },
    has: ({ address, size }) => sizeOf(join(folder, address.slice(base.length))) === size,
    // Files are flushed before they get their names; this flushes the names.
    settle: () =>
      writing(async () => {
        if (process.platform === 'win32') return;
        for (const path of changed) {
          await using names = await open(path, 'r');
          await names.sync();
        }
        changed.clear();
      }),
  };
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}
