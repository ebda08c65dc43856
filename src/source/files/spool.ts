/**
 * One temporary file for everything that cannot be read in place: unpacked, transcoded and piped input, one part after
 * another. It has no name (it is unlinked as soon as it is open), so a crash leaves nothing behind, and nobody else can
 * open it; one file for all parts costs one file descriptor, however many archives there are.
 */
import { closeSync, openSync, unlinkSync, write, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '../../domain/errors.ts';
import type { SourceFile } from '../../domain/source-file.ts';
import { type ByteSource, type ReadTuning, readFrom, readFromSync, slice } from './byte-source.ts';
import { type LineProblems, unwritableSpool } from './file-problems.ts';

const writeAsync = promisify(write);
/** What was written a moment ago is in memory: to wait for a thread takes longer than to copy so much. */
const AT_ONCE_BYTES = 64 * 1024;

export class Spool implements Disposable {
  readonly #folder = tmpdir();
  #fd: number | undefined;
  #size = 0;

  /** Bytes so far: where the next part begins. */
  get size(): number {
    return this.#size;
  }

  async append(chunk: Buffer): Promise<void> {
    const fd = this.#open();
    try {
      for (let done = 0; done < chunk.length; ) {
        const rest = chunk.length - done;
        const bytesWritten =
          rest <= AT_ONCE_BYTES
            ? writeSync(fd, chunk, done, rest, this.#size)
            : (await writeAsync(fd, chunk, done, rest, this.#size)).bytesWritten;
        done += bytesWritten;
        this.#size += bytesWritten;
      }
    } catch (cause) {
      throw unwritableSpool(this.#folder, cause);
    }
  }

  /** What was appended since `start`. */
  partFrom(start: number): ByteSource {
    const whole: ByteSource = {
      size: this.#size,
      read: async (target, position) =>
        target.length <= AT_ONCE_BYTES
          ? readFromSync(this.#open(), target, position)
          : readFrom(this.#open(), target, position),
      readSync: (target, position) => readFromSync(this.#open(), target, position),
    };
    return slice(whole, start, this.#size - start);
  }

  [Symbol.dispose](): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): number {
    if (this.#fd !== undefined) return this.#fd;
    const path = join(this.#folder, `helpdesk-import-${crypto.randomUUID()}`);
    try {
      this.#fd = openSync(path, 'wx+', 0o600);
      unlinkSync(path);
      return this.#fd;
    } catch (cause) {
      throw unwritableSpool(this.#folder, cause);
    }
  }
}

// A stream into the temporary file, from where it can be read at any place.

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

/** Stops an archive that unpacks to far more than an export could be: a bomb, or a mistake. */
export class ExpansionGuard {
  readonly #name: string;
  readonly #packedBytes: number;
  readonly #tuning: ReadTuning;
  #unpacked = 0;

  /** `packedBytes`: size of the whole file that is being unpacked. */
  constructor(name: string, packedBytes: number, tuning: ReadTuning) {
    this.#name = name;
    this.#packedBytes = packedBytes;
    this.#tuning = tuning;
  }

  /** To be called before the bytes are written. */
  add(bytes: number): void {
    this.#unpacked += bytes;
    const { maxRatio, ratioFloorBytes, maxUnpackedBytes } = this.#tuning;
    const tooDense = this.#unpacked > ratioFloorBytes && this.#unpacked > maxRatio * this.#packedBytes;
    if (!tooDense && this.#unpacked <= maxUnpackedBytes) return;
    throw new AppError(
      'source',
      `${this.#name} was not unpacked: ${tooDense ? `it holds more than ${maxRatio} times its own size` : 'it holds too much'}, as archives made to fill disks do.`,
      { hint: 'If it is a true export, unpack it yourself and name the unpacked files.' },
    );
  }
}

// A file of the export as UTF-8 with random access, before anybody knows what stands in it.

export interface DecodedFile {
  readonly id: number;
  readonly name: string;
  readonly source: ByteSource;
  /** Bytes of a byte order mark that is still there. */
  readonly offset: number;
  readonly encoding: string;
  readonly compression: SourceFile['compression'];
  readonly lineProblems: LineProblems;
  readonly tuning: ReadTuning;
}
