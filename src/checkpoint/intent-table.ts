/**
 * The table `intent`: what would tell a ticket whose create has an unknown outcome. The only texts of the export that the
 * checkpoint ever holds stand here, and only while they are needed.
 *
 * It is a table of its own so that they can truly go. SQLite moves cells from page to page as a table grows, and leaves
 * copies of them in the unused part of a page; `secure_delete` overwrites what is deleted, not what was moved. A table that is
 * emptied whole has all its pages overwritten. So a settled intent is taken out with others, when a statement for many is full,
 * and when the checkpoint is closed the table is emptied and those that are still open are put back.
 */
import type { Database, Statement } from 'better-sqlite3';
import type { TicketRecord } from '../domain/ledger.ts';
import { BatchInsert } from '../sqlite/batch-insert.ts';
import { keyOfId, stateCode } from './ticket-row.ts';

/** Settled intents that are taken out by one statement. */
const AT_ONCE = 64;

export class IntentWriter {
  readonly #put: BatchInsert;
  readonly #remove: Statement<string[]>;
  /** Of tickets whose intent stands in the table. */
  readonly #open = new Set<string>();
  /** Of those that are settled. */
  readonly #settled = new Set<string>();

  constructor(db: Database) {
    this.#put = new BatchInsert(
      db,
      'INSERT INTO intent (external_id, intent)',
      2,
      'ON CONFLICT (external_id) DO UPDATE SET intent = excluded.intent',
    );
    const keys = Array.from({ length: AT_ONCE }, () => '?').join(', ');
    this.#remove = db.prepare(`DELETE FROM intent WHERE external_id IN (${keys})`);
  }

  /** Within the caller's transaction; written with `flush` at the latest. */
  put({ externalId, intent }: TicketRecord): void {
    const key = keyOfId(externalId);
    if (intent === undefined) {
      if (this.#open.delete(key)) this.#settled.add(key);
      return;
    }
    this.#put.add(key, JSON.stringify(intent));
    this.#open.add(key);
    this.#settled.delete(key);
  }

  flush(): void {
    this.#put.flush();
    const settled = [...this.#settled];
    for (let at = 0; at + AT_ONCE <= settled.length; at += AT_ONCE) {
      const some = settled.slice(at, at + AT_ONCE);
      this.#remove.run(...some);
      for (const key of some) this.#settled.delete(key);
    }
  }
}

/** Overwrites the text of every intent that is settled. */
export function clearSettledIntents(db: Database): void {
  db.transaction(() => {
    const open = db
      .prepare<[], [string, string]>(
        `SELECT intent.external_id, intent.intent FROM intent JOIN ticket USING (external_id)
         WHERE state IN (${stateCode('creating')}, ${stateCode('inDoubt')})`,
      )
      .raw()
      .all();
    db.exec('DELETE FROM intent');
    const put = new BatchInsert(db, 'INSERT INTO intent (external_id, intent)', 2);
    for (const row of open) put.add(...row);
    put.flush();
  }).immediate();
}
