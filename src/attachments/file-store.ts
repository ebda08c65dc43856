/** Where files go, and the store that is a folder. A file is named by its content, so putting it there twice changes nothing. */

import { statSync } from 'node:fs';
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StoredContent } from '../domain/ledger.ts';
import { cannotWrite, type FetchedFile } from './fetch-file.ts';
import { extensionFor } from './file-kind.ts';

export interface FileStore {
  /** How the ledger calls it: another name for each place and each public address. */
  readonly id: string;
  /** Folder for files on their way. */
  readonly staging: string;
  /** Whether a file that is sent may arrive without an answer, and is begun in the ledger for that. */
  readonly isRemote: boolean;
  /** The address that this content has or will have, where that is known before it is sent. */
  addressOf(file: FetchedFile, name: string | undefined): string | undefined;
  /**
   * Puts it there and resolves with its address. May be called again for the same content. Throws AppError for what stops
   * all of it, StoreRefusal for what concerns this file, and the signal's reason.
   */
  put(file: FetchedFile, name: string | undefined, signal: AbortSignal): Promise<string>;
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
          // On its way it is for its owner alone; what is kept is for the web server.
          await chmod(file.path, 0o644);
          await rename(file.path, path);
          changed.add(folder).add(dirname(path));
        });
      else await rm(file.path, { force: true });
      return addressOf(file, name);
    },
    has: ({ address, size }) => sizeOf(join(folder, address.slice(base.length))) === size,
    // A file was flushed before it got its name; here the names are.
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
