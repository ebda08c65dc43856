/**
 * The rows of an export in one temporary SQLite file: written once, in the order of files and lines, and read from there
 * ever after. The file has no name, so it is gone with the process, also after a crash.
 */
import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import { AppError } from '../domain/errors.ts';
import type { RecordRef } from '../domain/source.ts';
import type { Database, Statement } from '../sqlite/database.ts';
import { guarded } from './problems.ts';

const CACHE_KIB = 4 * 1024;
const PAGE = 50;

/** A temporary database: it outlives nothing, so it keeps no journal and waits for no disk. */
export function openTempDatabase(): Database {
  const Sqlite = createRequire(import.meta.url)('better-sqlite3') as typeof BetterSqlite3;
  const database = guarded(() => new Sqlite(''));
  database.pragma('journal_mode = OFF');
  database.pragma('synchronous = OFF');
  database.pragma('locking_mode = EXCLUSIVE');
  database.pragma('temp_store = FILE');
  database.pragma(`cache_size = -${CACHE_KIB}`);
  database.exec('BEGIN');
  return database;
}

export interface StagedRow {
  readonly id: number;
  readonly file: number;
  readonly line: number;
  /** Characters before it on its line. */
  readonly column: number;
  /** JSON: the record as it is written. CSV: its cells as a JSON list. */
  readonly text: string;
  /**
   * CSV that is written otherwise than `csvLine` would: the record; 1 where it has quotes around every cell. JSON that cannot be
   * read: the index of the defect in `text`.
   */
  readonly raw: string | number | null;
  /** What rejects say of it. */
  readonly reason: string | null;
  /** Why it cannot be read. */
  readonly error: string | null;
}

/** A path of a selector as a column: `null` for documents and lines, `header` for the header of a CSV. */
export function pathName(path: readonly string[] | undefined): string {
  return JSON.stringify(path ?? null);
}

export const HEADER_PATH = 'header';

const SCHEMA = `CREATE TABLE row (id INTEGER PRIMARY KEY, file INTEGER, path TEXT, line INTEGER, "column" INTEGER, text TEXT, raw, reason TEXT, error TEXT)`;
const COLUMNS = 'id, file, line, "column", text, raw, reason, error';

export class Stage {
  readonly database: Database;
  readonly #insert: Statement<unknown[]>;
  readonly #page: Statement<unknown[], StagedRow>;
  readonly #get: Statement<[number], StagedRow>;
  /** Ids of the first and the last row of a file and path, which may have others between them. */
  readonly #stretches = new Map<string, { readonly first: number; last: number }>();
  #last = 0;

  /** `kept`: of a plan, whose rows are staged. */
  constructor(kept?: Database) {
    this.database = kept ?? openTempDatabase();
    if (kept === undefined) this.database.exec(SCHEMA);
    const stretches = this.database.prepare<[], { name: string; first: number; last: number }>(
      `SELECT file || ' ' || path AS name, min(id) AS first, max(id) AS last FROM row GROUP BY 1`,
    );
    for (const { name, ...stretch } of stretches.all()) this.#stretches.set(name, stretch);
    this.#insert = this.database.prepare('INSERT INTO row VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#page = this.database.prepare(
      `SELECT ${COLUMNS} FROM row WHERE id >= ? AND id <= ? AND file = ? AND path = ? ORDER BY id LIMIT ${PAGE}`,
    );
    this.#get = this.database.prepare(`SELECT ${COLUMNS} FROM row WHERE id = ?`);
  }

  add(path: string, { file, line, column, text, raw, reason, error }: Omit<StagedRow, 'id'>): RecordRef {
    const id = ++this.#last;
    guarded(() => this.#insert.run(id, file, path, line, column, text, raw, reason, error));
    const name = `${file} ${path}`;
    const stretch = this.#stretches.get(name);
    if (stretch === undefined) this.#stretches.set(name, { first: id, last: id });
    else stretch.last = id;
    return { file, row: id, line };
  }

  /** Whether a file has rows at a path. */
  has(file: number, path: string): boolean {
    return this.#stretches.has(`${file} ${path}`);
  }

  /** In the order in which they were added. */
  *rows(file: number, path: string): Generator<readonly StagedRow[]> {
    const stretch = this.#stretches.get(`${file} ${path}`);
    if (stretch === undefined) return;
    for (let from = stretch.first; from <= stretch.last; ) {
      const page = guarded(() => this.#page.all(from, stretch.last, file, path));
      const end = page.at(-1);
      if (end === undefined) return;
      yield page;
      from = end.id + 1;
    }
  }

  get(id: number): StagedRow {
    const row = guarded(() => this.#get.get(id));
    if (row === undefined) throw new AppError('internal', `There is no row ${id}.`);
    return row;
  }
}
