/** The rows looked up last, least recently used first; bounded in number and in bytes of their records. */
import type { Row } from '../../domain/source.ts';

const MAX_ROWS = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;

export class RowCache {
  readonly #rows = new Map<string, Row | undefined>();
  #bytes = 0;

  /** The outer undefined: it is not known; `{ row: undefined }`: it is known that there is none. */
  get(key: string): { row: Row | undefined } | undefined {
    if (!this.#rows.has(key)) return undefined;
    const row = this.#rows.get(key);
    this.#rows.delete(key);
    this.#rows.set(key, row);
    return { row };
  }

  set(key: string, row: Row | undefined): void {
    this.#rows.set(key, row);
    this.#bytes += row?.ref.length ?? 0;
    for (const [oldest, old] of this.#rows) {
      if (this.#rows.size <= 1 || (this.#rows.size <= MAX_ROWS && this.#bytes <= MAX_BYTES)) break;
      this.#rows.delete(oldest);
      this.#bytes -= old?.ref.length ?? 0;
    }
  }
}
