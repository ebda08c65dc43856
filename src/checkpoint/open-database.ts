/**
 * From a path to an open database that is known to be a sound checkpoint.
 *
 * With a write-ahead log readers (`status` in another terminal) never wait for the writer nor it for them. While it is opened and
 * migrated, `synchronous=FULL` makes every commit durable before it returns; what follows is in wal-flush.ts.
 *
 * The files are closed and opened by SQLite alone. On POSIX systems a process loses its locks on a file when it closes any
 * descriptor of that file, so a plain open() and close() of our own would silently give up a lock that SQLite holds.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { AppError } from '../domain/errors.ts';
import { copyForReading } from './copy-for-reading.ts';
import { readHolder } from './meta.ts';
import { APPLICATION_ID, MIGRATIONS, migrate, schemaVersion } from './migrations.ts';
import {
  damaged,
  emptyFile,
  isSqliteError,
  logMissing,
  mountedAlone,
  notACheckpoint,
  openFailure,
  readingFailure,
  severalNames,
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

/** Makes the file if there is none (then true), readable by its owner only; SQLite gives `-wal` and `-shm` the mode of the file. */
export function createPrivately(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw writeFailure(path, error);
    return false;
  }
}

/** No SQLite file is this small, but SQLite takes any such file for a new database and would write over it. */
const SMALLEST_DATABASE = 512;

function refuseSmallFile(path: string): void {
  const stats = statOf(path);
  if (stats?.isFile() === true && stats.size === 0) throw emptyFile(path);
  if ((stats?.size ?? 0) < SMALLEST_DATABASE) throw notACheckpoint(path);
}

/**
 * Opens for writing, creates and migrates. The caller holds the writer's lock. `isNew`: nobody else can have used the file, as it
 * was made a moment ago.
 */
export function openForWriting(
  path: string,
  survives: Survives,
  isNew = createPrivately(path),
): Database.Database {
  if (!isNew) {
    refuseSmallFile(path);
    requireOneName(path);
  }
  const hasLog = existsSync(`${path}-wal`);
  try {
    return openedForWriting(path, survives, hasLog);
  } catch (error) {
    if (hasLog) keepLog(path);
    throw error;
  }
}

function openedForWriting(path: string, survives: Survives, hasLog: boolean): Database.Database {
  return opened(path, { timeout: BUSY_TIMEOUT_MS }, (db) => {
    if (!isEmpty(db)) {
      inspect(db, path);
      requireLog(db, path, hasLog);
    }
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

/**
 * Opens for reading, also while another process writes; then every call sees what is there at that moment. A file that nobody has
 * open is read from a copy, as SQLite would leave a log beside it. Throws AppError `checkpoint` when there is none. */
export function openForReading(path: string): Database.Database {
  if (statOf(path) === undefined) {
    throw new AppError('checkpoint', `There is no checkpoint at ${path}.`, {
      hint: 'Name it with --checkpoint, or start an import with "helpdesk-import run".',
    });
  }
  refuseSmallFile(path);
  const hasLog = existsSync(`${path}-wal`);
  const copy = hasLog ? undefined : copyForReading(path);
  const prepare = (db: Database.Database) => {
    if (isEmpty(db)) throw notACheckpoint(path);
    inspect(db, path);
    requireLog(db, path, hasLog || copy === undefined);
    if (schemaVersion(db, path) < MIGRATIONS.length) {
      throw new AppError(
        'checkpoint',
        `The checkpoint ${path} was written by an older version of helpdesk-import.`,
        {
          hint: 'The next "helpdesk-import run" with it brings it up to date.',
        },
      );
    }
  };
  const options = { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS };
  try {
    return opened(path, options, prepare, copy?.path ?? path);
  } finally {
    copy?.remove();
  }
}

/**
 * The close of a file that was not settled took its log along, after all of it was put into the file: an empty one says that
 * nothing is missing.
 */
export function keepLog(path: string): void {
  try {
    createPrivately(`${path}-wal`);
  } catch {
    // On a disk that cannot even hold a name the next run is refused, and says how to go on.
  }
}

/** What was made a moment ago and never written. */
export function removeEmpty(path: string): void {
  if (statOf(path)?.size === 0) rmSync(path, { force: true });
}

/** A log that is not there any more is missed by the note of whoever wrote it: it stands in the main file from the first moment. */
function requireLog(db: Database.Database, path: string, hasLog: boolean): void {
  if (!hasLog && schemaVersion(db, path) > 0 && readHolder(db) !== undefined) throw logMissing(path);
}

/** One checkpoint under two names has two logs, and each of them lacks what the other has. */
function requireOneName(path: string): void {
  if ((statOf(path)?.nlink ?? 1) > 1) throw severalNames(path);
  if (isMountPoint(path)) throw mountedAlone(path);
}

function opened(
  path: string,
  options: Database.Options,
  prepare: (db: Database.Database) => void,
  from = path,
): Database.Database {
  let db: Database.Database | undefined;
  try {
    db = new Database(from, options);
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

/** What is mounted where, as Linux tells it; elsewhere nothing is known. */

/** A single file is mounted at this path (as resolved), as containers do with `-v file:file`. */
export function isMountPoint(path: string, told = mountInfo()): boolean {
  return told.split('\n').some((line) => placeOf(line) === path);
}

function mountInfo(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return '';
  }
}

/** The fifth field; spaces and the like stand as octal numbers. */
function placeOf(line: string): string | undefined {
  return line
    .split(' ')[4]
    ?.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
