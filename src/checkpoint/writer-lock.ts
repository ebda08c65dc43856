/**
 * One writer at a time, by a lock that a crash cannot leave behind.
 *
 * Beside the checkpoint stands an empty SQLite database, `<checkpoint>.lock`. The writer begins an immediate transaction in
 * it and never ends it. SQLite takes an advisory lock of the operating system for that, which ends with the process however
 * it ends: there is no stale lock to recognise, and no process number to compare with a list of processes. Nothing is ever
 * written into the file (its journal is in memory), and it is never deleted: deleting a lock file lets two processes hold
 * a lock on two files of the same name.
 *
 * The checkpoint itself is not locked by this, so others can read it while a run goes on.
 */
import Database from 'better-sqlite3';
import { createPrivately } from './open-database.ts';
import { isBusy, openFailure } from './sqlite-failure.ts';

/** A process that was just killed may need a moment to be gone. */
const GRACE_MS = 300;

export interface WriterLock {
  release(): void;
}

/** The lock of the checkpoint at `path` (as resolved), or undefined where another process has it. */
export function acquireWriterLock(path: string, graceMs = GRACE_MS): WriterLock | undefined {
  const lockPath = lockPathOf(path);
  createPrivately(lockPath);
  let db: Database.Database | undefined;
  try {
    db = new Database(lockPath, { timeout: graceMs });
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN IMMEDIATE');
  } catch (error) {
    db?.close();
    if (isBusy(error)) return undefined;
    throw openFailure(lockPath, error);
  }
  const held = db;
  return { release: () => void held.close() };
}

export function lockPathOf(path: string): string {
  return `${path}.lock`;
}
