/** Where files go, and the store that is a folder. A file is named by its content, so putting it there twice changes nothing. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import type { FetchedFile } from './fetch-file.ts';
import { extensionFor } from './file-kind.ts';

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
   * all of it, StoreRefusal for what concerns this file, and the signal's reason.
   */
  put(file: FetchedFile, name: string | undefined, signal: AbortSignal): Promise<string>;
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

/** `base`: the public address of the folder, with a slash at its end. */
export function folderStore(folder: string, base: string): FileStore {
  const staging = join(folder, '.incoming');
  const made = new Set<string>();
  const addressOf: FileStore['addressOf'] = (file, name) => `${base}${contentName(file, name)}`;
  return {
    id: `folder ${base}`,
    label: `the folder ${folder}`,
    staging,
    isRemote: false,
    addressOf,
    async put(file, name) {
      const path = join(folder, contentName(file, name));
      try {
        if (!made.has(dirname(path))) await mkdir(dirname(path), { recursive: true });
        made.add(dirname(path));
        if (!existsSync(path)) {
          if (file.path !== undefined) {
            // Parts are for their owner alone; what is kept is for the web server.
            await chmod(file.path, 0o644);
            await rename(file.path, path);
          } else await writeWhole(join(staging, file.hash), path, file.bytes ?? Buffer.alloc(0));
        } else if (file.path !== undefined) await rm(file.path, { force: true });
      } catch (cause) {
        throw new AppError(
          'disk-write',
          `The folder ${folder} for files cannot be written (${(cause as NodeJS.ErrnoException).code}).`,
          {
            hint: 'Make room or correct its permissions, and run again: what is there already is not fetched again.',
            cause,
          },
        );
      }
      return addressOf(file, name) ?? '';
    },
  };
}

/** A crash leaves it whole or not there. */
async function writeWhole(draft: string, path: string, bytes: Buffer): Promise<void> {
  const file = await open(draft, 'w');
  try {
    await file.writeFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}
