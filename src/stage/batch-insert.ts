/** Rows written many at a time: one statement for dozens of rows costs a fraction of one for each. */
import type { Database as Connection, Statement } from 'better-sqlite3';

/** Rows in a statement; with nine columns still far below SQLite's bound on parameters. */
const ROWS = 64;

export class BatchInsert {
  readonly #one: Statement<unknown[]>;
  readonly #many: Statement<unknown[]>;
  readonly #columns: number;
  #pending: unknown[] = [];
  #changes = 0;

  /** `verb`: `INSERT` or `INSERT OR IGNORE`. */
  constructor(database: Connection, verb: string, table: string, columns: number) {
    const row = `(${Array.from({ length: columns }, () => '?').join(', ')})`;
    this.#one = database.prepare(`${verb} INTO ${table} VALUES ${row}`);
    this.#many = database.prepare(
      `${verb} INTO ${table} VALUES ${Array.from({ length: ROWS }, () => row).join(', ')}`,
    );
    this.#columns = columns;
  }

  /** One row; it is written with `flush` at the latest. */
  add(...values: unknown[]): void {
    for (const value of values) this.#pending.push(value);
    if (this.#pending.length < ROWS * this.#columns) return;
    this.#changes += this.#many.run(this.#pending).changes;
    this.#pending = [];
  }

  /** Writes what is left; gives how many rows were written since the last time. */
  flush(): number {
    for (let at = 0; at < this.#pending.length; at += this.#columns) {
      this.#changes += this.#one.run(this.#pending.slice(at, at + this.#columns)).changes;
    }
    this.#pending = [];
    const changes = this.#changes;
    this.#changes = 0;
    return changes;
  }
}
