/** Stores of files: a folder, or the helpdesk by signed addresses. Names follow from content, so storing twice changes nothing. */
import { createReadStream, statSync } from 'node:fs';
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StoredContent } from '../domain/ledger.ts';
import type { Clock } from '../domain/ports.ts';
import type { Environment } from '../helpdesk/address.ts';
import { isLoopback } from '../settings/parsers.ts';
import { discard, GuardedClient, labelOf, noAnswer } from '../verify/guarded-request.ts';
import { cannotWrite, type FetchedFile } from './fetch-file.ts';
import { extensionFor } from './file-kind.ts';

export interface FileStore {
  readonly id: string;
  readonly staging: string;
  /** A file may arrive without an answer, so the ledger records its beginning. */
  readonly isRemote: boolean;
  /** If known before it is sent. */
  addressOf(file: FetchedFile, name: string | undefined): string | undefined;
  /** May be repeated. Throws AppError for what stops all files, StoreRefusal for this one, and the signal's reason. */
  put(file: FetchedFile, name: string | undefined, signal: AbortSignal): Promise<string>;
  /** As far as can be seen at once. */
  has(content: StoredContent): boolean;
  settle(): Promise<void>;
}

export class StoreRefusal extends Error {}

function contentName({ hash, type }: FetchedFile, name: string | undefined): string {
  return `${hash.slice(0, 2)}/${hash}${extensionFor(type, name)}`;
}

/** `base`: public address with its last slash. `staging`: this import's folder in it. */
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
      if (sizeOf(path) === file.size) await rm(file.path, { force: true });
      else
        await writing(async () => {
          await mkdir(dirname(path), { recursive: true });
          // Private during the transfer; then the web server reads it.
          await chmod(file.path, 0o644);
          await rename(file.path, path);
          changed.add(folder).add(dirname(path));
        });
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

export interface TargetStoreOptions {
  readonly staging: string;
  readonly env: Environment;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly announce: (
    filename: string,
    contentType: string,
    signal: AbortSignal,
  ) => Promise<{ readonly signedUrl: string; readonly downloadUrl: string }>;
  /** Address of the helpdesk. */
  readonly target: string;
  readonly privateHosts: readonly string[];
  /** The local service's port may change, so its addresses are kept without it. */
  readonly localOrigin: string | undefined;
}

const MOST_ATTEMPTS = 4;

export function targetStore({ staging, env, timeoutMs, ...options }: TargetStoreOptions): FileStore {
  const { clock, announce, localOrigin, target, privateHosts } = options;
  const { hostname, host } = new URL(target);
  const hosts = isLoopback(target) ? ['localhost', '127.0.0.1', '[::1]'] : [];
  const client = new GuardedClient({
    ...{ env, timeoutMs: Math.max(timeoutMs, 60_000) },
    privateHosts: [...privateHosts, ...hosts, hostname],
  });
  const isOpen = (url: URL) => url.protocol === 'https:' || url.host === host || isLoopback(target);

  /** Undefined without an answer. Sending the same bytes again changes nothing. */
  const send = async (address: string, { type, size, path }: FetchedFile, signal: AbortSignal) => {
    const url = new URL(address);
    const opened = isOpen(url)
      ? await client
          .open(url, {
            ...{ method: 'PUT', redirects: 0, signal, body: () => createReadStream(path) },
            headers: { 'content-type': type, 'content-length': String(size) },
          })
          .catch((error: unknown) => {
            signal.throwIfAborted();
            return noAnswer(error);
          })
      : ({ outcome: 'refused', reason: 'is not encrypted' } as const);
    if ('response' in opened) {
      await discard(opened.response);
      return opened.response.statusCode;
    }
    if (opened.outcome === 'unreachable') return undefined;
    throw new StoreRefusal(`The helpdesk sends files to ${labelOf(address)}, which ${opened.reason}.`);
  };

  return {
    id: 'target',
    staging,
    isRemote: true,
    has: () => true,
    settle: async () => {},
    addressOf: () => undefined,
    async put(file, name, signal) {
      const filename = (name ?? `file${extensionFor(file.type, undefined)}`).slice(-255);
      let upload = await announce(filename, file.type, signal);
      for (let attempt = 1; ; attempt++) {
        const status = await send(upload.signedUrl, file, signal);
        if (status !== undefined && status >= 200 && status < 300) break;
        if (attempt >= MOST_ATTEMPTS || [400, 411, 413, 415, 422].includes(status ?? 0))
          throw new StoreRefusal(`The helpdesk does not take ${filename} (${status ?? 'no answer'}).`);
        // The signature may have expired meanwhile.
        if (status === 403 || status === 401 || status === 404)
          upload = await announce(filename, file.type, signal);
        else await clock.sleep(300 * 2 ** attempt, signal);
      }
      const { downloadUrl } = upload;
      const isLocal = localOrigin !== undefined && downloadUrl.startsWith(`${localOrigin}/`);
      return isLocal ? downloadUrl.slice(localOrigin.length) : downloadUrl;
    },
  };
}
