/** External ids and the rows that hold them: the first of an id, or of several versions the greatest. */
import type { Database as Connection, Statement } from 'better-sqlite3';
import type { RecordRef } from '../domain/source.ts';
import { BatchInsert } from '../sqlite/batch-insert.ts';
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

export class TicketIds {
  readonly #claims: BatchInsert;
  readonly #claimVersion: Statement<unknown[]>;
  readonly #holder: Statement<[string], Holder>;
  #contested = false;

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

  /** Whether any id was claimed by more than one row. Hardly ever, and then nobody has to ask who holds one. */
  get contested(): boolean {
    return this.#contested;
  }

  /** In the order of the rows. True when every row is the first one with its id, of all that were ever claimed. */
  claimAll(claims: readonly Claim[]): boolean {
    for (const { id, ref } of claims) this.#claims.add(id, ref.file, ref.offset, ref.line, null);
    const all = this.#claims.flush() === claims.length;
    if (!all) this.#contested = true;
    return all;
  }

  claimVersion(id: string, ref: RecordRef, version: VersionKey): void {
    this.#contested = true;
    this.#claimVersion.run(id, ref.file, ref.offset, ref.line, version);
  }

  /** The row that holds the id, when it is another than this one. */
  otherHolder(id: string, ref: RecordRef): Holder | undefined {
    const holder = this.#holder.get(id);
    return holder === undefined || (holder.file === ref.file && holder.offset === ref.offset)
      ? undefined
      : holder;
  }
}
