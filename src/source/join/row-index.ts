/**
 * Where the rows of an export stand, by the keys that join them: written once from front to back, then indexed, then
 * asked. The texts stay in their files, and the places are in a temporary database, so memory does not grow with the export.
 */
import type { Database as Connection, Statement } from 'better-sqlite3';
import type { JoinTable } from '../../domain/join-plan.ts';
import type { RecordRef } from '../../domain/source.ts';
import { BatchInsert } from '../../sqlite/batch-insert.ts';
import { specName, type VersionKey } from './row-keys.ts';
import { guarded, openTempDatabase } from './temp-database.ts';

/** Where a row stands. The first number is the index of the plan's input from which it came. */
export type RowPlace = readonly [input: number, offset: number, length: number, line: number];

/** Which row holds an external id: the first with it, or of several versions the greatest. */
export interface Holder extends RecordRef {
  /** Index of the plan's input from which it came. */
  readonly input: number;
}

export interface Claim {
  readonly id: string;
  readonly ref: RecordRef;
}

/** A group of rows that is a ticket, or a row of a group table that is none. */
export interface GroupItem {
  readonly id: number;
  /** Null for a row that cannot be read or names no ticket. */
  readonly key: string | null;
  readonly input: number;
  readonly offset: number;
  readonly length: number;
  readonly line: number;
  /** Why a row cannot be read. */
  readonly message: string | null;
}

/** A row that cannot be read, and why. */
export interface BrokenPlace extends RecordRef {
  readonly message: string;
}

/** The same with how it begins, how many tickets it names, and whether (1) one of them is in the export. */
export interface UnreadablePlace extends BrokenPlace {
  readonly id: number;
  readonly name: string;
  readonly text: string;
  readonly named: number;
  readonly isFound: number;
}

/** A ticket to be handed out again: by the record that stands for it, or by the key of its group. */
export interface Turn {
  readonly id: number;
  readonly seq: number;
  readonly input: number | null;
  readonly offset: number | null;
  readonly length: number | null;
  readonly line: number | null;
  readonly key: string | null;
}

/** A child row whose ticket is not in the export. */
export interface UnmatchedPlace extends Omit<GroupItem, 'message'> {
  readonly name: string;
  readonly key: string;
}

/**
 * `rows.list`: rows that are found by one key, as the messages by their ticket, or users by their address.
 * `repeats`: rows of tickets in other places (files, lists) than the row that holds their id.
 * `parents.columns`: 0 for the external ids; else other columns of the tickets by which a child table names them.
 * `links`: of a child table whose rows name a row of another table, the ticket (`parent`) that this row names.
 * `broken.text` is null where the row is told in its place among the groups.
 */
const SCHEMA = `
  CREATE TABLE rows (list INTEGER, key TEXT, input INTEGER, offset INTEGER, length INTEGER, line INTEGER, version);
  CREATE TABLE parents (columns INTEGER, key TEXT, input INTEGER, file INTEGER, offset INTEGER, length INTEGER, line INTEGER,
    version, PRIMARY KEY (columns, key)) WITHOUT ROWID;
  CREATE TABLE repeats (key TEXT, input INTEGER, offset INTEGER, length INTEGER, line INTEGER);
  CREATE INDEX repeats_key ON repeats (key);
  CREATE TABLE links (child TEXT, key TEXT, parent TEXT);
  CREATE TABLE turns (rank INTEGER, at REAL, seq INTEGER, input INTEGER, offset INTEGER, length INTEGER, line INTEGER, key TEXT);
  CREATE TABLE groups (id INTEGER PRIMARY KEY, key TEXT UNIQUE, input INTEGER, offset INTEGER, length INTEGER,
    line INTEGER, message TEXT);
  CREATE TABLE broken (id INTEGER PRIMARY KEY, name TEXT, columns INTEGER, key TEXT, file INTEGER, offset INTEGER,
    length INTEGER, line INTEGER, message TEXT, text TEXT, UNIQUE (name, key, file, offset))`;

const PAGE = 500;

export class RowIndex implements Disposable {
  readonly #database: Connection = guarded(() => openTempDatabase());
  readonly #lists = new Map<string, number>();
  readonly #columns = new Map<string | undefined, number>([[undefined, 0]]);
  readonly #rows: BatchInsert;
  readonly #parents: BatchInsert;
  readonly #links: BatchInsert;
  readonly #version: Statement<unknown[]>;
  readonly #holder: Statement<[string], Holder & { readonly version: VersionKey | null }>;
  readonly #addRepeat: Statement<unknown[]>;
  readonly #dropRepeats: Statement<[string]>;
  readonly #repeats: Statement<[string], RowPlace>;
  readonly #group: Statement<unknown[]>;
  readonly #broken: Statement<unknown[]>;
  readonly #brokenOf: Statement<[string, string], BrokenPlace>;
  #turns: BatchInsert | undefined;
  readonly #counts = new Map<string, number>();
  #byKey: Statement<[number | undefined, string], RowPlace> | undefined;
  #first: Statement<[number | undefined, string], RowPlace> | undefined;
  #isContested = false;
  #hasBroken = false;
  #hasRepeats = false;
  #isMatched = false;

  constructor() {
    const database = this.#database;
    database.exec(SCHEMA);
    this.#rows = new BatchInsert(database, 'INSERT INTO rows', 7);
    this.#parents = new BatchInsert(database, 'INSERT OR IGNORE INTO parents', 8);
    this.#links = new BatchInsert(database, 'INSERT INTO links', 3);
    this.#version = database.prepare(
      `INSERT INTO parents VALUES (0, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
       SET input = excluded.input, file = excluded.file, offset = excluded.offset, length = excluded.length, line = excluded.line,
         version = excluded.version
       WHERE excluded.version >= version`,
    );
    this.#holder = database.prepare(
      'SELECT input, file, offset, length, line, version FROM parents WHERE columns = 0 AND key = ?',
    );
    this.#addRepeat = database.prepare('INSERT INTO repeats VALUES (?, ?, ?, ?, ?)');
    this.#dropRepeats = database.prepare('DELETE FROM repeats WHERE key = ?');
    this.#repeats = database
      .prepare<[string], RowPlace>(
        'SELECT input, offset, length, line FROM repeats WHERE key = ? ORDER BY rowid',
      )
      .raw();
    this.#group = database.prepare('INSERT OR IGNORE INTO groups VALUES (NULL, ?, ?, ?, ?, ?, ?)');
    this.#broken = database.prepare('INSERT OR IGNORE INTO broken VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#brokenOf = database.prepare(
      'SELECT file, offset, length, line, message FROM broken WHERE name = ? AND key = ? ORDER BY file, offset',
    );
  }

  /** `list`: the name of a child or group table, or of the rows of a table by other columns (`listName`). */
  add(list: string, key: string, place: RowPlace, version: VersionKey | undefined): void {
    const number = this.#listOf(list);
    this.#counts.set(list, (this.#counts.get(list) ?? 0) + 1);
    this.#rows.add(number, key, ...place, version ?? null);
  }

  /** Rows added to a list, whatever became of their versions. */
  count(list: string): number {
    return this.#counts.get(list) ?? 0;
  }

  /** In the order of the rows; `input` is the one that they are of. True when every row is the first one with its id, of all that were ever claimed. */
  claim(claims: readonly Claim[], input: number): boolean {
    this.#parents.flush();
    for (const { id, ref } of claims)
      this.#parents.add(0, id, input, ref.file, ref.offset, ref.length, ref.line, null);
    const areFirst = this.#parents.flush() === claims.length;
    this.#isContested ||= !areFirst;
    if (!areFirst)
      for (const { id, ref } of claims) {
        const holder = this.#holder.get(id);
        if (holder !== undefined && holder.input !== input) this.#repeat(id, ref, input);
      }
    return areFirst;
  }

  claimVersion(id: string, ref: RecordRef, version: VersionKey, input: number): void {
    this.#isContested = true;
    const holder = this.#holder.get(id);
    if (holder !== undefined && holder.input !== input && holder.version === version) {
      this.#repeat(id, ref, input);
      return;
    }
    const { changes } = this.#version.run(id, input, ref.file, ref.offset, ref.length, ref.line, version);
    if (changes > 0 && this.#hasRepeats) this.#dropRepeats.run(id);
  }

  /** Rows of this ticket in other places than the row that holds its id, of the same version where there are any. */
  repeatsOf(id: string): RowPlace[] {
    return this.#hasRepeats ? this.#repeats.all(id) : [];
  }

  #repeat(id: string, { offset, length, line }: RecordRef, input: number): void {
    this.#hasRepeats = true;
    this.#addRepeat.run(id, input, offset, length, line);
  }

  /** A value of a ticket in columns that children match instead of the external id. */
  addParent(columns: string, key: string): void {
    this.#parents.add(this.#columnsOf(columns), key, null, null, null, null, null, null);
  }

  /** A row of a group table; `key` is null where it names no ticket. Whether it is the first one of its group. */
  addGroup(
    key: string | null,
    input: number,
    { offset, length, line }: RecordRef,
    message: string | null,
  ): boolean {
    return this.#group.run(key, input, offset, length, line, message).changes > 0;
  }

  /** A row that cannot be read. `key`: the ticket that it names; `text`: how it begins. */
  addBroken(
    { name, parentKey }: JoinTable,
    key: string | null,
    { file, offset, length, line }: RecordRef,
    message: string,
    text: string | null,
  ): void {
    const columns = this.#columnsOf(parentKey && specName(parentKey));
    this.#broken.run(name, columns, key, file, offset, length, line, message, text);
    this.#hasBroken ||= key !== null;
  }

  /** Rows of `child` with this key belong to the ticket `parent`. Where several say so, the first one counts. */
  addLink(child: string, key: string, parent: string): void {
    if (key !== '' && parent !== '') this.#links.add(child, key, parent);
  }

  /** After the last row, before the first question. `linked`: child tables whose rows name a row of another table. */
  seal(linked: readonly string[] = []): void {
    this.#rows.flush();
    this.#parents.flush();
    this.#links.flush();
    if (linked.length > 0) this.#followLinks(linked);
    // All columns stand in the index, so that the rows of a ticket are read from one place.
    this.#database.exec(
      `DELETE FROM rows WHERE rowid IN (SELECT rowid FROM (
         SELECT rowid, row_number() OVER (PARTITION BY list, key ORDER BY version DESC, rowid DESC) AS place FROM rows
         WHERE version IS NOT NULL
       ) WHERE place > 1);
       CREATE INDEX rows_key ON rows (list, key, input, offset, length, line)`,
    );
    const places = 'SELECT input, offset, length, line FROM rows WHERE list = ? AND key = ?';
    this.#byKey = this.#database
      .prepare<[number, string], RowPlace>(`${places} ORDER BY input, offset`)
      .raw();
    this.#first = this.#database
      .prepare<[number, string], RowPlace>(`${places} ORDER BY rowid LIMIT 1`)
      .raw();
  }

  /** By input, then by offset. */
  of(list: string, key: string): RowPlace[] {
    return this.#byKey?.all(this.#lists.get(list), key) ?? [];
  }

  /** The row that was added first. */
  first(list: string, key: string): RowPlace | undefined {
    return guarded(() => this.#first?.get(this.#lists.get(list), key));
  }

  /** Whether any id was claimed by more than one row. Hardly ever, and then nobody has to ask who holds one. */
  get isContested(): boolean {
    return this.#isContested;
  }

  /** The row that holds the id, when it is another than this one. */
  otherHolder(id: string, ref: RecordRef): Holder | undefined {
    const holder = this.#holder.get(id);
    return holder?.file === ref.file && holder.offset === ref.offset ? undefined : holder;
  }

  /** Whether any row that cannot be read names a ticket: hardly ever. */
  get hasBroken(): boolean {
    return this.#hasBroken;
  }

  /** Rows of this table that cannot be read and name this ticket. */
  brokenOf(table: string, key: string): BrokenPlace[] {
    return this.#brokenOf.all(table, key);
  }

  addTurn(rank: number, at: number, seq: number, place: RowPlace | undefined, key: string | null): void {
    this.#turns ??= new BatchInsert(this.#database, 'INSERT INTO turns', 8);
    this.#turns.add(rank, at, seq, ...(place ?? [null, null, null, null]), key);
  }

  /** Sorted on the disk, so that memory does not grow with them. */
  turns(): Generator<Turn[]> {
    guarded(() => {
      this.#turns?.flush();
      this.#database.exec(
        `CREATE TABLE sorted (id INTEGER PRIMARY KEY, seq INTEGER, input INTEGER, offset INTEGER, length INTEGER, line INTEGER, key TEXT);
         INSERT INTO sorted (seq, input, offset, length, line, key)
           SELECT seq, input, offset, length, line, key FROM turns ORDER BY rank, at DESC, seq;
         DROP TABLE turns`,
      );
    });
    return this.#pages('SELECT * FROM sorted WHERE id > ? ORDER BY id');
  }

  groupOf(key: string): GroupItem | undefined {
    return this.#database.prepare<[string], GroupItem>('SELECT * FROM groups WHERE key = ?').get(key);
  }

  /** In the order of their first rows. */
  groups(): Generator<GroupItem[]> {
    return this.#pages('SELECT * FROM groups WHERE id > ? ORDER BY id');
  }

  /** Child rows whose ticket is not in the export: in the order of the tables, then of their rows. */
  unmatched(tables: Iterable<JoinTable>): Generator<UnmatchedPlace[]> {
    this.#matchChildren(tables);
    return this.#pages('SELECT rowid AS id, * FROM unmatched WHERE rowid > ? ORDER BY rowid');
  }

  /** Rows that cannot be read, but for those of groups, which are told in their places. */
  unreadable(): Generator<UnreadablePlace[]> {
    return this.#pages(
      `SELECT min(id) AS id, name, file, offset, length, line, message, text, count(key) AS named,
         max(EXISTS (SELECT 1 FROM parents WHERE columns = broken.columns AND key = broken.key)) AS isFound
       FROM broken WHERE text IS NOT NULL GROUP BY name, file, offset HAVING min(id) > ? ORDER BY 1`,
    );
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  /** A key without a link names no ticket, though it may look like the id of one. */
  #followLinks(linked: readonly string[]): void {
    const database = this.#database;
    database.exec('CREATE INDEX links_key ON links (child, key)');
    const parent = (table: string) =>
      `coalesce((SELECT parent FROM links WHERE child = @child AND key = ${table}.key ORDER BY rowid LIMIT 1), '(' || key || ')')`;
    const rows = database.prepare(`UPDATE rows SET key = ${parent('rows')} WHERE list = @list`);
    const broken = database.prepare(
      `UPDATE OR REPLACE broken SET key = ${parent('broken')} WHERE name = @child AND key IS NOT NULL`,
    );
    for (const child of linked) {
      rows.run({ child, list: this.#listOf(child) });
      broken.run({ child });
    }
  }

  #listOf(name: string): number {
    const number = this.#lists.get(name) ?? this.#lists.size;
    this.#lists.set(name, number);
    return number;
  }

  #columnsOf(columns: string | undefined): number {
    const number = this.#columns.get(columns) ?? this.#columns.size;
    this.#columns.set(columns, number);
    return number;
  }

  /** The keys of each table are compared with those of the tickets once, when it is asked for first. */
  #matchChildren(tables: Iterable<JoinTable>): void {
    if (this.#isMatched) return;
    this.#isMatched = true;
    guarded(() => {
      this.#database.exec(
        'CREATE TABLE unmatched (name TEXT, key TEXT, input INTEGER, offset INTEGER, length INTEGER, line INTEGER)',
      );
      const match = this.#database.prepare(
        `INSERT INTO unmatched SELECT ?, key, input, offset, length, line FROM rows WHERE list = ? AND key IN (
           SELECT key FROM (SELECT DISTINCT key FROM rows WHERE list = ?) AS named
           WHERE NOT EXISTS (SELECT 1 FROM parents WHERE columns = ? AND key = named.key)) ORDER BY rowid`,
      );
      for (const { name, role, parentKey } of tables) {
        const list = this.#lists.get(name);
        if (role === 'child' && list !== undefined)
          match.run(name, list, list, this.#columnsOf(parentKey && specName(parentKey)));
      }
    });
  }

  /** A page at a time, so that nothing grows and no question stays open. `select` takes the last id that was seen. */
  *#pages<Row extends { readonly id: number }>(select: string): Generator<Row[]> {
    const page = this.#database.prepare<[number], Row>(`${select} LIMIT ${PAGE}`);
    for (let last = 0; ; ) {
      const found = guarded(() => page.all(last));
      const end = found.at(-1);
      if (end === undefined) return;
      yield found;
      last = end.id;
    }
  }
}

/** The rows of a table by these columns. */
export function listName(table: string, columns: string): string {
  return `${table} ${columns}`;
}
