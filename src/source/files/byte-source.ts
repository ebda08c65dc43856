/** Bytes with random access: a plain file read in place, or a part of the temporary file. */
import { read, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { BOUNDS } from '../../domain/limits.ts';

const readAsync = promisify(read);

export interface ByteSource {
  /** Bytes; fixed when the source was opened. */
  readonly size: number;
  /** Fills `target` from `position` as far as there are bytes; resolves with how many. */
  read(target: Buffer, position: number): Promise<number>;
  readSync(target: Buffer, position: number): number;
}

/** Fills `target` from a place of an open file; resolves with how many bytes there were. */
export async function readFrom(fd: number, target: Buffer, position: number): Promise<number> {
  for (let filled = 0; ; ) {
    const { bytesRead } = await readAsync(fd, target, filled, target.length - filled, position + filled);
    filled += bytesRead;
    if (bytesRead === 0 || filled === target.length) return filled;
  }
}

/** The same, at once. */
export function readFromSync(fd: number, target: Buffer, position: number): number {
  for (let filled = 0; ; ) {
    const bytesRead = readSync(fd, target, filled, target.length - filled, position + filled);
    filled += bytesRead;
    if (bytesRead === 0 || filled === target.length) return filled;
  }
}

/** A part of another source, as a source of its own. */
export function slice(source: ByteSource, start: number, size: number): ByteSource {
  const within = (target: Buffer, position: number) =>
    target.subarray(0, Math.max(0, Math.min(target.length, size - position)));
  return {
    size,
    read: (target, position) => source.read(within(target, position), start + position),
    readSync: (target, position) => source.readSync(within(target, position), start + position),
  };
}

export async function readRange(source: ByteSource, position: number, length: number): Promise<Buffer> {
  const target = Buffer.allocUnsafe(Math.max(0, Math.min(length, source.size - position)));
  return readInto(source, position, target);
}

/** As many bytes as there are and the target holds, in it: whoever reads on and on needs no new one each time. */
export async function readInto(source: ByteSource, position: number, target: Buffer): Promise<Buffer> {
  const within = target.subarray(0, Math.max(0, Math.min(target.length, source.size - position)));
  return within.subarray(0, await source.read(within, position));
}

/** All bytes from the first to the last, in chunks that the consumer may keep. */
export async function* chunksOf(
  source: ByteSource,
  chunkBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for (let position = 0; position < source.size; ) {
    signal.throwIfAborted();
    const chunk = await readRange(source, position, chunkBytes);
    if (chunk.length === 0) return;
    position += chunk.length;
    yield chunk;
  }
}

/** The bounds of reading, in bytes. Tests set them small; nobody else needs to. */
export interface ReadTuning {
  /** How much of a file is read at a time; a window grows beyond it only for a larger record. */
  readonly chunkBytes: number;
  /** A CSV record longer than this is taken for an unclosed quote. */
  readonly maxCsvRecordBytes: number;
  /** A JSON record longer than this is not read: its text would not fit into one string with room to work. */
  readonly maxJsonRecordBytes: number;
  /** Unpacking stops when more than `ratioFloorBytes` came out and it is more than `maxRatio` times what went in. */
  readonly maxRatio: number;
  readonly ratioFloorBytes: number;
  /** Unpacking one input stops beyond this. */
  readonly maxUnpackedBytes: number;
  /** Standard input and a pipe are read up to this. */
  readonly maxPipedBytes: number;
  /** How long somebody may take to open a named pipe for writing. */
  readonly pipeSeconds: number;
  /** Plain files held open at a time. */
  readonly openFiles: number;
}

const KiB = 1024;
const MiB = 1024 * KiB;

/**
 * Rows of CSV and JSONL are handed on by so many bytes of their file at most. All that is made of them is alive together,
 * and copied by every collection that falls into it: with 128 KiB twice as much is.
 */
export const ROWS_BYTES = 64 * KiB;

export const DEFAULT_TUNING: ReadTuning = {
  chunkBytes: 128 * KiB,
  maxCsvRecordBytes: BOUNDS.csvRecord.most,
  maxJsonRecordBytes: BOUNDS.jsonRecord.most,
  maxRatio: BOUNDS.ratio.most,
  ratioFloorBytes: 256 * MiB,
  maxUnpackedBytes: BOUNDS.unpacked.most,
  maxPipedBytes: BOUNDS.piped.most,
  pipeSeconds: BOUNDS.pipe.most,
  openFiles: 64,
};
