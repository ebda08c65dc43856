/** Rows written many at a time: one statement for dozens of rows costs a fraction of one for each. */
import type { Database, Statement } from './database.ts';

/** Rows in a statement, greatest first; with nine columns still far below SQLite's bound on parameters. */
const SIZES = [64, 8, 1];

interface Writer {
  readonly values: number;
  readonly insert: Statement<unknown[]>;
}

export class BatchInsert {
  readonly #writers: readonly Writer[];
  readonly #columns: number;
  readonly #most: number;
  #pending: unknown[] = [];
  #changes = 0;

  /** `into`: what stands before the rows, `INSERT INTO ids`; `conflict`: what stands behind them. */
  constructor(database: Database, into: string, columns: number, conflict = '') {
    const row = `(${Array.from({ length: columns }, () => '?').join(', ')})`;
    this.#writers = SIZES.map((rows) => ({
      values: rows * columns,
      insert: database.prepare(
        `${into} VALUES ${Array.from({ length: rows }, () => row).join(', ')} ${conflict}`,
      ),
    }));
    this.#columns = columns;
    this.#most = Math.max(...SIZES) * columns;
  }

  /** One row; it is written with `flush` at the latest. */
  add(...values: unknown[]): void {
    if (values.length !== this.#columns) throw new TypeError('A row has another number of columns.');
    for (const value of values) this.#pending.push(value);
    if (this.#pending.length >= this.#most) this.#write();
  }

  /** Writes what is left; gives how many rows were written since the last time. */
  flush(): number {
    this.#write();
    const changes = this.#changes;
    this.#changes = 0;
    return changes;
  }

  #write(): void {
    const pending = this.#pending;
    let at = 0;
    for (const { values, insert } of this.#writers) {
      for (; pending.length - at >= values; at += values) {
        const rows = at === 0 && pending.length === values ? pending : pending.slice(at, at + values);
        this.#changes += insert.run(...rows).changes;
      }
    }
    this.#pending = [];
  }
}
