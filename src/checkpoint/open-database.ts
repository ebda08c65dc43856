/**
 * From a path to an open database that was checked to be an undamaged checkpoint.
 *
 * While it is open for writing it has a write-ahead log, so that readers (`status` in another terminal) never wait for the writer
 * nor it for them, and a commit is one flush. A close puts the log into the file and takes it away: a checkpoint that no process has
 * open is one file, and reading it leaves nothing behind. After a kill the log stays. It belongs to the file then, which says so in
 * its header: a copy without it is refused, since it lacks what was recorded last.
 *
 * The file is read by SQLite alone while anybody may have it open: on POSIX systems a process loses its locks on a file when it
 * closes any descriptor of that file.
 */
import { chmodSync, closeSync, existsSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { AppError } from '../domain/errors.ts';
import type { Database as OpenDatabase } from '../sqlite/database.ts';
import {
  createPrivately,
  damaged,
  isFileThere,
  notACheckpoint,
  openFailure,
  otherVersion,
  partMissing,
  readingFailure,
  requireOneName,
  resolveCheckpointPath,
  writeFailure,
} from './file.ts';
import { type CheckpointMeta, readEntry, writeEntry } from './meta.ts';

/** "HIMP", the mark of a checkpoint, in its header. */
const CLOSED_ID = 0x48494d50;
/** "HIMW": open for writing, or left so by a process that died. What was recorded last is in its log, `-wal`. */
const IN_USE_ID = 0x48494d57;
/** Where SQLite keeps that number in the file. */
const ID_OFFSET = 68;

/** A checkpoint of another one is refused. */
const SCHEMA_VERSION = 1;

const TABLES = ['meta', 'ticket', 'run', 'batch', 'note'];

const SCHEMA = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT;
  CREATE TABLE ticket (
    external_id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    ticket_id TEXT,
    fingerprints BLOB,
    origin BLOB,
    thread BLOB,
    problem TEXT,
    sent TEXT,
    reopened INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    CHECK (ticket_id IS NOT NULL OR state NOT IN ('created', 'done'))
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX ticket_by_ticket_id ON ticket (ticket_id) WHERE ticket_id IS NOT NULL;
  CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    mode TEXT NOT NULL,
    version TEXT NOT NULL,
    pid INTEGER NOT NULL,
    exit_code INTEGER,
    summary TEXT
  ) STRICT;
  CREATE TABLE batch (
    run INTEGER NOT NULL,
    number INTEGER NOT NULL,
    tickets INTEGER NOT NULL,
    settled_at INTEGER NOT NULL,
    PRIMARY KEY (run, number)
  ) WITHOUT ROWID, STRICT;
  CREATE TABLE note (kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, key))
    WITHOUT ROWID, STRICT;
`;

/**
 * What a recorded change survives. `machine`: also a loss of power. `process`: the end of the process however it comes; enough
 * where the target is no more durable itself, and in tests.
 */
export type Survives = 'machine' | 'process';

/** How long a statement waits for a foreign program that has locked the file, milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;
/** The log is cut back to this many bytes when a slow reader let it grow. */
const WAL_BYTES = 8 * 1024 * 1024;

/**
 * Makes a missing checkpoint: all of it under another name first, so that whatever dies meanwhile, a file under
 * this name is one that was finished. The caller holds the writer's lock.
 */
export function makeCheckpoint(path: string, meta: CheckpointMeta, survives: Survives): void {
  if (isFileThere(path)) return;
  const log = `${path}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0) throw partMissing(path, 'the file itself');
  const begun = `${path}.new`;
  let db: Database.Database | undefined;
  try {
    for (const left of [log, `${path}-shm`, begun, `${begun}-journal`]) rmSync(left, { force: true });
    createPrivately(begun);
    db = new Database(begun);
    db.pragma(synchronous(survives));
    db.exec(
      `BEGIN; ${SCHEMA}; PRAGMA application_id = ${CLOSED_ID}; PRAGMA user_version = ${SCHEMA_VERSION};`,
    );
    writeEntry(db, 'checkpoint', meta);
    db.exec('COMMIT');
    db.close();
    renameSync(begun, path);
  } catch (error) {
    db?.close();
    throw writeFailure(path, error);
  }
}

function synchronous(survives: Survives): string {
  return `synchronous = ${survives === 'machine' ? 'FULL' : 'OFF'}`;
}

/** Opens for writing. `check` may refuse it as it is. The caller holds the writer's lock, and ends with `closeWritten`. */
export function openForWriting(
  path: string,
  survives: Survives,
  check: (db: OpenDatabase) => void,
): OpenDatabase {
  requireOneName(path);
  // What is refused is left as it is: a connection that only reads changes nothing.
  const before = openForReading(path);
  try {
    check(before);
  } finally {
    before.close();
  }
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    for (const name of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(name)) chmodSync(name, 0o600);
    db.pragma(synchronous(survives));
    db.pragma('journal_mode = WAL');
    db.pragma(`journal_size_limit = ${WAL_BYTES}`);
    db.pragma(`application_id = ${IN_USE_ID}`);
    // In the main file, so that a copy of it says that it lacks its log.
    db.pragma('wal_checkpoint(TRUNCATE)');
    return db;
  } catch (error) {
    if (db !== undefined) closeWritten(db);
    throw openFailure(path, error);
  }
}

/** Leaves one file, if `settle` could write the last of it; otherwise the next run finds a log. */
export function closeWritten(db: OpenDatabase, settle?: () => void): void {
  const settled = db.transaction((last: () => void) => {
    last();
    db.pragma(`application_id = ${CLOSED_ID}`);
  });
  try {
    if (settle !== undefined) {
      settled.immediate(settle);
      takeLogAway(db);
    }
  } finally {
    db.close();
    // The close puts all of the log into the file and deletes it: an empty one says that nothing is missing.
    if (existsSync(db.name) && lacksLog(db.name)) createPrivately(`${db.name}-wal`);
  }
}

function takeLogAway(db: OpenDatabase): void {
  try {
    db.pragma('journal_mode = DELETE');
  } catch {
    // A reader has it open, or the disk is full: the next run reads the log.
  }
}

/**
 * Opens for reading, also while another process writes; then every call sees what is there at that moment. Throws AppError
 * `checkpoint` if it is missing or damaged.
 */
export function openForReading(path: string): OpenDatabase {
  if (!isFileThere(path)) {
    throw new AppError('checkpoint', `There is no checkpoint at ${path}.`, {
      hint: 'Name it with --checkpoint, or start an import with "helpdesk-import run".',
    });
  }
  let db: Database.Database | undefined;
  try {
    if (lacksLog(path)) throw partMissing(path, `${path}-wal, which holds what was recorded last,`);
    db = new Database(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    requireSound(db, path);
    return db;
  } catch (error) {
    db?.close();
    throw readingFailure(path, error);
  }
}

/** A process that opens it makes the log first; one that closes it takes the mark away first. */
function lacksLog(path: string): boolean {
  const log = `${path}-wal`;
  return !existsSync(log) && headerId(path) === IN_USE_ID && !existsSync(log);
}

function headerId(path: string): number {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(4);
    readSync(file, bytes, 0, 4, ID_OFFSET);
    return bytes.readUInt32BE();
  } finally {
    closeSync(file);
  }
}

/** Whatever is not as this program leaves it is refused, and never taken for a new checkpoint: that would create every ticket again. */
function requireSound(db: OpenDatabase, path: string): void {
  const id = db.pragma('application_id', { simple: true });
  if (id !== CLOSED_ID && id !== IN_USE_ID) throw notACheckpoint(path);
  if (db.pragma('user_version', { simple: true }) !== SCHEMA_VERSION) throw otherVersion(path);
  const pages = String(db.pragma('quick_check(1)', { simple: true }));
  if (pages !== 'ok') throw damaged(path, pages);
  for (const table of TABLES) db.prepare(`SELECT 1 FROM ${table}`);
  const meta: Partial<CheckpointMeta> | null | undefined = readEntry(db, 'checkpoint');
  if (typeof meta?.target !== 'string') throw damaged(path, 'it does not say which target it belongs to');
  // Rows are never deleted: a table that was emptied, in whole or in part, would have tickets created again.
  const tickets = Number(db.prepare('SELECT count(*) FROM ticket').pluck().get());
  const listed = readEntry(db, 'listed') ?? 0;
  if (tickets < listed)
    throw damaged(path, `it lists ${tickets} tickets, and listed ${listed} when its last run had ended`);
}

/**
 * A whole copy, also while a run writes to it: what was recorded up to one moment, in one file without a log.
 * Throws AppError `checkpoint` as reading does, `usage` where the copy would replace a file, `disk-write` where it cannot be written.
 */
export function backUpCheckpoint(path: string, to: string): void {
  const copy = resolveCheckpointPath(to);
  if (existsSync(copy))
    throw new AppError('usage', `The file ${to} already exists.`, {
      hint: 'Name another file for the copy.',
    });
  const db = openForReading(resolveCheckpointPath(path));
  const begun = `${copy}.part`;
  try {
    rmSync(begun, { force: true });
    createPrivately(begun);
    db.prepare('VACUUM INTO ?').run(begun);
    const made = new Database(begun);
    try {
      // The copy lacks no log.
      made.pragma(`application_id = ${CLOSED_ID}`);
    } finally {
      made.close();
    }
    renameSync(begun, copy);
  } catch (error) {
    rmSync(begun, { force: true });
    throw writeFailure(to, error);
  } finally {
    db.close();
  }
}
