/**
 * A stretch of a source in memory that moves forward: splitting works on `bytes` and asks for more when a record does
 * not end within them. The buffer is used again and again; whoever keeps a record keeps its text, never its bytes.
 */
import type { ByteSource } from './byte-source.ts';

export class ReadWindow {
  readonly #source: ByteSource;
  readonly #chunkBytes: number;
  readonly #signal: AbortSignal;
  #store: Buffer;
  #bytes: Buffer;
  #base: number;

  constructor(source: ByteSource, start: number, chunkBytes: number, signal: AbortSignal) {
    this.#source = source;
    this.#chunkBytes = chunkBytes;
    this.#signal = signal;
    this.#store = Buffer.allocUnsafeSlow(Math.min(2 * chunkBytes, Math.max(1, source.size - start)));
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

  /** Forgets what stands before index `keepFrom` and reads a chunk more. Indexes into `bytes` shift by `keepFrom`. */
  async fill(keepFrom: number): Promise<void> {
    this.#signal.throwIfAborted();
    const kept = this.#bytes.length - keepFrom;
    const left = this.#source.size - this.#base - this.#bytes.length;
    // While one record needs more and more, each step doubles, so that its bytes are looked at a bounded number of times.
    const wanted = Math.min(left, keepFrom === 0 ? Math.max(this.#chunkBytes, kept) : this.#chunkBytes);
    const needed = kept + wanted;
    if (
      needed > this.#store.length ||
      (this.#store.length > 8 * this.#chunkBytes && needed * 4 < this.#store.length)
    ) {
      const store = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(2 * this.#chunkBytes, kept + left)));
      this.#bytes.copy(store, 0, keepFrom);
      this.#store = store;
    } else if (keepFrom > 0) {
      this.#store.copyWithin(0, keepFrom, keepFrom + kept);
    }
    const filled = await this.#source.read(this.#store.subarray(kept, needed), this.#base + keepFrom + kept);
    this.#bytes = this.#store.subarray(0, kept + filled);
    this.#base += keepFrom;
  }

  /** Goes to another place of the source; `bytes` is empty until the next `fill`. */
  jump(offset: number): void {
    this.#bytes = this.#store.subarray(0, 0);
    this.#base = offset;
  }
}
