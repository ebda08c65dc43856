/** When tickets were last changed in their source, as the export said that was imported (domain/ledger.ts). */
import type { ExportTimes } from '../domain/ledger.ts';
import type { Database } from '../sqlite/database.ts';
import { keyOfId } from './ticket-row.ts';

/** Times that are not in the database yet are read from here. */
export class ExportTimeTable implements ExportTimes {
  readonly #db: Database;
  readonly #alongside: (write: () => void) => Promise<void>;
  readonly #pending = new Map<string, number>();

  /** `alongside` writes in the next commit of the checkpoint; a reader has none. */
  constructor(db: Database, alongside: (write: () => void) => Promise<void>) {
    this.#db = db;
    this.#alongside = alongside;
  }

  get(externalId: string): number | undefined {
    return (
      this.#pending.get(externalId) ??
      this.#db
        .prepare<[string], number>('SELECT at FROM exported WHERE external_id = ?')
        .pluck()
        .get(keyOfId(externalId))
    );
  }

  async set(externalId: string, at: number): Promise<void> {
    this.#pending.set(externalId, at);
    await this.#alongside(() => {
      this.#db
        .prepare('INSERT OR REPLACE INTO exported (external_id, at) VALUES (?, ?)')
        .run(keyOfId(externalId), at);
    });
    if (this.#pending.get(externalId) === at) this.#pending.delete(externalId);
  }
}
