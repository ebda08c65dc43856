/** What SQLite's errors mean for a person: one place that turns them into the program's own. */
import Database from 'better-sqlite3';
import { AppError } from '../domain/errors.ts';

/** Of a file that is opened: a statement that does not fit its tables is no fault of the disk. */
const DAMAGED = ['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_ERROR', 'SQLITE_CONSTRAINT', 'SQLITE_MISMATCH'];

export function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Database.SqliteError;
}

export function isBusy(error: unknown): boolean {
  return isSqliteError(error) && error.code.startsWith('SQLITE_BUSY');
}

/** A write that failed: whatever the reason, nothing more is recorded and the run stops (exit 6). */
export function writeFailure(path: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('disk-write', `The checkpoint ${path} cannot be written: ${reasonOf(error)}.`, {
    hint: `${remedyOf(error)} Then run the same command again: it continues where it stopped.`,
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
  if (!isSqliteError(error) || !DAMAGED.some((code) => error.code.startsWith(code))) return undefined;
  return error.code === 'SQLITE_NOTADB' ? notACheckpoint(path, error) : damaged(path, error.message, error);
}

const WAYS_OUT =
  'Put back a copy of it, or move the file away and rebuild it from the target with "helpdesk-import checkpoint rebuild".';

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

export function emptyFile(path: string): AppError {
  return new AppError('checkpoint', `The checkpoint ${path} is empty.`, {
    hint: `If an import has used it: ${WAYS_OUT} If none has, delete the file.`,
  });
}

export function ticketsLost(path: string, listed: number, before: number): AppError {
  return new AppError(
    'checkpoint',
    `The checkpoint ${path} has lost tickets: it lists ${listed}, and it listed ${before} when its last run had ended.`,
    { hint: WAYS_OUT },
  );
}

/** The last run was killed, and what it recorded last is not there. */
export function logMissing(path: string): AppError {
  return new AppError(
    'checkpoint',
    `The checkpoint ${path} is incomplete: its last run did not end cleanly, and ${path}-wal, which holds what was recorded last, is missing.`,
    {
      hint: `If this is a copy, copy the file with -wal as well, or make the copy with "helpdesk-import checkpoint backup". Otherwise: ${WAYS_OUT}`,
    },
  );
}

/** The file went and its log stayed: whatever would be made in its place would lack what the log was for. */
export function fileMissing(path: string): AppError {
  return new AppError(
    'checkpoint',
    `The checkpoint ${path} does not exist, but its log ${path}-wal does: the file was deleted or moved after a run that did not end cleanly.`,
    {
      hint: 'Put the file back beside its log. If it is lost, rebuild it from the target with "helpdesk-import checkpoint rebuild".',
    },
  );
}

function reasonOf(error: unknown): string {
  const code = isSqliteError(error) ? error.code : systemCode(error);
  if (code.startsWith('SQLITE_FULL') || code === 'ENOSPC') return 'the disk is full';
  if (code.startsWith('SQLITE_BUSY')) return 'another program has locked it';
  if (['EACCES', 'EPERM'].includes(code) || code.startsWith('SQLITE_READONLY')) {
    return 'this user may not write to it';
  }
  if (code === 'EROFS') return 'its file system is read-only';
  return error instanceof Error ? error.message : String(error);
}

function remedyOf(error: unknown): string {
  const code = isSqliteError(error) ? error.code : systemCode(error);
  if (code.startsWith('SQLITE_FULL') || code === 'ENOSPC') return 'Free up space on that disk.';
  if (code.startsWith('SQLITE_BUSY')) return 'Close the program that has it open.';
  return 'Check the disk and the permissions of the file and its folder.';
}

function systemCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
