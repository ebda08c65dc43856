/** External ids and the rows that hold them, as a table: the first of an id, or of several versions the greatest. */
import type { Database as Connection, Statement } from 'better-sqlite3';
import type { RecordRef } from '../domain/source.ts';
import { BatchInsert } from '../sqlite/batch-insert.ts';
import type { VersionKey } from './key-reader.ts';
import type { Claim, Holder } from './ticket-ids.ts';

export class IdTable {
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
