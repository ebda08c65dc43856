/** A few files of one host, asked for their first bytes: what comes, how large they are, how long it takes. For the forecast. */
import { isDataInJson } from '../../attachments/data-in-json.ts';
import { judgeAnswer } from '../../attachments/judge-answer.ts';
import { openFile } from '../../attachments/open-file.ts';
import type { SourceCredentials } from '../../attachments/source-credentials.ts';
import type { WantedFile } from '../../attachments/ticket-files.ts';
import type { Clock } from '../../domain/clock.ts';
import { type GuardedClient, hangUp, headerOf, noAnswer, Patience } from '../../verify/guarded-request.ts';

export interface HostAnswers {
  /** What was found, in words, and of how many; `good` gives files. */
  readonly kinds: ReadonlyMap<string, number>;
  readonly good: number;
  readonly asked: number;
  /** Of those that told theirs. */
  readonly sizes: ReadonlyMap<string, number>;
  /** For one file, its first bytes included. */
  readonly msEach: number;
  readonly bytesPerMs: number;
}

interface AskingHost {
  readonly client: GuardedClient;
  readonly credentials: SourceCredentials;
  readonly clock: Clock;
  readonly largest: number;
  readonly timeoutMs: number;
}

const FIRST_BYTES = 65_536;
const WORDS = {
  forbidden: 'needs a login',
  gone: 'is gone',
  'login-page': 'is a login page',
  expired: 'is expired',
  'too-large': 'is too large',
  'wrong-type': 'is of another kind',
  blocked: 'is inside a private network',
  unreachable: 'cannot be reached',
} as const;

/** Rejects with the signal's reason alone. */
export async function askHost(
  files: readonly WantedFile[],
  { client, credentials, clock, largest, timeoutMs }: AskingHost,
  signal: AbortSignal,
): Promise<HostAnswers> {
  const kinds = new Map<string, number>();
  const sizes = new Map<string, number>();
  let good = 0;
  let spentMs = 0;
  let bytes = 0;
  const count = (kind: string) => kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  for (const file of files) {
    const begun = clock.monotonic();
    try {
      const headers = { range: `bytes=0-${FIRST_BYTES - 1}` };
      const opened = await openFile(file.address, { client, credentials, headers, signal });
      if ('outcome' in opened) {
        count(WORDS[opened.outcome === 'refused' ? 'blocked' : 'unreachable']);
        continue;
      }
      const { response, at } = opened;
      const { statusCode } = response;
      const chunks: Buffer[] = [];
      let came = 0;
      const patience = new Patience(timeoutMs, clock.monotonic);
      for await (const chunk of response.body) {
        chunks.push(chunk);
        came += chunk.length;
        patience.came(chunk.length);
        if (came >= FIRST_BYTES) break;
      }
      hangUp(response);
      const range = /\/(\d+)$/.exec(headerOf(response, 'content-range') ?? '')?.[1];
      const size = statusCode === 206 ? range : headerOf(response, 'content-length');
      const reported = headerOf(response, 'content-type');
      const isInJson = isDataInJson(at.href, reported);
      const verdict = judgeAnswer(
        {
          // An empty file has no first bytes.
          status: statusCode === 416 ? 200 : statusCode,
          contentType: isInJson ? undefined : reported,
          size: size === undefined || isInJson ? undefined : Number(size),
          head: isInJson ? Buffer.alloc(0) : Buffer.concat(chunks),
          address: at.href,
          advise: () => '',
        },
        file,
        { largest, now: clock.now() },
      );
      if (verdict.is === 'file') {
        good += 1;
        bytes += came;
        if (size !== undefined) sizes.set(file.key, Number(size));
      } else count(verdict.is === 'again' ? `answers ${statusCode}` : WORDS[verdict.reason]);
    } catch (error) {
      signal.throwIfAborted();
      count(WORDS[noAnswer(error).outcome === 'refused' ? 'blocked' : 'unreachable']);
    } finally {
      spentMs += clock.monotonic() - begun;
    }
  }
  return {
    kinds,
    good,
    asked: files.length,
    sizes,
    msEach: spentMs / files.length,
    bytesPerMs: bytes / spentMs,
  };
}
