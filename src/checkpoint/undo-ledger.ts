/** Tickets of the target that an undo emptied, or has begun to (domain/ledger.ts). */
import type { UndoLedger, UndoRecord } from '../domain/ledger.ts';
import type { Database } from '../sqlite/database.ts';
import { idOfKey, keyOfId } from './tickets.ts';
import type { Write } from './turn-commit.ts';

interface Row {
  readonly ticket_id: string;
  readonly external_id: string;
  readonly run: string;
  readonly before: string | null;
}

export class UndoTable implements UndoLedger {
  readonly #db: Database;
  readonly #write: Write;

  constructor(db: Database, write: Write) {
    this.#db = db;
    this.#write = write;
  }

  get(ticketId: string): UndoRecord | undefined {
    const row = this.#db.prepare<[string], Row>('SELECT * FROM undo WHERE ticket_id = ?').get(ticketId);
    return row && recordOf(row);
  }

  begun(): UndoRecord[] {
    return this.#db
      .prepare<[], Row>('SELECT * FROM undo WHERE before IS NOT NULL ORDER BY ticket_id')
      .all()
      .map(recordOf);
  }

  /** How many tickets of the target were emptied, and of how many that was begun and not ended. */
  counts(): { undone: number; begun: number } {
    const count = 'SELECT count(*) - count(before) AS undone, count(before) AS begun FROM undo';
    return this.#db.prepare<[], { undone: number; begun: number }>(count).get() ?? { undone: 0, begun: 0 };
  }

  set({ ticketId, externalId, run, begun }: UndoRecord): Promise<void> {
    return this.#write(() => {
      this.#db
        .prepare('INSERT OR REPLACE INTO undo VALUES (?, ?, ?, ?)')
        .run(ticketId, keyOfId(externalId), run, begun === undefined ? null : JSON.stringify(begun));
    });
  }

  remove(ticketId: string): Promise<void> {
    return this.#write(() => {
      this.#db.prepare('DELETE FROM undo WHERE ticket_id = ?').run(ticketId);
    });
  }
}

function recordOf({ ticket_id: ticketId, external_id: key, run, before }: Row): UndoRecord {
  return {
    ticketId,
    externalId: idOfKey(key),
    run,
    begun: before === null ? undefined : (JSON.parse(before) as UndoRecord['begun']),
  };
}
