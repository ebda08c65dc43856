/**
 * The files in a .zip. Nothing is ever written under a name from the archive, so names are harmless; they are cleaned
 * all the same, because people see them and rejects are called after them.
 */
import { Readable } from 'node:stream';
import { crc32, inflateRawSync } from 'node:zlib';
import {
  type Entry,
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  RandomAccessReader,
  type ZipFile,
} from 'yauzl';
import { AppError } from '../../domain/errors.ts';
import { type ByteSource, chunksOf, readInto, readRange, slice } from './byte-source.ts';
import { ExpansionGuard, spoolAll, type UnpackContext } from './spool.ts';
import { damaged } from './unpack.ts';

const READ_BYTES = 256 * 1024;
const DEFLATED = 8;

export interface ZipMember {
  /** Inside the archive, with `/`, never absolute and never leading out of it. */
  readonly name: string;
  readonly source: ByteSource;
}

/** The members for which `wanted` says yes, unpacked, in the order of the archive's directory. */
export async function* zipMembers(
  archive: ByteSource,
  name: string,
  wanted: (member: string) => boolean,
  context: UnpackContext,
): AsyncGenerator<ZipMember> {
  const zip = await openZip(archive, name, context.signal);
  const guard = new ExpansionGuard(name, archive.size, context.tuning);
  try {
    for await (const entry of zip.eachEntry()) {
      const member = memberName(entry);
      if (member === '' || member.endsWith('/') || !wanted(member)) continue;
      const start = context.spool.size;
      refuseEncrypted(entry, `${name}!${member}`);
      const bytes = await wholeMember(zip, entry, archive);
      const chunks = bytes === undefined ? await zip.openReadStreamPromise(entry) : [bytes];
      await spoolAll(verified(chunks, entry), guard, context);
      yield { name: member, source: context.spool.partFrom(start) };
    }
  } catch (cause) {
    throw damaged(name, 'zip', cause, context.signal);
  } finally {
    zip.close();
  }
}

/** A small member at once: an export of one file per ticket has tens of thousands. Undefined for what is larger. */
async function wholeMember(zip: ZipFile, entry: Entry, archive: ByteSource): Promise<Buffer | undefined> {
  const { compressedSize, uncompressedSize, compressionMethod } = entry;
  if (compressionMethod !== DEFLATED || compressedSize > READ_BYTES || uncompressedSize > READ_BYTES)
    return undefined;
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const bytes = inflateRawSync(await readRange(archive, fileDataStart, compressedSize), {
    maxOutputLength: uncompressedSize + 1,
  });
  if (bytes.length !== uncompressedSize) throw new Error('its size is wrong');
  return bytes;
}

/** The library compares sizes only: bytes that were damaged on their way unpack to other letters of the same number. */
async function* verified(
  stream: AsyncIterable<Buffer> | Iterable<Buffer>,
  { crc32: expected }: Entry,
): AsyncGenerator<Buffer> {
  let sum = 0;
  for await (const chunk of stream) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== expected >>> 0) throw new Error('its checksum is wrong');
}

async function openZip(archive: ByteSource, name: string, signal: AbortSignal): Promise<ZipFile> {
  try {
    // Names are decoded here, because the library refuses a whole archive for one name that leads out of it.
    return await fromRandomAccessReaderPromise(new SourceReader(archive, signal), archive.size, {
      decodeStrings: false,
      autoClose: false,
    });
  } catch (cause) {
    throw damaged(name, 'zip', cause, signal);
  }
}

/** `..\a//b`, `/etc/x` and `C:\x` become `a/b`, `etc/x` and `C/x`. A folder keeps its `/` at the end. */
function memberName(entry: Entry): string {
  const raw = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false);
  const parts = raw.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.map((part) => part.replaceAll(/[\0:]/g, '')).join('/') + (raw.endsWith('/') ? '/' : '');
}

function refuseEncrypted(entry: Entry, name: string): void {
  if (!entry.isEncrypted()) return;
  throw new AppError('source', `${name} is encrypted.`, {
    hint: 'Unpack the archive with its password and name the unpacked files.',
  });
}

class SourceReader extends RandomAccessReader {
  readonly #source: ByteSource;
  readonly #signal: AbortSignal;

  constructor(source: ByteSource, signal: AbortSignal) {
    super();
    this.#source = source;
    this.#signal = signal;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    // a damaged directory may lead beyond the end
    const size = Math.max(0, Math.min(end, this.#source.size) - start);
    return Readable.from(chunksOf(slice(this.#source, start, size), READ_BYTES, this.#signal), {
      objectMode: false,
    });
  }

  /** Headers, a few bytes each: a stream for each of them takes longer than all else. */
  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    readInto(this.#source, position, buffer.subarray(offset, offset + length)).then(
      (bytes) => callback(bytes.length < length ? new Error('It leads beyond the end.') : null),
      callback,
    );
  }

  override close(callback: (error: Error | null) => void): void {
    callback(null);
  }
}
