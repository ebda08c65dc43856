/** The stores that are elsewhere: the target itself, by addresses that it signs, and S3-compatible buckets. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { S3mini } from 's3mini';
import { type Dispatcher, fetch, type RequestInit, request } from 'undici';
import type { Clock } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import { type Environment, proxyAgent } from '../target/http/proxy.ts';
import { labelOf } from '../verify/guarded-request.ts';
import type { FetchedFile } from './fetch-file.ts';
import { extensionFor } from './file-kind.ts';
import { contentName, type FileStore, StoreRefusal } from './file-store.ts';

/** Where a file may be sent to, and where it is then. */
export interface SignedUpload {
  readonly signedUrl: string;
  readonly downloadUrl: string;
}

export interface TargetStoreOptions {
  readonly staging: string;
  /** Proxy settings are read from here. */
  readonly env: Environment;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Asks the target for an address; what it throws stops all of it. */
  readonly announce: (filename: string, contentType: string, signal: AbortSignal) => Promise<SignedUpload>;
  /** The origin of a local service, whose port may change: its addresses are kept without it. */
  readonly localOrigin: string | undefined;
}

const MOST_ATTEMPTS = 4;

export function targetStore(options: TargetStoreOptions): FileStore {
  const { staging, clock, timeoutMs, announce, localOrigin } = options;
  const dispatcher = proxyAgent(options.env, {});
  return {
    id: 'target',
    label: 'the target',
    staging,
    isRemote: true,
    has: () => true,
    settle: async () => {},
    addressOf: () => undefined,
    async put(file, name, signal) {
      const filename = name ?? `file${extensionFor(file.type, undefined)}`;
      let upload = await announce(filename.slice(-255), file.type, signal);
      for (let attempt = 1; ; attempt++) {
        const status = await send(upload.signedUrl, file, { dispatcher, timeoutMs, signal });
        if (status !== undefined && status >= 200 && status < 300) break;
        if (attempt >= MOST_ATTEMPTS || (status !== undefined && [400, 411, 413, 415, 422].includes(status)))
          throw new StoreRefusal(`The target does not take ${filename} (${status ?? 'no answer'}).`);
        // The signature may have ended while it was sent.
        if (status === 403 || status === 401 || status === 404)
          upload = await announce(filename.slice(-255), file.type, signal);
        else await clock.sleep(300 * 2 ** attempt, signal);
      }
      const { downloadUrl } = upload;
      return localOrigin !== undefined && downloadUrl.startsWith(`${localOrigin}/`)
        ? downloadUrl.slice(localOrigin.length)
        : downloadUrl;
    },
  };
}

/** The status; undefined where none came. Sending the same bytes to the same address again changes nothing. */
async function send(
  address: string,
  file: FetchedFile,
  {
    dispatcher,
    timeoutMs,
    signal,
  }: { readonly dispatcher: Dispatcher | undefined; timeoutMs: number; signal: AbortSignal },
): Promise<number | undefined> {
  try {
    const { statusCode, body } = await request(address, {
      method: 'PUT',
      ...(dispatcher && { dispatcher }),
      headersTimeout: Math.max(timeoutMs, 60_000),
      signal,
      headers: {
        'content-type': file.type,
        'content-length': String(file.size),
        'user-agent': 'helpdesk-import',
      },
      body: file.bytes ?? createReadStream(file.path ?? ''),
    });
    await body.dump();
    return statusCode;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

export interface BucketOptions {
  readonly staging: string;
  /** Proxy settings are read from here. */
  readonly env: Environment;
  readonly clock: Clock;
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Where everybody can open what is in the bucket; default: its own address. */
  readonly publicUrl: string | undefined;
}

const PART = 8 * 1024 * 1024;
const PARTS_TOGETHER = 3;
const FOREVER = 'public, max-age=31536000, immutable';
/** These would run as pages of the bucket's address. */
const PAGES: ReadonlySet<string> = new Set([
  'text/html',
  'application/xhtml+xml',
  'image/svg+xml',
  'application/xml',
  'text/xml',
  'text/javascript',
]);

export function bucketStore(options: BucketOptions): FileStore {
  const { endpoint, bucket, prefix, region, accessKeyId, secretAccessKey, publicUrl, staging, clock } =
    options;
  const dispatcher = proxyAgent(options.env, {});
  const s3 = new S3mini({
    accessKeyId,
    secretAccessKey,
    region,
    endpoint: `${endpoint}/${bucket}`,
    ...(dispatcher && { fetch: fetchBy(dispatcher) }),
  });
  const base = publicUrl ?? `${endpoint}/${bucket}`;
  const keyOf = (file: FetchedFile, name: string | undefined) =>
    `${prefix === '' ? '' : `${prefix}/`}${contentName(file, name)}`;
  const patiently = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        const status = statusOf(error);
        if (status === 412) throw error;
        if (status === 401 || status === 403 || status === 404 || attempt > MOST_ATTEMPTS)
          throw new AppError(
            'unreachable',
            `The bucket ${bucket} at ${labelOf(endpoint)} does not take files (${status ?? codeOf(error)}).`,
            {
              hint: 'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, the name of the bucket and files.s3Endpoint.',
            },
          );
        await clock.sleep(300 * 2 ** attempt, signal);
      }
    }
  };
  const abort = (key: string, id: string) => s3.abortMultipartUpload(key, id).catch(() => undefined);
  const large = async (
    key: string,
    file: FetchedFile,
    headers: Record<string, string>,
    isBegun: boolean,
    signal: AbortSignal,
  ) => {
    const there = await patiently(() => s3.objectExists(key), signal);
    // Parts of an upload that does not end cost money for as long as they are there.
    if (isBegun) for (const id of await begunUploads(s3, key)) await abort(key, id);
    if (there === true) return;
    const id = await patiently(() => s3.getMultipartUploadId(key, file.type, undefined, headers), signal);
    const source = await open(file.path ?? '', 'r');
    try {
      const parts: Awaited<ReturnType<typeof s3.uploadPart>>[] = [];
      const numbers = Array.from(
        { length: Math.ceil(file.size / partSize(file.size)) },
        (_, index) => index,
      ).values();
      const worker = async () => {
        for (const index of numbers) {
          const bytes = Buffer.allocUnsafe(
            Math.min(partSize(file.size), file.size - index * partSize(file.size)),
          );
          await source.read(bytes, 0, bytes.length, index * partSize(file.size));
          parts[index] = await patiently(() => s3.uploadPart(key, id, bytes, index + 1), signal);
        }
      };
      const ended = await Promise.allSettled(Array.from({ length: PARTS_TOGETHER }, worker));
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
      await patiently(() => s3.completeMultipartUpload(key, id, parts), signal);
    } catch (error) {
      await abort(key, id);
      throw error;
    } finally {
      await source.close();
    }
  };
  return {
    id: `s3 ${endpoint}/${bucket} ${base}`,
    label: `the bucket ${bucket}`,
    staging,
    isRemote: true,
    has: () => true,
    settle: async () => {},
    addressOf: (file, name) => `${base}/${keyOf(file, name)}`,
    async put(file, name, signal, isBegun = false) {
      const key = keyOf(file, name);
      const headers: Record<string, string> = { 'cache-control': FOREVER };
      if (PAGES.has(file.type)) headers['content-disposition'] = 'attachment';
      try {
        if (file.bytes === undefined) await large(key, file, headers, isBegun, signal);
        else {
          const { bytes } = file;
          await patiently(
            () =>
              s3.putObject(key, bytes, file.type, undefined, { ...headers, 'if-none-match': '*' } as never),
            signal,
          );
        }
      } catch (error) {
        // It is there already: the same content has the same name.
        if (statusOf(error) !== 412) throw error;
      }
      return `${base}/${key}`;
    },
  };
}

/** Undici's own: another version of it inside Node does not take this dispatcher. */
function fetchBy(dispatcher: Dispatcher): typeof globalThis.fetch {
  const through = (input: string, init: RequestInit) => fetch(input, { ...init, dispatcher });
  return through as unknown as typeof globalThis.fetch;
}

/** Uploads of a process that was killed; none where the bucket does not tell them. */
async function begunUploads(s3: S3mini, key: string): Promise<string[]> {
  // The library passes on what it was answered, by the names that S3 has.
  const answer: unknown = await s3
    .listMultipartUploads('/', '', 'GET', { prefix: key })
    .catch(() => undefined);
  const { Upload: uploads } = ((answer as BegunUploads | undefined)?.ListMultipartUploadsResult ||
    {}) as Exclude<BegunUploads['ListMultipartUploadsResult'], ''>;
  return [uploads ?? []].flat().flatMap(({ Key, UploadId }) => (Key === key ? [UploadId] : []));
}

interface BegunUpload {
  readonly Key: string;
  readonly UploadId: string;
}

interface BegunUploads {
  readonly ListMultipartUploadsResult: { readonly Upload?: BegunUpload | readonly BegunUpload[] } | '';
}

/** At most ten thousand parts. */
function partSize(size: number): number {
  return Math.max(PART, Math.ceil(size / 9_000));
}

function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'status' in error && typeof error.status === 'number'
    ? error.status
    : undefined;
}

function codeOf(error: unknown): string {
  const code =
    error instanceof Error && error.cause instanceof Error && 'code' in error.cause
      ? error.cause.code
      : undefined;
  return typeof code === 'string' ? code : 'no answer';
}
