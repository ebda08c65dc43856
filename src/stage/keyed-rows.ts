/** Places of rows by a key: written once from front to back, then indexed, then asked. */
import type { Database as Connection, Statement } from 'better-sqlite3';
import { guarded } from './temp-database.ts';

/** Where a row stands. `input` is the index of the plan's input from which it came. */
export interface RowPlace {
  readonly input: number;
  readonly offset: number;
  readonly length: number;
  readonly line: number;
}

type PlaceTuple = [input: number, offset: number, length: number, line: number];

export class KeyedRows {
  readonly #database: Connection;
  readonly #name: string;
  readonly #versioned: boolean;
  readonly #insert: Statement<unknown[]>;
  #byKey: Statement<[string], PlaceTuple> | undefined;
  #first: Statement<[string], PlaceTuple> | undefined;
  #count = 0;

  /** `versioned`: of the rows with one key only the one with the greatest version is kept. */
  constructor(database: Connection, name: string, versioned: boolean) {
    this.#database = database;
    this.#name = name;
    this.#versioned = versioned;
    database.exec(
      `CREATE TABLE ${name} (key TEXT NOT NULL, input INTEGER, offset INTEGER, length INTEGER, line INTEGER${versioned ? ', version' : ''})`,
    );
    this.#insert = database.prepare(`INSERT INTO ${name} VALUES (?, ?, ?, ?, ?${versioned ? ', ?' : ''})`);
  }

  get name(): string {
    return this.#name;
  }

  /** Rows added, whatever became of their versions. */
  get count(): number {
    return this.#count;
  }

  add(key: string, place: RowPlace, version?: number | string): void {
    this.#count++;
    const { input, offset, length, line } = place;
    if (this.#versioned) this.#insert.run(key, input, offset, length, line, version ?? null);
    else this.#insert.run(key, input, offset, length, line);
  }

  /** After the last `add`, before the first question. */
  seal(): void {
    guarded(() => {
      const name = this.#name;
      if (this.#versioned) {
        this.#database.exec(
          `DELETE FROM ${name} WHERE rowid IN (SELECT rowid FROM (
             SELECT rowid, row_number() OVER (PARTITION BY key ORDER BY version DESC, rowid DESC) AS place FROM ${name}
           ) WHERE place > 1)`,
        );
      }
      // All columns stand in the index, so that the rows of a ticket are read from one place.
      this.#database.exec(`CREATE INDEX ${name}_key ON ${name} (key, input, offset, length, line)`);
      const places = `SELECT input, offset, length, line FROM ${name} WHERE key = ? ORDER BY input, offset`;
      this.#byKey = this.#database.prepare<[string], PlaceTuple>(places).raw();
      this.#first = this.#database
        .prepare<[string], PlaceTuple>(
          `SELECT input, offset, length, line FROM ${name} WHERE key = ? ORDER BY rowid LIMIT 1`,
        )
        .raw();
    });
  }

  /** By input, then by offset. */
  of(key: string): RowPlace[] {
    return guarded(() => (this.#byKey?.all(key) ?? []).map(toPlace));
  }

  /** The row that was added first. */
  first(key: string): RowPlace | undefined {
    const found = guarded(() => this.#first?.get(key));
    return found === undefined ? undefined : toPlace(found);
  }
}

function toPlace([input, offset, length, line]: PlaceTuple): RowPlace {
  return { input, offset, length, line };
}
