/** Remembers, roughly and in constant memory, which rows were seen: so that a row looked up often counts once. */
import type { RecordRef } from '../../domain/source.ts';

/** 2^20 bits: up to some hundred thousand rows with few collisions. A collision leaves a row uncounted, no more. */
const BITS = 1 << 20;

export class SeenRows {
  readonly #bits = new Uint8Array(BITS / 8);

  /** True the first time. */
  first(ref: RecordRef): boolean {
    const hash =
      (Math.imul(ref.offset, 0x9e3779b1) ^ Math.imul(ref.file + 1, 0x85ebca6b) ^ (ref.offset >>> 13)) >>> 0;
    const bit = hash % BITS;
    const byte = bit >>> 3;
    const mask = 1 << (bit & 7);
    const known = ((this.#bits[byte] ?? 0) & mask) !== 0;
    this.#bits[byte] = (this.#bits[byte] ?? 0) | mask;
    return !known;
  }

  clear(): void {
    this.#bits.fill(0);
  }
}
