/** Compressed input, unpacked once into the temporary file: afterwards it has random access like any other. */
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { AppError } from '../../domain/errors.ts';
import { type ByteSource, chunksOf, readRange, slice } from './byte-source.ts';
import { ExpansionGuard, spoolAll, type UnpackContext } from './spool.ts';

const PACKINGS = {
  /** Node's own reader takes all members of a .gz, one after another. */
  gzip: {
    frames: async function* (source: ByteSource) {
      yield { start: 0, size: source.size };
    },
    decompressor: createGunzip,
  },
  zstd: { frames: zstdFrames, decompressor: createZstdDecompress },
};

/** The whole of a compressed file, all of its members or frames. */
export async function unpack(
  packing: keyof typeof PACKINGS,
  source: ByteSource,
  name: string,
  context: UnpackContext,
): Promise<ByteSource> {
  const { signal, spool, tuning } = context;
  const { frames, decompressor } = PACKINGS[packing];
  const start = spool.size;
  const guard = new ExpansionGuard(name, source.size, tuning);
  try {
    for await (const frame of frames(source)) {
      await pipeline(
        chunksOf(slice(source, frame.start, frame.size), tuning.chunkBytes, signal),
        decompressor(),
        (chunks) => spoolAll(chunks, guard, context),
        { signal },
      );
    }
  } catch (cause) {
    throw damaged(name, packing, cause, signal);
  }
  return spool.partFrom(start);
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

// Where the frames of a .zst file begin and end (RFC 8878, section 3.1). Parallel compressors and `cat a.zst b.zst` make
// files of many frames, and the decompressor of Node reads one; so each frame is given to one of its own. Only headers
// are read here, a few bytes per block of up to 128 KiB.

const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const RLE_BLOCK = 1;

interface ZstdFrame {
  readonly start: number;
  readonly size: number;
}

/** Ends early where the bytes are no frame: the last one then reaches to the end, and the decompressor complains. */
async function* zstdFrames(source: ByteSource): AsyncGenerator<ZstdFrame> {
  for (let start = 0; start < source.size; ) {
    const header = await readRange(source, start, 18);
    if (header.length < 8) return yield { start, size: source.size - start };
    const magic = header.readUInt32LE(0);
    if ((magic & ~0xf) >>> 0 === SKIPPABLE_MAGIC) {
      start += 8 + header.readUInt32LE(4);
      continue;
    }
    const size = magic === FRAME_MAGIC ? await frameSize(source, start, header) : source.size - start;
    yield { start, size };
    start += size;
  }
}

async function frameSize(source: ByteSource, start: number, header: Buffer): Promise<number> {
  const descriptor = header[4] ?? 0;
  const singleSegment = (descriptor & 0x20) !== 0;
  const contentSizeBytes = [singleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  let at = start + 5 + (singleSegment ? 0 : 1) + dictionaryBytes + contentSizeBytes;
  for (;;) {
    const block = await readRange(source, at, 3);
    if (block.length < 3) return source.size - start;
    const word = block.readUIntLE(0, 3);
    at += 3 + (((word >> 1) & 3) === RLE_BLOCK ? 1 : word >> 3);
    if ((word & 1) === 1) break;
  }
  const checksumBytes = (descriptor & 4) === 0 ? 0 : 4;
  return Math.min(source.size, at + checksumBytes) - start;
}
