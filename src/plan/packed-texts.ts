/** JSON texts of tickets in the database of the plan, some tickets to a block: packed, they take a fifth of the room. */

import * as zlib from 'node:zlib';
import type { Database } from '../sqlite/database.ts';
import { PARAMETER } from '../sqlite/database.ts';

/** In this size packing takes less time than SQLite needs for the room that it saves. */
const BLOCK_LENGTH = 64 * 1024;
const FAST = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } };
const KEPT_BLOCKS = 4;
const LF = 10;

export interface Place {
  readonly block: number;
  readonly place: number;
}

export class PackedTexts {
  readonly #db: Database;
  #pending: string[] = [];
  #length = 0;
  #block = 1;
  readonly #buffer = Buffer.allocUnsafe(4 * BLOCK_LENGTH);
  readonly #read = new Map<number, readonly string[]>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Forgets all texts. */
  begin(): void {
    this.#pending = [];
    this.#length = 0;
    this.#db.exec('DROP TABLE IF EXISTS block; CREATE TABLE block (id INTEGER PRIMARY KEY, texts BLOB)');
  }

  /** Where `get` finds them. A text is one line, as JSON is. */
  add(texts: readonly string[]): Place {
    const at = { block: this.#block, place: this.#pending.length };
    this.#pending.push(...texts);
    this.#length += texts.reduce((sum, { length }) => sum + length, 0);
    if (this.#length >= BLOCK_LENGTH) this.flush();
    return at;
  }

  flush(): void {
    if (this.#pending.length === 0) return;
    const packed = zlib.zstdCompressSync(this.#joined(), FAST);
    this.#pending = [];
    this.#length = 0;
    this.#db.prepare('INSERT INTO block VALUES (?, ?)').run(this.#block++, packed);
  }

  /** In one buffer for all blocks: a string of all texts would be one more copy of a large ticket. */
  #joined(): Buffer {
    const size = this.#pending.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
    const bytes = size <= this.#buffer.length ? this.#buffer : Buffer.allocUnsafe(size);
    let end = 0;
    for (const text of this.#pending) {
      end += bytes.write(text, end);
      bytes[end++] = LF;
    }
    return bytes.subarray(0, end);
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
