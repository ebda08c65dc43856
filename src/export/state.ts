/**
 * Fetched rows and open requests: one SQLite file next to the folder. It has ids and digests, and no word of a customer and no token.
 *
 * A page becomes one transaction: its lines are on the disk before the positions in their files are. After a kill each file is cut to its
 * position, so that it has whole lines alone, each once.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase, type Statement } from '../domain/database.ts';
import { AppError, diskCode, diskFailure } from '../domain/errors.ts';
import type { Place } from './paging.ts';
import { fileOf, type Resource } from './recipe.ts';
import type { Request, Step } from './step.ts';

export interface Queued extends Request {
  readonly id: number;
}

/** A request with a `why` could not be read; the next export tries it again. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS entry (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS file (name TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS request (
    id INTEGER PRIMARY KEY AUTOINCREMENT, depth INTEGER NOT NULL, resource TEXT NOT NULL, parent TEXT NOT NULL,
    path TEXT NOT NULL, adds TEXT NOT NULL, place TEXT NOT NULL, why TEXT, UNIQUE (resource, parent)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS request_order ON request (depth, id) WHERE why IS NULL;
  CREATE TABLE IF NOT EXISTS seen (
    resource TEXT NOT NULL, parent TEXT NOT NULL, id TEXT NOT NULL, digest TEXT NOT NULL, inside INTEGER NOT NULL, said TEXT NOT NULL,
    PRIMARY KEY (resource, parent, id)
  ) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS flaw (
    resource TEXT NOT NULL, id TEXT NOT NULL, why TEXT NOT NULL, PRIMARY KEY (resource, id)
  ) WITHOUT ROWID, STRICT;
  PRAGMA user_version = 2;
`;

const SPARSE = 100;

/** Rows that several parents name have none of their own. */
export function parentOf({ ids }: Resource, { parent }: Request): string {
  return ids === undefined ? parent : '';
}

export class ExportState implements Disposable {
  readonly #db: Database;
  readonly #folder: string;
  readonly #prepared = new Map<string, Statement>();

  /**
   * `files`: what the export writes. Throws AppError `checkpoint` for a state of another account or one in use, and for a file of
   * another program, `disk-write` where it cannot be written.
   */
  constructor(folder: string, account: string, files: readonly string[]) {
    this.#folder = folder;
    const path = `${folder.replace(/[/\\]+$/, '')}.state.sqlite`;
    try {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      fs.closeSync(fs.openSync(path, 'a', 0o600));
      fs.chmodSync(path, 0o600);
      this.#db = openDatabase(path, { timeout: 0 });
    } catch (cause) {
      throw failureOf(cause, path);
    }
    try {
      this.#db.pragma('locking_mode = EXCLUSIVE');
      this.#db.pragma('journal_mode = WAL');
      this.#db.exec(SCHEMA);
      const known = this.entry('account');
      if (known !== undefined && known !== account)
        throw foreign(`${path} belongs to an export of ${known}, not of ${account}.`);
      this.change(() => {
        this.setEntry('account', account);
        for (const name of files) this.run('INSERT OR IGNORE INTO file VALUES (?, -1)', name);
        for (const file of this.all<{ name: string; bytes: number }>('SELECT * FROM file')) this.#claim(file);
      });
    } catch (error) {
      this.#db.close();
      throw failureOf(error, path);
    }
  }

  /** Cuts what a kill left of a page; a file of another program is left alone. */
  #claim({ name, bytes }: { name: string; bytes: number }): void {
    const path = join(this.#folder, name);
    const size = fs.existsSync(path) ? fs.statSync(path).size : -1;
    if (bytes === -1 && size !== -1)
      throw foreign(`${path} is there already, and this export did not write it.`);
    if (size < bytes && bytes !== 0) throw foreign(`${path} is not as the last export left it.`);
    // an empty file would be a warning of `run`
    if (bytes <= 0) fs.rmSync(path, { force: true });
    else fs.truncateSync(path, bytes);
    this.run('UPDATE file SET bytes = ? WHERE name = ?', Math.max(0, bytes), name);
  }

  /** All or nothing, on the disk when it returns. */
  change<T>(work: () => T): T {
    try {
      return this.#db.transaction(work).immediate();
    } catch (error) {
      throw failureOf(error, this.#folder);
    }
  }

  entry(name: string): string | undefined {
    return this.get('SELECT value FROM entry WHERE name = ?', name);
  }

  setEntry(name: string, value: string): void {
    this.run('INSERT OR REPLACE INTO entry VALUES (?, ?)', name, value);
  }

  /** The next request that is not among these. */
  next(running: ReadonlySet<number>): Queued | undefined {
    const rows = this.all<Record<keyof Queued, string>>(
      'SELECT * FROM request WHERE why IS NULL ORDER BY depth, id LIMIT ?',
      running.size + 1,
    );
    const row = rows.find(({ id }) => !running.has(Number(id)));
    if (row === undefined) return undefined;
    const { id, depth, adds, place } = row;
    return { ...row, id: Number(id), depth: Number(depth), adds: JSON.parse(adds), place: JSON.parse(place) };
  }

  add({ depth, resource, parent, path, adds, place, why }: Request): void {
    this.run(
      'INSERT OR REPLACE INTO request (depth, resource, parent, path, adds, place, why) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...[depth, resource, parent, path, JSON.stringify(adds), JSON.stringify(place), why ?? null],
    );
  }

  /** The list goes on there, or is done. */
  move({ id }: Queued, place: Place | undefined): void {
    if (place === undefined) this.run('DELETE FROM request WHERE id = ?', id);
    else this.run('UPDATE request SET place = ? WHERE id = ?', JSON.stringify(place), id);
  }

  write(request: Queued, resource: Resource, { rows, flaws, requests, next, mark, total }: Step): void {
    const { name } = resource;
    const parent = parentOf(resource, request);
    for (const one of rows)
      this.run(
        'INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?, ?, ?)',
        ...[name, parent, one.id, one.digest, one.inside, JSON.stringify(one.said)],
      );
    for (const { id } of rows) this.run('DELETE FROM flaw WHERE resource = ? AND id = ?', name, id);
    for (const { id, why } of flaws) this.run('INSERT OR REPLACE INTO flaw VALUES (?, ?, ?)', name, id, why);
    for (const one of requests) this.add(one);
    const file = fileOf(resource);
    if (file !== undefined && rows.length > 0)
      this.#append(file, rows.map(({ line }) => `${line}\n`).join(''));
    if (mark !== undefined) this.setEntry(`mark:${name}`, mark);
    // each window of a sorted list counts what is left
    const before = resource.since?.sorted === true ? Number(this.entry(`total:${name}`) ?? 0) : 0;
    if (total !== undefined) this.setEntry(`total:${name}`, String(Math.max(before, Number(total))));
    this.move(request, next);
  }

  /** Numbers up to the highest that no row has. Few and high ones prove nothing: they are not one account's own. */
  gaps(resources: readonly string[]): { readonly highest: number; readonly missing: readonly number[] } {
    const rows = this.all<{ number: number }>(
      `SELECT DISTINCT CAST(id AS INTEGER) AS number FROM seen
       WHERE resource IN (SELECT value FROM json_each(?)) AND id GLOB '[1-9]*' ORDER BY number`,
      JSON.stringify(resources),
    );
    const highest = rows.at(-1)?.number ?? 0;
    if (highest > SPARSE * rows.length) return { highest, missing: [] };
    const there = new Set(rows.map(({ number }) => number));
    const upTo = Array.from({ length: highest }, (_, before) => before + 1);
    return { highest, missing: upTo.filter((number) => !there.has(number)) };
  }

  #append(name: string, text: string): void {
    const begin = this.get<number>('SELECT bytes FROM file WHERE name = ?', name) ?? 0;
    const bytes = Buffer.from(text);
    const fd = fs.openSync(join(this.#folder, name), begin === 0 ? 'w' : 'r+', 0o600);
    try {
      for (let done = 0; done < bytes.length; )
        done += fs.writeSync(fd, bytes, done, bytes.length - done, begin + done);
      fs.fdatasyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    this.run('UPDATE file SET bytes = ? WHERE name = ?', begin + bytes.length, name);
  }

  /** Nothing stays of an export that fetched nothing, as its address may be wrong. */
  [Symbol.dispose](): void {
    const isEmpty =
      this.entry('complete') === undefined && this.get('SELECT 1 FROM seen LIMIT 1') === undefined;
    const path = this.#db.name;
    this.#db.close();
    if (!isEmpty) return;
    fs.rmSync(path, { force: true });
    if (fs.readdirSync(this.#folder).length === 0) fs.rmdirSync(this.#folder);
  }

  #statement(text: string): Statement {
    const known = this.#prepared.get(text) ?? this.#db.prepare(text);
    this.#prepared.set(text, known);
    return known;
  }

  run(text: string, ...values: unknown[]): void {
    this.#statement(text).run(...values);
  }

  all<Row>(text: string, ...values: unknown[]): Row[] {
    return this.#statement(text).all(...values) as Row[];
  }

  /** The first column of the first row. */
  get<Value = string>(text: string, ...values: unknown[]): Value | undefined {
    const [row] = this.all<Record<string, Value>>(text, ...values);
    return row && Object.values(row)[0];
  }
}

function foreign(what: string): AppError {
  return new AppError('checkpoint', what, { hint: 'Export into another folder, or move this one away.' });
}

function failureOf(cause: unknown, path: string): unknown {
  const code = diskCode(cause);
  if (code === undefined) return cause;
  const state = (what: string, hint: string) => new AppError('checkpoint', `${what}.`, { hint });
  if (code === 'SQLITE_BUSY') return state(`Another export is writing ${path}`, 'Wait until it has ended.');
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
    return state(`${path} is damaged`, 'Delete it with its folder to begin again.');
  const hint = 'Free up space or correct its permissions, then run the same command again: it continues.';
  return diskFailure(cause, `${path} cannot be written`, hint);
}
