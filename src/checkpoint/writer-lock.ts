/**
 * One writer at a time, by a lock that a crash cannot leave behind.
 *
 * In the folder of the checkpoint is an empty SQLite database, `<checkpoint>.lock`. The writer begins an immediate transaction in
 * it and never ends it. SQLite takes an advisory lock of the operating system for that, which ends with the process however
 * it ends. Nothing is ever written into the file (its journal is in memory), and it is never deleted: deleting a lock file
 * lets two processes hold a lock on two files of the same name. Where a person deletes it, the first process notices the
 * second before its next write and its next request (meta.ts, `Epoch`).
 *
 * The checkpoint itself is not locked by this, so others can read it while a run goes on.
 */
import Database from 'better-sqlite3';
import { createPrivately } from './open-database.ts';
import { isBusy, openFailure } from './sqlite-failure.ts';

/** A process that was just killed may need a moment to be gone. */
export const GRACE_MS = 300;

export interface WriterLock {
  release(): void;
}

/** The lock of the checkpoint at `path` (as resolved), or undefined where another process has it for as long as `graceMs`. */
export function acquireWriterLock(path: string, graceMs = 0): WriterLock | undefined {
  const lockPath = lockPathOf(path);
  createPrivately(lockPath);
  let db: Database.Database | undefined;
  try {
    db = new Database(lockPath, { timeout: graceMs });
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN IMMEDIATE');
    const lock = db;
    return { release: () => void lock.close() };
  } catch (error) {
    db?.close();
    if (isBusy(error)) return undefined;
    throw openFailure(lockPath, error);
  }
}

export function lockPathOf(path: string): string {
  return `${path}.lock`;
}
