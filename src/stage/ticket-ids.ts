/** External ids and the rows that hold them: the first of an id, or of several versions the greatest. */
import type { Database as Connection, Statement } from 'better-sqlite3';
import type { RecordRef } from '../domain/source.ts';

export interface Holder {
  readonly file: number;
  readonly offset: number;
  readonly line: number;
}

export class TicketIds {
  readonly #claim: Statement<unknown[]>;
  readonly #claimVersion: Statement<unknown[]>;
  readonly #holder: Statement<[string], Holder>;

  constructor(database: Connection) {
    database.exec(
      'CREATE TABLE ids (key TEXT PRIMARY KEY, file INTEGER, offset INTEGER, line INTEGER, version) WITHOUT ROWID',
    );
    this.#claim = database.prepare('INSERT OR IGNORE INTO ids VALUES (?, ?, ?, ?, NULL)');
    this.#claimVersion = database.prepare(
      `INSERT INTO ids VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE
       SET file = excluded.file, offset = excluded.offset, line = excluded.line, version = excluded.version
       WHERE excluded.version >= version`,
    );
    this.#holder = database.prepare<[string], Holder>('SELECT file, offset, line FROM ids WHERE key = ?');
  }

  /** Undefined when this row holds the id, now or since an earlier time; else the row that does. */
  claim(id: string, ref: RecordRef): Holder | undefined {
    if (this.#claim.run(id, ref.file, ref.offset, ref.line).changes === 1) return undefined;
    return this.otherHolder(id, ref);
  }

  claimVersion(id: string, ref: RecordRef, version: number | string): void {
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
