/**
 * One attempt at one file: over its redirects to the answer, and its bytes into memory (small ones) or a file beside the
 * others that are on their way, from where an earlier attempt or process left off. Never a whole large file in memory.
 */
import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, type Dispatcher, request } from 'undici';
import type { MissingReason } from '../domain/ledger.ts';
import {
  AddressRefused,
  guardedLookup,
  isPublicAddress,
  literalAddress,
  resolveWithSystem,
} from '../verify/guarded-lookup.ts';
import { cleanName, labelOf } from './address.ts';
import { HEAD_BYTES, typeOf } from './file-kind.ts';
import { judgeAnswer, tooLarge } from './judge-answer.ts';
import type { SourceCredentials } from './source-credentials.ts';
import type { WantedFile } from './ticket-files.ts';

/** A file that was fetched whole: its bytes, or where they are. */
export interface FetchedFile {
  readonly hash: string;
  readonly size: number;
  readonly type: string;
  /** What its server calls it. */
  readonly name?: string | undefined;
  readonly bytes?: Buffer | undefined;
  /** Whoever takes it may move it away. */
  readonly path?: string | undefined;
}

export type Attempt =
  | { readonly is: 'fetched'; readonly file: FetchedFile }
  | { readonly is: 'missing'; readonly reason: MissingReason; readonly detail: string }
  | {
      readonly is: 'again';
      readonly detail: string;
      /** Whether the host asked for a pause, and how long. */
      readonly busy: boolean;
      readonly retryAfterMs?: number | undefined;
      /** There was no answer at all. */
      readonly silent: boolean;
      /** Bytes that this attempt brought. */
      readonly progress: number;
    };

export interface FetchOptions {
  /** Where files are put together. */
  readonly staging: string;
  readonly credentials: SourceCredentials;
  readonly largest: number;
  readonly timeoutMs: number;
  readonly allowPrivate: boolean;
  readonly now: () => number;
  readonly onBytes: (bytes: number) => void;
}

/** Kept in memory until it is stored. */
const SMALL = 1024 * 1024;
const MOST_HOPS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export class FileFetcher implements AsyncDisposable {
  readonly #options: FetchOptions;
  readonly #agent: Agent;

  constructor(options: FetchOptions) {
    this.#options = options;
    const { timeoutMs, allowPrivate } = options;
    this.#agent = new Agent({
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      keepAliveTimeout: 10_000,
      connect: {
        timeout: timeoutMs,
        lookup: guardedLookup(resolveWithSystem, allowPrivate ? () => true : isPublicAddress),
      },
    });
  }

  /** Rejects with the signal's reason, and for a disk that cannot be written. */
  async fetch(wanted: WantedFile, signal: AbortSignal): Promise<Attempt> {
    const part = new Part(join(this.#options.staging, `${wanted.key}.part`));
    let progress = 0;
    const onBytes = (bytes: number) => {
      progress += bytes;
      this.#options.onBytes(bytes);
    };
    try {
      const offset = part.resumable();
      const answer = await this.#follow(wanted.address, offset === undefined ? {} : part.range(), signal);
      if ('is' in answer) return answer;
      return await this.#receive(wanted, answer, part, onBytes);
    } catch (error) {
      signal.throwIfAborted();
      const refused = refusedAddress(error);
      if (refused !== undefined)
        return missing(
          'blocked',
          wanted,
          `leads to ${refused}, an address inside a private network, and is not asked for.`,
        );
      if (isDiskError(error)) throw error;
      return {
        is: 'again',
        detail: `${labelOf(wanted.address)} cannot be fetched (${codeOf(error)}).`,
        busy: false,
        silent: progress === 0,
        progress,
      };
    } finally {
      await part.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  /** Every hop is judged anew: its address, and whether it gets a credential. */
  async #follow(
    address: string,
    range: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Received | Attempt> {
    let at = new URL(address);
    let wasEncrypted = false;
    for (let hops = 0; hops <= MOST_HOPS; hops++) {
      if (at.protocol !== 'http:' && at.protocol !== 'https:')
        return missing(
          'blocked',
          { address },
          `leads to ${at.protocol}, and only http and https are asked for.`,
        );
      const literal = literalAddress(at.hostname);
      if (literal !== undefined && !this.#options.allowPrivate && !isPublicAddress(literal))
        throw new AddressRefused(literal);
      const { url, headers } = this.#options.credentials.apply(at, wasEncrypted);
      wasEncrypted ||= at.protocol === 'https:';
      const response = await request(url, {
        dispatcher: this.#agent,
        signal,
        headers: {
          'user-agent': 'helpdesk-import',
          accept: '*/*',
          'accept-encoding': 'identity',
          ...range,
          ...headers,
        },
      });
      const location = headerOf(response, 'location');
      if (!REDIRECTS.has(response.statusCode) || location === undefined) return { response, at };
      await discard(response);
      if (!URL.canParse(location, at.href))
        return missing('unreachable', { address }, 'redirects to an address that is none.');
      at = new URL(location, at);
    }
    return missing('unreachable', { address }, 'redirects too many times.');
  }

  async #receive(
    wanted: WantedFile,
    { response, at }: Received,
    part: Part,
    onBytes: (bytes: number) => void,
  ): Promise<Attempt> {
    const { largest, now } = this.#options;
    const { statusCode } = response;
    if (statusCode === 416) {
      // What is there of it is no beginning of this file.
      await discard(response);
      part.drop();
      return {
        is: 'again',
        detail: `${labelOf(wanted.address)} answers 416.`,
        busy: false,
        silent: false,
        progress: 0,
      };
    }
    const isRest = statusCode === 206 && part.continues(headerOf(response, 'content-range'));
    if (statusCode === 206 && !isRest) {
      await discard(response);
      part.drop();
      return {
        is: 'again',
        detail: `${labelOf(wanted.address)} answers with another part of the file.`,
        busy: false,
        silent: false,
        progress: 0,
      };
    }
    const length = Number(headerOf(response, 'content-length') ?? Number.NaN);
    const size =
      Number.isNaN(length) || headerOf(response, 'content-encoding') !== undefined
        ? undefined
        : length + (isRest ? part.size : 0);
    const chunks = response.body[Symbol.asyncIterator]();
    if (!isRest) part.drop();
    if (isRest) await part.resume();
    let head = isRest ? part.head() : Buffer.alloc(0);
    const early: Buffer[] = [];
    while (head.length < HEAD_BYTES) {
      const next = await chunks.next();
      if (next.done === true) break;
      const chunk = next.value as Buffer;
      early.push(chunk);
      head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES)]);
    }
    const verdict = judgeAnswer(
      {
        status: statusCode,
        contentType: headerOf(response, 'content-type'),
        size: size ?? (head.length < HEAD_BYTES ? head.length : undefined),
        head,
        address: at.href,
      },
      wanted,
      { largest, now: now() },
    );
    if (verdict.is !== 'file') {
      response.body.on('error', () => {}).destroy();
      if (verdict.is === 'missing') part.drop();
      if (verdict.is === 'missing') return verdict;
      const busy = statusCode === 429 || statusCode === 503;
      return { ...verdict, busy, retryAfterMs: retryAfter(response, now()), silent: false, progress: 0 };
    }
    part.expect(
      headerOf(response, 'etag') ?? headerOf(response, 'last-modified'),
      headerOf(response, 'accept-ranges') !== 'none',
    );
    const take = async (chunk: Buffer) => {
      await part.write(chunk);
      onBytes(chunk.length);
    };
    for (const chunk of early) await take(chunk);
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      await take(next.value as Buffer);
      if (part.size > largest) {
        response.body.on('error', () => {}).destroy();
        part.drop();
        return missing('too-large', wanted, tooLarge(part.size, largest));
      }
    }
    if (size !== undefined && part.size !== size) throw new Error('the transfer broke off');
    if (part.size === 0 && (wanted.sizeBytes ?? 0) > 0) return missing('wrong-type', wanted, 'is empty.');
    const name = nameOf(response);
    const type = typeOf(
      head,
      headerOf(response, 'content-type'),
      wanted.name ?? name ?? new URL(wanted.address).pathname,
      wanted.contentType,
    );
    return { is: 'fetched', file: { ...(await part.finish()), type, name } };
  }
}

interface Received {
  readonly response: Dispatcher.ResponseData;
  readonly at: URL;
}

/** What has come of a file so far: in memory while it is small, then on the disk, where a later process finds it. */
class Part {
  readonly #path: string;
  readonly #notes: string;
  #hash: Hash = createHash('sha256');
  #chunks: Buffer[] = [];
  #file: FileHandle | undefined;
  #validator: string | undefined;
  #pending: Buffer[] = [];
  #pendingSize = 0;
  size = 0;

  constructor(path: string) {
    this.#path = path;
    this.#notes = `${path}.json`;
  }

  /** Bytes of an earlier attempt that can be gone on from. */
  resumable(): number | undefined {
    if (!existsSync(this.#notes)) return undefined;
    try {
      this.#validator = String(JSON.parse(readFileSync(this.#notes, 'utf8')).validator);
      this.size = statSync(this.#path).size;
    } catch {
      this.drop();
    }
    return this.size === 0 ? undefined : this.size;
  }

  range(): Record<string, string> {
    return { range: `bytes=${this.size}-`, 'if-range': this.#validator ?? '' };
  }

  continues(contentRange: string | undefined): boolean {
    return this.size > 0 && contentRange?.startsWith(`bytes ${this.size}-`) === true;
  }

  async resume(): Promise<void> {
    for await (const chunk of createReadStream(this.#path)) this.#hash.update(chunk);
    this.#file = await open(this.#path, 'a');
  }

  head(): Buffer {
    const file = openSync(this.#path, 'r');
    try {
      const bytes = Buffer.alloc(HEAD_BYTES);
      return bytes.subarray(0, readSync(file, bytes, 0, HEAD_BYTES, 0));
    } finally {
      closeSync(file);
    }
  }

  drop(): void {
    if (this.size > 0 || existsSync(this.#path))
      for (const path of [this.#notes, this.#path]) rmSync(path, { force: true });
    this.size = 0;
    this.#hash = createHash('sha256');
    this.#chunks = [];
  }

  /** A weak validator proves no equal bytes. */
  expect(validator: string | undefined, takesRanges: boolean): void {
    this.#validator = takesRanges && validator?.startsWith('W/') === false ? validator : undefined;
  }

  async write(chunk: Buffer): Promise<void> {
    this.#hash.update(chunk);
    this.size += chunk.length;
    if (this.#file === undefined && this.size <= SMALL) {
      this.#chunks.push(chunk);
      return;
    }
    if (this.#file === undefined) {
      this.#file = await open(this.#path, 'w', 0o600);
      if (this.#validator !== undefined)
        writeFileSync(this.#notes, JSON.stringify({ validator: this.#validator }), { mode: 0o600 });
      this.#pending = this.#chunks;
      this.#chunks = [];
    }
    this.#pending.push(chunk);
    this.#pendingSize += chunk.length;
    if (this.#pendingSize >= SMALL / 2) await this.#flush();
  }

  async #flush(): Promise<void> {
    const chunks = this.#pending;
    this.#pending = [];
    this.#pendingSize = 0;
    if (chunks.length > 0) await this.#file?.writev(chunks);
  }

  async finish(): Promise<Pick<FetchedFile, 'hash' | 'size' | 'bytes' | 'path'>> {
    const hash = this.#hash.digest('hex');
    if (this.#file === undefined) return { hash, size: this.size, bytes: Buffer.concat(this.#chunks) };
    await this.#flush();
    await this.#file.datasync();
    rmSync(this.#notes, { force: true });
    return { hash, size: this.size, path: this.#path };
  }

  /** What came before a transfer broke off stays for the next attempt. */
  async close(): Promise<void> {
    await this.#flush();
    await this.#file?.close();
    this.#file = undefined;
  }
}

function missing(reason: MissingReason, { address }: { readonly address: string }, detail: string): Attempt {
  return { is: 'missing', reason, detail: `${labelOf(address)} ${detail}` };
}

function headerOf({ headers }: Dispatcher.ResponseData, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function nameOf(response: Dispatcher.ResponseData): string | undefined {
  const header = headerOf(response, 'content-disposition') ?? '';
  const extended = /filename\*\s*=\s*(?:utf-8|iso-8859-1)'[^']*'([^;]+)/i.exec(header)?.[1];
  if (extended !== undefined) {
    try {
      return cleanName(decodeURIComponent(extended.trim()));
    } catch {
      // The plain one is there for that.
    }
  }
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header);
  return plain === null
    ? undefined
    : cleanName(Buffer.from((plain[1] ?? plain[2] ?? '').replace(/\\(.)/g, '$1'), 'latin1').toString());
}

function retryAfter(response: Dispatcher.ResponseData, now: number): number | undefined {
  const header = headerOf(response, 'retry-after');
  if (header === undefined) return undefined;
  if (/^\d{1,6}$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

async function discard({ body }: Dispatcher.ResponseData): Promise<void> {
  await body.dump({ limit: 64 * 1024 }).catch(() => undefined);
}

function refusedAddress(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof AddressRefused) return at.address;
  return undefined;
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message : 'unknown error';
}

function isDiskError(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'ENOENT', 'EFBIG'].includes(codeOf(error)) &&
    error instanceof Error &&
    'path' in error
    ? true
    : ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(codeOf(error));
}
