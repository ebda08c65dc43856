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
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { AppError } from '../domain/errors.ts';
import { copyForReading } from './copy-for-reading.ts';
import { isFileThere, requireOneName } from './file-kind.ts';
import { type CheckpointMeta, writeMeta } from './meta.ts';
import { MIGRATIONS, migrate, schemaVersion } from './migrations.ts';
import { requireSize, requireSound } from './soundness.ts';
import { fileMissing, openFailure, readingFailure, writeFailure } from './sqlite-failure.ts';
import type { Survives } from './wal-flush.ts';

/** How long a statement waits for a foreign program that has locked the file, milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;
/** The log is copied into the database after this many pages of 4 KiB ... */
const WAL_PAGES = 2_000;
/** ... and cut back to this many bytes when a slow reader let it grow. */
const WAL_BYTES = 8 * 1024 * 1024;

/**
 * The real path of the checkpoint, which its lock is named after: two names of one file are one checkpoint.
 * Throws AppError `checkpoint` where it cannot be: no such folder, or something else stands there.
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

/** Makes an empty file if there is none (then true), readable by its owner only; SQLite gives `-wal` and `-shm` the mode of the file. */
export function createPrivately(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw writeFailure(path, error);
    return false;
  }
}

/**
 * Makes a checkpoint where there is none (then true): all of it under another name first, so that whatever dies meanwhile, a file under
 * this name is one that was finished. The caller holds the writer's lock.
 */
export function makeCheckpoint(path: string, meta: CheckpointMeta): boolean {
  if (isFileThere(path)) return false;
  const log = `${path}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0) throw fileMissing(path);
  const begun = `${path}.new`;
  for (const left of [log, `${path}-shm`, begun, `${begun}-journal`]) rmSync(left, { force: true });
  let db: Database.Database | undefined;
  try {
    createPrivately(begun);
    db = new Database(begun);
    migrate(db, begun);
    writeMeta(db, meta);
    db.close();
    renameSync(begun, path);
    return true;
  } catch (error) {
    db?.close();
    rmSync(begun, { force: true });
    throw writeFailure(path, error);
  }
}

/** Opens for writing and brings up to date. The caller holds the writer's lock. */
export function openForWriting(path: string, survives: Survives): Database.Database {
  requireSize(path);
  requireOneName(path);
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
    requireSound(db, path, hasLog);
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
  if (!isFileThere(path)) {
    throw new AppError('checkpoint', `There is no checkpoint at ${path}.`, {
      hint: 'Name it with --checkpoint, or start an import with "helpdesk-import run".',
    });
  }
  requireSize(path);
  const hasLog = existsSync(`${path}-wal`);
  const copy = hasLog ? undefined : copyForReading(path);
  const prepare = (db: Database.Database) => {
    requireSound(db, path, hasLog || copy === undefined);
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
    if (existsSync(path)) createPrivately(`${path}-wal`);
  } catch {
    // On a disk that cannot even hold a name the next run is refused, and says how to go on.
  }
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

/** Only after the file is known to be a checkpoint: any other file is left as it is. */
function tighten(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & 0o077) === 0) return;
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    throw writeFailure(path, error);
  }
}
