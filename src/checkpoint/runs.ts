/** The runs that used this checkpoint and the batches that they settled. Times are milliseconds since the epoch. */
import type { Database } from '../sqlite/database.ts';

export interface RunStart {
  /** `run` or `trial`; a dry run opens the checkpoint for reading only. */
  readonly mode: string;
  readonly version: string;
  readonly pid: number;
  /** What was found in the export and, once it has ended, what came of it: counts only. */
  readonly summary?: Readonly<Record<string, unknown>> | undefined;
}

export interface RunInfo extends RunStart {
  readonly id: number;
  readonly startedAt: number;
  /** Absent while it goes on, and for ever where it was killed. */
  readonly endedAt?: number | undefined;
  readonly exitCode?: number | undefined;
}

export interface BatchInfo {
  readonly run: number;
  readonly number: number;
  readonly tickets: number;
  readonly settledAt: number;
}

const READ_RUN = `SELECT id, started_at AS startedAt, ended_at AS endedAt, mode, version, pid, exit_code AS exitCode, summary
  FROM run`;

export function insertRun(db: Database, run: RunStart, at: number): number {
  const summary = run.summary === undefined ? null : JSON.stringify(run.summary);
  const result = db
    .prepare('INSERT INTO run (started_at, mode, version, pid, summary) VALUES (?, ?, ?, ?, ?)')
    .run(at, run.mode, run.version, run.pid, summary);
  return Number(result.lastInsertRowid);
}

export function finishRun(
  db: Database,
  id: number,
  end: { exitCode: number; summary?: Readonly<Record<string, unknown>> },
  at: number,
): void {
  const summary = end.summary === undefined ? null : JSON.stringify(end.summary);
  db.prepare('UPDATE run SET ended_at = ?, exit_code = ?, summary = ? WHERE id = ?').run(
    at,
    end.exitCode,
    summary,
    id,
  );
}

/** The latest runs, newest first. */
export function latestRuns(db: Database, limit: number): RunInfo[] {
  const rows = db
    .prepare<[number], Record<keyof RunInfo, unknown>>(`${READ_RUN} ORDER BY id DESC LIMIT ?`)
    .all(limit);
  return rows.map((row) => {
    const set = Object.entries(row).filter(([, value]) => value !== null);
    const run = Object.fromEntries(set) as unknown as RunInfo;
    return row.summary === null ? run : { ...run, summary: JSON.parse(String(row.summary)) };
  });
}

export function recordBatch(db: Database, batch: BatchInfo): void {
  db.prepare('INSERT OR REPLACE INTO batch VALUES (?, ?, ?, ?)').run(
    batch.run,
    batch.number,
    batch.tickets,
    batch.settledAt,
  );
}

/** The batches that a run settled, by number. */
export function batchesOf(db: Database, run: number): BatchInfo[] {
  return db
    .prepare<[number], BatchInfo>(
      'SELECT run, number, tickets, settled_at AS settledAt FROM batch WHERE run = ? ORDER BY number',
    )
    .all(run);
}
