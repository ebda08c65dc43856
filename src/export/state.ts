/**
 * What was fetched and what is left: one SQLite file next to the folder. It has ids and digests, and no word of a customer and no token.
 *
 * A page becomes one transaction: its lines are on the disk before the positions in their files are. After a kill each file is cut to its
 * position, so that it has whole lines alone, each once.
 */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import { AppError } from '../domain/errors.ts';
import type { Database, Statement } from '../sqlite/database.ts';
import type { Found, Place, Request } from './step.ts';

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
  PRAGMA user_version = 2;
`;

export class ExportState implements Disposable {
  readonly #db: Database;
  readonly #folder: string;
  readonly #path: string;
  readonly #files = new Map<string, { fd?: number; bytes: number }>();
  readonly #prepared = new Map<string, Statement>();
  /** Requests that are left, without those that answers will add. */
  left = 0;

  /**
   * `files`: what the export writes. Throws AppError `checkpoint` for a state of another account or one in use, and for a file of
   * another program, `disk-write` where it cannot be written.
   */
  constructor(folder: string, account: string, files: readonly string[]) {
    this.#folder = folder;
    const path = `${folder.replace(/[/\\]+$/, '')}.state.sqlite`;
    this.#path = path;
    try {
      mkdirSync(folder, { recursive: true });
      const Sqlite = createRequire(import.meta.url)('better-sqlite3') as typeof BetterSqlite3;
      this.#db = new Sqlite(path, { timeout: 0 }) as unknown as Database;
    } catch (cause) {
      throw failureOf(cause, path);
    }
    try {
      this.#db.pragma('locking_mode = EXCLUSIVE');
      this.#db.pragma('journal_mode = WAL');
      const isOld = this.#db.pragma('user_version', { simple: true }) === 0;
      if (isOld && this.#get("SELECT 1 FROM sqlite_schema WHERE name = 'entry'") !== undefined)
        throw foreign(`${path} is of an older version of this program.`);
      this.#db.exec(SCHEMA);
      const known = this.entry('account');
      if (known !== undefined && known !== account)
        throw foreign(`${path} belongs to an export of ${known}, not of ${account}.`);
      this.change(() => {
        this.setEntry('account', account);
        const before = this.#all<{ name: string }>('SELECT name FROM file').map(({ name }) => name);
        for (const name of new Set([...before, ...files])) this.#claim(name);
      });
      this.#count();
    } catch (error) {
      this.#db.close();
      throw error instanceof AppError ? error : failureOf(error, path);
    }
  }

  /** Cuts what a kill left of a page; a file of another program is left alone. */
  #claim(name: string): void {
    const path = join(this.#folder, name);
    const size = existsSync(path) ? statSync(path).size : undefined;
    const bytes = this.#get<number>('SELECT bytes FROM file WHERE name = ?', name);
    if (bytes === undefined && size !== undefined)
      throw foreign(`${path} is there already, and this export did not write it.`);
    if ((size ?? 0) < (bytes ?? 0)) throw foreign(`${path} is not as the last export left it.`);
    // an empty file would be a warning of `run`
    if (bytes === 0) rmSync(path, { force: true });
    else if (size !== undefined && bytes !== undefined && size > bytes) truncateSync(path, bytes);
    this.#run('INSERT OR REPLACE INTO file VALUES (?, ?)', name, bytes ?? 0);
    this.#files.set(name, { bytes: bytes ?? 0 });
  }

  /** All or nothing, on the disk when it returns. */
  change<T>(work: () => T): T {
    try {
      return this.#db.transaction(work).immediate();
    } catch (error) {
      throw error instanceof AppError ? error : failureOf(error, this.#folder);
    }
  }

  entry(name: string): string | undefined {
    return this.#get('SELECT value FROM entry WHERE name = ?', name);
  }

  setEntry(name: string, value: string): void {
    this.#run('INSERT OR REPLACE INTO entry VALUES (?, ?)', name, value);
  }

  /** The next request that is not among these. */
  next(running: ReadonlySet<number>): Queued | undefined {
    const rows = this.#all<Record<keyof Queued, string>>(
      'SELECT * FROM request WHERE why IS NULL ORDER BY depth, id LIMIT ?',
      running.size + 1,
    );
    const row = rows.find(({ id }) => !running.has(Number(id)));
    if (row === undefined) return undefined;
    const { id, depth, adds, place } = row;
    return { ...row, id: Number(id), depth: Number(depth), adds: JSON.parse(adds), place: JSON.parse(place) };
  }

  add({ depth, resource, parent, path, adds, place }: Request): void {
    const isKnown = 'SELECT 1 FROM request WHERE resource = ? AND parent = ? AND why IS NULL';
    if (this.#get(isKnown, resource, parent) === undefined) this.left += 1;
    this.#run(
      'INSERT OR REPLACE INTO request (depth, resource, parent, path, adds, place) VALUES (?, ?, ?, ?, ?, ?)',
      ...[depth, resource, parent, path, JSON.stringify(adds), JSON.stringify(place)],
    );
  }

  /** The list goes on there, or is done. */
  move({ id }: Queued, place: Place | undefined): void {
    if (place !== undefined)
      this.#run('UPDATE request SET place = ? WHERE id = ?', JSON.stringify(place), id);
    else this.left -= this.#run('DELETE FROM request WHERE id = ?', id);
  }

  miss({ id }: Queued, why: string): void {
    this.left -= this.#run('UPDATE request SET why = ? WHERE id = ?', why, id);
  }

  retryMissing(): void {
    this.#run('UPDATE request SET why = NULL');
    this.#count();
  }

  /** Takes a resource out of the queue. */
  drop(resource: string): void {
    this.#run('DELETE FROM request WHERE resource = ?', resource);
    this.#count();
  }

  digest(resource: string, parent: string, id: string): string | undefined {
    return this.#get(
      'SELECT digest FROM seen WHERE resource = ? AND parent = ? AND id = ?',
      resource,
      parent,
      id,
    );
  }

  see(resource: string, parent: string, { id, digest, inside, said }: Found): void {
    const values = [resource, parent, id, digest, inside, JSON.stringify(said)];
    this.#run('INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?, ?, ?)', ...values);
  }

  /** Appends whole lines. Within a change. */
  append(name: string, lines: readonly string[]): void {
    const file = this.#files.get(name);
    if (file === undefined) throw new AppError('internal', `The file ${name} is not registered.`);
    file.fd ??= openSync(join(this.#folder, name), file.bytes === 0 ? 'w' : 'r+', 0o600);
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    for (let done = 0; done < bytes.length; )
      done += writeSync(file.fd, bytes, done, bytes.length - done, file.bytes + done);
    fdatasyncSync(file.fd);
    file.bytes += bytes.length;
    this.#run('INSERT OR REPLACE INTO file VALUES (?, ?)', name, file.bytes);
  }

  ids(resource: string): string[] {
    return this.#all<{ id: string }>('SELECT id FROM seen WHERE resource = ?', resource).map(({ id }) => id);
  }

  counts(): { readonly resource: string; readonly rows: number; readonly inside: number }[] {
    return this.#all('SELECT resource, count(*) AS rows, sum(inside) AS inside FROM seen GROUP BY resource');
  }

  missing(): { readonly resource: string; readonly parent: string; readonly why: string }[] {
    return this.#all(
      'SELECT resource, parent, why FROM request WHERE why IS NOT NULL ORDER BY resource, parent',
    );
  }

  /** Parents of which fewer rows were fetched than the platform says there are. */
  incomplete(): {
    readonly what: string;
    readonly parent: string;
    readonly count: number;
    readonly found: number;
  }[] {
    return this.#all(`SELECT what, parent, count, found FROM (SELECT j.key AS what, s.id AS parent, j.value AS count,
      iif(j.key = s.resource, s.inside, (SELECT count(*) FROM seen r WHERE r.resource = j.key AND r.parent = s.id)) AS found
      FROM seen s, json_each(s.said) j WHERE s.said <> '{}') WHERE found < count ORDER BY what, parent`);
  }

  /** Nothing stays of an export that fetched nothing, as its address may be wrong. */
  [Symbol.dispose](): void {
    for (const { fd } of this.#files.values()) if (fd !== undefined) closeSync(fd);
    const isEmpty =
      this.entry('complete') === undefined && this.#get('SELECT 1 FROM seen LIMIT 1') === undefined;
    this.#db.close();
    if (!isEmpty) return;
    rmSync(this.#path, { force: true });
    if (readdirSync(this.#folder).length === 0) rmdirSync(this.#folder);
  }

  #statement(text: string): Statement {
    const known = this.#prepared.get(text) ?? this.#db.prepare(text);
    this.#prepared.set(text, known);
    return known;
  }

  #run(text: string, ...values: unknown[]): number {
    return this.#statement(text).run(...values).changes;
  }

  #all<Row>(text: string, ...values: unknown[]): Row[] {
    return this.#statement(text).all(...values) as Row[];
  }

  /** The first column of the first row. */
  #get<Value = string>(text: string, ...values: unknown[]): Value | undefined {
    const [row] = this.#all<Record<string, Value>>(text, ...values);
    return row && Object.values(row)[0];
  }

  #count(): void {
    this.left = this.#get<number>('SELECT count(*) FROM request WHERE why IS NULL') ?? 0;
  }
}

function foreign(what: string): AppError {
  return new AppError('checkpoint', what, { hint: 'Export into another folder, or move this one away.' });
}

function failureOf(cause: unknown, path: string): AppError {
  const { code = 'error' } = cause as { code?: string };
  if (code === 'SQLITE_BUSY')
    return new AppError('checkpoint', `Another export is writing ${path}.`, {
      hint: 'Wait until it has ended.',
    });
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
    return new AppError('checkpoint', `${path} is damaged.`, {
      hint: 'Delete it with its folder to begin again.',
    });
  const hint =
    'Free up space or correct its permissions, then run the same command again: it continues where it stopped.';
  return new AppError('disk-write', `${path} cannot be written (${code}).`, { hint, cause });
}
