/**
 * From a path to an open database that is known to be a sound checkpoint.
 *
 * With a write-ahead log readers (`status` in another terminal) never wait for the writer nor it for them. While it is opened and
 * migrated, `synchronous=FULL` makes every commit durable before it returns; what follows is in wal-flush.ts.
 *
 * The files are closed and opened by SQLite alone. On POSIX systems a process loses its locks on a file when it closes any
 * descriptor of that file, so a plain open() and close() of our own would silently give up a lock that SQLite holds.
 */
import { chmodSync, closeSync, openSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { AppError } from '../domain/errors.ts';
import { APPLICATION_ID, MIGRATIONS, migrate, schemaVersion } from './migrations.ts';
import {
  damaged,
  isSqliteError,
  notACheckpoint,
  openFailure,
  readingFailure,
  writeFailure,
} from './sqlite-failure.ts';
import type { Survives } from './wal-flush.ts';

/** How long a statement waits for a foreign program that has locked the file, milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;
/** The log is copied into the database after this many pages of 4 KiB ... */
const WAL_PAGES = 2_000;
/** ... and cut back to this many bytes when a slow reader let it grow. */
const WAL_BYTES = 8 * 1024 * 1024;

/**
 * The real path of the checkpoint, which its lock is named after: two names of one file are one checkpoint.
 * Throws AppError `checkpoint` where it cannot be: no such folder, or the path is one.
 */
export function resolveCheckpointPath(path: string): string {
  const stats = statOf(path);
  if (stats?.isDirectory() === true) {
    throw new AppError('checkpoint', `${path} is a folder, so it cannot be the checkpoint.`, {
      hint: 'Name a file with --checkpoint.',
    });
  }
  if (stats !== undefined) return realpathSync(path);
  const folder = dirname(path);
  if (statOf(folder)?.isDirectory() !== true) {
    throw new AppError('checkpoint', `The folder ${folder} for the checkpoint does not exist.`, {
      hint: 'Create it, or name another file with --checkpoint.',
    });
  }
  return join(realpathSync(folder), basename(path));
}

/** Makes the file if there is none, readable by its owner only; SQLite gives `-wal` and `-shm` the mode of the file. */
export function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw writeFailure(path, error);
  }
}

/** No SQLite file is this small, but SQLite takes any such file for a new database and would write over it. */
const SMALLEST_DATABASE = 512;

function refuseSmallFile(path: string): void {
  const size = statOf(path)?.size ?? 0;
  if (size > 0 && size < SMALLEST_DATABASE) throw notACheckpoint(path);
}

/** Opens for writing, creates and migrates. The caller holds the writer's lock. */
export function openForWriting(path: string, survives: Survives): Database.Database {
  createPrivately(path);
  refuseSmallFile(path);
  return opened(path, { timeout: BUSY_TIMEOUT_MS }, (db) => {
    const isNew = isEmpty(db);
    if (!isNew) inspect(db, path);
    for (const suffix of ['', '-wal', '-shm']) tighten(path + suffix);
    db.pragma('journal_mode = WAL');
    db.pragma(`synchronous = ${survives === 'machine' ? 'FULL' : 'OFF'}`);
    db.pragma(`wal_autocheckpoint = ${WAL_PAGES}`);
    db.pragma(`journal_size_limit = ${WAL_BYTES}`);
    db.pragma('foreign_keys = ON');
    // The subject and address of a settled create are overwritten, not just forgotten.
    db.pragma('secure_delete = ON');
    migrate(db, path);
  });
}

/** Opens for reading, also while another process writes. Throws AppError `checkpoint` when there is none. */
export function openForReading(path: string): Database.Database {
  if (statOf(path) === undefined) {
    throw new AppError('checkpoint', `There is no checkpoint at ${path}.`, {
      hint: 'Name it with --checkpoint, or start an import with "helpdesk-import run".',
    });
  }
  refuseSmallFile(path);
  return opened(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS }, (db) => {
    if (isEmpty(db)) throw notACheckpoint(path);
    inspect(db, path);
    if (schemaVersion(db, path) < MIGRATIONS.length) {
      throw new AppError(
        'checkpoint',
        `The checkpoint ${path} was written by an older version of helpdesk-import.`,
        {
          hint: 'The next "helpdesk-import run" with it brings it up to date.',
        },
      );
    }
  });
}

function opened(
  path: string,
  options: Database.Options,
  prepare: (db: Database.Database) => void,
): Database.Database {
  let db: Database.Database | undefined;
  try {
    db = new Database(path, options);
    prepare(db);
    return db;
  } catch (error) {
    db?.close();
    throw options.readonly === true ? readingFailure(path, error) : openFailure(path, error);
  }
}

/** A file that was just made, or one whose making was interrupted before the first migration was through. */
function isEmpty(db: Database.Database): boolean {
  const tables = db.prepare('SELECT count(*) FROM sqlite_master').pluck().get() as number;
  return tables === 0 && db.pragma('user_version', { simple: true }) === 0;
}

function inspect(db: Database.Database, path: string): void {
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) throw notACheckpoint(path);
  schemaVersion(db, path);
  const verdict = quickCheck(db);
  if (verdict !== 'ok') throw damaged(path, verdict);
}

function quickCheck(db: Database.Database): string {
  try {
    return String(db.pragma('quick_check(1)', { simple: true }));
  } catch (error) {
    if (isSqliteError(error) && error.code.startsWith('SQLITE_CORRUPT')) return error.message;
    throw error;
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/** Only after the file is known to be a checkpoint: any other file is left as it is. */
function tighten(path: string): void {
  const stats = statOf(path);
  if (stats === undefined || (stats.mode & 0o077) === 0) return;
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    throw writeFailure(path, error);
  }
}
