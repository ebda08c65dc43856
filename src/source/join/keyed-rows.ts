/** Places of rows by a key: written once from front to back, then indexed, then asked. */
import type { Database as Connection, Statement } from 'better-sqlite3';
import { BatchInsert } from '../../sqlite/batch-insert.ts';
import type { VersionKey } from './key-reader.ts';
import { guarded } from './temp-database.ts';

/** Where a row stands. The first number is the index of the plan's input from which it came. */
export type RowPlace = readonly [input: number, offset: number, length: number, line: number];

export class KeyedRows {
  readonly #database: Connection;
  readonly #name: string;
  readonly #versioned: boolean;
  readonly #insert: BatchInsert;
  #byKey: Statement<[string], RowPlace> | undefined;
  #first: Statement<[string], RowPlace> | undefined;
  #count = 0;

  /** `versioned`: of the rows with one key only the one with the greatest version is kept. */
  constructor(database: Connection, name: string, versioned: boolean) {
    this.#database = database;
    this.#name = name;
    this.#versioned = versioned;
    const version = versioned ? ', version' : '';
    database.exec(
      `CREATE TABLE ${name} (key TEXT NOT NULL, input INTEGER, offset INTEGER, length INTEGER, line INTEGER${version})`,
    );
    this.#insert = new BatchInsert(database, `INSERT INTO ${name}`, versioned ? 6 : 5);
  }

  get name(): string {
    return this.#name;
  }

  /** Rows added, whatever became of their versions. */
  get count(): number {
    return this.#count;
  }

  add(key: string, [input, offset, length, line]: RowPlace, version: VersionKey | undefined): void {
    this.#count++;
    if (this.#versioned) this.#insert.add(key, input, offset, length, line, version);
    else this.#insert.add(key, input, offset, length, line);
  }

  /** After the last `add`, before the first question. */
  seal(): void {
    const name = this.#name;
    this.#insert.flush();
    if (this.#versioned) {
      this.#database.exec(
        `DELETE FROM ${name} WHERE rowid IN (SELECT rowid FROM (
           SELECT rowid, row_number() OVER (PARTITION BY key ORDER BY version DESC, rowid DESC) AS place FROM ${name}
         ) WHERE place > 1)`,
      );
    }
    // All columns stand in the index, so that the rows of a ticket are read from one place.
    this.#database.exec(`CREATE INDEX ${name}_key ON ${name} (key, input, offset, length, line)`);
    const places = `SELECT input, offset, length, line FROM ${name} WHERE key = ?`;
    this.#byKey = this.#database.prepare<[string], RowPlace>(`${places} ORDER BY input, offset`).raw();
    this.#first = this.#database.prepare<[string], RowPlace>(`${places} ORDER BY rowid LIMIT 1`).raw();
  }

  /** By input, then by offset. */
  of(key: string): RowPlace[] {
    return this.#byKey?.all(key) ?? [];
  }

  /** The row that was added first. */
  first(key: string): RowPlace | undefined {
    return guarded(() => this.#first?.get(key));
  }
}
