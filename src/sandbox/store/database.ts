/**
 * The sandbox's SQLite file, locked against a second process.
 *
 * `synchronous=NORMAL`: answers survive the end of the process, not of the machine. `locking_mode=EXCLUSIVE`: one process at a time, and no
 * stale lock after a crash.
 */

import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { AppError, defect, diskCode } from '../../domain/errors.ts';
import { stop } from '../../domain/text/stops.ts';
import { SCHEMA, SCHEMA_VERSION } from './schema.ts';
import { SQL_FUNCTIONS } from './search.ts';

export type SqliteDatabase = Database.Database;

export class Sql {
  readonly database: SqliteDatabase;
  readonly #statements = new Map<string, Database.Statement>();

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  #prepared(sql: string): Database.Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= 500) this.#statements.clear();
    const made = this.database.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }

  /** All or nothing. */
  write<T>(work: () => T): T {
    return this.database.transaction(work).immediate();
  }

  run(sql: string, ...values: unknown[]): Database.RunResult {
    return this.#prepared(sql).run(...values);
  }

  insert(table: string, row: object, or = ''): number {
    const kept = row as Readonly<Record<string, unknown>>;
    const names = Object.keys(row).filter((name) => kept[name] !== undefined);
    const values = names.map((name) => `@${name}`).join(', ');
    const sql = `INSERT ${or} INTO ${table} (${names.join(', ')}) VALUES (${values})`;
    return Number(this.run(sql, kept).lastInsertRowid);
  }

  get<Row>(sql: string, ...values: unknown[]): Row | undefined {
    return this.#prepared(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: unknown[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  column<Value>(sql: string, ...values: unknown[]): Value[] {
    const statement = this.#prepared(`${sql} -- column`).pluck();
    return statement.all(...values) as Value[];
  }

  value<Value>(sql: string, ...values: unknown[]): Value | undefined {
    return this.column<Value>(sql, ...values)[0];
  }
}

export function unwritable(cause: unknown): AppError {
  const code = diskCode(cause);
  if (code === undefined) return defect(cause);
  return stop('sandbox-unwritable', { code }, { cause });
}

export class Table {
  protected readonly sql: Sql;

  constructor(sql: Sql) {
    this.sql = sql;
  }
}

export const DATA_FILE = 'service.sqlite';

/** In memory without `dir`. Throws AppError `usage` for a folder that is in use, unusable or of another version. */
export function openDatabase(dir: string | undefined): SqliteDatabase {
  if (dir === undefined) return prepared(new Database(':memory:'), 'in memory');
  let database: SqliteDatabase | undefined;
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const file = join(dir, DATA_FILE);
    database = new Database(file, { timeout: 0 });
    chmodSync(file, 0o600);
    return prepared(database, dir);
  } catch (error) {
    database?.close();
    throw error instanceof AppError ? error : unusable(dir, error);
  }
}

function prepared(database: SqliteDatabase, place: string): SqliteDatabase {
  database.pragma('locking_mode = EXCLUSIVE');
  for (const [name, work] of Object.entries(SQL_FUNCTIONS))
    database.function(name, { deterministic: true }, work as (...values: unknown[]) => unknown);
  // Before any write: even the journal mode would change another program's database.
  createTables(database, place);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.pragma('temp_store = MEMORY');
  database.pragma('cache_size = -16000');
  return database;
}

/** `hdis`: databases without it are never changed. */
const APPLICATION_ID = 0x68_64_69_73;

function createTables(database: SqliteDatabase, place: string): void {
  database
    .transaction(() => {
      const version = Number(database.pragma('user_version', { simple: true }));
      const isEmpty = database.prepare('SELECT 1 FROM sqlite_master').get() === undefined;
      if (!isEmpty && database.pragma('application_id', { simple: true }) !== APPLICATION_ID)
        throw stop('not-a-sandbox', { place });
      if (version === SCHEMA_VERSION) return;
      if (version !== 0) throw stop('sandbox-of-other-version', { place });
      database.exec(SCHEMA);
      database.pragma(`user_version = ${SCHEMA_VERSION}`);
      database.pragma(`application_id = ${APPLICATION_ID}`);
    })
    .immediate();
}

function unusable(dir: string, cause: unknown): AppError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return stop('sandbox-in-use', { dir }, { cause });
  }
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return stop('sandbox-damaged', { file: join(dir, DATA_FILE) }, { cause });
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return stop('sandbox-unkept', { dir, reason }, { cause });
}
