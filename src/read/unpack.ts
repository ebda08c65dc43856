/** Compressed input, unpacked once into the temporary file: afterwards it has random access like any other. */
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { AppError } from '../domain/errors.ts';
import { type ByteSource, chunksOf, slice } from './byte-source.ts';
import { ExpansionGuard } from './expansion-guard.ts';
import { spoolAll, type UnpackContext } from './spool-all.ts';
import { zstdFrames } from './zstd-frames.ts';

/** All members of a .gz, one after another. */
export async function gunzip(source: ByteSource, name: string, context: UnpackContext): Promise<ByteSource> {
  const start = context.spool.size;
  const guard = new ExpansionGuard(name, source.size, context.tuning);
  const { signal, tuning } = context;
  try {
    await pipeline(
      chunksOf(source, tuning.chunkBytes, signal),
      createGunzip(),
      (chunks) => spoolAll(chunks, guard, context),
      { signal },
    );
  } catch (cause) {
    throw damaged(name, 'gzip', cause, signal);
  }
  return context.spool.partFrom(start);
}

/** All frames of a .zst, one after another. */
export async function unzstd(source: ByteSource, name: string, context: UnpackContext): Promise<ByteSource> {
  const start = context.spool.size;
  const guard = new ExpansionGuard(name, source.size, context.tuning);
  const { signal, tuning } = context;
  try {
    for await (const frame of zstdFrames(source)) {
      await pipeline(
        chunksOf(slice(source, frame.start, frame.size), tuning.chunkBytes, signal),
        createZstdDecompress(),
        (chunks) => spoolAll(chunks, guard, context),
        { signal },
      );
    }
  } catch (cause) {
    throw damaged(name, 'zstd', cause, signal);
  }
  return context.spool.partFrom(start);
}

export function damaged(name: string, packing: string, cause: unknown, signal: AbortSignal): unknown {
  if (cause instanceof AppError) return cause;
  if (signal.aborted) return signal.reason;
  const ends = cause instanceof Error && /unexpected end/i.test(cause.message);
  return new AppError(
    'source',
    `${name} cannot be unpacked: ${ends ? 'it ends in the middle' : `its ${packing} data is damaged`}.`,
    { hint: 'Export or download it again.', cause },
  );
}
