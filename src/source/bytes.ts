/** Streams of bytes, and what of them is compressed. */
import { AppError } from '../domain/errors.ts';
import { BOUNDS } from '../domain/limits.ts';
import type { Problem } from '../domain/problem.ts';
import type { SourceFile } from '../domain/source-file.ts';
import { ignoredFile, unreadableFile } from './problems.ts';

/** The bounds of reading. Tests set them small. */
export interface ReadTuning {
  readonly chunkBytes: number;
  /** A CSV record longer than this is taken for an unclosed quote. */
  readonly maxCsvRecordBytes: number;
  readonly maxJsonRecordBytes: number;
  readonly maxDocumentBytes: number;
  /** Unpacking stops when more than `ratioFloorBytes` came out and it is more than `maxRatio` times what went in. */
  readonly maxRatio: number;
  readonly ratioFloorBytes: number;
  readonly maxUnpackedBytes: number;
  /** Standard input is read up to this. */
  readonly maxPipedBytes: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_TUNING: ReadTuning = {
  chunkBytes: 256 * 1024,
  maxCsvRecordBytes: BOUNDS.csvRecord.most,
  maxJsonRecordBytes: BOUNDS.jsonRecord.most,
  maxDocumentBytes: BOUNDS.document.most,
  maxRatio: BOUNDS.ratio.most,
  ratioFloorBytes: 256 * MIB,
  maxUnpackedBytes: BOUNDS.unpacked.most,
  maxPipedBytes: BOUNDS.piped.most,
};

export interface ReadContext {
  readonly tuning: ReadTuning;
  readonly signal: AbortSignal;
  readonly problems: Problem[];
}

export interface ByteStream {
  readonly name: string;
  readonly compression: SourceFile['compression'];
  readonly named: boolean;
  /** Once, from front to back. */
  readonly bytes: AsyncIterable<Buffer>;
}

const NESTED = 'an archive within an archive is not opened; unpack it first';
/** Bytes by which a packed file is known. */
export const HEAD = 64;

/** The first bytes, at least `least` where there are as many, and the whole stream with them. */
export async function peeked(
  stream: AsyncIterable<Buffer>,
  least: number,
  name: string,
  signal: AbortSignal,
): Promise<[head: Buffer, whole: AsyncIterable<Buffer>]> {
  const chunks = stream[Symbol.asyncIterator]();
  const next = async () => {
    try {
      signal.throwIfAborted();
      return await chunks.next();
    } catch (cause) {
      signal.throwIfAborted();
      throw unreadableFile(name, cause);
    }
  };
  const first: Buffer[] = [];
  let size = 0;
  while (size < least) {
    const step = await next();
    if (step.done === true) break;
    first.push(step.value);
    size += step.value.length;
  }
  const head = Buffer.concat(first);
  const whole = async function* () {
    if (head.length > 0) yield head;
    for (let step = await next(); step.done !== true; step = await next()) yield step.value;
  };
  return [head, whole()];
}

/** Stops an archive that unpacks to far more than an export could be: a bomb, or a mistake. */
export async function* guardedStream(
  bytes: AsyncIterable<Buffer>,
  name: string,
  packedBytes: number,
  { maxRatio, ratioFloorBytes, maxUnpackedBytes }: ReadTuning,
): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    const isTooDense = size > ratioFloorBytes && size > maxRatio * packedBytes;
    if (isTooDense || size > maxUnpackedBytes)
      throw new AppError(
        'source',
        `${name} was not unpacked: ${isTooDense ? `it holds more than ${maxRatio} times its own size` : 'it holds too much'}, as archives made to fill disks do.`,
        { hint: 'If it is a true export, unpack it yourself and name the unpacked files.' },
      );
    yield chunk;
  }
}

export function damaged(name: string, packing: string, cause: unknown, signal: AbortSignal): unknown {
  if (cause instanceof AppError) return cause;
  if (signal.aborted) return signal.reason;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const isCut = code === 'Z_BUF_ERROR' || code === 'ZSTD_error_srcSize_wrong';
  return new AppError(
    'source',
    `${name} cannot be unpacked: ${isCut ? 'it ends in the middle' : `its ${packing} data is damaged`}.`,
    { hint: 'Export or download it again.', cause },
  );
}

type Packing = 'none' | 'gzip' | 'zstd' | 'zip';

const MAGIC: readonly (readonly [Packing, readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  // a zip without entries
  ['zip', [0x50, 0x4b, 0x05, 0x06]],
];

export function packingOf(head: Buffer): Packing {
  for (const [packing, magic] of MAGIC)
    if (magic.every((byte, index) => head[index] === byte)) return packing;
  // a zstd file may begin with a frame to be skipped, 0x184D2A50 to 0x184D2A5F
  const isSkippable = head[1] === 0x2a && head[2] === 0x4d && head[3] === 0x18;
  return ((head[0] ?? 0) & 0xf0) === 0x50 && isSkippable ? 'zstd' : 'none';
}

/** A file that was unpacked, as long as it is no archive itself. */
export async function* unpackedFile(
  file: ByteStream,
  { signal, problems }: ReadContext,
): AsyncGenerator<ByteStream> {
  const [head, bytes] = await peeked(file.bytes, HEAD, file.name, signal);
  if (packingOf(head) === 'none') yield { ...file, bytes };
  else problems.push(ignoredFile(file.name, NESTED));
}
