/**
 * One writer at a time, by locks that a crash cannot leave behind.
 *
 * Beside the checkpoint stands an empty SQLite database, `<checkpoint>.lock`. The writer begins an immediate transaction in
 * it and never ends it. SQLite takes an advisory lock of the operating system for that, which ends with the process however
 * it ends: there is no stale lock to recognise, and no process number to compare with a list of processes. Nothing is ever
 * written into the file (its journal is in memory), and it is never deleted: deleting a lock file lets two processes hold
 * a lock on two files of the same name.
 *
 * A lock file that was deleted, or a checkpoint that was renamed, while a run goes on is noticed before the next write and before the
 * next request (meta.ts); a file of more than one name, or one that is mounted by itself, is refused (open-database.ts).
 *
 * The checkpoint itself is not locked by this, so others can read it while a run goes on.
 */
import Database from 'better-sqlite3';
import { requireFilesBeside } from './file-kind.ts';
import { createPrivately } from './open-database.ts';
import { isBusy, openFailure } from './sqlite-failure.ts';

/** A process that was just killed may need a moment to be gone. */
const GRACE_MS = 300;

export interface WriterLock {
  release(): void;
}

/**
 * The lock of the checkpoint at `path` (as resolved), or undefined where another process has it. `make` makes the checkpoint where
 * there is none; without it nothing is changed and nobody waits.
 */
export function acquireWriterLock(path: string, make?: () => void): WriterLock | undefined {
  const graceMs = make === undefined ? 0 : GRACE_MS;
  requireFilesBeside(path);
  const lock = lockFile(lockPathOf(path), graceMs);
  if (lock === undefined) return undefined;
  try {
    make?.();
  } catch (error) {
    lock.close();
    throw error;
  }
  return { release: () => void lock.close() };
}

export function lockPathOf(path: string): string {
  return `${path}.lock`;
}

function lockFile(lockPath: string, graceMs: number): Database.Database | undefined {
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
  return db;
}
