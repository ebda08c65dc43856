/**
 * An input as one stream of bytes, unpacked: a plain file, standard input, a .gz or .zst, or each member of a .zip. Which
 * of them it is, its first bytes say and never its name.
 */
import { createReadStream } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import {
  type ByteStream,
  damaged,
  guardedStream,
  HEAD,
  packingOf,
  peeked,
  type ReadContext,
  unpackedFile,
} from './bytes.ts';
import { A_PLAN, OTHER_WAYS } from './inputs.ts';
import { ignoredFile } from './problems.ts';

/** What was named or found, before anybody looked into it. */
export interface Input {
  readonly name: string;
  /** Absent for standard input. */
  readonly path?: string | undefined;
  /** Size in bytes; undefined for standard input. */
  readonly size: number | undefined;
  /** Named by the user: then it must be data. A file found in a folder is left out with a warning. */
  readonly named: boolean;
  readonly stdin?: Readable | undefined;
}

/** The data streams of one input, each to be read to its end before the next is asked for. */
export async function* byteStreams(input: Input, context: ReadContext): AsyncGenerator<ByteStream> {
  const { name, named } = input;
  const stream = open(input, context);
  const [head, whole] = await peeked(stream, HEAD, name, context.signal);
  const packing = packingOf(head);
  try {
    if (packing === 'none') yield { name, named, compression: 'none', bytes: whole };
    else if (packing === 'zip') {
      stream.destroy();
      if (/\.(xlsx|ods|docx)$/i.test(name))
        throw new AppError('source', `${name} is a document of Excel or the like, which cannot be read.`, {
          hint: 'Save each of its sheets as CSV.',
        });
      if (input.path === undefined)
        throw new AppError('source', 'A .zip cannot be read from standard input.', {
          hint: 'Save it as a file, and name the file.',
        });
      const { zipMembers } = await import('./zip.ts');
      yield* zipMembers(input.path, name, context);
    } else {
      const bytes = unpacked(whole, packing, input, context);
      yield* unpackedFile({ name, named, compression: packing, bytes }, context);
    }
  } finally {
    stream.destroy();
  }
}

function open({ path, stdin }: Input, { tuning, signal }: ReadContext): Readable {
  if (path !== undefined) return createReadStream(path, { highWaterMark: tuning.chunkBytes });
  if (stdin === undefined) throw new AppError('usage', 'There is no standard input to read.');
  const bounded = async function* (chunks: AsyncIterable<unknown>) {
    let size = 0;
    for await (const chunk of chunks) {
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      size += bytes.length;
      if (size > tuning.maxPipedBytes)
        throw new AppError(
          'source',
          `More than ${tuning.maxPipedBytes / 2 ** 30} GiB came through standard input.`,
          {
            hint: 'Save what is piped in as a file, and name the file.',
          },
        );
      yield bytes;
    }
  };
  const stop = () => stdin.destroy();
  signal.addEventListener('abort', stop, { once: true });
  stdin.once('close', () => signal.removeEventListener('abort', stop));
  return Readable.from(bounded(stdin), { objectMode: true });
}

async function* unpacked(
  bytes: AsyncIterable<Buffer>,
  packing: 'gzip' | 'zstd',
  { name, size }: Input,
  { tuning, signal }: ReadContext,
): AsyncGenerator<Buffer> {
  const unpacking = packing === 'gzip' ? createGunzip() : createZstdDecompress();
  let packed = 0;
  const counted = async function* () {
    for await (const chunk of bytes) {
      packed += chunk.length;
      yield chunk;
    }
  };
  const output = new PassThrough();
  const done = pipeline(counted(), unpacking, output, { signal });
  done.catch(() => undefined);
  try {
    yield* guardedStream(output, name, size ?? Number.POSITIVE_INFINITY, tuning);
    await done;
  } catch (cause) {
    throw damaged(name, packing, cause, signal);
  }
  // Node reads the first frame of a .zst only, and says nothing about the others.
  if (unpacking.bytesWritten < packed)
    throw new AppError('source', `${name} has several frames, of which only the first can be read.`, {
      hint: 'Unpack it with `zstd -d`, and name the unpacked file.',
    });
}

function insteadOf(kind: string): string {
  if (kind === A_PLAN) return 'Run it alone, or name the export that it was made of.';
  const [first = '', ...rest] = OTHER_WAYS.find((way) => way.kind === kind)?.instead ?? '';
  return first === ''
    ? 'Export or save it as CSV, JSON or JSONL.'
    : `${first.toUpperCase()}${rest.join('')}.`;
}

/** Whether a stream holds data; if not, it is refused where the user named it, else left out with a warning. */
export function acceptKind(
  kind: string | undefined,
  { name, named }: Pick<ByteStream, 'name' | 'named'>,
  problems: Problem[],
): boolean {
  if (kind === undefined) return true;
  if (named)
    throw new AppError(
      'source',
      `${name === '-' ? 'standard input' : name} is ${kind}, which cannot be read.`,
      {
        hint: insteadOf(kind),
      },
    );
  problems.push(ignoredFile(name, `it is ${kind}`));
  return false;
}
