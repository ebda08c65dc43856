/**
 * The file of a checkpoint, what may be wrong with it, and its lock: one writer at a time, by a lock that a crash cannot leave behind.
 *
 * In the folder of the checkpoint is an empty SQLite database, `<checkpoint>.lock`. The writer begins an immediate transaction in
 * it and never ends it. SQLite takes an advisory lock of the operating system for that, which ends with the process however
 * it ends. Nothing is ever written into the file (its journal is in memory), and it is never deleted: deleting a lock file
 * lets two processes hold a lock on two files of the same name. Where a person deletes it, the first process notices the
 * second before its next write and its next request (meta.ts).
 *
 * The checkpoint itself is not locked by this, so others can read it while a run goes on.
 */
import { closeSync, lstatSync, openSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { AppError } from '../domain/errors.ts';

/** Whether there is a file. Throws AppError `checkpoint` where something else has the name. */
export function isFileThere(path: string): boolean {
  const stats = statOf(path);
  if (stats === undefined) return false;
  if (!stats.isFile()) throw unopenable(path, 'it is not a file');
  return true;
}

/**
 * The real path of the checkpoint, which its lock is named after: a link and its file are one checkpoint.
 * Throws AppError `checkpoint` where it cannot be: no such folder, or something else has the name.
 */
export function resolveCheckpointPath(path: string): string {
  if (isFileThere(path)) return realpathSync(path);
  const folder = dirname(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new AppError('checkpoint', `The folder ${folder} of ${path} does not exist.`, {
      hint: 'Create it, or name another file.',
    });
  }
  return join(realpathSync(folder), basename(path));
}

/** A file with a second name has two locks and two logs. */
export function requireOneName(path: string): void {
  if (statSync(path).nlink > 1) throw unopenable(path, 'it has a second name (a hard link)');
}

function statOf(path: string): Stats | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    // A link that leads nowhere is no free name.
    if (stats !== undefined || lstatSync(path, { throwIfNoEntry: false }) === undefined) return stats;
  } catch (cause) {
    throw unopenable(path, String((cause as NodeJS.ErrnoException).code), cause);
  }
  throw unopenable(path, 'it is a link to a file that does not exist');
}

function unopenable(path: string, why: string, cause?: unknown): AppError {
  return new AppError('checkpoint', `The checkpoint ${path} cannot be opened: ${why}.`, {
    hint: 'Name another file with --checkpoint.',
    cause,
  });
}

/** Makes an empty file if it is missing, readable by its owner only; SQLite gives `-wal` and `-shm` the mode of the file. */
export function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw writeFailure(path, error);
  }
}

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

// What is wrong with a checkpoint, in sentences for a person.

/** Of a file that is opened: a statement that does not fit its tables is no fault of the disk. */
const DAMAGED = ['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_ERROR', 'SQLITE_CONSTRAINT', 'SQLITE_MISMATCH'];
const WAYS_OUT =
  'Put back a copy of it, or move the file away and rebuild it from the target with "helpdesk-import checkpoint rebuild".';

export function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Database.SqliteError;
}

function isBusy(error: unknown): boolean {
  return isSqliteError(error) && error.code.startsWith('SQLITE_BUSY');
}

/** A write that failed: whatever the reason, nothing more is recorded and the run stops (exit 6). */
export function writeFailure(path: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('disk-write', `The checkpoint ${path} cannot be written: ${reasonOf(error)}.`, {
    hint: 'Check the disk and the permissions of the file and its folder. Then run the same command again: it continues where it stopped.',
    cause: error,
  });
}

/** It could not be opened: not a database or damaged (exit 2), or not to be written (exit 6). */
export function openFailure(path: string, error: unknown): AppError {
  return unusable(path, error) ?? writeFailure(path, error);
}

/** It could not be opened for reading (exit 2). */
export function readingFailure(path: string, error: unknown): AppError {
  const failure = unusable(path, error);
  if (failure !== undefined) return failure;
  return new AppError('checkpoint', `The checkpoint ${path} cannot be read: ${reasonOf(error)}.`, {
    hint: 'Check the permissions of the file and its folder.',
    cause: error,
  });
}

function unusable(path: string, error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (error instanceof SyntaxError) return damaged(path, error.message, error);
  if (!isSqliteError(error) || !DAMAGED.some((code) => error.code.startsWith(code))) return undefined;
  return error.code === 'SQLITE_NOTADB' ? notACheckpoint(path, error) : damaged(path, error.message, error);
}

export function damaged(path: string, detail: string, cause?: unknown): AppError {
  return new AppError('checkpoint', `The checkpoint ${path} is damaged: ${detail}.`, {
    hint: `${WAYS_OUT} Starting with a new checkpoint would import every ticket a second time.`,
    cause,
  });
}

export function notACheckpoint(path: string, cause?: unknown): AppError {
  return new AppError('checkpoint', `${path} is not a checkpoint of helpdesk-import.`, {
    hint: 'Name another file with --checkpoint; this one was left as it is.',
    cause,
  });
}

export function otherVersion(path: string): AppError {
  return new AppError(
    'checkpoint',
    `The checkpoint ${path} was written by another version of helpdesk-import.`,
    {
      hint: `Use that version to go on with it. Otherwise: ${WAYS_OUT}`,
    },
  );
}

/** The file or its log is missing: they belong together where the last run did not end cleanly. */
export function partMissing(path: string, missing: string): AppError {
  return new AppError(
    'checkpoint',
    `The checkpoint ${path} is incomplete: its last run did not end cleanly, and ${missing} is missing.`,
    {
      hint: `Put ${path} and ${path}-wal side by side, or make copies with "helpdesk-import checkpoint backup". Otherwise: ${WAYS_OUT}`,
    },
  );
}

function reasonOf(error: unknown): string {
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  if (code.startsWith('SQLITE_FULL') || code === 'ENOSPC') return 'the disk is full';
  if (code.startsWith('SQLITE_BUSY')) return 'another program has locked it';
  return code === '' ? String(error) : code;
}
