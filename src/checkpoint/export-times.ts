/** When tickets were last changed in their source, as the export said that was imported (domain/ledger.ts). */
import type { ExportTimes } from '../domain/ledger.ts';
import type { Database } from '../sqlite/database.ts';
import { keyOfId } from './tickets.ts';
import type { Write } from './turn-commit.ts';

export class ExportTimeTable implements ExportTimes {
  readonly #db: Database;
  readonly #write: Write;

  constructor(db: Database, write: Write) {
    this.#db = db;
    this.#write = write;
  }

  get(externalId: string): number | undefined {
    return this.#db
      .prepare<[string], number>('SELECT at FROM exported WHERE external_id = ?')
      .pluck()
      .get(keyOfId(externalId));
  }

  set(externalId: string, at: number): Promise<void> {
    return this.#write(() => {
      this.#db.prepare('INSERT OR REPLACE INTO exported VALUES (?, ?)').run(keyOfId(externalId), at);
    });
  }
}
