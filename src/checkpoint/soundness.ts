/**
 * What is a checkpoint, and what is not: the one place that says so, asked before anything is read from a file or written to it.
 *
 * In order: what kind of file it is (file-kind.ts), its size, the mark of the program (`application_id`), the version of the schema, the pages,
 * the tables and their columns, the log, and what stands in the tables. Whatever is not as this program leaves it is AppError
 * `checkpoint` (exit 2) with what to do, never taken for a new checkpoint: that would create every ticket again. A checkpoint is
 * made whole under another name (open-database.ts), so that an empty file, or one without tables, is never one that was begun.
 */
import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { TICKET_STATES } from '../domain/ticket-state.ts';
import { readHolder, readListed } from './meta.ts';
import { APPLICATION_ID, MIGRATIONS, migrate, schemaVersion } from './migrations.ts';
import { importedByRuns } from './runs.ts';
import {
  damaged,
  emptyFile,
  isSqliteError,
  logMissing,
  notACheckpoint,
  ticketsLost,
} from './sqlite-failure.ts';
import { stateCode } from './ticket-row.ts';

/** No SQLite file is this small, but SQLite takes any such file for a new database and would write over it. */
const SMALLEST_DATABASE = 512;

/** Of a file that is there; before SQLite opens it, since it would write to one that it takes for new. */
export function requireSize(path: string): void {
  const size = statSync(path).size;
  if (size === 0) throw emptyFile(path);
  if (size < SMALLEST_DATABASE) throw notACheckpoint(path);
}

/** Of an open database. `hasLog`: its write-ahead log lies beside it, or cannot be missing. */
export function requireSound(db: Database.Database, path: string, hasLog: boolean): void {
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) throw notACheckpoint(path);
  const version = schemaVersion(db, path);
  if (version < 1) throw damaged(path, `its schema has the version ${version}`);
  const pages = quickCheck(db);
  if (pages !== 'ok') throw damaged(path, pages);
  const missing = missingColumn(db, version);
  if (missing !== undefined) throw damaged(path, `it has no ${missing}`);
  const unreadable = unreadableEntry(db);
  if (unreadable !== undefined) throw damaged(path, unreadable);
  if (!hasLog && readHolder(db) !== undefined) throw logMissing(path);
  requireTickets(db, path);
}

function quickCheck(db: Database.Database): string {
  try {
    return String(db.pragma('quick_check(1)', { simple: true }));
  } catch (error) {
    if (isSqliteError(error) && error.code.startsWith('SQLITE_CORRUPT')) return error.message;
    throw error;
  }
}

/** Of all tables that a file of this version has; others beside them are their owner's. */
function missingColumn(db: Database.Database, version: number): string | undefined {
  const model = new Database(':memory:');
  try {
    migrate(model, ':memory:', MIGRATIONS.slice(0, version));
    const there = new Set(columnsOf(db));
    return columnsOf(model).find((column) => !there.has(column));
  } finally {
    model.close();
  }
}

function columnsOf(db: Database.Database): string[] {
  return db
    .prepare<[], string>(
      `SELECT 'column "' || part.name || '" in the table "' || owner.name || '"'
       FROM sqlite_master AS owner, pragma_table_info(owner.name) AS part WHERE owner.type = 'table'`,
    )
    .pluck()
    .all();
}

function unreadableEntry(db: Database.Database): string | undefined {
  const isAny = (from: string) =>
    db.prepare<[], number>(`SELECT EXISTS (SELECT 1 FROM ${from})`).pluck().get() === 1;
  if (isAny('meta WHERE NOT json_valid(value)')) return 'what it says about itself cannot be read';
  const isReported = `key = 'checkpoint' AND value ->> '$.target' <> '' AND json_type(value, '$.createdAt') IN ('integer', 'real')`;
  if (!isAny(`meta WHERE ${isReported}`)) return 'it does not say which target it belongs to';
  if (hasTable(db, 'run') && isAny('run WHERE summary IS NOT NULL AND NOT json_valid(summary)'))
    return 'its list of runs cannot be read';
  return undefined;
}

function hasTable(db: Database.Database, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined;
}

/** States in which the target has the ticket, so that its id is known. */
const WITH_ID = (['created', 'messaged', 'done'] as const).map(stateCode).join(', ');
const STATES = TICKET_STATES.map(stateCode).join(', ');

/** Rows are never deleted. A table that somebody emptied, in whole or in part, would have tickets created again. */
function requireTickets(db: Database.Database, path: string): void {
  const [tickets, states, ids, problems] = db
    .prepare<[], number[]>(
      `SELECT count(*), total(state NOT IN (${STATES})), total(state IN (${WITH_ID}) AND ticket_id IS NULL),
         total(problem IS NOT NULL AND NOT json_valid(problem)) FROM ticket`,
    )
    .raw()
    .get() ?? [0];
  if ((states ?? 0) > 0) throw damaged(path, `${states} of its tickets have an unknown state`);
  if ((ids ?? 0) > 0) throw damaged(path, `${ids} tickets that are in the target have no id there`);
  if ((problems ?? 0) > 0)
    throw damaged(path, `what is wrong with ${problems} of its tickets cannot be read`);
  const imported = hasTable(db, 'run') ? importedByRuns(db) : 0;
  const listed = readListed(db) ?? (tickets === 0 ? imported : 0);
  if ((tickets ?? 0) < listed) throw ticketsLost(path, tickets ?? 0, listed);
}
