/**
 * The checkpoint of usage events: by the digest of its event id, what became of each event that was sent. No event, no
 * property and no customer is in it.
 *
 * Unlike a ticket's create, sending an event may be repeated. So nothing has to be on the disk before a request goes out,
 * and what a loss of power takes away is only sent once more: outcomes are committed as they come, and not waited for.
 * The file, its lock and its mark are those of the checkpoint of tickets; each is refused in the other's place, because it
 * belongs to another target.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type CheckpointFile, type CheckpointOptions, openCheckpointFile } from '../checkpoint/checkpoint.ts';
import { readMeta, requireTarget } from '../checkpoint/meta.ts';
import { openForReading, resolveCheckpointPath } from '../checkpoint/open-database.ts';
import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { RecentSends } from '../checkpoint/recent-sends.ts';
import { finishRun, insertRun } from '../checkpoint/runs.ts';
import { isSqliteError, writeFailure } from '../checkpoint/sqlite-failure.ts';
import { type CheckpointStatus, checkpointStatus } from '../import/checkpoint-status.ts';
import { USAGE_CHECKPOINTS } from '../settings/table/app-api.ts';
import type { Database } from '../sqlite/database.ts';

/** `inDoubt`: no answer told whether it was taken; it is sent again, which is harmless. */
const USAGE_STATES = ['done', 'failed', 'inDoubt'] as const;
export type UsageState = (typeof USAGE_STATES)[number];

export interface UsageRecord {
  readonly state: UsageState;
  /** The run that recorded it. */
  readonly run: number;
  /** That run read rejects. */
  readonly ofRejects: boolean;
  /** One sentence: why it failed. */
  readonly problem?: string | undefined;
}

export interface UsageOutcome {
  readonly digest: Buffer;
  readonly state: UsageState;
  readonly problem?: string | undefined;
}

/** What is known of events by earlier runs, and by this one where it has a number. */
export interface KnownUsage {
  get(digest: Buffer): UsageRecord | undefined;
  readonly run?: number | undefined;
}

/** `run` is negative where the run read rejects. */
const TABLE = `CREATE TABLE IF NOT EXISTS usage_event (
  digest BLOB PRIMARY KEY, state INTEGER NOT NULL, run INTEGER NOT NULL, problem TEXT
) WITHOUT ROWID, STRICT`;
const LONGEST_PROBLEM = 300;
/** A process that was stopped for a while asks before its next request whether the checkpoint is still its own. */
const ASKED_EVERY_MS = 20;

/** Opens for writing and makes the file where there is none; throws as `openCheckpoint` does. */
export function openUsageCheckpoint(path: string, options: CheckpointOptions): UsageCheckpoint {
  const file = openCheckpointFile(path, options);
  try {
    file.db.exec(TABLE);
    // From here on the log reaches the disk in its own time: the file stays sound, and what it lacks is sent again.
    file.db.pragma('synchronous = NORMAL');
    return new UsageCheckpoint(file, options);
  } catch (error) {
    file.close();
    throw isSqliteError(error) ? writeFailure(path, error) : error;
  }
}

export class UsageCheckpoint implements KnownUsage {
  readonly get: KnownUsage['get'];
  readonly #file: CheckpointFile;
  readonly #options: CheckpointOptions;
  readonly #sends: RecentSends;
  #run = 0;
  #ofRejects = false;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(file: CheckpointFile, options: CheckpointOptions) {
    this.#file = file;
    this.#options = options;
    this.get = getter(file.db);
    this.#sends = new RecentSends(file.db);
  }

  /** Number of the run that goes on. */
  get run(): number {
    return this.#run;
  }

  startRun(mode: string, ofRejects = false): void {
    this.#ofRejects = ofRejects;
    const { programVersion: version, clock } = this.#options;
    this.#run = this.#guard((db) => insertRun(db, { mode, version, pid: process.pid }, clock.now()));
  }

  endRun(end: Parameters<typeof finishRun>[2]): void {
    this.#guard((db) => finishRun(db, this.#run, end, this.#options.clock.now()));
  }

  /** Records outcomes together. Throws AppError `disk-write`. */
  record(outcomes: readonly UsageOutcome[]): void {
    this.#guard((db) => {
      const put = db.prepare<[Buffer, number, number, string | null]>(
        'INSERT OR REPLACE INTO usage_event (digest, state, run, problem) VALUES (?, ?, ?, ?)',
      );
      db.transaction(() => {
        this.#file.epoch.require();
        for (const { digest, state, problem } of outcomes) {
          const sentence = problem?.slice(0, LONGEST_PROBLEM).toWellFormed() ?? null;
          put.run(digest, USAGE_STATES.indexOf(state), this.#ofRejects ? -this.#run : this.#run, sentence);
        }
        this.#sends.write(Math.floor(this.#options.clock.now() / 1000));
      }).immediate();
    });
    this.#sends.written();
  }

  /** Right before a request goes out. Throws AppError `checkpoint` where another process has taken over. */
  aboutToSend(): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#askedAt < ASKED_EVERY_MS) return;
    this.#file.epoch.require();
    this.#askedAt = now;
  }

  noteSends(secondsSinceEpoch: number, requests: number): void {
    this.#sends.note(secondsSinceEpoch, requests);
  }

  recentSends(sinceSecond: number): { second: number; requests: number }[] {
    return this.#sends.since(sinceSecond);
  }

  /** Makes everything durable and gives the lock back. */
  close(): void {
    if (!this.#file.db.open) return;
    try {
      if (this.#sends.isPending) this.record([]);
      this.#guard(() => this.#file.settle());
    } finally {
      this.#file.close();
    }
  }

  #guard<T>(work: (db: Database) => T): T {
    try {
      return work(this.#file.db);
    } catch (error) {
      throw isSqliteError(error) ? writeFailure(this.#file.path, error) : error;
    }
  }
}

/** Of the digest of an event id; opened for reading, also while another process writes. */
export interface UsageReader extends KnownUsage, Disposable {
  /** Events by what became of them. */
  counts(): Record<UsageState, number>;
}

/** Undefined where the file is no checkpoint of usage events. Throws AppError `checkpoint` where it is none at all. */
export function readUsageCheckpoint(path: string, target?: string): UsageReader | undefined {
  const db = openForReading(resolveCheckpointPath(path));
  try {
    const meta = readMeta(db);
    if (target !== undefined) requireTarget(meta, target, path);
    const isOurs = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'usage_event'").pluck().get() === 1;
    if (isOurs)
      return { get: getter(db), counts: () => countStates(db), [Symbol.dispose]: () => void db.close() };
  } catch (error) {
    db.close();
    throw error;
  }
  db.close();
  return undefined;
}

function getter(db: Database): KnownUsage['get'] {
  const statement = db
    .prepare<[Buffer], [state: number, run: number, problem: string | null]>(
      'SELECT state, run, problem FROM usage_event WHERE digest = ?',
    )
    .raw();
  return (digest) => {
    const row = statement.get(digest);
    if (row === undefined) return undefined;
    const [state, run, problem] = row;
    return {
      state: USAGE_STATES[state] ?? 'inDoubt',
      run: Math.abs(run),
      ofRejects: run < 0,
      problem: problem ?? undefined,
    };
  };
}

function countStates(db: Database): Record<UsageState, number> {
  const counts = { done: 0, failed: 0, inDoubt: 0 };
  const rows = db
    .prepare<[], [state: number, n: number]>('SELECT state, count(*) FROM usage_event GROUP BY state')
    .raw();
  for (const [state, n] of rows.iterate()) counts[USAGE_STATES[state] ?? 'inDoubt'] += n;
  return counts;
}

/** Counts are of events that were sent: what no run has reached, or what was rejected, is in no checkpoint. */
export type UsageStatus = Omit<CheckpointStatus, 'tickets'> & {
  readonly events: Readonly<Record<UsageState | 'known', number>>;
};

/** For `status`. Undefined where the file is a checkpoint of tickets. Throws AppError `checkpoint` where it is none at all. */
export function usageStatus(path: string): UsageStatus | undefined {
  using usage = readUsageCheckpoint(path);
  if (usage === undefined) return undefined;
  const counts = usage.counts();
  const checkpoint = readCheckpoint(path);
  try {
    const { tickets: _, ...status } = checkpointStatus(checkpoint);
    return { ...status, events: { known: counts.done + counts.failed + counts.inDoubt, ...counts } };
  } finally {
    checkpoint.close();
  }
}

/**
 * The checkpoints of usage events that go with one of tickets, each once: what the settings name, and what lies beside it
 * under the names that the program gives.
 */
export function usageCheckpointsWith(checkpoint: string, named: string | undefined): string[] {
  const beside = USAGE_CHECKPOINTS.map((name) => join(dirname(checkpoint), name));
  const paths = [...(named === undefined ? [] : [named]), ...beside].filter(
    (path) => resolve(path) !== resolve(checkpoint) && existsSync(path),
  );
  return [...new Map(paths.map((path) => [resolve(path), path] as const)).values()];
}
