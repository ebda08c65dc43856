/** Opens the new addresses of files as a browser of a customer would, without any credential, and compares what comes. */
import { createHash } from 'node:crypto';
import { Agent, request } from 'undici';
import type { StoredContent } from '../domain/ledger.ts';
import {
  guardedLookup,
  isPublicAddress,
  literalAddress,
  resolveWithSystem,
} from '../verify/guarded-lookup.ts';
import { labelOf } from './address.ts';

export interface WrongFile {
  readonly address: string;
  readonly detail: string;
}

export interface VerifyFilesOptions {
  readonly timeoutMs: number;
  readonly allowPrivate: boolean;
  /** From which addresses of the local service count. */
  readonly origin: string;
  readonly onFile: () => void;
}

const TOGETHER = 8;
const MOST_HOPS = 5;

/** Resolves with those that are not what they should be. Rejects with the signal's reason. */
export async function verifyFiles(
  contents: Iterable<StoredContent>,
  { timeoutMs, allowPrivate, origin, onFile }: VerifyFilesOptions,
  signal: AbortSignal,
): Promise<WrongFile[]> {
  const lookup = guardedLookup(resolveWithSystem, allowPrivate ? () => true : isPublicAddress);
  const agent = new Agent({
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: timeoutMs, lookup },
  });
  const wrong: WrongFile[] = [];
  const queue = contents[Symbol.iterator]();
  const look = async ({ address, hash, size }: StoredContent): Promise<string | undefined> => {
    let at = new URL(address, origin);
    for (let hops = 0; ; hops++) {
      const literal = literalAddress(at.hostname);
      if (literal !== undefined && !allowPrivate && !isPublicAddress(literal))
        return `is at ${literal}, inside a private network`;
      const { statusCode, headers, body } = await request(at, {
        dispatcher: agent,
        signal,
        headers: { accept: '*/*' },
      });
      const { location } = headers;
      if (
        statusCode >= 300 &&
        statusCode < 400 &&
        typeof location === 'string' &&
        URL.canParse(location, at.href) &&
        hops < MOST_HOPS
      ) {
        await body.dump();
        at = new URL(location, at);
        continue;
      }
      if (statusCode !== 200) {
        await body.dump();
        return `answers ${statusCode}`;
      }
      const digest = createHash('sha256');
      let bytes = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        digest.update(chunk);
        bytes += chunk.length;
      }
      if (bytes !== size) return `has ${bytes} bytes in place of ${size}`;
      return digest.digest('hex') === hash ? undefined : 'has another content';
    }
  };
  const worker = async () => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      signal.throwIfAborted();
      const { address } = next.value;
      const detail = await look(next.value).catch((error: unknown) => {
        signal.throwIfAborted();
        return `cannot be opened (${error instanceof Error && 'code' in error ? String(error.code) : 'no answer'})`;
      });
      if (detail !== undefined)
        wrong.push({ address, detail: `${labelOf(new URL(address, origin).href)} ${detail}.` });
      onFile();
    }
  };
  await Promise.allSettled(Array.from({ length: TOGETHER }, worker));
  await agent.destroy();
  signal.throwIfAborted();
  return wrong;
}
