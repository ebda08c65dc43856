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

interface RunRow {
  id: number;
  started_at: number;
  ended_at: number | null;
  mode: string;
  version: string;
  pid: number;
  exit_code: number | null;
  summary: string | null;
}

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
  const rows = db.prepare<[number], RunRow>('SELECT * FROM run ORDER BY id DESC LIMIT ?').all(limit);
  return rows.map((row) => ({
    id: row.id,
    startedAt: row.started_at,
    mode: row.mode,
    version: row.version,
    pid: row.pid,
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
    ...(row.exit_code === null ? {} : { exitCode: row.exit_code }),
    ...(row.summary === null ? {} : { summary: JSON.parse(row.summary) as Record<string, unknown> }),
  }));
}

/** How many tickets the runs say that they imported. */
export function importedByRuns(db: Database): number {
  const most = db
    .prepare("SELECT max(summary ->> '$.tickets.done') FROM run WHERE summary IS NOT NULL")
    .pluck()
    .get();
  return Number(most ?? 0);
}

export function recordBatch(db: Database, batch: BatchInfo): void {
  db.prepare(
    `INSERT INTO batch (run, number, tickets, settled_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (run, number) DO UPDATE SET tickets = excluded.tickets, settled_at = excluded.settled_at`,
  ).run(batch.run, batch.number, batch.tickets, batch.settledAt);
}

/** The batches that a run settled, by number. */
export function batchesOf(db: Database, run: number): BatchInfo[] {
  return db
    .prepare<[number], BatchInfo>(
      'SELECT run, number, tickets, settled_at AS settledAt FROM batch WHERE run = ? ORDER BY number',
    )
    .all(run);
}
