/** Piped input: it can be read once only, so it goes into the temporary file; it may have no end, and nobody who writes. */
import { constants, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { AppError } from '../../domain/errors.ts';
import type { ByteSource } from './byte-source.ts';
import { decode } from './decode.ts';
import { kindByBytes, kindByText } from './inputs.ts';
import { Spool, spoolAll, type UnpackContext } from './spool.ts';
import { isPacked } from './unpacked-files.ts';

/** What comes before it is known whether this is text. */
const HEAD = 64 * 1024;

/** `declared`: the encoding that the user names. */
export async function piped(
  name: string,
  stream: Readable,
  declared: string | undefined,
  context: UnpackContext,
): Promise<ByteSource> {
  const { spool, tuning, signal } = context;
  const start = spool.size;
  const abort = () => stream.destroy();
  signal.addEventListener('abort', abort, { once: true });
  const checked = async function* () {
    let size = 0;
    for await (const chunk of asBuffers(stream)) {
      if (size < HEAD && size + chunk.length >= HEAD)
        await refuseBinary(name, Buffer.concat([await written(), chunk]), declared, context);
      size += chunk.length;
      if (size > tuning.maxPipedBytes)
        throw new AppError(
          'source',
          `More than ${tuning.maxPipedBytes / 2 ** 30} GiB came through ${name}.`,
          {
            hint: 'Save what is piped in as a file, and name the file.',
          },
        );
      yield chunk;
    }
  };
  const written = async () => {
    const source = spool.partFrom(start);
    const head = Buffer.alloc(source.size);
    await source.read(head, 0);
    return head;
  };
  try {
    signal.throwIfAborted();
    await spoolAll(checked(), undefined, context);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
    if (signal.aborted) stream.destroy();
  }
  return spool.partFrom(start);
}

async function* asBuffers(stream: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  for await (const chunk of stream) yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk), 'utf8');
}

/** Of what has no end no more is read than its beginning. */
async function refuseBinary(
  name: string,
  head: Buffer,
  declared: string | undefined,
  context: UnpackContext,
): Promise<void> {
  if (isPacked(head)) return;
  using spool = new Spool();
  const copy = (target: Buffer, position: number) => head.copy(target, 0, position);
  const source = {
    size: head.length,
    readSync: copy,
    read: async (to: Buffer, from: number) => copy(to, from),
  };
  const { source: text } = await decode(source, declared, { ...context, spool });
  const sample = Buffer.alloc(Math.min(text.size, HEAD));
  await text.read(sample, 0);
  const kind = kindByBytes(head) ?? kindByText(sample);
  if (kind !== undefined)
    throw new AppError('source', `${name} is ${kind}, which cannot be read.`, {
      hint: 'Export or save it as CSV, JSON or JSONL.',
    });
}

/** A named pipe, open without waiting: to open one as a file blocks until somebody writes, and no signal ends that. */
export function openPipe(path: string, name: string, seconds: number): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stream = new Socket({ fd, readable: true, writable: false });
  const timer = setTimeout(() => {
    const first = Buffer.alloc(4096);
    try {
      const bytes = readSync(fd, first);
      if (bytes > 0) stream.unshift(first.subarray(0, bytes));
      else
        stream.destroy(
          new AppError('source', `${name} is a pipe, and nothing wrote into it for ${seconds} seconds.`, {
            hint: `Start what writes into it first, or pipe it: … | helpdesk-import run -`,
          }),
        );
    } catch {
      // a writer is there and has nothing to say yet
    }
  }, seconds * 1000);
  for (const event of ['data', 'end', 'close'] as const) stream.once(event, () => clearTimeout(timer));
  return stream;
}
