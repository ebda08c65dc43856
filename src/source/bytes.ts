/**
 * An input as streams of bytes, unpacked: a plain file, standard input, a .gz or .zst, or each member of a .zip. Which of them it
 * is, its first bytes say and never its name.
 */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { AppError } from '../domain/errors.ts';
import type { Input } from './inputs.ts';
import { ignoredFile, unreadableFile } from './problems.ts';
import { counted, type RawStream, type ReadContext, unpacked, zipMembers } from './unpack.ts';

export interface ByteStream extends RawStream {
  /** The first bytes, at least 64 KiB where there are as many; `bytes` has them too. */
  readonly head: Buffer;
}

const HEAD = 64 * 1024;

/** The data streams of one input, each to be read to its end before the next is asked for. */
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
      if (/\.(xlsx|ods|docx)$/i.test(name))
        throw new AppError('source', `${name} is a document of Excel or the like, which cannot be read.`, {
          hint: 'Save each of its sheets as CSV.',
        });
      if (input.stats === undefined)
        throw new AppError('source', 'A .zip cannot be read from standard input.', {
          hint: 'Save it as a file, and name the file.',
        });
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
    if (head.length > 0) yield head;
    for (let step = await next(); step.done !== true; step = await next()) yield step.value;
  };
  return { ...stream, head, bytes: whole() };
}

/** A file that was unpacked, as long as it is no archive itself. */
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
  // The second is a zip without entries.
  if (hex === '504b0304' || hex === '504b0506') return 'zip';
  // A zstd file may begin with a frame to be skipped, 0x184D2A50 to 0x184D2A5F.
  return hex === '28b52ffd' || /^5.2a4d18$/.test(hex) ? 'zstd' : 'none';
}
