/** The file of a plan: its tables, as docs/plan.md describes them. A plan that is read comes from anywhere. */
import { type Database, openDatabase } from '../domain/database.ts';
import { AppError } from '../domain/errors.ts';
import { stop } from '../domain/text/stops.ts';

export const PLAN_SCHEMA = 3;
/** In the file's header. */
export const APPLICATION_ID = 0x68_64_69_70;
const HEADER = 100;

/** In the main database, or in an attached one. */
export function planTables(of: 'main' | 'kept'): string {
  return `
  CREATE TABLE ${of}.meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
  CREATE TABLE ${of}.setting (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
  CREATE TABLE ${of}.file (id INTEGER PRIMARY KEY, name TEXT, format TEXT);
  CREATE TABLE ${of}.row (id INTEGER PRIMARY KEY, file INTEGER, line INTEGER, text TEXT);
  CREATE TABLE ${of}.ticket (seq INTEGER PRIMARY KEY, external_id TEXT, row INTEGER, file INTEGER, line INTEGER, verdict TEXT, why TEXT,
    status TEXT, created_at TEXT, requester TEXT, ticket TEXT, messages TEXT, events TEXT, note TEXT, agents TEXT, names TEXT);
  CREATE UNIQUE INDEX ${of}.ticket_valid ON ticket (external_id) WHERE verdict = 'valid';
  CREATE TABLE ${of}.ticket_row (ticket INTEGER, source_table TEXT, row INTEGER, file INTEGER, line INTEGER);
  CREATE INDEX ${of}.ticket_row_ticket ON ticket_row (ticket);
  CREATE TABLE ${of}.problem (ticket INTEGER, severity TEXT, code TEXT, file TEXT, line INTEGER, "column" TEXT, field TEXT, message TEXT, count INTEGER);
  CREATE TABLE ${of}.contact (email TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
  CREATE TABLE ${of}.agent (id TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
  CREATE TABLE ${of}.attachment (ticket INTEGER, message INTEGER, name TEXT, url TEXT, content_type TEXT, bytes INTEGER);
  CREATE TABLE ${of}.unmatched (source_table TEXT, parent TEXT, row INTEGER, file INTEGER, line INTEGER, near TEXT);
  CREATE TABLE ${of}.unreadable (source_table TEXT, row INTEGER, file INTEGER, line INTEGER, message TEXT, text TEXT);
  CREATE VIEW ${of}.message AS SELECT seq AS ticket, m.key AS nr, m.value ->> 'occurredAt' AS sent_at, m.value ->> 'actorType' AS actor,
    coalesce(m.value ->> '$.contact.email', m.value ->> 'agentId') AS author, coalesce(m.value ->> 'isInternal', 0) AS is_internal,
    m.value ->> 'content' AS content FROM ticket, json_each(ticket.messages) AS m;
  CREATE VIEW ${of}.event AS SELECT seq AS ticket, e.key AS nr, e.value ->> 'occurredAt' AS at, e.value ->> 'type' AS type,
    e.value ->> 'oldValue' AS old_value, e.value ->> 'newValue' AS new_value FROM ticket, json_each(ticket.events) AS e;
  PRAGMA ${of}.application_id = ${APPLICATION_ID};
  PRAGMA ${of}.user_version = ${PLAN_SCHEMA}`;
}

/** `head`: the beginning of a file. */
export function isPlan(head: string): boolean {
  return head.startsWith('SQLite format 3\0') && head.slice(0, HEADER).includes('hdip');
}

interface OpenedPlan extends Disposable {
  readonly database: Database;
}

/** To read. Throws AppError `usage` for a file that this version did not write with exactly these tables. */
export function openPlan(path: string): OpenedPlan {
  let opened: Database | undefined;
  try {
    const db = openDatabase(path, { readonly: true, fileMustExist: true });
    opened = db;
    db.pragma('trusted_schema = OFF');
    db.pragma('cell_size_check = ON');
    // The plan stays the same until it is compared.
    db.exec('BEGIN');
    if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID)
      throw new AppError('usage', `${path} is not a plan of helpdesk-import.`, { hint: MAKE });
    const schema = db.pragma('user_version', { simple: true });
    if (schema !== PLAN_SCHEMA) throw stop('plan-schema', { path, schema: Number(schema), own: PLAN_SCHEMA });
    const own = openDatabase(':memory:');
    own.exec(planTables('main'));
    const tables = (of: Database) =>
      JSON.stringify(of.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name').all());
    const isOurs = tables(own) === tables(db);
    own.close();
    if (!isOurs) throw damaged(path);
    return { database: db, [Symbol.dispose]: () => void db.close() };
  } catch (error) {
    opened?.close();
    throw error instanceof AppError ? error : damaged(path, error);
  }
}

const MAKE = 'Make a plan with: `helpdesk-import run <export> --dry-run --plan <file>`';

export function damaged(path: string, cause?: unknown): AppError {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  const what =
    code === 'SQLITE_CANTOPEN' ? 'cannot be opened' : 'was changed or damaged since it was written';
  return stop('plan-unusable', { path, what }, { cause });
}
