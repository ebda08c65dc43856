/**
 * A stretch of a source in memory that moves forward: splitting works on `bytes` and asks for more when a record does
 * not end within them. The buffer is used again and again; whoever keeps a record keeps its text, never its bytes.
 */

import { setImmediate } from 'node:timers/promises';
import type { RecordRef } from '../../domain/source.ts';
import type { ReadRecord, RecordSelector } from '../../domain/source-file.ts';
import type { ByteSource } from './byte-source.ts';

/** So many chunks are read at a time: to ask the system costs as much for one as for several, and often more than to read. */
const CHUNKS_READ = 8;

export class ReadWindow {
  readonly #source: ByteSource;
  readonly #chunkBytes: number;
  readonly #signal: AbortSignal;
  #store: Buffer;
  /** Where `bytes` begins in the store, and up to where the store holds bytes of the source. */
  #start = 0;
  #filled = 0;
  #bytes: Buffer;
  #base: number;

  constructor(source: ByteSource, start: number, chunkBytes: number, signal: AbortSignal) {
    this.#source = source;
    this.#chunkBytes = chunkBytes;
    this.#signal = signal;
    this.#store = Buffer.allocUnsafeSlow(Math.min(this.#usual, Math.max(1, source.size - start)));
    this.#bytes = this.#store.subarray(0, 0);
    this.#base = start;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Offset in the source of the first byte of `bytes`. */
  get base(): number {
    return this.#base;
  }

  /** True when `bytes` reaches to the end of the source. */
  get ended(): boolean {
    return this.#base + this.#bytes.length >= this.#source.size;
  }

  /** Forgets what stands before index `keepFrom` and takes a chunk more. Indexes into `bytes` shift by `keepFrom`. */
  async fill(keepFrom: number): Promise<void> {
    this.#signal.throwIfAborted();
    const kept = this.#bytes.length - keepFrom;
    const left = this.#source.size - this.#base - this.#bytes.length;
    // While one record needs more and more, each step doubles, so that its bytes are looked at a bounded number of times.
    const wanted = Math.min(left, keepFrom === 0 ? Math.max(this.#chunkBytes, kept) : this.#chunkBytes);
    this.#start += keepFrom;
    this.#base += keepFrom;
    const ahead = this.#filled - this.#start - kept;
    if (ahead < wanted)
      await this.#read(Math.min(left - ahead, Math.max(wanted - ahead, CHUNKS_READ * this.#chunkBytes)));
    this.#bytes = this.#store.subarray(this.#start, Math.min(this.#filled, this.#start + kept + wanted));
  }

  /** Goes to another place of the source; `bytes` is empty until the next `fill`. */
  jump(offset: number): void {
    this.#start = 0;
    this.#filled = 0;
    this.#bytes = this.#store.subarray(0, 0);
    this.#base = offset;
  }

  /** Moves what is still needed to the front of the store and reads `length` bytes behind it. */
  async #read(length: number): Promise<void> {
    const held = this.#filled - this.#start;
    const needed = held + length;
    const isTooLarge = this.#store.length > 4 * this.#usual && needed * 4 < this.#store.length;
    if (needed > this.#store.length || isTooLarge) {
      const store = Buffer.allocUnsafeSlow(Math.max(needed, this.#usual));
      this.#store.copy(store, 0, this.#start, this.#filled);
      this.#store = store;
    } else if (this.#start > 0) {
      this.#store.copyWithin(0, this.#start, this.#filled);
    }
    this.#start = 0;
    this.#filled = held + (await this.#source.read(this.#store.subarray(held, needed), this.#base + held));
  }

  get #usual(): number {
    return (CHUNKS_READ + 2) * this.#chunkBytes;
  }
}

// Records read again by their places: neighbours in one read, each place once, answers in the order asked for.

/** Bytes between two records that are read along rather than making two reads. */
const GAP = 8 * 1024;
const MAX_READ = 4 * 1024 * 1024;
const SHORT_READ = 64 * 1024;
const READS_AT_ONCE = 128;

interface Run {
  start: number;
  end: number;
  /** Indexes into the refs asked for. */
  readonly indexes: number[];
}

/**
 * For every short read: its bytes are handed out before anybody else can read. A buffer for each would be garbage outside
 * of the heap, of which megabytes gather before it is collected.
 */
const scratch = Buffer.allocUnsafeSlow(SHORT_READ);

/** Makes a record of its text. */
export type ReadText = (text: string, ref: RecordRef) => ReadRecord;

/** Neighbours in one read; answers in the order asked for. */
export interface Refetch {
  /**
   * A short read is made at once: of rows that lie scattered there are hundreds of thousands, and each is sooner read than
   * handed to a thread. Between some of them others get their turn.
   */
  fetch(refs: readonly RecordRef[], selector: RecordSelector | undefined): Promise<ReadRecord[]>;
  fetchSync(refs: readonly RecordRef[], selector: RecordSelector | undefined): ReadRecord[];
}

export function refetch(
  source: ByteSource,
  readerOf: (selector: RecordSelector | undefined) => ReadText,
): Refetch {
  const answer = (refs: readonly RecordRef[], selector: RecordSelector | undefined) => {
    const records = new Array<ReadRecord>(refs.length);
    const read = readerOf(selector);
    const take: TakeBytes = (index, bytes, start, end) => {
      const ref = refs[index];
      if (ref !== undefined) records[index] = read(bytes.toString('utf8', start, end), ref);
    };
    return { records, take };
  };
  return {
    fetch: async (refs, selector) => {
      const { records, take } = answer(refs, selector);
      let atOnce = 0;
      for (const run of runsOf(refs)) {
        if (run.end - run.start > SHORT_READ) {
          const bytes = Buffer.allocUnsafe(run.end - run.start);
          await source.read(bytes, run.start);
          handOut(run, refs, bytes, take);
        } else {
          readAtOnce(source, run, refs, take);
          if (++atOnce % READS_AT_ONCE === 0) await setImmediate();
        }
      }
      return records;
    },
    fetchSync: (refs, selector) => {
      const { records, take } = answer(refs, selector);
      for (const run of runsOf(refs)) readAtOnce(source, run, refs, take);
      return records;
    },
  };
}

/** A record stands in `bytes` from `start` to `end`; the bytes are another record's afterwards. */
type TakeBytes = (index: number, bytes: Buffer, start: number, end: number) => void;

function readAtOnce(source: ByteSource, run: Run, refs: readonly RecordRef[], take: TakeBytes): void {
  const length = run.end - run.start;
  const bytes = length > SHORT_READ ? Buffer.allocUnsafe(length) : scratch.subarray(0, length);
  source.readSync(bytes, run.start);
  handOut(run, refs, bytes, take);
}

function handOut(run: Run, refs: readonly RecordRef[], bytes: Buffer, take: TakeBytes): void {
  for (const index of run.indexes) {
    const ref = refs[index];
    if (ref === undefined) continue;
    take(index, bytes, ref.offset - run.start, ref.offset - run.start + ref.length);
  }
}

function runsOf(refs: readonly RecordRef[]): Run[] {
  const order = refs.map((_, index) => index);
  const offsetOf = (index: number) => refs[index]?.offset ?? 0;
  if (!isSorted(refs)) order.sort((a, b) => offsetOf(a) - offsetOf(b));
  const runs: Run[] = [];
  let run: Run | undefined;
  for (const index of order) {
    const ref = refs[index];
    if (ref === undefined) continue;
    const end = ref.offset + ref.length;
    if (run !== undefined && ref.offset - run.end <= GAP && end - run.start <= MAX_READ) {
      run.end = Math.max(run.end, end);
      run.indexes.push(index);
    } else {
      run = { start: ref.offset, end, indexes: [index] };
      runs.push(run);
    }
  }
  return runs;
}

function isSorted(refs: readonly RecordRef[]): boolean {
  for (let index = 1; index < refs.length; index++) {
    if ((refs[index]?.offset ?? 0) < (refs[index - 1]?.offset ?? 0)) return false;
  }
  return true;
}
