/**
 * Inputs as unpacked streams of bytes: a file, standard input, a .gz or .zst, each member of a .zip. The first bytes decide,
 * never the name.
 */
import { createReadStream } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createGunzip, createZstdDecompress } from 'node:zlib';
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import { AppError } from '../domain/errors.ts';
import { BOUNDS } from '../domain/limits.ts';
import type { Problem } from '../domain/problem.ts';
import type { SourceFile } from '../domain/source-file.ts';
import { stop } from '../domain/text/stops.ts';
import { type Input, kindByName } from './inputs.ts';
import { ignoredFile, unreadableFile } from './problems.ts';

export interface ByteStream extends RawStream {
  /** At least 64 KiB if there are as many; `bytes` has them too. */
  readonly head: Buffer;
}

const HEAD = 64 * 1024;
/** The first file in a zip of office programs. */
const OFFICE = /^PK.{28}(?:\[Content_Types\]\.xml|mimetype|_rels|docProps|xl\/|word\/)/s;

/** Each must be read to its end before the next. */
export async function* byteStreams(input: Input, context: ReadContext): AsyncGenerator<ByteStream> {
  const { name, named } = input;
  const stream = open(input, context);
  try {
    const raw = await peeked(
      { name, named, compression: 'none', bytes: counted(stream, context.onBytes) },
      context,
    );
    const packing = packingOf(raw.head);
    if (packing === 'none') yield raw;
    else if (packing === 'zip') {
      stream.destroy();
      if (/\.(xlsx|ods|docx)$/i.test(name) || OFFICE.test(raw.head.toString('latin1', 0, 100)))
        throw stop('office-document', { name });
      if (input.stats === undefined) throw stop('zip-from-stdin');
      for await (const member of zipMembers(name, context)) yield* unpackedFile(member, context);
    } else
      yield* unpackedFile({ ...raw, compression: packing, bytes: unpacked(raw, packing, context) }, context);
  } finally {
    stream.destroy();
  }
}

function open({ name, stats }: Input, { tuning, signal, stdin }: ReadContext): Readable {
  if (stats !== undefined) return createReadStream(name, { highWaterMark: tuning.chunkBytes });
  if (stdin === undefined) throw new AppError('usage', 'There is no standard input to read.');
  const buffers = async function* () {
    for await (const chunk of stdin) yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
  };
  const stop = () => stdin.destroy();
  signal.addEventListener('abort', stop, { once: true });
  stdin.once('close', () => signal.removeEventListener('abort', stop));
  return Readable.from(buffers(), { objectMode: true });
}

async function peeked(stream: RawStream, { signal }: ReadContext): Promise<ByteStream> {
  const chunks = stream.bytes[Symbol.asyncIterator]();
  const next = async () => {
    try {
      signal.throwIfAborted();
      return await chunks.next();
    } catch (cause) {
      signal.throwIfAborted();
      throw unreadableFile(stream.name, cause);
    }
  };
  const first: Buffer[] = [];
  for (let size = 0; size < HEAD; ) {
    const step = await next();
    if (step.done === true) break;
    first.push(step.value);
    size += step.value.length;
  }
  const head = Buffer.concat(first);
  const whole = async function* () {
    try {
      if (head.length > 0) yield head;
      for (let step = await next(); step.done !== true; step = await next()) yield step.value;
    } finally {
      await chunks.return?.();
    }
  };
  return { ...stream, head, bytes: whole() };
}

async function* unpackedFile(raw: RawStream, context: ReadContext): AsyncGenerator<ByteStream> {
  const stream = await peeked(raw, context);
  if (packingOf(stream.head) === 'none') yield stream;
  else
    context.problems.push(
      ignoredFile(stream.name, 'an archive within an archive is not opened; unpack it first'),
    );
}

function packingOf(head: Buffer): 'none' | 'gzip' | 'zstd' | 'zip' {
  const hex = head.toString('hex', 0, 4);
  if (hex.startsWith('1f8b')) return 'gzip';
  if (hex === '504b0304' || hex === '504b0506') return 'zip';
  // A zstd file may begin with a frame to skip, 0x184D2A50 to 0x184D2A5F.
  return hex === '28b52ffd' || /^5.2a4d18$/.test(hex) ? 'zstd' : 'none';
}

export interface ReadTuning {
  readonly chunkBytes: number;
  readonly maxCsvRecordBytes: number;
  readonly maxJsonRecordBytes: number;
  readonly maxDocumentBytes: number;
  /** Unpacking stops when more than `ratioFloorBytes` came out and it is more than `maxRatio` times the input. */
  readonly maxRatio: number;
  readonly ratioFloorBytes: number;
}

export const DEFAULT_TUNING: ReadTuning = {
  chunkBytes: 32 * 1024,
  maxCsvRecordBytes: BOUNDS.csvRecord.most,
  maxJsonRecordBytes: BOUNDS.jsonRecord.most,
  maxDocumentBytes: BOUNDS.document.most,
  maxRatio: BOUNDS.ratio.most,
  ratioFloorBytes: 256 * 1024 * 1024,
};

export interface ReadContext {
  readonly tuning: ReadTuning;
  readonly signal: AbortSignal;
  readonly problems: Problem[];
  readonly stdin?: Readable | undefined;
  onBytes(count: number): void;
}

interface RawStream {
  readonly name: string;
  readonly named: boolean;
  readonly compression: SourceFile['compression'];
  readonly bytes: AsyncIterable<Buffer>;
}

export async function* counted(
  bytes: AsyncIterable<Buffer>,
  onBytes: (count: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    onBytes(chunk.length);
    yield chunk;
  }
}

async function* unpacked(
  { name, bytes }: RawStream,
  packing: 'gzip' | 'zstd',
  { tuning, signal }: ReadContext,
): AsyncGenerator<Buffer> {
  const unpacking = packing === 'gzip' ? createGunzip() : createZstdDecompress();
  let packed = 0;
  const output = new PassThrough();
  const count = (length: number) => {
    packed += length;
  };
  const done = pipeline(counted(bytes, count), unpacking, output, { signal });
  done.catch(() => undefined);
  try {
    yield* guarded(output, name, () => packed, tuning);
    await done;
  } catch (cause) {
    throw damaged(name, packing, cause, signal);
  }
  // Node reads the first frame of a .zst only, silently.
  if (unpacking.bytesWritten < packed) throw stop('several-frames', { name });
}

/** Against archive bombs. */
async function* guarded(
  bytes: AsyncIterable<Buffer>,
  name: string,
  packedBytes: () => number,
  { maxRatio, ratioFloorBytes }: ReadTuning,
  sums = { size: 0 },
): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    sums.size += chunk.length;
    if (sums.size > ratioFloorBytes && sums.size > maxRatio * packedBytes())
      throw stop('archive-bomb', { name, maxRatio });
    yield chunk;
  }
}

function damaged(name: string, packing: string, cause: unknown, signal: AbortSignal): unknown {
  if (cause instanceof AppError) return cause;
  if (signal.aborted) return signal.reason;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const isCut = code === 'Z_BUF_ERROR' || code === 'ZSTD_error_srcSize_wrong';
  return stop(
    'packing-damaged',
    { name, why: isCut ? 'it ends in the middle' : `its ${packing} data is damaged` },
    { cause },
  );
}

/** Nothing is written under a name from the archive; names are cleaned, as people see them and rejects use them. */
async function* zipMembers(archive: string, context: ReadContext): AsyncGenerator<RawStream> {
  const { signal } = context;
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(archive, { decodeStrings: false, autoClose: false });
    const sums = { packed: 0, size: 0 };
    for await (const entry of zip.eachEntry()) {
      signal.throwIfAborted();
      const member = memberName(entry);
      const name = `${archive}!${member}`;
      if (member === '' || member.endsWith('/') || !isData(member, name, context)) continue;
      if (entry.isEncrypted()) throw stop('zip-encrypted', { name });
      yield { name, named: false, compression: 'zip', bytes: verified(zip, entry, archive, sums, context) };
      context.onBytes(entry.compressedSize);
    }
  } catch (cause) {
    throw damaged(archive, 'zip', cause, signal);
  } finally {
    zip?.close();
  }
}

function isData(member: string, name: string, { problems }: ReadContext): boolean {
  const parts = member.split('/');
  if (parts.includes('__MACOSX')) return false;
  const kind = kindByName(parts.at(-1) ?? '');
  if (kind !== 'read' && kind !== 'silent') problems.push(ignoredFile(name, kind.ignored));
  return kind === 'read';
}

/** The library compares sizes only: damaged bytes can unpack to the same size. */
async function* verified(
  zip: ZipFile,
  entry: Entry,
  archive: string,
  sums: { packed: number; size: number },
  { tuning, signal }: ReadContext,
): AsyncGenerator<Buffer> {
  let sum = 0;
  sums.packed += entry.compressedSize;
  try {
    const stream = await zip.openReadStreamPromise(entry);
    for await (const chunk of guarded(stream, archive, () => sums.packed, tuning, sums)) {
      sum = crc32(chunk, sum);
      yield chunk;
    }
    if (sum !== entry.crc32 >>> 0) throw new Error('its checksum is wrong');
  } catch (cause) {
    throw damaged(archive, 'zip', cause, signal);
  }
}

/** `..\a//b`, `/etc/x` and `C:\x` become `a/b`, `etc/x` and `C/x`. A folder keeps its last `/`. */
function memberName(entry: Entry): string {
  const raw = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false);
  const parts = raw.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.map((part) => part.replaceAll(/[\0:]/g, '')).join('/') + (raw.endsWith('/') ? '/' : '');
}
