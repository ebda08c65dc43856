import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';

/** The used parts of better-sqlite3, without its declarations. */
export interface Statement<Given extends unknown[] = unknown[], Row = unknown> {
  run(...given: Given): { readonly changes: number; readonly lastInsertRowid: number | bigint };
  get(...given: Given): Row | undefined;
  all(...given: Given): Row[];
  iterate(...given: Given): IterableIterator<Row>;
  pluck(): this;
  raw(): this;
}

export interface Database {
  readonly name: string;
  readonly open: boolean;
  readonly inTransaction: boolean;
  prepare<Given extends unknown[] = unknown[], Row = unknown>(sql: string): Statement<Given, Row>;
  transaction<Given extends unknown[], Result>(
    work: (...given: Given) => Result,
  ): ((...given: Given) => Result) & { immediate(...given: Given): Result };
  exec(sql: string): this;
  pragma(text: string, options?: { readonly simple?: boolean }): unknown;
  close(): this;
}

/** The library is loaded at the first call, as most commands need no database. Throws SQLite's error. */
export function openDatabase(path: string, options?: BetterSqlite3.Options): Database {
  const Connection = createRequire(import.meta.url)('better-sqlite3') as typeof BetterSqlite3;
  return new Connection(path, options) as unknown as Database;
}

/**
 * A bound value in a query with ORDER BY, LIMIT or a LEFT JOIN. SQLite with STAT4 compiles such a statement again for every new value of a
 * plain `?`, as the value could change the plan; the sub-select hides it.
 */
export const PARAMETER = '(SELECT ?)';
