/**
 * A stretch of a source in memory that moves forward: splitting works on `bytes` and asks for more when a record does
 * not end within them. The buffer is used again and again; whoever keeps a record keeps its text, never its bytes.
 */
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
