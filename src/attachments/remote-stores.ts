/** The stores that are elsewhere: the target itself, by addresses that it signs, and S3-compatible buckets. */
import { createReadStream, openAsBlob } from 'node:fs';
import { S3mini } from 's3mini';
import { type Dispatcher, fetch, type RequestInit, request } from 'undici';
import type { Clock } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import { type Environment, proxyAgent } from '../target/address.ts';
import { codeOf, labelOf } from '../verify/guarded-request.ts';
import type { FetchedFile } from './fetch-file.ts';
import { extensionFor } from './file-kind.ts';
import { contentName, type FileStore, StoreRefusal } from './file-store.ts';

/** Where a file may be sent to, and where it is then. */
export interface SignedUpload {
  readonly signedUrl: string;
  readonly downloadUrl: string;
}

interface RemoteOptions {
  readonly staging: string;
  /** Proxy settings are read from here. */
  readonly env: Environment;
  readonly clock: Clock;
}

export interface TargetStoreOptions extends RemoteOptions {
  readonly timeoutMs: number;
  /** Asks the target for an address; what it throws stops all of it. */
  readonly announce: (filename: string, contentType: string, signal: AbortSignal) => Promise<SignedUpload>;
  /** The origin of a local service, whose port may change: its addresses are kept without it. */
  readonly localOrigin: string | undefined;
}

const MOST_ATTEMPTS = 4;
const ELSEWHERE = { isRemote: true, has: () => true, settle: async () => {} } as const;

export function targetStore(options: TargetStoreOptions): FileStore {
  const { staging, clock, announce, localOrigin } = options;
  const dispatcher = proxyAgent(options.env, {});
  return {
    ...ELSEWHERE,
    id: 'target',
    staging,
    addressOf: () => undefined,
    async put(file, name, signal) {
      const filename = name ?? `file${extensionFor(file.type, undefined)}`;
      let upload = await announce(filename.slice(-255), file.type, signal);
      for (let attempt = 1; ; attempt++) {
        const status = await send(upload.signedUrl, file, { ...options, dispatcher, signal });
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
  { type, size, path }: FetchedFile,
  {
    dispatcher,
    timeoutMs,
    signal,
  }: { dispatcher: Dispatcher | undefined; timeoutMs: number; signal: AbortSignal },
): Promise<number | undefined> {
  try {
    const { statusCode, body } = await request(address, {
      method: 'PUT',
      ...(dispatcher && { dispatcher }),
      headersTimeout: Math.max(timeoutMs, 60_000),
      signal,
      headers: {
        'content-type': type,
        'content-length': String(size),
        'user-agent': 'helpdesk-import',
      },
      body: createReadStream(path),
    });
    await body.dump();
    return statusCode;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

export interface BucketOptions extends RemoteOptions {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Where everybody can open what is in the bucket; default: its own address. */
  readonly publicUrl: string | undefined;
}

/** Larger files are sent in parts. */
const PART = 8 * 1024 * 1024;
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
  const base = publicUrl ?? `${endpoint}/${bucket}`;
  const keyOf = (file: FetchedFile, name: string | undefined) =>
    `${prefix === '' ? '' : `${prefix}/`}${contentName(file, name)}`;
  const put = async (s3: S3mini, key: string, { path, size, type }: FetchedFile) => {
    const headers: Record<string, string> = { 'cache-control': FOREVER };
    if (PAGES.has(type)) headers['content-disposition'] = 'attachment';
    if (size <= PART) headers['if-none-match'] = '*';
    else if ((await s3.objectExists(key)) === true) return;
    await s3.putAnyObject(key, await openAsBlob(path), type, undefined, headers as never);
  };
  return {
    ...ELSEWHERE,
    id: `s3 ${endpoint}/${bucket} ${base}`,
    staging,
    addressOf: (file, name) => `${base}/${keyOf(file, name)}`,
    async put(file, name, signal) {
      const key = keyOf(file, name);
      const address = `${base}/${key}`;
      const s3 = new S3mini({
        accessKeyId,
        secretAccessKey,
        region,
        endpoint: `${endpoint}/${bucket}`,
        minPartSize: PART,
        fetch: fetchBy(dispatcher, signal),
      });
      for (let attempt = 1; ; attempt++) {
        signal.throwIfAborted();
        try {
          await put(s3, key, file);
          return address;
        } catch (error) {
          signal.throwIfAborted();
          const status = error instanceof Error && 'status' in error ? error.status : undefined;
          // It is there already: the same content has the same name.
          if (status === 412) return address;
          if (status === 401 || status === 403 || status === 404 || attempt > MOST_ATTEMPTS)
            throw new AppError(
              'unreachable',
              `The bucket ${bucket} at ${labelOf(endpoint)} does not take files (${status ?? causeOf(error)}).`,
              {
                hint: 'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, the name of the bucket and files.s3Endpoint.',
              },
            );
          await clock.sleep(300 * 2 ** attempt, signal);
        }
      }
    },
  };
}

/** Undici's own: another version of it inside Node does not take this dispatcher. */
function fetchBy(dispatcher: Dispatcher | undefined, signal: AbortSignal): typeof globalThis.fetch {
  const own = { signal, ...(dispatcher && { dispatcher }) };
  const through = (input: string, init: RequestInit) => fetch(input, { ...init, ...own });
  return through as unknown as typeof globalThis.fetch;
}

function causeOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  return cause instanceof Error && 'code' in cause ? codeOf(cause) : 'no answer';
}
