/**
 * What has come of a file so far: in memory while it is small, then on the disk, where a later attempt or process goes on
 * with it. While a part is being written the next bytes come in; never more of it than that is in memory.
 */
import { createHash, type Hash, hash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { AppError } from '../domain/errors.ts';
import { HEAD_BYTES } from './file-kind.ts';

/** Bytes of a whole file, or where they are. */
export interface FileBytes {
  readonly hash: string;
  readonly size: number;
  readonly bytes?: Buffer | undefined;
  /** Whoever takes it may move it away. */
  readonly path?: string | undefined;
}

/** Kept in memory until it is stored. */
const SMALL = 1024 * 1024;
const WRITTEN_TOGETHER = SMALL / 2;
/**
 * What is to stay here is brought to the disk in portions of so many bytes while the next ones come in: a disk that begins with
 * the flush at the end takes as long again as the transfer.
 */
const FLUSHED_TOGETHER = 32 * SMALL;

export class PartFile {
  readonly #path: string;
  readonly #notes: string;
  /** Of what is on the disk; what is small is hashed at once when it is whole. */
  #hash: Hash | undefined;
  #chunks: Buffer[] = [];
  #waiting = 0;
  #file: FileHandle | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  readonly #staysHere: boolean;
  /** Bytes that no flush was begun for. */
  #unflushed = 0;
  #isFlushing = false;
  /** Rejected for good where the disk failed: it tells of that once. */
  #flushed: Promise<unknown> = Promise.resolve();
  #validator: string | undefined;
  #isOnDisk: boolean;
  size = 0;

  /**
   * `staysHere`: whether it is moved to its place when it is whole, and not sent elsewhere. `mayBeBegun`: false where an earlier
   * attempt certainly left nothing of it.
   */
  constructor(path: string, staysHere: boolean, mayBeBegun = true) {
    this.#path = path;
    this.#staysHere = staysHere;
    this.#notes = `${path}.json`;
    this.#isOnDisk = mayBeBegun && existsSync(this.#notes);
    if (!this.#isOnDisk) return;
    try {
      this.#validator = String(JSON.parse(readFileSync(this.#notes, 'utf8')).validator);
      this.size = statSync(path).size;
    } catch {
      this.drop();
    }
  }

  /** What asks for the rest, where an earlier attempt left a beginning. */
  range(): Record<string, string> {
    return this.size === 0 ? {} : { range: `bytes=${this.size}-`, 'if-range': this.#validator ?? '' };
  }

  continues(contentRange: string | undefined): boolean {
    return this.size > 0 && contentRange?.startsWith(`bytes ${this.size}-`) === true;
  }

  async resume(): Promise<void> {
    this.#hash = createHash('sha256');
    for await (const chunk of createReadStream(this.#path)) this.#hash.update(chunk);
    this.#file = await open(this.#path, 'a');
  }

  head(): Buffer {
    const file = openSync(this.#path, 'r');
    try {
      const bytes = Buffer.alloc(HEAD_BYTES);
      return bytes.subarray(0, readSync(file, bytes, 0, HEAD_BYTES, 0));
    } finally {
      closeSync(file);
    }
  }

  drop(): void {
    if (this.#isOnDisk) for (const path of [this.#notes, this.#path]) rmSync(path, { force: true });
    this.#isOnDisk = false;
    this.size = 0;
    this.#hash = undefined;
    this.#chunks = [];
    this.#waiting = 0;
  }

  /** What proves later that the file is still the same one; a weak validator proves no equal bytes. */
  expect(validator: string | undefined): void {
    this.#validator = validator?.startsWith('W/') === true ? undefined : validator;
  }

  async write(chunk: Buffer): Promise<void> {
    this.#hash?.update(chunk);
    this.size += chunk.length;
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    if (this.#file === undefined) {
      if (this.size <= SMALL) return;
      this.#hash = createHash('sha256');
      for (const one of this.#chunks) this.#hash.update(one);
      this.#isOnDisk = true;
      this.#file = await open(this.#path, 'w', 0o600);
      if (this.#validator !== undefined)
        writeFileSync(this.#notes, JSON.stringify({ validator: this.#validator }), { mode: 0o600 });
    }
    if (this.#waiting >= WRITTEN_TOGETHER) await this.#pass();
  }

  /** To the system; waits for what was written before only. */
  async #pass(): Promise<void> {
    await this.#writing;
    const chunks = this.#chunks;
    const size = this.#waiting;
    this.#chunks = [];
    this.#waiting = 0;
    const file = this.#file;
    if (size === 0 || file === undefined) return;
    this.#writing = writeAll(file, chunks);
    // Who awaits it next learns of a failure.
    this.#writing.catch(() => undefined);
    this.#unflushed += size;
    if (this.#staysHere && this.#unflushed >= FLUSHED_TOGETHER) this.#flushSoon(file);
  }

  #flushSoon(file: FileHandle): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    this.#unflushed = 0;
    this.#flushed = file.datasync().then(() => {
      this.#isFlushing = false;
    });
    this.#flushed.catch(() => undefined);
  }

  async finish(): Promise<FileBytes> {
    if (this.#file === undefined || this.#hash === undefined) {
      const [only] = this.#chunks;
      const bytes = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
      return { hash: hash('sha256', bytes), size: this.size, bytes };
    }
    await this.#pass();
    await Promise.all([this.#writing, this.#flushed]);
    rmSync(this.#notes, { force: true });
    return { hash: this.#hash.digest('hex'), size: this.size, path: this.#path };
  }

  /** What came before a transfer broke off stays for the next attempt; without a validator there is nothing to go on with. */
  async close(isWhole: boolean): Promise<void> {
    if (this.#file === undefined) return;
    try {
      await this.#pass();
      await this.#writing;
    } finally {
      await this.#file.close();
      this.#file = undefined;
      if (!isWhole && this.#validator === undefined) this.drop();
    }
  }
}

/** One call may write less than it was given. */
async function writeAll(file: FileHandle, chunks: Buffer[]): Promise<void> {
  let left = chunks;
  while (left.length > 0) {
    let { bytesWritten } = await file.writev(left);
    while (left[0] !== undefined && bytesWritten >= left[0].length) {
      bytesWritten -= left[0].length;
      left = left.slice(1);
    }
    if (left[0] !== undefined) left = [left[0].subarray(bytesWritten), ...left.slice(1)];
  }
}

export function cannotWrite(folder: string, cause: unknown): AppError {
  return new AppError(
    'disk-write',
    `The folder ${folder} for files cannot be written (${(cause as NodeJS.ErrnoException).code}).`,
    {
      hint: 'Free up space or correct its permissions, and run again: what is there already is not fetched again.',
      cause,
    },
  );
}
