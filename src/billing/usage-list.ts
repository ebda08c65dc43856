/** Events of a run in a temporary database. */
import type { RecordRef } from '../domain/source.ts';
import { emptyCounts, type Outcome } from '../domain/ticket-state.ts';
import { guarded } from '../source/problems.ts';
import { openTempDatabase } from '../source/stage.ts';
import type { UsageEventPayload } from './app-api.ts';

export interface ListedEvent extends RecordRef {
  readonly seq: number;
  readonly id: string | null;
  readonly body: string | null;
  readonly reason: string | null;
}

interface NewEvent {
  readonly id?: string;
  readonly outcome: Outcome;
  readonly event?: UsageEventPayload;
  readonly reason?: string;
}

export type UsageList = ReturnType<typeof createUsageList>;

const SCHEMA = `
  CREATE TABLE event (seq INTEGER PRIMARY KEY, file INTEGER, row INTEGER, line INTEGER, id TEXT, body TEXT,
    outcome TEXT NOT NULL, reason TEXT);
  CREATE INDEX event_id ON event (id);
  CREATE TABLE equal (made TEXT PRIMARY KEY, rows INTEGER NOT NULL) WITHOUT ROWID`;
const MOST_NAMES = 100;

export function createUsageList() {
  const db = openTempDatabase();
  db.exec(SCHEMA);
  const number = db
    .prepare('INSERT INTO equal VALUES (?, 1) ON CONFLICT DO UPDATE SET rows = rows + 1 RETURNING rows - 1')
    .pluck();
  const pending = db.prepare("SELECT 1 FROM event WHERE id = ? AND outcome = 'pending'");
  const insert = db.prepare('INSERT INTO event VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)');
  const update = db.prepare('UPDATE event SET outcome = ?, reason = ? WHERE seq = ?');
  const page = db.prepare<[number, number], ListedEvent>(
    "SELECT * FROM event WHERE outcome = 'pending' AND seq > ? ORDER BY seq LIMIT ?",
  );
  const all = <T>(sql: string) => db.prepare<[], T>(sql).all();
  return {
    /** The same in every run. */
    numbered(made: string): string {
      const before = guarded(() => number.get(made));
      return before === 0 ? made : `${made}-${before}`;
    },
    has: (id: string) => guarded(() => pending.get(id)) !== undefined,
    add({ file, row, line }: RecordRef, { id, outcome, event, reason }: NewEvent): void {
      guarded(() => insert.run(file, row, line, id, event && JSON.stringify(event), outcome, reason));
    },
    settle(events: readonly ListedEvent[], outcome: Outcome, reason?: string): void {
      for (const { seq } of events) guarded(() => update.run(outcome, reason, seq));
    },
    *lists(size: number): Generator<ListedEvent[]> {
      for (let last = 0; ; ) {
        const events = page.all(last, size);
        if (events.length === 0) return;
        yield events;
        last = events.at(-1)?.seq ?? last;
      }
    },
    wrong: () =>
      db
        .prepare<[], ListedEvent>("SELECT * FROM event WHERE outcome IN ('rejected', 'failed') ORDER BY seq")
        .iterate(),
    counts() {
      const counts = emptyCounts();
      const sql = 'SELECT outcome, count(*) AS n FROM event GROUP BY outcome';
      for (const { outcome, n } of all<{ outcome: Outcome; n: number }>(sql)) {
        counts[outcome] = n;
        counts.read += n;
      }
      return counts;
    },
    overview: () => ({
      ...(all<{ customers: number; firstAt: string | null; lastAt: string | null }>(
        `SELECT count(DISTINCT body ->> 'customerId') AS customers, min(body ->> 'timestamp') AS firstAt,
           max(body ->> 'timestamp') AS lastAt FROM event WHERE outcome = 'pending'`,
      )[0] ?? { customers: 0, firstAt: null, lastAt: null }),
      eventNames: all<{ name: string; count: number }>(
        `SELECT body ->> 'eventName' AS name, count(*) AS count FROM event WHERE outcome = 'pending'
         GROUP BY name ORDER BY count DESC, name LIMIT ${MOST_NAMES}`,
      ),
      skippedBecause: all<{ reason: string; count: number }>(
        "SELECT reason, count(*) AS count FROM event WHERE outcome = 'skipped' GROUP BY reason",
      ),
    }),
    [Symbol.dispose]: () => void db.close(),
  };
}
