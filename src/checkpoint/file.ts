/**
 * The file of a checkpoint, what may be wrong with it, and its lock: one writer at a time, by a lock that a crash cannot leave behind.
 *
 * The lock is an immediate transaction in an empty SQLite database next to it, `<checkpoint>.lock`: an advisory lock of the operating
 * system, which ends with the process however it ends, and which readers of the checkpoint do not meet. It is never deleted, as two
 * processes could then hold a lock on two files of the same name. Where a person deletes it, the first process notices the second
 * before its next write and its next request (meta.ts).
 */
import { closeSync, lstatSync, openSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { AppError, defect, diskCode, isDiskFull } from '../domain/errors.ts';
import { stop } from '../domain/text/stops.ts';

export function isFileThere(path: string): boolean {
  const stats = statOf(path);
  if (stats === undefined) return false;
  if (!stats.isFile()) throw unopenable(path, 'it is not a file');
  return true;
}

/** A link and its file are one checkpoint. Throws AppError `checkpoint`. */
export function resolveCheckpointPath(path: string): string {
  if (isFileThere(path)) return realpathSync(path);
  const folder = dirname(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw stop('checkpoint-folder', { folder, path });
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
  return stop('checkpoint-unopenable', { path, why }, { cause });
}

/** Readable by its owner only; SQLite gives `-wal` and `-shm` the mode of the file. */
export function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw writeFailure(path, error);
  }
}

export const GRACE_MS = 300;

export interface WriterLock {
  release(): void;
}

/** Undefined if another process holds it for `graceMs`. */
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

/** A statement that does not fit the tables is no fault of the disk. */
const DAMAGED = ['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_ERROR', 'SQLITE_CONSTRAINT', 'SQLITE_MISMATCH'];
const WAYS_OUT =
  'Put back a copy of it, or move the file away and rebuild it from the helpdesk with `helpdesk-import checkpoint rebuild`.';

export function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Database.SqliteError;
}

function isBusy(error: unknown): boolean {
  return isSqliteError(error) && error.code.startsWith('SQLITE_BUSY');
}

export function writeFailure(path: string, error: unknown): AppError {
  if (diskCode(error) === undefined) return defect(error);
  return stop('checkpoint-unwritable', { path, why: reasonOf(error) }, { cause: error });
}

export function openFailure(path: string, error: unknown): AppError {
  return unusable(path, error) ?? writeFailure(path, error);
}

export function readingFailure(path: string, error: unknown): AppError {
  const failure = unusable(path, error);
  if (failure !== undefined) return failure;
  return stop('checkpoint-unreadable', { path, why: reasonOf(error) }, { cause: error });
}

function unusable(path: string, error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (error instanceof SyntaxError) return damaged(path, error.message, error);
  if (!isSqliteError(error) || !DAMAGED.some((code) => error.code.startsWith(code))) return undefined;
  return error.code === 'SQLITE_NOTADB' ? notACheckpoint(path, error) : damaged(path, error.message, error);
}

export function damaged(path: string, detail: string, cause?: unknown): AppError {
  return stop('checkpoint-damaged', { path, detail, out: WAYS_OUT }, { cause });
}

export function notACheckpoint(path: string, cause?: unknown): AppError {
  return stop('no-checkpoint-file', { path }, { cause });
}

export function otherVersion(path: string): AppError {
  const message = `The checkpoint ${path} was written by another version of helpdesk-import.`;
  const hint = `Use that version to continue. Otherwise: ${WAYS_OUT}`;
  return new AppError('checkpoint', message, { hint });
}

/** File and log belong together after a run that did not end cleanly. */
export function partMissing(path: string, missing: string): AppError {
  return stop('checkpoint-part-missing', { path, missing, out: WAYS_OUT });
}

function reasonOf(error: unknown): string {
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  if (isDiskFull(code)) return 'the disk is full';
  if (code.startsWith('SQLITE_BUSY')) return 'another program has locked it';
  return code === '' ? String(error) : code;
}
