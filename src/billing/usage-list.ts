/** All events of a run in a temporary database: what is sent of each row, and what became of it. */
import { hash } from 'node:crypto';
import type { RecordRef } from '../domain/source.ts';
import { emptyCounts, type Outcome, type OutcomeCounts } from '../domain/ticket-state.ts';
import { guarded } from '../source/problems.ts';
import { openTempDatabase } from '../source/stage.ts';
import type { Statement } from '../sqlite/database.ts';
import type { UsageEventPayload } from '../target/app-api/client.ts';
import { madeId } from './usage-event.ts';

export interface ListedEvent extends RecordRef {
  readonly seq: number;
  readonly id: string | null;
  /** JSON of what is sent. */
  readonly body: string | null;
  /** Why it is rejected, failed or skipped. */
  readonly reason: string | null;
}

interface NewEvent {
  readonly id?: string;
  readonly outcome: Outcome;
  readonly event?: UsageEventPayload;
  readonly reason?: string;
}

const MOST_NAMES = 100;

export class UsageList implements Disposable {
  readonly #db = openTempDatabase();
  readonly #number: Statement<[string], number>;
  readonly #isSent: Statement<[string]>;
  readonly #add: Statement<unknown[]>;
  readonly #settle: Statement<unknown[]>;

  constructor() {
    this.#db.exec(`CREATE TABLE event (seq INTEGER PRIMARY KEY, file INTEGER, row INTEGER, line INTEGER,
        id TEXT, body TEXT, outcome TEXT NOT NULL, reason TEXT);
      CREATE INDEX event_id ON event (id);
      CREATE TABLE equal (digest TEXT PRIMARY KEY, rows INTEGER NOT NULL) WITHOUT ROWID`);
    this.#number = this.#db
      .prepare<[string], number>(
        'INSERT INTO equal VALUES (?, 1) ON CONFLICT DO UPDATE SET rows = rows + 1 RETURNING rows - 1',
      )
      .pluck();
    this.#isSent = this.#db.prepare("SELECT 1 FROM event WHERE id = ? AND outcome = 'pending'");
    this.#add = this.#db.prepare('INSERT INTO event VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)');
    this.#settle = this.#db.prepare('UPDATE event SET outcome = ?, reason = ? WHERE seq = ?');
  }

  /** The ID of a row without one: from its values and its number among equal rows, the same in every run. */
  idOf(text: string): string {
    return madeId(text, guarded(() => this.#number.get(hash('sha256', text))) ?? 0);
  }

  /** Whether an earlier row is sent under this ID. */
  has(id: string): boolean {
    return guarded(() => this.#isSent.get(id)) !== undefined;
  }

  add({ file, row, line }: RecordRef, { id, outcome, event, reason }: NewEvent): void {
    const body = event && JSON.stringify(event);
    guarded(() => this.#add.run(file, row, line, id, body, outcome, reason));
  }

  settle(events: readonly ListedEvent[], outcome: Outcome, reason?: string): void {
    for (const { seq } of events) guarded(() => this.#settle.run(outcome, reason, seq));
  }

  /** Lists of at most `size` events that are to be sent, in the order of their rows. */
  *lists(size: number): Generator<ListedEvent[]> {
    const page = this.#db.prepare<[number, number], ListedEvent>(
      "SELECT * FROM event WHERE outcome = 'pending' AND seq > ? ORDER BY seq LIMIT ?",
    );
    for (let events = page.all(0, size); events.length > 0; events = page.all(events.at(-1)?.seq ?? 0, size))
      yield events;
  }

  /** Rows that were rejected or failed, in the order of the files. */
  wrong(): IterableIterator<ListedEvent> {
    const sql = "SELECT * FROM event WHERE outcome IN ('rejected', 'failed') ORDER BY seq";
    return this.#db.prepare<[], ListedEvent>(sql).iterate();
  }

  counts(): OutcomeCounts {
    const counts = emptyCounts();
    const sql = 'SELECT outcome, count(*) AS n FROM event GROUP BY outcome';
    for (const { outcome, n } of this.#all<{ outcome: Outcome; n: number }>(sql)) {
      counts[outcome] = n;
      counts.read += n;
    }
    return counts;
  }

  /** What would be sent, and why rows are left out. */
  overview() {
    const pending = "FROM event WHERE outcome = 'pending'";
    const [span] = this.#all<{ customers: number; firstAt: string | null; lastAt: string | null }>(
      `SELECT count(DISTINCT body ->> 'customerId') AS customers, min(body ->> 'timestamp') AS firstAt,
         max(body ->> 'timestamp') AS lastAt ${pending}`,
    );
    return {
      eventNames: this.#all<{ name: string; count: number }>(
        `SELECT body ->> 'eventName' AS name, count(*) AS count ${pending} GROUP BY name ORDER BY count DESC, name
         LIMIT ${MOST_NAMES}`,
      ),
      customers: span?.customers ?? 0,
      firstAt: span?.firstAt ?? undefined,
      lastAt: span?.lastAt ?? undefined,
      skippedBecause: this.#all<{ reason: string; count: number }>(
        "SELECT reason, count(*) AS count FROM event WHERE outcome = 'skipped' GROUP BY reason",
      ),
    };
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  #all<T>(sql: string): T[] {
    return this.#db.prepare<[], T>(sql).all();
  }
}
