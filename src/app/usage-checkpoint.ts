/**
 * The checkpoint of usage events: by the digest of its event id, what became of each event that was sent. No event, no
 * property and no customer is in it.
 *
 * Unlike a ticket's create, sending an event may be repeated. So nothing has to be on the disk before a request goes out,
 * and what a loss of power takes away is only sent once more: outcomes are committed as they come, and not waited for.
 * The file, its lock and its mark are those of the checkpoint of tickets; each is refused in the other's place, because it
 * belongs to another target.
 */
import type { Database, Statement } from 'better-sqlite3';
import { type CheckpointMeta, readMeta, requireTarget, writeHolder, writeMeta } from '../checkpoint/meta.ts';
import { openForReading, openForWriting, resolveCheckpointPath } from '../checkpoint/open-database.ts';
import { RecentSends } from '../checkpoint/recent-sends.ts';
import { finishRun, insertRun } from '../checkpoint/runs.ts';
import { isSqliteError, writeFailure } from '../checkpoint/sqlite-failure.ts';
import { acquireWriterLock, type WriterLock } from '../checkpoint/writer-lock.ts';
import type { Clock } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';

/** `inDoubt`: no answer told whether it was taken; it is sent again, which is harmless. */
export const USAGE_STATES = ['done', 'failed', 'inDoubt'] as const;
export type UsageState = (typeof USAGE_STATES)[number];

export interface UsageRecord {
  readonly state: UsageState;
  /** The run that recorded it. */
  readonly run: number;
  /** One sentence: why it failed. */
  readonly problem?: string;
}

export interface UsageOutcome {
  readonly digest: Buffer;
  readonly state: UsageState;
  readonly problem?: string | undefined;
}

export interface UsageReader {
  get(digest: Buffer): UsageRecord | undefined;
  close(): void;
}

const TABLE = `CREATE TABLE IF NOT EXISTS usage_event (
  digest BLOB PRIMARY KEY, state INTEGER NOT NULL, run INTEGER NOT NULL, problem TEXT
) WITHOUT ROWID, STRICT`;
const LONGEST_PROBLEM = 300;

export interface UsageCheckpointOptions {
  /** The target, spelled the same in every run. */
  readonly target: string;
  readonly clock: Clock;
  readonly programVersion: string;
}

/**
 * Opens for writing and makes the file where there is none. Throws AppError `checkpoint` when another process writes to it,
 * when it belongs to another target, is damaged or no checkpoint at all; and `disk-write` when it cannot be written.
 */
export function openUsageCheckpoint(path: string, options: UsageCheckpointOptions): UsageCheckpoint {
  const real = resolveCheckpointPath(path);
  const lock = acquireWriterLock(real);
  if (lock === undefined)
    throw new AppError('checkpoint', `The checkpoint ${path} is in use by another process.`, {
      hint: 'Wait until that run has ended, or give this import another checkpoint with --checkpoint.',
    });
  let db: Database | undefined;
  try {
    db = openForWriting(real, 'machine');
    const now = options.clock.now();
    const existing = readMeta(db);
    if (existing !== undefined) requireTarget(existing, options.target, path);
    const meta: CheckpointMeta = existing ?? {
      target: options.target,
      createdAt: now,
      createdBy: options.programVersion,
    };
    writeMeta(db, meta);
    writeHolder(db, { pid: process.pid, since: now });
    db.exec(TABLE);
    // From here on the log reaches the disk in its own time: the file stays sound, and what it lacks is sent again.
    db.pragma('synchronous = NORMAL');
    return new UsageCheckpoint(db, lock, path, options);
  } catch (error) {
    db?.close();
    lock.release();
    throw isSqliteError(error) ? writeFailure(path, error) : error;
  }
}

/** For a dry run. Undefined where the file knows nothing of usage events yet. */
export function readUsageCheckpoint(path: string, target: string | undefined): UsageReader | undefined {
  const db = openForReading(resolveCheckpointPath(path));
  try {
    const meta = readMeta(db);
    if (meta !== undefined && target !== undefined) requireTarget(meta, target, path);
    if (!hasEvents(db)) {
      db.close();
      return undefined;
    }
    const get = reader(db);
    return { get, close: () => void db.close() };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Events by what became of them. Undefined where the file is no checkpoint of usage events. Changes nothing. */
export function readUsageCounts(path: string): Record<UsageState, number> | undefined {
  const db = openForReading(resolveCheckpointPath(path));
  try {
    if (!hasEvents(db)) return undefined;
    const counts = { done: 0, failed: 0, inDoubt: 0 };
    const rows = db.prepare<[], [state: number, n: number]>(
      'SELECT state, count(*) FROM usage_event GROUP BY state',
    );
    for (const [state, n] of rows.raw().all()) counts[USAGE_STATES[state] ?? 'inDoubt'] += n;
    return counts;
  } finally {
    db.close();
  }
}

function hasEvents(db: Database): boolean {
  return db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'usage_event'").pluck().get() === 1;
}

type StoredRow = [state: number, run: number, problem: string | null];

function reader(db: Database): (digest: Buffer) => UsageRecord | undefined {
  const statement = db
    .prepare<[Buffer], StoredRow>('SELECT state, run, problem FROM usage_event WHERE digest = ?')
    .raw();
  return (digest) => {
    const row = statement.get(digest);
    if (row === undefined) return undefined;
    const [state, run, problem] = row;
    return { state: USAGE_STATES[state] ?? 'inDoubt', run, ...(problem === null ? {} : { problem }) };
  };
}

export class UsageCheckpoint implements UsageReader {
  readonly path: string;
  readonly get: (digest: Buffer) => UsageRecord | undefined;
  readonly #db: Database;
  readonly #lock: WriterLock;
  readonly #options: UsageCheckpointOptions;
  readonly #put: Statement<[Buffer, number, number, string | null]>;
  readonly #sends: RecentSends;
  #run = 0;

  constructor(db: Database, lock: WriterLock, path: string, options: UsageCheckpointOptions) {
    this.path = path;
    this.#db = db;
    this.#lock = lock;
    this.#options = options;
    this.get = reader(db);
    this.#put = db.prepare(
      `INSERT INTO usage_event VALUES (?, ?, ?, ?) ON CONFLICT (digest) DO UPDATE
       SET state = excluded.state, run = excluded.run, problem = excluded.problem`,
    );
    this.#sends = new RecentSends(db);
  }

  /** Number of the run that goes on. */
  get run(): number {
    return this.#run;
  }

  startRun(mode: string): void {
    const { programVersion: version, clock } = this.#options;
    this.#run = this.#guard(() => insertRun(this.#db, { mode, version, pid: process.pid }, clock.now()));
  }

  endRun(end: { exitCode: number; summary?: Readonly<Record<string, unknown>> }): void {
    this.#guard(() => finishRun(this.#db, this.#run, end, this.#options.clock.now()));
  }

  /** Records outcomes together. A done event stays done. Throws AppError `disk-write`. */
  record(outcomes: readonly UsageOutcome[]): void {
    const write = () => {
      for (const { digest, state, problem } of outcomes)
        this.#put.run(
          digest,
          USAGE_STATES.indexOf(state),
          this.#run,
          problem === undefined ? null : problem.slice(0, LONGEST_PROBLEM).toWellFormed(),
        );
      this.#sends.write(Math.floor(this.#options.clock.now() / 1000));
    };
    this.#guard(() => this.#db.transaction(write).immediate());
    this.#sends.written();
  }

  noteSends(secondsSinceEpoch: number, requests: number): void {
    this.#sends.note(secondsSinceEpoch, requests);
  }

  recentSends(sinceSecond: number): { second: number; requests: number }[] {
    return this.#sends.since(sinceSecond);
  }

  /** Makes everything durable and gives the lock back. */
  close(): void {
    if (!this.#db.open) return;
    try {
      this.#guard(() => {
        if (this.#sends.isPending) this.record([]);
        writeHolder(this.#db, undefined);
        this.#db.pragma('wal_checkpoint(TRUNCATE)');
      });
    } finally {
      this.#db.close();
      this.#lock.release();
    }
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw isSqliteError(error) ? writeFailure(this.path, error) : error;
    }
  }
}
