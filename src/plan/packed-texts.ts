/** JSON texts of tickets in the database of the plan, some tickets to a block: packed, they take a fifth of the room. */

import * as zlib from 'node:zlib';
import type { Database } from '../domain/database.ts';
import { PARAMETER } from '../domain/database.ts';

/** Smaller blocks take more time, larger ones hardly less room. */
const BLOCK_BYTES = 64 * 1024;
const FAST = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } };
const KEPT_BLOCKS = 4;
const LF = 10;

export interface Place {
  readonly block: number;
  readonly place: number;
}

export class PackedTexts {
  readonly #db: Database;
  /** The block that is not packed yet: a string of all its texts would be one more copy. */
  readonly #bytes = Buffer.allocUnsafe(4 * BLOCK_BYTES);
  #end = 0;
  #texts = 0;
  #block = 1;
  readonly #read = new Map<number, readonly string[]>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Forgets all texts. */
  begin(): void {
    this.#end = 0;
    this.#db.exec('DROP TABLE IF EXISTS block; CREATE TABLE block (id INTEGER PRIMARY KEY, texts BLOB)');
  }

  /** Where `get` finds them. A text is one line, as JSON is. */
  add(texts: readonly string[]): Place {
    const most = texts.reduce((sum, { length }) => sum + 3 * length + 1, 0);
    if (this.#end + most > this.#bytes.length) this.flush();
    if (most > this.#bytes.length) return { block: this.#pack(Buffer.from(texts.join('\n'))), place: 0 };
    const at = { block: this.#block, place: this.#texts };
    for (const text of texts) {
      this.#end += this.#bytes.write(text, this.#end);
      this.#bytes[this.#end++] = LF;
    }
    this.#texts += texts.length;
    if (this.#end >= BLOCK_BYTES) this.flush();
    return at;
  }

  flush(): void {
    if (this.#end > 0) this.#pack(this.#bytes.subarray(0, this.#end));
    this.#end = 0;
    this.#texts = 0;
  }

  #pack(bytes: Buffer): number {
    const packed = zlib.zstdCompressSync(bytes, FAST);
    this.#db.prepare('INSERT INTO block VALUES (?, ?)').run(this.#block, packed);
    return this.#block++;
  }

  get({ block, place }: Place, count: number): string[] {
    return (this.#read.get(block) ?? this.#unpacked(block)).slice(place, place + count);
  }

  #unpacked(block: number): readonly string[] {
    this.flush();
    const [packed] = this.#db
      .prepare<[number], Buffer>(`SELECT texts FROM block WHERE id = ${PARAMETER}`)
      .pluck()
      .all(block);
    const texts = packed === undefined ? [] : zlib.zstdDecompressSync(packed).toString().split('\n');
    this.#read.set(block, texts);
    const [oldest] = this.#read.keys();
    if (this.#read.size > KEPT_BLOCKS && oldest !== undefined) this.#read.delete(oldest);
    return texts;
  }
}
