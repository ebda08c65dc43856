/** Events that are to be sent, put together into requests of a size. */
import type { ExaminedUsage } from './usage-examine.ts';
import type { UsageToSend } from './usage-send.ts';

/** @param only hexadecimal digests of the events that are meant (a trial); the pass ends with the last of them */
export async function* batchesOf(
  chunks: AsyncIterable<readonly ExaminedUsage[]>,
  size: number,
  only: ReadonlySet<string> | undefined,
): AsyncGenerator<readonly UsageToSend[]> {
  let batch: UsageToSend[] = [];
  let left = only?.size ?? Number.POSITIVE_INFINITY;
  for await (const chunk of chunks) {
    for (const { event, digest, ref, outcome } of chunk) {
      if (event === undefined || digest === undefined) continue;
      if (only !== undefined && !only.has(digest.toString('hex'))) continue;
      left--;
      batch.push({ event, digest, ref, outcome });
      if (batch.length < size) continue;
      yield batch;
      batch = [];
    }
    if (left <= 0) break;
  }
  if (batch.length > 0) yield batch;
}
