/**
 * The rows of an export in one temporary SQLite file: written once, in the order of files and lines, and read from there
 * ever after. The file has no name, so it is gone with the process, also after a crash.
 */
import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import { AppError } from '../domain/errors.ts';
import type { RecordRef } from '../domain/source.ts';
import type { Database as Connection, Statement } from '../sqlite/database.ts';
import { guarded } from './problems.ts';

const CACHE_KIB = 4 * 1024;
const PAGE = 50;

/** A temporary database: it outlives nothing, so it keeps no journal and waits for no disk. */
export function openTempDatabase(): Connection {
  const Database = createRequire(import.meta.url)('better-sqlite3') as typeof BetterSqlite3;
  const database = guarded(() => new Database(''));
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
   * CSV that is written otherwise than `csvLine` would: the record; 1 where it has quotes around every cell. JSON: 1 where only
   * white space comes before it on its line; empty where the text begins at a defect.
   */
  readonly raw: string | 1 | null;
  readonly error: string | null;
}

export type NewRow = Omit<StagedRow, 'id'> & { readonly path: PathName };

/** A path of a selector as a column: `null` for documents and lines, `header` for the header of a CSV. */
export type PathName = string;

export function pathName(path: readonly string[] | undefined): PathName {
  return JSON.stringify(path ?? null);
}

export const HEADER_PATH: PathName = 'header';

const SCHEMA = `
  CREATE TABLE path (id INTEGER PRIMARY KEY, name TEXT);
  CREATE TABLE row (id INTEGER PRIMARY KEY, file INTEGER, path INTEGER, line INTEGER, "column" INTEGER, text TEXT, raw, error TEXT)`;

interface Stretch {
  first: number;
  last: number;
}

export class Stage implements Disposable {
  readonly database: Connection;
  readonly #insert: Statement<unknown[]>;
  readonly #page: Statement<unknown[], StagedRow>;
  readonly #get: Statement<[number], StagedRow>;
  readonly #paths = new Map<PathName, number>();
  /** Ids of the rows of a file and path, which may have others between them. */
  readonly #stretches = new Map<string, Stretch>();
  #last = 0;

  /** `kept`: of a plan, whose rows are staged. */
  constructor(kept?: Connection) {
    this.database = kept ?? openTempDatabase();
    if (kept === undefined) this.database.exec(SCHEMA);
    else this.#find();
    this.#insert = this.database.prepare('INSERT INTO row VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
    const columns = 'id, file, line, "column", text, raw, error';
    this.#page = this.database.prepare(
      `SELECT ${columns} FROM row WHERE id >= ? AND id <= ? AND file = ? AND path = ? ORDER BY id LIMIT ${PAGE}`,
    );
    this.#get = this.database.prepare(`SELECT ${columns} FROM row WHERE id = ?`);
  }

  add({ file, path, line, column, text, raw, error }: NewRow): RecordRef {
    const id = ++this.#last;
    guarded(() => this.#insert.run(id, file, this.#pathOf(path), line, column, text, raw, error));
    const name = `${file} ${path}`;
    const stretch = this.#stretches.get(name);
    if (stretch === undefined) this.#stretches.set(name, { first: id, last: id });
    else stretch.last = id;
    return { file, row: id, line };
  }

  /** Whether a file has rows at a path. */
  has(file: number, path: PathName): boolean {
    return this.#stretches.has(`${file} ${path}`);
  }

  /** In the order in which they were added. */
  *rows(file: number, path: PathName): Generator<readonly StagedRow[]> {
    const stretch = this.#stretches.get(`${file} ${path}`);
    if (stretch === undefined) return;
    for (let from = stretch.first; from <= stretch.last; ) {
      const page = guarded(() => this.#page.all(from, stretch.last, file, this.#pathOf(path)));
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

  [Symbol.dispose](): void {
    this.database.close();
  }

  #pathOf(path: PathName): number {
    const known = this.#paths.get(path);
    if (known !== undefined) return known;
    const id = this.#paths.size;
    this.database.prepare('INSERT INTO path VALUES (?, ?)').run(id, path);
    this.#paths.set(path, id);
    return id;
  }

  #find(): void {
    const { database } = this;
    const names = database.prepare<[], { id: number; name: string }>('SELECT id, name FROM path ORDER BY id');
    for (const { id, name } of names.all()) this.#paths.set(name, id);
    const stretches = database.prepare<[], Stretch & { file: number; name: string }>(
      `SELECT file, name, min(row.id) AS first, max(row.id) AS last FROM row JOIN path ON path.id = row.path GROUP BY 1, 2`,
    );
    for (const { file, name, ...stretch } of stretches.all()) this.#stretches.set(`${file} ${name}`, stretch);
  }
}
