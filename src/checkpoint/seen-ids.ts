/**
 * Which ids were certainly never recorded: a Bloom filter. An import asks for every ticket of the export whether it
 * is known, and for every id that the target gives whether another ticket has it; a query costs more than the rest of the bookkeeping.
 * In a checkpoint that began empty nearly every answer is no, and this gives it from memory. Only a "maybe" needs the query.
 */
import { hashOf } from '../domain/hash.ts';

const BYTES = 1 << 20;
const BITS = BYTES * 8;

export class SeenIds {
  readonly #bits = new Uint8Array(BYTES);

  add(id: string): void {
    const { first, second } = placesOf(id);
    for (const bit of [first, second])
      this.#bits[bit >>> 3] = (this.#bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }

  /** False: it was never added. */
  mayHave(id: string): boolean {
    const { first, second } = placesOf(id);
    return this.#has(first) && this.#has(second);
  }

  #has(bit: number): boolean {
    return ((this.#bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }
}

/** Two places for an id, from both ends of one hash. */
function placesOf(id: string): { first: number; second: number } {
  const hash = hashOf(id);
  return { first: hash % BITS, second: Math.floor(hash / 2 ** 30) % BITS };
}
