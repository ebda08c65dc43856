/** One attempt at one file: over its redirects to the answer, what that is, and its bytes from where an earlier attempt left off. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { MissingReason } from '../domain/ledger.ts';
import type { Environment } from '../target/http/proxy.ts';
import type { Answered } from '../verify/answer-body.ts';
import {
  codeOf,
  discard,
  GuardedClient,
  hangUp,
  headerOf,
  labelOf,
  noAnswer,
  type Opened,
  Patience,
} from '../verify/guarded-request.ts';
import { cleanName } from './address.ts';
import { DataInJson, isDataInJson } from './data-in-json.ts';
import { HEAD_BYTES, typeOf, typeOfName } from './file-kind.ts';
import { judgeAnswer, tooLarge } from './judge-answer.ts';
import { openFile } from './open-file.ts';
import { cannotWrite, type FileBytes, PartFile } from './part-file.ts';
import type { SourceCredentials } from './source-credentials.ts';
import type { WantedFile } from './ticket-files.ts';

/** A file that was fetched whole. */
export interface FetchedFile extends FileBytes {
  readonly type: string;
  /** What its server calls it. */
  readonly name?: string | undefined;
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
      /** Bytes of the file that are there by now. */
      readonly reached: number;
    };

export interface FetchOptions {
  /** Where files are put together. */
  readonly staging: string;
  /** Whether they stay on this disk, and are not sent elsewhere. */
  readonly stayHere: boolean;
  readonly credentials: SourceCredentials;
  readonly largest: number;
  readonly timeoutMs: number;
  readonly privateHosts: readonly string[];
  readonly env: Environment;
  readonly now: () => number;
  readonly onBytes: (bytes: number) => void;
}

export class FileFetcher implements AsyncDisposable {
  readonly #options: FetchOptions;
  readonly #client: GuardedClient;
  /** Files of which an earlier attempt, perhaps of another process, may have left a part. */
  #begun: Set<string> | undefined;

  constructor(options: FetchOptions) {
    this.#options = options;
    this.#client = new GuardedClient(options);
  }

  /** Rejects with the signal's reason, and with AppError `disk-write`. */
  async fetch(wanted: WantedFile, signal: AbortSignal): Promise<Attempt> {
    try {
      return await this.#attempt(wanted, signal);
    } catch (error) {
      throw isDiskError(error) ? cannotWrite(this.#options.staging, error) : error;
    }
  }

  async #attempt(wanted: WantedFile, signal: AbortSignal): Promise<Attempt> {
    const { staging, stayHere, credentials, onBytes } = this.#options;
    this.#begun ??= new Set(readdirSync(staging));
    const name = `${wanted.key}.part`;
    const part = new PartFile(join(staging, name), stayHere, this.#begun.has(name));
    let isWhole = false;
    let brought = 0;
    let answer: Answered | undefined;
    try {
      const opened = await openFile(wanted.address, {
        client: this.#client,
        credentials,
        headers: part.range(),
        signal,
      });
      answer = 'response' in opened ? opened.response : undefined;
      if ('outcome' in opened)
        return missing(opened.outcome === 'refused' ? 'blocked' : 'unreachable', wanted, `${opened.reason}.`);
      const attempt = await this.#receive(wanted, opened, part, (bytes) => {
        brought += bytes;
        onBytes(bytes);
      });
      isWhole = attempt.is === 'fetched';
      return attempt;
    } catch (error) {
      if (answer !== undefined) hangUp(answer);
      signal.throwIfAborted();
      if (isDiskError(error)) throw error;
      const { outcome, reason } = noAnswer(error);
      if (outcome === 'refused') return missing('blocked', wanted, `${reason}.`);
      return again(
        wanted,
        brought === 0 ? reason : `breaks off (${codeOf(error)})`,
        part.size,
        brought === 0,
      );
    } finally {
      await part.close(isWhole);
      if (isWhole) this.#begun.delete(name);
      else this.#begun.add(name);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }

  async #receive(
    wanted: WantedFile,
    { response, at }: Opened,
    part: PartFile,
    onBytes: (bytes: number) => void,
  ): Promise<Attempt> {
    const { credentials, largest, now, timeoutMs } = this.#options;
    const { statusCode } = response;
    const isRest = statusCode === 206 && part.continues(headerOf(response, 'content-range'));
    if (statusCode === 416 || (statusCode === 206 && !isRest)) {
      // What is there of it is no beginning of this file.
      await discard(response);
      part.drop();
      return again(wanted, statusCode === 416 ? 'answers 416' : 'answers with another part of the file', 0);
    }
    const reported = headerOf(response, 'content-type');
    const isInJson = statusCode === 200 && isDataInJson(at.href, reported);
    const decoder = isInJson ? new DataInJson() : decoderOf(response, wanted);
    const length = Number(headerOf(response, 'content-length') ?? Number.NaN);
    const size =
      Number.isNaN(length) || decoder !== undefined ? undefined : length + (isRest ? part.size : 0);
    const body: AsyncIterable<Buffer> =
      decoder === undefined ? response.body : pipeline(Readable.from(response.body), decoder, () => {});
    if (statusCode < 300 && size !== undefined && size > largest) {
      hangUp(response);
      part.drop();
      return missing('too-large', wanted, tooLarge(size, largest));
    }
    const patience = new Patience(timeoutMs, now);
    const chunks = body[Symbol.asyncIterator]();
    if (!isRest) part.drop();
    else await part.resume();
    let head = isRest ? part.head() : Buffer.alloc(0);
    const early: Buffer[] = [];
    while (head.length < HEAD_BYTES) {
      const next = await chunks.next();
      if (next.done === true) break;
      const chunk = next.value;
      early.push(chunk);
      patience.came(chunk.length);
      // A copy: the memory of a part is used again once it is written.
      head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES)]);
    }
    const contentType = isInJson ? undefined : reported;
    const whole = size ?? (head.length < HEAD_BYTES ? head.length : undefined);
    const advise = (address: string) =>
      credentials.advice(new URL(address), wanted.address.startsWith('https:'));
    const answer = { status: statusCode, contentType, size: whole, head, address: at.href, advise };
    const verdict = judgeAnswer(answer, wanted, { largest, now: now() });
    if (verdict.is !== 'file') {
      hangUp(response);
      if (verdict.is === 'missing') {
        part.drop();
        return verdict;
      }
      const busy = statusCode === 429 || statusCode === 503;
      return {
        ...verdict,
        busy,
        retryAfterMs: retryAfter(response, now()),
        silent: false,
        reached: part.size,
      };
    }
    const takesRanges = decoder === undefined && headerOf(response, 'accept-ranges') !== 'none';
    part.expect(
      takesRanges ? (headerOf(response, 'etag') ?? headerOf(response, 'last-modified')) : undefined,
    );
    for (const chunk of early) {
      await part.write(chunk);
      onBytes(chunk.length);
    }
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      const { length } = next.value;
      await part.write(next.value);
      onBytes(length);
      if (part.size > largest) {
        hangUp(response);
        part.drop();
        return missing('too-large', wanted, tooLarge(part.size, largest));
      }
      patience.came(length);
    }
    if (size !== undefined && part.size !== size) throw new Error('it ends before its length');
    if (part.size === 0 && (wanted.sizeBytes ?? 0) > 0) return missing('wrong-type', wanted, 'is empty.');
    const name = nameOf(response);
    const type = typeOf(
      head,
      contentType,
      wanted.name ?? name ?? new URL(wanted.address).pathname,
      wanted.contentType,
    );
    return { is: 'fetched', file: { ...(await part.finish()), type, name } };
  }
}

/** What takes a packed answer apart. A file that is packed itself stays so, though some servers call that its encoding. */
function decoderOf(response: Answered, { name, contentType, address }: WantedFile) {
  const encoding = headerOf(response, 'content-encoding')?.trim().toLowerCase();
  const declared = contentType ?? typeOfName(name ?? new URL(address).pathname);
  const reported = headerOf(response, 'content-type') ?? '';
  if (/gzip|compress/.test(declared ?? '') || /[/-](?:gzip|compress)/.test(reported)) return undefined;
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  if (encoding === 'br') return createBrotliDecompress();
  return encoding === 'zstd' ? createZstdDecompress() : undefined;
}

function missing(reason: MissingReason, { address }: { readonly address: string }, detail: string): Attempt {
  return { is: 'missing', reason, detail: `${labelOf(address)} ${detail}` };
}

function again({ address }: WantedFile, detail: string, reached: number, silent = false): Attempt {
  return { is: 'again', detail: `${labelOf(address)} ${detail}.`, busy: false, silent, reached };
}

function nameOf(response: Answered): string | undefined {
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

function retryAfter(response: Answered, now: number): number | undefined {
  const header = headerOf(response, 'retry-after');
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** A disk that is full says so without a path. */
function isDiskError(error: unknown): boolean {
  const code = codeOf(error);
  if (['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS'].includes(code)) return true;
  return ['EACCES', 'EPERM', 'ENOENT'].includes(code) && error instanceof Error && 'path' in error;
}
