/** Opens new addresses as a customer's browser would, without credentials, and compares the content. */
import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import type { StoredContent } from '../domain/ledger.ts';
import type { Environment } from '../helpdesk/address.ts';
import { discard, GuardedClient, labelOf, noAnswer, patiently } from '../verify/guarded-request.ts';
import { HEAD_BYTES, isLoginPage, typeOfBytes } from './file-kind.ts';

export interface WrongFile {
  readonly address: string;
  readonly detail: string;
}

export interface VerifyFilesOptions {
  readonly timeoutMs: number;
  readonly privateHosts: readonly string[];
  readonly env: Environment;
  readonly origin: string;
  readonly now: () => number;
}

const TOGETHER = 8;
const MOST_HOPS = 5;

/** Resolves with the wrong ones. Rejects with the signal's reason. */
export async function verifyFiles(
  contents: Iterable<StoredContent>,
  { timeoutMs, privateHosts, env, origin, now }: VerifyFilesOptions,
  signal: AbortSignal,
): Promise<WrongFile[]> {
  await using client = new GuardedClient({ timeoutMs, privateHosts, env });
  const look = async ({ address, hash, size, type }: StoredContent): Promise<string | undefined> => {
    const opened = await client.open(new URL(address, origin), { redirects: MOST_HOPS, signal });
    if ('outcome' in opened) return opened.reason;
    const { statusCode, body } = opened.response;
    if (statusCode !== 200) {
      await discard(opened.response);
      return `answers ${statusCode}`;
    }
    const digest = createHash('sha256');
    let head = Buffer.alloc(0);
    let bytes = 0;
    for await (const chunk of patiently(body, timeoutMs, now)) {
      digest.update(chunk);
      bytes += chunk.length;
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES)]);
      if (bytes > size + HEAD_BYTES) break;
    }
    if (bytes === size && digest.digest('hex') === hash) return undefined;
    if (typeOfBytes(head) === 'text/html' && type !== 'text/html')
      return isLoginPage(head) ? 'leads to a login page' : 'leads to a page instead of the file';
    if (bytes > size) return `has more than its ${size} bytes`;
    return bytes === size ? 'has different content' : `has ${bytes} bytes in place of ${size}`;
  };
  const wrong: WrongFile[] = [];
  const limit = pLimit(TOGETHER);
  const looking = [...contents].map((content) =>
    limit(async () => {
      signal.throwIfAborted();
      const detail = await look(content).catch((error: unknown) => noAnswer(error).reason);
      const { address } = content;
      if (detail !== undefined)
        wrong.push({ address, detail: `${labelOf(new URL(address, origin).href)} ${detail}.` });
    }),
  );
  await Promise.allSettled(looking);
  signal.throwIfAborted();
  return wrong;
}
