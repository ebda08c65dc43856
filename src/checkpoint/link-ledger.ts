/** In which tickets links were rewritten (domain/ledger.ts). */

import type { LinkLedger, LinkRecord, LinkState } from '../domain/ledger.ts';
import type { Database } from '../sqlite/database.ts';

/** What was asked for and is not in the database yet is read from here. */
export class LinkTable implements LinkLedger {
  readonly #db: Database;
  readonly #alongside: (write: () => void) => Promise<void>;
  readonly #pending = new Map<string, LinkRecord | undefined>();

  /** `alongside` writes in the next commit of the checkpoint; a reader has none. */
  constructor(db: Database, alongside: (write: () => void) => Promise<void>) {
    this.#db = db;
    this.#alongside = alongside;
  }

  get(externalId: string): LinkRecord | undefined {
    if (this.#pending.has(externalId)) return this.#pending.get(externalId);
    return this.#db
      .prepare<[string], { state: LinkState; digest: string }>(
        'SELECT state, digest FROM link WHERE external_id = ?',
      )
      .get(externalId);
  }

  async set(externalId: string, record: LinkRecord | undefined): Promise<void> {
    this.#pending.set(externalId, record);
    await this.#alongside(() => {
      if (record === undefined) this.#db.prepare('DELETE FROM link WHERE external_id = ?').run(externalId);
      else
        this.#db
          .prepare('INSERT OR REPLACE INTO link (external_id, state, digest) VALUES (?, ?, ?)')
          .run(externalId, record.state, record.digest);
    });
    if (this.#pending.get(externalId) === record) this.#pending.delete(externalId);
  }

  isEmpty(): boolean {
    return this.#pending.size === 0 && this.#db.prepare('SELECT 1 FROM link LIMIT 1').get() === undefined;
  }
}
