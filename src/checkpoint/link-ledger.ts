/** In which tickets links were rewritten (domain/ledger.ts). */
import type { LinkLedger, LinkRecord } from '../domain/ledger.ts';
import type { Database } from '../sqlite/database.ts';
import { keyOfId } from './tickets.ts';
import type { Write } from './turn-commit.ts';

export class LinkTable implements LinkLedger {
  readonly #db: Database;
  readonly #write: Write;

  constructor(db: Database, write: Write) {
    this.#db = db;
    this.#write = write;
  }

  get(externalId: string): LinkRecord | undefined {
    return this.#db
      .prepare<[string], LinkRecord>('SELECT state, digest FROM link WHERE external_id = ?')
      .get(keyOfId(externalId));
  }

  set(externalId: string, record: LinkRecord | undefined): Promise<void> {
    const key = keyOfId(externalId);
    return this.#write(() => {
      if (record === undefined) this.#db.prepare('DELETE FROM link WHERE external_id = ?').run(key);
      else
        this.#db
          .prepare('INSERT OR REPLACE INTO link VALUES (?, ?, ?)')
          .run(key, record.state, record.digest);
    });
  }

  isEmpty(): boolean {
    return this.#db.prepare('SELECT 1 FROM link LIMIT 1').get() === undefined;
  }
}
