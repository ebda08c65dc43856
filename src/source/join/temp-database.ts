/**
 * The database in which rows are joined: a temporary file without a name, which SQLite and the system delete by
 * themselves, also after a crash. It need not outlive anything, so it keeps no journal and waits for no disk; its cache
 * is bounded, which bounds the memory of joining.
 */
import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import type { Database as Connection } from 'better-sqlite3';
import { AppError } from '../../domain/errors.ts';

/** Enough for the index of a million rows to be walked without reading most of it again and again. */
const CACHE_KIB = 2 * 1024;

/** `cacheKib`: pages of the database that are kept in memory. */
export function openTempDatabase(cacheKib = CACHE_KIB): Connection {
  const Database = createRequire(import.meta.url)('better-sqlite3') as typeof BetterSqlite3;
  const database = new Database('');
  database.pragma('journal_mode = OFF');
  database.pragma('synchronous = OFF');
  database.pragma('locking_mode = EXCLUSIVE');
  database.pragma('temp_store = FILE');
  database.pragma(`cache_size = -${cacheKib}`);
  // One transaction for its whole life: a commit would promise what nobody asks for, and cost a little for every row.
  database.exec('BEGIN');
  return database;
}

/** A full or broken disk becomes a sentence for a person. */
export function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw diskFailure(error);
  }
}

function diskFailure(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!/^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|NOMEM)/.test(code)) return error;
  const why = code === 'SQLITE_FULL' ? 'the disk is full' : code;
  return new AppError('disk-write', `The temporary file for joining rows cannot be written: ${why}.`, {
    hint: 'Free up space, or name another folder in TMPDIR, and run again.',
    cause: error,
  });
}
