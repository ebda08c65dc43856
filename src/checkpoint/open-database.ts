/**
 * From a path to an open database that was checked to be an undamaged checkpoint.
 *
 * While it is open for writing it has a write-ahead log, so that readers never wait for the writer nor it for them, and a commit is one
 * flush. A close puts the log into the file: a checkpoint that no process has open is one file. After a kill the log stays, and the
 * header of the file says so: a copy without its log is refused.
 *
 * Only SQLite reads the file while anybody may have it open: a process loses its locks on a file when it closes any descriptor of it.
 */
import { chmodSync, closeSync, existsSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Database as OpenDatabase } from '../domain/database.ts';
import { stop } from '../domain/text/stops.ts';
import * as files from './file.ts';
import { type CheckpointMeta, readEntry, writeEntry } from './meta.ts';

const CLOSED_ID = 0x48494d50;
/** "HIMW": open for writing, or left so by a process that died. The newest records are in its log, `-wal`. */
const IN_USE_ID = 0x48494d57;
const ID_OFFSET = 68;

const SCHEMA_VERSION = 2;

const TABLES = ['meta', 'ticket', 'run', 'note'];

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
    shown BLOB,
    updated_at INTEGER NOT NULL,
    CHECK (ticket_id IS NOT NULL OR state NOT IN ('created', 'done', 'incomplete'))
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
  CREATE TABLE note (kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, key))
    WITHOUT ROWID, STRICT;
`;

/** A recorded change survives a loss of power, or only the end of the process (for tests). */
export type Survives = 'machine' | 'process';

const BUSY_TIMEOUT_MS = 5_000;
const WAL_BYTES = 8 * 1024 * 1024;

/** Made under another name first, so a file of this name is complete. The caller holds the writer's lock. */
export function makeCheckpoint(path: string, meta: CheckpointMeta, survives: Survives): void {
  if (files.isFileThere(path)) return;
  const log = `${path}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw files.partMissing(path, 'the file itself');
  const begun = `${path}.new`;
  let db: Database.Database | undefined;
  try {
    for (const left of [log, `${path}-shm`, begun, `${begun}-journal`]) rmSync(left, { force: true });
    files.createPrivately(begun);
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
    throw files.writeFailure(path, error);
  }
}

function synchronous(survives: Survives): string {
  return `synchronous = ${survives === 'machine' ? 'FULL' : 'OFF'}`;
}

/** `check` may refuse it. The caller holds the writer's lock, and ends with `closeWritten`. */
export function openForWriting(
  path: string,
  survives: Survives,
  check: (db: OpenDatabase) => void,
): OpenDatabase {
  files.requireOneName(path);
  // A refused file is not changed: a read-only connection writes nothing.
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
    // In the main file, so that a copy says that it lacks its log.
    db.pragma('wal_checkpoint(TRUNCATE)');
    if (lacksShown(db)) db.exec('ALTER TABLE ticket ADD COLUMN shown BLOB');
    return db;
  } catch (error) {
    if (db !== undefined) closeWritten(db);
    throw files.openFailure(path, error);
  }
}

/** Leaves one file if `settle` succeeds; otherwise the next run finds a log. */
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
    // Closing empties the log into the file and deletes it: an empty log says that nothing is missing.
    if (existsSync(db.name) && lacksLog(db.name)) files.createPrivately(`${db.name}-wal`);
  }
}

function takeLogAway(db: OpenDatabase): void {
  try {
    db.pragma('journal_mode = DELETE');
  } catch {
    // A reader has it open, or the disk is full: the next run reads the log.
  }
}

/** Opens while another process writes, too. Throws AppError `checkpoint`. */
export function openForReading(path: string): OpenDatabase {
  if (!files.isFileThere(path)) {
    throw stop('no-checkpoint', { path });
  }
  let db: Database.Database | undefined;
  try {
    if (lacksLog(path)) throw files.partMissing(path, `${path}-wal, which holds the newest records,`);
    db = new Database(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    requireSound(db, path);
    if (lacksShown(db)) db.exec('CREATE TEMP VIEW ticket AS SELECT *, NULL AS shown FROM main.ticket');
    return db;
  } catch (error) {
    db?.close();
    throw files.readingFailure(path, error);
  }
}

/** Earlier runs recorded less. */
function lacksShown(db: OpenDatabase): boolean {
  return db.prepare(`SELECT 1 FROM pragma_table_info('ticket') WHERE name = 'shown'`).get() === undefined;
}

/** A process makes the log before the mark, and removes the mark before the log. */
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

/** A damaged checkpoint is never taken for a new one: that would create every ticket again. */
function requireSound(db: OpenDatabase, path: string): void {
  const id = db.pragma('application_id', { simple: true });
  if (id !== CLOSED_ID && id !== IN_USE_ID) throw files.notACheckpoint(path);
  if (db.pragma('user_version', { simple: true }) !== SCHEMA_VERSION) throw files.otherVersion(path);
  const pages = String(db.pragma('quick_check(1)', { simple: true }));
  if (pages !== 'ok') throw files.damaged(path, pages);
  for (const table of TABLES) db.prepare(`SELECT 1 FROM ${table}`);
  const meta: Partial<CheckpointMeta> | null | undefined = readEntry(db, 'checkpoint');
  if (typeof meta?.target !== 'string')
    throw files.damaged(path, 'it does not say which target it belongs to');
  // Rows are never deleted, so a missing one would have its ticket created again.
  const tickets = Number(db.prepare('SELECT count(*) FROM ticket').pluck().get());
  const listed = readEntry(db, 'listed') ?? 0;
  if (tickets < listed)
    throw files.damaged(
      path,
      `it lists ${tickets} tickets, and listed ${listed} when its last run had ended`,
    );
}

/** One file without a log. Throws AppError `usage` if it would replace a file. */
export function backUpCheckpoint(path: string, to: string): void {
  const copy = files.resolveCheckpointPath(to);
  if (existsSync(copy)) throw stop('backup-exists', { to });
  const db = openForReading(files.resolveCheckpointPath(path));
  const begun = `${copy}.part`;
  try {
    rmSync(begun, { force: true });
    files.createPrivately(begun);
    db.prepare('VACUUM INTO ?').run(begun);
    const made = new Database(begun);
    try {
      made.pragma(`application_id = ${CLOSED_ID}`);
    } finally {
      made.close();
    }
    renameSync(begun, copy);
  } catch (error) {
    rmSync(begun, { force: true });
    throw files.writeFailure(to, error);
  } finally {
    db.close();
  }
}
