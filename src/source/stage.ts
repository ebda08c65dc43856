/** Rows of an export in one temporary SQLite file without a name, so it is gone with the process, also after a crash. */

import { type Database, openDatabase, PARAMETER, type Statement } from '../domain/database.ts';
import { AppError } from '../domain/errors.ts';
import type { RecordRef } from '../domain/source.ts';
import { guarded } from './problems.ts';

/** A planned ticket is larger than a page of the usual 4 KiB, and would be spread over several. */
const PAGE_BYTES = 8 * 1024;
const CACHE_KIB = 4 * 1024;
const PAGE = 50;
/** One by one takes three times as long. */
const TOGETHER = 16;
const KEPT_SAMPLES = 32;

/** Outlives nothing, so it keeps no journal and waits for no disk. */
export function openTempDatabase(): Database {
  const database = guarded(() => openDatabase(''));
  database.pragma(`page_size = ${PAGE_BYTES}`);
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
  readonly column: number;
  /** JSON: the record. CSV: its cells as a JSON list. */
  readonly text: string;
  /**
   * CSV in another form than `csvLine` writes: the record, or 1 for quotes around every cell. Unreadable JSON: the index of the
   * defect in `text`.
   */
  readonly raw: string | number | null;
  readonly reason: string | null;
  readonly error: string | null;
}

export interface Stretch {
  readonly file: number;
  readonly path: string;
  readonly first: number;
  last: number;
}

/** `null` for documents and lines, `header` for a CSV header. */
export function pathName(path: readonly string[] | undefined): string {
  return JSON.stringify(path ?? null);
}

export const LINES = pathName(undefined);
export const HEADER_PATH = 'header';

const SCHEMA = `CREATE TABLE row (id INTEGER PRIMARY KEY, file INTEGER, path TEXT, line INTEGER, "column" INTEGER, text TEXT, raw, reason TEXT, error TEXT)`;
const COLUMNS = 'id, file, line, "column", text, raw, reason, error';

export class Stage {
  readonly database: Database;
  readonly #insert: Statement<unknown[]>;
  readonly #insertMany: Statement<unknown[]>;
  readonly #page: Statement<unknown[], StagedRow>;
  readonly #get: Statement<[number], StagedRow>;
  readonly #stretches = new Map<string, Stretch>();
  /** Rows next to the last one, of the same file. */
  #stretch: Stretch | undefined;
  #last = 0;
  #pending: unknown[] = [];
  readonly #samples = new Map<number, unknown>();

  constructor() {
    this.database = openTempDatabase();
    this.database.exec(SCHEMA);
    const places = '(?, ?, ?, ?, ?, ?, ?, ?, ?)';
    this.#insert = this.database.prepare(`INSERT INTO row VALUES ${places}`);
    this.#insertMany = this.database.prepare(
      `INSERT INTO row VALUES ${Array.from({ length: TOGETHER }, () => places).join(', ')}`,
    );
    this.#page = this.database.prepare(
      `SELECT ${COLUMNS} FROM row WHERE id >= ${PARAMETER} AND id <= ${PARAMETER} AND file = ${PARAMETER} AND path = ${PARAMETER} ORDER BY id LIMIT ${PAGE}`,
    );
    this.#get = this.database.prepare(`SELECT ${COLUMNS} FROM row WHERE id = ?`);
  }

  add(path: string, { file, line, column, text, raw, reason, error }: Omit<StagedRow, 'id'>): RecordRef {
    const id = ++this.#last;
    this.#pending.push(id, file, path, line, column, text, raw, reason, error);
    if (this.#pending.length >= 9 * TOGETHER) {
      const values = this.#pending;
      this.#pending = [];
      guarded(() => this.#insertMany.run(values));
    }
    if (this.#stretch?.file !== file || this.#stretch.path !== path) {
      const name = `${file} ${path}`;
      this.#stretch = this.#stretches.get(name) ?? { file, path, first: id, last: id };
      this.#stretches.set(name, this.#stretch);
    }
    this.#stretch.last = id;
    return { file, row: id, line };
  }

  flush(): void {
    const values = this.#pending;
    if (values.length === 0) return;
    this.#pending = [];
    for (let at = 0; at < values.length; at += 9) guarded(() => this.#insert.run(values.slice(at, at + 9)));
  }

  /** Kept for a few files: an archive with thousands of them would fill the memory. */
  sample<Sample>(file: number, read: () => Sample): Sample {
    const sample = this.#samples.get(file) ?? read();
    this.#samples.delete(file);
    this.#samples.set(file, sample);
    const [oldest = file] = this.#samples.keys();
    if (this.#samples.size > KEPT_SAMPLES) this.#samples.delete(oldest);
    return sample as Sample;
  }

  stretch(file: number, path: string): Stretch | undefined {
    return this.#stretches.get(`${file} ${path}`);
  }

  *rows(file: number, path: string): Generator<readonly StagedRow[]> {
    const stretch = this.stretch(file, path);
    if (stretch === undefined) return;
    this.flush();
    for (let from = stretch.first; from <= stretch.last; ) {
      const page = guarded(() => this.#page.all(from, stretch.last, file, path));
      const end = page.at(-1);
      if (end === undefined) return;
      yield page;
      from = end.id + 1;
    }
  }

  get(id: number): StagedRow {
    this.flush();
    const row = guarded(() => this.#get.get(id));
    if (row === undefined) throw new AppError('internal', `There is no row ${id}.`);
    return row;
  }
}
