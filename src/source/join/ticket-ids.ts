/**
 * External ids and the rows that hold them. The ids of a small export stay in memory; when there are more, they move into
 * a table of the temporary database, which is opened for them.
 */
import type { Database as Connection, Statement } from 'better-sqlite3';
import type { RecordRef } from '../../domain/source.ts';
import { BatchInsert } from '../../sqlite/batch-insert.ts';
import type { VersionKey } from './key-reader.ts';

export interface Holder {
  readonly file: number;
  readonly offset: number;
  readonly line: number;
}

export interface Claim {
  readonly id: string;
  readonly ref: RecordRef;
}

/** Few, as an id may keep the text alive that it was cut from. */
const KEPT = 1000;

export class TicketIds {
  readonly #open: () => Connection;
  readonly #few = new Map<string, Claim>();
  #table: IdTable | undefined;
  #contested = false;

  /** `inTable`: from the beginning, where other tables are to be compared with it. */
  constructor(open: () => Connection, inTable: boolean) {
    this.#open = open;
    if (inTable) this.#table = new IdTable(open());
  }

  /** Whether any id was claimed by more than one row. Hardly ever, and then nobody has to ask who holds one. */
  get contested(): boolean {
    return this.#contested;
  }

  /** In the order of the rows. True when every row is the first one with its id, of all that were ever claimed. */
  claimAll(claims: readonly Claim[]): boolean {
    if (this.#few.size + claims.length > KEPT) this.#moveToTable();
    const all = this.#table === undefined ? this.#keepAll(claims) : this.#table.claimAll(claims);
    if (!all) this.#contested = true;
    return all;
  }

  claimVersion(id: string, ref: RecordRef, version: VersionKey): void {
    this.#contested = true;
    this.#moveToTable().claimVersion(id, ref, version);
  }

  /** The row that holds the id, when it is another than this one. */
  otherHolder(id: string, ref: RecordRef): Holder | undefined {
    const holder = this.#table === undefined ? this.#few.get(id)?.ref : this.#table.holder(id);
    return holder === undefined || (holder.file === ref.file && holder.offset === ref.offset)
      ? undefined
      : holder;
  }

  #keepAll(claims: readonly Claim[]): boolean {
    const before = this.#few.size;
    for (const claim of claims) if (!this.#few.has(claim.id)) this.#few.set(claim.id, claim);
    return this.#few.size - before === claims.length;
  }

  #moveToTable(): IdTable {
    if (this.#table === undefined) {
      this.#table = new IdTable(this.#open());
      this.#table.claimAll([...this.#few.values()]);
      this.#few.clear();
    }
    return this.#table;
  }
}

/** External ids and the rows that hold them, as a table: the first of an id, or of several versions the greatest. */

class IdTable {
  readonly #claims: BatchInsert;
  readonly #claimVersion: Statement<unknown[]>;
  readonly #holder: Statement<[string], Holder>;

  constructor(database: Connection) {
    database.exec(
      'CREATE TABLE ids (key TEXT PRIMARY KEY, file INTEGER, offset INTEGER, line INTEGER, version) WITHOUT ROWID',
    );
    this.#claims = new BatchInsert(database, 'INSERT OR IGNORE INTO ids', 5);
    this.#claimVersion = database.prepare(
      `INSERT INTO ids VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE
       SET file = excluded.file, offset = excluded.offset, line = excluded.line, version = excluded.version
       WHERE excluded.version >= version`,
    );
    this.#holder = database.prepare<[string], Holder>('SELECT file, offset, line FROM ids WHERE key = ?');
  }

  /** In the order of the rows. True when every row is the first one with its id, of all that were ever claimed. */
  claimAll(claims: readonly Claim[]): boolean {
    for (const { id, ref } of claims) this.#claims.add(id, ref.file, ref.offset, ref.line, null);
    return this.#claims.flush() === claims.length;
  }

  claimVersion(id: string, ref: RecordRef, version: VersionKey): void {
    this.#claimVersion.run(id, ref.file, ref.offset, ref.line, version);
  }

  holder(id: string): Holder | undefined {
    return this.#holder.get(id);
  }
}
