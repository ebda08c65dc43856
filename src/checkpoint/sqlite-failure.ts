/** What is wrong with a checkpoint, in sentences for a person. */
import Database from 'better-sqlite3';
import { AppError } from '../domain/errors.ts';

/** Of a file that is opened: a statement that does not fit its tables is no fault of the disk. */
const DAMAGED = ['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_ERROR', 'SQLITE_CONSTRAINT', 'SQLITE_MISMATCH'];
const WAYS_OUT =
  'Put back a copy of it, or move the file away and rebuild it from the target with "helpdesk-import checkpoint rebuild".';

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
