/**
 * The checkpoint, open for writing: the ledger of an import, its runs, and the assurance that nobody else writes.
 *
 * It holds what resume needs and no more: per ticket its state, its id in the target and three digests; a subject and an
 * address only while the outcome of a create is unknown; no message and no secret ever.
 */

import type { Clock } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import type { Ledger } from '../domain/ledger.ts';
import type { Database } from '../sqlite/database.ts';
import { ExportTimeTable } from './export-times.ts';
import { FileTable } from './file-ledger.ts';
import { LinkTable } from './link-ledger.ts';
import {
  type CheckpointMeta,
  type Epoch,
  NO_TARGET,
  nextEpoch,
  readEnd,
  readHolder,
  readMeta,
  readSending,
  removeHolder,
  requireTarget,
  writeHolder,
  writeMeta,
} from './meta.ts';
import {
  keepLog,
  makeCheckpoint,
  openForReading,
  openForWriting,
  resolveCheckpointPath,
} from './open-database.ts';
import { finishRun, insertRun, recordBatch } from './runs.ts';
import { isSqliteError, writeFailure } from './sqlite-failure.ts';
import { NOTED_EVERY_MS, SqliteLedger } from './sqlite-ledger.ts';
import { clearSettledIntents } from './ticket-row.ts';
import { UndoTable } from './undo-ledger.ts';
import type { Survives } from './wal-flush.ts';
import { acquireWriterLock } from './writer-lock.ts';

export interface CheckpointOptions {
  /** The target, spelled the same in every run: its base URL with the path of the API. */
  readonly target: string;
  readonly clock: Clock;
  readonly programVersion: string;
  /** Default: `machine`. */
  readonly survives?: Survives | undefined;
}

/** What the checkpoint is used with now; kept for the next run to compare with. */
export type UsedWith = Partial<Omit<CheckpointMeta, 'target' | 'createdAt' | 'createdBy'>>;

/** The file of a checkpoint, open for writing by this process alone: what it records is its owner's. */
export interface CheckpointFile {
  /** As the user named it. */
  readonly path: string;
  readonly db: Database;
  readonly meta: CheckpointMeta;
  /** Every transaction that writes asks it. */
  readonly epoch: Epoch;
  /** The latest moment at which an earlier process can have sent anything, milliseconds since the epoch. */
  readonly diedBefore: number;
  /** Once everything is written: takes the note of the writer away and empties the log into the file. */
  settle(): void;
  /** Gives the lock back. */
  close(): void;
}

/**
 * Opens the checkpoint for writing and makes it where there is none. Throws AppError `checkpoint` when another process
 * writes to it, when it belongs to another target, is damaged, newer than the program or no checkpoint at all; and
 * `disk-write` when it cannot be written.
 */
export function openCheckpoint(path: string, options: CheckpointOptions): Checkpoint {
  return new Checkpoint(openCheckpointFile(path, options), options);
}

/** The same for a checkpoint of anything; throws as `openCheckpoint` does. */
export function openCheckpointFile(path: string, options: CheckpointOptions): CheckpointFile {
  const real = resolveCheckpointPath(path);
  const { target, programVersion: createdBy } = options;
  const made = { target, createdAt: options.clock.now(), createdBy };
  const lock = acquireWriterLock(real, () => void makeCheckpoint(real, made));
  if (lock === undefined) throw inUse(path, real);
  let db: Database | undefined;
  try {
    db = openForWriting(real, options.survives ?? 'machine');
    const opened = db;
    const { meta, epoch, before } = claim(db, path, options);
    // In the main file, so that a copy of it knows that it lacks its log.
    db.pragma('wal_checkpoint(TRUNCATE)');
    let isSettled = false;
    return {
      path,
      db,
      meta,
      epoch,
      diedBefore: before,
      settle() {
        opened
          .transaction(() => {
            epoch.require();
            clearSettledIntents(opened);
            removeHolder(opened, options.clock.now());
          })
          .immediate();
        opened.pragma('wal_checkpoint(TRUNCATE)');
        isSettled = true;
      },
      close() {
        opened.close();
        // What could be written is in the file. The log went with the close, and must not be missed by the next run.
        if (!isSettled) keepLog(real);
        lock.release();
      },
    };
  } catch (error) {
    const wasOpen = db?.open === true;
    db?.close();
    if (wasOpen) keepLog(real);
    lock.release();
    throw isSqliteError(error) ? writeFailure(path, error) : error;
  }
}

export class Checkpoint extends SqliteLedger implements Ledger {
  readonly path: string;
  /** Files of the export that are kept. */
  readonly files: FileTable;
  /** Tickets in which links were rewritten. */
  readonly links: LinkTable;
  readonly exportTimes: ExportTimeTable;
  /** Tickets that an undo emptied. */
  readonly undos: UndoTable;
  readonly #db: Database;
  readonly #file: CheckpointFile;
  readonly #options: CheckpointOptions;
  #meta: CheckpointMeta;
  #run: number | undefined;

  constructor(file: CheckpointFile, options: CheckpointOptions) {
    const { db, path, meta } = file;
    super(db, path, options.clock, options.survives ?? 'machine', file);
    this.path = path;
    this.files = new FileTable(db, (write, until) => this.alongside(write, until));
    this.links = new LinkTable(db, (write) => this.alongside(write));
    this.exportTimes = new ExportTimeTable(db, (write) => this.alongside(write));
    this.undos = new UndoTable(db, (write) => this.alongside(write));
    this.#db = db;
    this.#file = file;
    this.#meta = meta;
    this.#options = options;
  }

  /** As it was when the checkpoint was opened, until `usedWith` changes it. */
  get meta(): CheckpointMeta {
    return this.#meta;
  }

  /** How many tickets it knows. */
  size(): number {
    return Object.values(this.counts()).reduce((sum, count) => sum + count, 0);
  }

  usedWith(now: UsedWith): Promise<void> {
    this.#meta = { ...this.#meta, ...now };
    const meta = this.#meta;
    return this.alongside(() => writeMeta(this.#db, meta));
  }

  /** Records that a run begins, with counts of what it found; its batches are counted under it. At once durable. */
  async startRun(mode: string, summary?: Readonly<Record<string, unknown>>): Promise<number> {
    let id = 0;
    const durable = this.alongside(() => {
      id = insertRun(
        this.#db,
        {
          mode,
          version: this.#options.programVersion,
          pid: process.pid,
          summary,
        },
        this.#options.clock.now(),
      );
    });
    await durable;
    this.#run = id;
    return id;
  }

  /** Records how the run that was started last ended. `summary` holds counts, never data of tickets. */
  async endRun(end: { exitCode: number; summary?: Readonly<Record<string, unknown>> }): Promise<void> {
    const run = this.#run;
    if (run === undefined) throw new AppError('internal', 'A run was ended that was never started.');
    await this.alongside(() => finishRun(this.#db, run, end, this.#options.clock.now()));
  }

  batchSettled(batch: number, tickets: number): Promise<void> {
    const run = this.#run;
    if (run === undefined) return Promise.resolve();
    const settledAt = this.#options.clock.now();
    return this.alongside(() => recordBatch(this.#db, { run, number: batch, tickets, settledAt }));
  }

  /**
   * Makes everything durable, empties the log into the file and gives the lock back. Never throws for a ledger that has
   * already failed: its failure was told to whoever asked it to write.
   */
  async close(): Promise<void> {
    if (!this.#db.open) return;
    try {
      await this.flush();
      this.#file.settle();
    } catch (error) {
      if (this.failure === undefined) throw isSqliteError(error) ? writeFailure(this.path, error) : error;
    } finally {
      this.release();
      this.#file.close();
    }
  }
}

interface Claim {
  readonly meta: CheckpointMeta;
  readonly epoch: Epoch;
  /** The latest moment at which an earlier process can have sent anything. */
  readonly before: number;
}

/** Makes sure that it belongs to the target; leaves a note of who has it open. */
function claim(db: Database, path: string, options: CheckpointOptions): Claim {
  const now = options.clock.now();
  const known = readMeta(db);
  requireTarget(known, options.target, path);
  const meta = known.target === NO_TARGET ? { ...known, target: options.target } : known;
  const before = lastSend(db, now);
  const epoch = db
    .transaction(() => {
      if (meta.target !== known.target) writeMeta(db, meta);
      writeHolder(db, { pid: process.pid, since: now });
      return nextEpoch(db, path);
    })
    .immediate();
  return { meta, epoch, before };
}

function lastSend(db: Database, now: number): number {
  const noted = readHolder(db) === undefined ? readEnd(db) : readSending(db);
  // What was sent right after the note is not in it.
  return noted === undefined ? now : Math.min(now, noted + 2 * NOTED_EVERY_MS);
}

function inUse(path: string, real: string): AppError {
  const holder = holderOf(real);
  const who =
    holder === undefined
      ? 'another process'
      : `process ${holder.pid} since ${new Date(holder.since).toISOString()}`;
  return new AppError('checkpoint', `The checkpoint ${path} is in use by ${who}.`, {
    hint: 'Wait until that run has ended, or give this import another checkpoint with --checkpoint.',
  });
}

function holderOf(real: string): { pid: number; since: number } | undefined {
  try {
    const db = openForReading(real);
    try {
      return readHolder(db);
    } finally {
      db.close();
    }
  } catch {
    // The note is a courtesy: the lock alone decides.
    return undefined;
  }
}
