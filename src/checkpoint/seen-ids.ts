/**
 * Which external ids were certainly never recorded: a Bloom filter. An import asks for every ticket of the export whether it
 * is known, and a query costs more than the rest of the bookkeeping; in a checkpoint that began empty nearly every answer
 * is no, and this gives it from memory. Only a "maybe" needs the query.
 */
const BYTES = 1 << 20;
const BITS = BYTES * 8;

export class SeenIds {
  readonly #bits = new Uint8Array(BYTES);

  add(id: string): void {
    const { first, second } = hashesOf(id);
    for (const bit of [first, second])
      this.#bits[bit >>> 3] = (this.#bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }

  /** False: it was never added. */
  mayHave(id: string): boolean {
    const { first, second } = hashesOf(id);
    return this.#has(first) && this.#has(second);
  }

  #has(bit: number): boolean {
    return ((this.#bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }
}

/** Two hashes in the manner of FNV-1a, each over all of the id. */
function hashesOf(id: string): { first: number; second: number } {
  let first = 0x811c9dc5;
  let second = 0x01000193;
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x5bd1e995);
    second ^= second >>> 13;
  }
  return { first: (first ^ (first >>> 15)) & (BITS - 1), second: (second ^ (second >>> 11)) & (BITS - 1) };
}
