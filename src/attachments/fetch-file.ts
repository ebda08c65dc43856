/** One attempt to fetch a file, over redirects. A failed one leaves nothing. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline as piped, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { parse as parseDisposition } from 'content-disposition';
import { diskFailure } from '../domain/errors.ts';
import type { MissingReason } from '../domain/ledger.ts';
import { BOUNDS, inFlight } from '../domain/limits.ts';
import type { Environment } from '../helpdesk/address.ts';
import { retryAfterMs as retryAfterMsOf } from '../helpdesk/backoff.ts';
import { headerOf } from '../helpdesk/http.ts';
import * as guarded from '../verify/guarded-request.ts';
import { cleanName } from './address.ts';
import { HEAD_BYTES, judgeAnswer, typeOf, typeOfName } from './file-kind.ts';
import type { WantedFile } from './files-of-ticket.ts';
import type { SourceCredentials } from './source-credentials.ts';

export interface FetchedFile {
  readonly hash: string;
  readonly size: number;
  readonly type: string;
  /** The store may move it. */
  readonly path: string;
  readonly name?: string | undefined;
}

export type Attempt =
  | { readonly is: 'fetched'; readonly file: FetchedFile }
  | { readonly is: 'missing'; readonly reason: MissingReason; readonly detail: string }
  | {
      readonly is: 'again';
      readonly detail: string;
      readonly busy: boolean;
      readonly retryAfterMs?: number | undefined;
      readonly silent: boolean;
    };

export interface FetchOptions {
  readonly staging: string;
  readonly credentials: SourceCredentials;
  readonly largest: number;
  readonly timeoutMs: number;
  readonly privateHosts: readonly string[];
  readonly env: Environment;
  readonly now: () => number;
  readonly onBytes: (bytes: number) => void;
}

const MOST_REDIRECTS = 10;
export const PART_NAME = /^[\da-f]{32}\.part$/;

class TooLarge extends Error {
  constructor(size: number, largest: number) {
    super(
      `has ${size.toLocaleString('en')} bytes, and no file of more than ${largest.toLocaleString('en')} is fetched.`,
    );
  }
}

class Bomb extends Error {
  constructor() {
    super(`holds more than ${BOUNDS.ratio.most} times its own size, as files made to fill disks do.`);
  }
}

async function* counting(body: AsyncIterable<Buffer>, onBytes: (bytes: number) => void) {
  for await (const chunk of body) {
    onBytes(chunk.length);
    yield chunk;
  }
}

export class FileFetcher implements AsyncDisposable {
  readonly #options: FetchOptions;
  readonly #client: guarded.GuardedClient;

  constructor(options: FetchOptions) {
    this.#options = options;
    this.#client = new guarded.GuardedClient(options);
  }

  /** Rejects with the signal's reason, and with AppError `disk-write`. */
  async fetch(wanted: WantedFile, signal: AbortSignal): Promise<Attempt> {
    const { staging } = this.#options;
    const path = join(staging, `${wanted.key}.part`);
    const label = guarded.labelOf(wanted.address);
    const missing = (reason: MissingReason, why: string): Attempt => ({
      is: 'missing',
      reason,
      detail: `${label} ${why}`,
    });
    let response: guarded.Answer | undefined;
    let attempt: Attempt | undefined;
    try {
      const opened = await this.#open(new URL(wanted.address), signal);
      if ('outcome' in opened)
        return missing(opened.outcome === 'refused' ? 'blocked' : 'unreachable', `${opened.reason}.`);
      response = opened.response;
      attempt = await this.#receive(wanted, opened, path);
      return attempt;
    } catch (error) {
      signal.throwIfAborted();
      if (isDiskError(error)) throw cannotWrite(staging, error);
      if (error instanceof TooLarge || error instanceof Bomb) return missing('too-large', error.message);
      const { outcome, reason } = guarded.noAnswer(error);
      if (outcome === 'refused') return missing('blocked', `${reason}.`);
      const silent = response === undefined;
      const detail = `${label} ${silent ? reason : `breaks off (${guarded.codeOf(error)})`}.`;
      return { is: 'again', detail, busy: false, silent };
    } finally {
      if (response !== undefined) guarded.hangUp(response);
      if (attempt?.is !== 'fetched') await rm(path, { force: true });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }

  /** With each host's credentials, also for a signed link in JSON (HubSpot: `{"url":"…"}`). */
  async #open(address: URL, signal: AbortSignal): Promise<guarded.Opened | guarded.NoAnswer> {
    const { credentials } = this.#options;
    const open = (at: URL, wasEncrypted: boolean) =>
      this.#client.open(at, {
        headers: { 'accept-encoding': 'identity' },
        redirects: MOST_REDIRECTS,
        credentials: (hop, isDowngrade) => credentials.headersFor(hop, isDowngrade || wasEncrypted),
        signal,
      });
    const opened = await open(address, false);
    if ('outcome' in opened || opened.response.statusCode !== 200) return opened;
    if (!/\/files\/[^/]+\/signed-url$/.test(opened.at.pathname)) return opened;
    const { url } = (await readJson(opened.response.body, LONGEST_LINK).catch(() => undefined)) ?? {};
    guarded.hangUp(opened.response);
    if (typeof url !== 'string' || !URL.canParse(url))
      return { outcome: 'unreachable', reason: 'answers without a link to the file' };
    return await open(new URL(url), opened.at.protocol === 'https:');
  }

  async #receive(wanted: WantedFile, { response, at }: guarded.Opened, path: string): Promise<Attempt> {
    const { credentials, largest, now, timeoutMs, onBytes } = this.#options;
    const { statusCode } = response;
    if (statusCode === 206) throw new Error('it answers with a part of the file');
    const isFile = statusCode >= 200 && statusCode < 300;
    const reported = headerOf(response, 'content-type');
    const isInJson = isFile && isDataInJson(at, reported);
    const decoder = isInJson ? undefined : decoderOf(response, wanted);
    const length = Number(headerOf(response, 'content-length') ?? Number.NaN);
    const size = Number.isNaN(length) || !isFile || isInJson || decoder !== undefined ? undefined : length;
    if (size !== undefined && size > largest) throw new TooLarge(size, largest);
    let packed = 0;
    const body = counting(guarded.patiently(response.body, timeoutMs, now), (bytes) => {
      packed += bytes;
    });
    const unpacked = decoder === undefined ? body : piped(Readable.from(body), decoder, () => undefined);
    const digest = createHash('sha256');
    let head = Buffer.alloc(0);
    let came = 0;
    const counted = async function* () {
      for await (const chunk of isInJson ? dataInJson(body) : (unpacked as AsyncIterable<Buffer>)) {
        came += chunk.length;
        if (came > largest) throw new TooLarge(came, largest);
        if (decoder !== undefined && came > BOUNDS.unpacked.most && came > BOUNDS.ratio.most * packed)
          throw new Bomb();
        digest.update(chunk);
        if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES)]);
        if (isFile) onBytes(chunk.length);
        else if (head.length >= HEAD_BYTES) return;
        yield chunk;
      }
    };
    await pipeline(counted, createWriteStream(path, { mode: 0o600, flush: true }));
    if (size !== undefined && came !== size) throw new Error('it ends before its length');
    const contentType = isInJson ? undefined : reported;
    const advise = (address: string) =>
      credentials.advice(new URL(address), wanted.address.startsWith('https:'));
    const answer = { status: statusCode, contentType, size: came, head, address: at.href, advise };
    const verdict = judgeAnswer(answer, wanted, now());
    if (verdict.is === 'missing') return verdict;
    if (verdict.is === 'again') {
      const retryAfter = headerOf(response, 'retry-after');
      const retryAfterMs = retryAfterMsOf(retryAfter, headerOf(response, 'date'), now());
      return { ...verdict, busy: statusCode === 429 || statusCode === 503, retryAfterMs, silent: false };
    }
    const name = nameOf(response);
    const named = wanted.name ?? name ?? new URL(wanted.address).pathname;
    const type = typeOf(head, contentType, named, wanted.contentType);
    return { is: 'fetched', file: { hash: digest.digest('hex'), size: came, type, name, path } };
  }
}

function decoderOf(response: guarded.Answer, { name, contentType, address }: WantedFile) {
  const encoding = headerOf(response, 'content-encoding')?.trim().toLowerCase();
  const declared = contentType ?? typeOfName(name ?? new URL(address).pathname);
  const reported = headerOf(response, 'content-type') ?? '';
  if (/gzip|compress/.test(declared ?? '') || /[/-](?:gzip|compress)/.test(reported)) return undefined;
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  if (encoding === 'br') return createBrotliDecompress();
  return encoding === 'zstd' ? createZstdDecompress() : undefined;
}

function nameOf(response: guarded.Answer): string | undefined {
  const { filename } = parseDisposition(headerOf(response, 'content-disposition') ?? '').parameters;
  return filename === undefined ? undefined : cleanName(filename);
}

const LONGEST_LINK = 65_536;
const LONGEST_DATA = 128 * 1024 * 1024;

/** Help Scout: `{"data":"…"}` in base64. */
function isDataInJson({ pathname }: URL, contentType = ''): boolean {
  const isJson = /^application\/(?:[\w.+-]+\+)?json\b/i.test(contentType);
  return isJson && /\/attachments\/\d+\/data(?:\.json)?$/.test(pathname);
}

async function* dataInJson(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { data } = await readJson(body, LONGEST_DATA);
  if (typeof data !== 'string') throw new Error('it has no data of a file');
  yield Buffer.from(data, 'base64');
}

async function readJson(
  body: AsyncIterable<Buffer>,
  longest: number,
): Promise<{ readonly data?: unknown; readonly url?: unknown }> {
  const parts: Buffer[] = [];
  let length = 0;
  using _ = { [Symbol.dispose]: () => inFlight.release(parts) };
  for await (const part of body) {
    parts.push(part);
    length += part.length;
    if (!inFlight.take(parts, part.length)) await inFlight.turn(parts);
    if (length > longest) throw new Error('its JSON is too long');
  }
  return JSON.parse(Buffer.concat(parts).toString()) ?? {};
}

function isDiskError(error: unknown): boolean {
  const code = guarded.codeOf(error);
  if (['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS'].includes(code)) return true;
  return ['EACCES', 'EPERM', 'ENOENT'].includes(code) && error instanceof Error && 'path' in error;
}

/** Other errors are returned unchanged. */
export function cannotWrite(folder: string, cause: unknown): unknown {
  const hint = 'Free up space or correct its permissions, and run again: stored files are not fetched again.';
  return diskFailure(cause, `The folder ${folder} for files cannot be written`, hint);
}
