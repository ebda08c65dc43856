/**
 * One writer at a time, by locks that a crash cannot leave behind.
 *
 * Beside the checkpoint stands an empty SQLite database, `<checkpoint>.lock`. The writer begins an immediate transaction in
 * it and never ends it. SQLite takes an advisory lock of the operating system for that, which ends with the process however
 * it ends: there is no stale lock to recognise, and no process number to compare with a list of processes. Nothing is ever
 * written into the file (its journal is in memory), and it is never deleted: deleting a lock file lets two processes hold
 * a lock on two files of the same name.
 *
 * Somebody may delete it all the same, or rename the checkpoint while it is open. So there is a second one in the system's folder
 * for temporary files, named after the device and inode of the checkpoint itself. It is deleted by whoever holds it, and
 * whoever gets a lock makes sure that it is on the file that has the name. Where it cannot be had (another user's), the first one
 * has to do; a file of more than one name, or one that is mounted by itself, is refused (open-database.ts); and what all of this
 * does not see is noticed at the next write (meta.ts).
 *
 * The checkpoint itself is not locked by this, so others can read it while a run goes on.
 */
import { existsSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { AppError } from '../domain/errors.ts';
import { requireFilesBeside } from './file-kind.ts';
import { createPrivately } from './open-database.ts';
import { isBusy, openFailure } from './sqlite-failure.ts';

/** A process that was just killed may need a moment to be gone. */
const GRACE_MS = 300;
/** Whoever had it may delete it between our opening and our locking it. */
const MOST_TRIES = 20;

export interface WriterLock {
  release(): void;
}

/**
 * The locks of the checkpoint at `path` (as resolved), or undefined where another process has one of them. `make` makes it where
 * there is none; without it nothing is changed and nobody waits.
 */
export function acquireWriterLock(path: string, make?: () => void): WriterLock | undefined {
  const graceMs = make === undefined ? 0 : GRACE_MS;
  requireFilesBeside(path);
  const beside = lockFile(lockPathOf(path), graceMs);
  if (beside === undefined) return undefined;
  let ofFile: ReturnType<typeof lockOfFile> = 'none';
  try {
    make?.();
    if (existsSync(path)) ofFile = lockOfFile(path, graceMs);
  } catch (error) {
    beside.close();
    throw error;
  }
  if (ofFile === undefined) {
    beside.close();
    return undefined;
  }
  return {
    release() {
      if (ofFile !== 'none') ofFile.release();
      beside.close();
    },
  };
}

export function lockPathOf(path: string): string {
  return `${path}.lock`;
}

/** The lock that a checkpoint has whatever it is called. */
export function fileLockPathOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return join(tmpdir(), `helpdesk-import-${dev}-${ino}.lock`);
}

function lockOfFile(path: string, graceMs: number): WriterLock | 'none' | undefined {
  const lockPath = fileLockPathOf(path);
  try {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      createPrivately(lockPath);
      const before = statSync(lockPath, { bigint: true }).ino;
      const db = lockFile(lockPath, graceMs);
      if (db === undefined) return undefined;
      if (statSync(lockPath, { bigint: true, throwIfNoEntry: false })?.ino === before)
        return {
          release() {
            rmSync(lockPath, { force: true });
            db.close();
          },
        };
      db.close();
    }
  } catch (error) {
    if (!(error instanceof AppError) && (error as NodeJS.ErrnoException).code === undefined) throw error;
  }
  return 'none';
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
