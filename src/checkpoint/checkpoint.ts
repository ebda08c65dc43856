/** The checkpoint, open for writing: the state, helpdesk ID and digests of each ticket; never a text of the export, nor a secret. */

import type { Database, Statement } from '../domain/database.ts';
import { AppError } from '../domain/errors.ts';
import { type Ledger, recordOf, type TicketRecord } from '../domain/ledger.ts';
import { inOwnWords } from '../domain/own-words.ts';
import type { Clock } from '../domain/ports.ts';
import { stop } from '../domain/text/stops.ts';
import { TurnCommit } from '../domain/turn-commit.ts';
import * as files from './file.ts';
import * as metas from './meta.ts';
import * as databases from './open-database.ts';
import { readCheckpoint, StoredCheckpoint } from './read-checkpoint.ts';
import { requirePossible, rowOf, TICKET_COLUMNS, type TicketRow } from './rows.ts';

export interface CheckpointOptions {
  readonly target: string;
  readonly clock: Clock;
  readonly programVersion: string;
  readonly survives?: databases.Survives | undefined;
  /** Taken before; released on close. */
  readonly lock?: files.WriterLock | undefined;
}

/** The present settings and export, for the next run to compare. */
export type UsedWith = Partial<Omit<metas.CheckpointMeta, 'target' | 'createdAt' | 'createdBy'>>;

const ASKED_EVERY_MS = 100;
const MAX_PROBLEM_LENGTH = 300;

/** The checkpoint of any helpdesk unless `target` is given. Throws AppError `checkpoint`, also without one. */
export function openExisting(
  path: string,
  options: Omit<CheckpointOptions, 'target'>,
  target?: string,
): Checkpoint {
  const reader = readCheckpoint(path, target);
  const owner = reader.meta.target;
  reader.close();
  return openCheckpoint(path, { ...options, target: owner });
}

/** No other process writes it until the release; nothing is made. Throws AppError `checkpoint` if it is in use. */
export function lockCheckpoint(path: string): files.WriterLock {
  const real = files.resolveCheckpointPath(path);
  const lock = files.acquireWriterLock(real, files.GRACE_MS);
  if (lock === undefined) throw inUse(path, real);
  return lock;
}

/** Makes it if missing. Throws AppError `checkpoint` if it is in use, damaged or another helpdesk's, and `disk-write`. */
export function openCheckpoint(path: string, options: CheckpointOptions): Checkpoint {
  const real = files.resolveCheckpointPath(path);
  const { target, clock, programVersion: createdBy, survives = 'machine' } = options;
  const { lock = lockCheckpoint(path) } = options;
  let db: Database | undefined;
  try {
    databases.makeCheckpoint(real, { target, createdAt: clock.now(), createdBy }, survives);
    db = databases.openForWriting(real, survives, (found) =>
      metas.requireTarget(metas.readMeta(found), target, path),
    );
    return new Checkpoint(db, path, lock, options);
  } catch (error) {
    if (db !== undefined) databases.closeWritten(db);
    lock.release();
    throw files.isSqliteError(error) ? files.writeFailure(path, error) : error;
  }
}

export class Checkpoint extends StoredCheckpoint implements Ledger {
  readonly #lock: files.WriterLock;
  readonly #clock: Clock;
  readonly #version: string;
  readonly #requireOwn: metas.RequireOwn;
  readonly #commit: TurnCommit;
  readonly #put: Statement<[...TicketRow, number]>;
  #run: number | undefined;
  #closing: Promise<void> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #textsOf: (externalId: string) => Iterable<string> = () => [];

  constructor(db: Database, path: string, lock: files.WriterLock, options: CheckpointOptions) {
    const { target, clock, programVersion, survives = 'machine' } = options;
    const requireOwn = takeOver(db, path, target, clock.now());
    const commit = new TurnCommit(db, {
      flushes: survives === 'machine',
      requireOwn,
      failureOf: (error) => files.writeFailure(path, error),
    });
    super(db, path, (work) => commit.write(work));
    this.#lock = lock;
    this.#clock = clock;
    this.#version = programVersion;
    this.#requireOwn = requireOwn;
    this.#commit = commit;
    this.#put = db.prepare(
      `INSERT OR REPLACE INTO ticket (${TICKET_COLUMNS}, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
  }

  get failure(): AppError | undefined {
    return this.#commit.failure;
  }

  aboutToSend(): void {
    if (this.#commit.failure?.code === 'checkpoint') throw this.#commit.failure;
    const now = this.#clock.monotonic();
    if (now - this.#askedAt < ASKED_EVERY_MS) return;
    this.#requireOwn();
    this.#askedAt = now;
  }

  /** Returns a ticket's texts, to remove them from stored error messages. */
  leaveOut(textsOf: (externalId: string) => Iterable<string>): void {
    this.#textsOf = textsOf;
  }

  put(record: TicketRecord): Promise<void> {
    return this.#commit.write(() => {
      requirePossible(recordOf(this, record.externalId), record);
      this.#put.run(...rowOf(this.#recordable(record)), Math.floor(this.#clock.now()));
    });
  }

  #recordable(record: TicketRecord): TicketRecord {
    if (record.problem === undefined) return record;
    const problem = inOwnWords(record.problem, this.#textsOf(record.externalId));
    const { message } = problem;
    if (message.length <= MAX_PROBLEM_LENGTH) return { ...record, problem };
    const cut = `${message.slice(0, MAX_PROBLEM_LENGTH - 1).toWellFormed()}…`;
    return { ...record, problem: { ...problem, message: cut } };
  }

  usedWith(now: UsedWith): Promise<void> {
    const meta = { ...this.meta, ...now };
    this.meta = meta;
    return this.#commit.write(() => metas.writeEntry(this.db, 'checkpoint', meta));
  }

  async startRun(mode: string, summary?: Readonly<Record<string, unknown>>): Promise<number> {
    let id = 0;
    await this.#commit.write(() => {
      const { lastInsertRowid } = this.db
        .prepare('INSERT INTO run (started_at, mode, version, pid, summary) VALUES (?, ?, ?, ?, ?)')
        .run(this.#clock.now(), mode, this.#version, process.pid, summary && JSON.stringify(summary));
      id = Number(lastInsertRowid);
    });
    this.#run = id;
    return id;
  }

  async endRun(end: { exitCode: number; summary?: Readonly<Record<string, unknown>> }): Promise<void> {
    const { exitCode, summary } = end;
    const run = this.#run;
    if (run === undefined) throw new AppError('internal', 'A run was ended that was never started.');
    await this.#commit.write(() =>
      this.db
        .prepare('UPDATE run SET ended_at = ?, exit_code = ?, summary = ? WHERE id = ?')
        .run(this.#clock.now(), exitCode, summary && JSON.stringify(summary), run),
    );
  }

  flush(): Promise<void> {
    return this.#commit.flush();
  }

  /** Never throws for a ledger that has already failed. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#commit.close();
    try {
      databases.closeWritten(this.db, () => {
        this.#requireOwn();
        metas.writeEntry(this.db, 'listed', this.size());
      });
    } catch (error) {
      if (this.#commit.failure === undefined) throw files.writeFailure(this.path, error);
    } finally {
      this.#lock.release();
    }
  }
}

function takeOver(db: Database, path: string, target: string, now: number): metas.RequireOwn {
  const take = db.transaction(() => {
    const meta = metas.readMeta(db);
    if (meta.target === metas.NO_TARGET) metas.writeEntry(db, 'checkpoint', { ...meta, target });
    metas.writeEntry(db, 'holder', { pid: process.pid, since: now });
    return metas.nextEpoch(db, path);
  });
  return take.immediate();
}

function inUse(path: string, real: string): AppError {
  let who = 'another process';
  try {
    const db = databases.openForReading(real);
    const holder = metas.readEntry(db, 'holder');
    db.close();
    if (holder !== undefined) who = `process ${holder.pid} since ${new Date(holder.since).toISOString()}`;
  } catch {
    // The note is a courtesy: the lock alone decides.
  }
  return stop('checkpoint-in-use', { path, who });
}
