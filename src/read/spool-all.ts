/** A stream into the temporary file, from where it can be read at any place. */
import type { ExpansionGuard } from './expansion-guard.ts';
import type { ReadTuning } from './read-tuning.ts';
import type { Spool } from './spool.ts';

export interface UnpackContext {
  readonly spool: Spool;
  readonly tuning: ReadTuning;
  readonly signal: AbortSignal;
}

/** `guard`: where the stream is unpacked from something smaller. */
export async function spoolAll(
  chunks: AsyncIterable<Buffer>,
  guard: ExpansionGuard | undefined,
  { spool, signal }: UnpackContext,
): Promise<void> {
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    guard?.add(chunk.length);
    await spool.append(chunk);
  }
}
