/** The keys of all staged rows, in tables of the same database: which rows belong to which ticket, and which look-ups find. */

import { AppError } from '../../domain/errors.ts';
import type { JoinInput, JoinPlan, JoinTable, KeySpec } from '../../domain/join-plan.ts';
import { type RecordSelector, type SourceFile, selectObject } from '../../domain/source-file.ts';
import type { Database as Connection, Statement } from '../../sqlite/database.ts';
import { guarded } from '../problems.ts';
import type { RowReader } from '../staged-file.ts';
import { type KeyReader, keyReader, specName, type VersionKey, versionReader } from './row-keys.ts';

/** One input of the plan, with its file and its readers of keys. */
export interface PlanInput {
  readonly index: number;
  readonly table: JoinTable;
  readonly file: SourceFile & RowReader;
  readonly selector: RecordSelector | undefined;
  /** Of the external id, or of the ticket that a child names; a look-up table has none. */
  readonly key: KeyReader | undefined;
  readonly version: ((row: Parameters<KeyReader>[0]) => VersionKey) | undefined;
  /** By the text of their columns: the keys under which rows of the table are looked up. */
  readonly lookups: ReadonlyMap<string, KeyReader>;
  /** By the text of their columns: what children match instead of the external id. Of tickets only. */
  readonly alternates: ReadonlyMap<string, KeyReader>;
  /** Whether a record that no table can read counts as one of this table. One input a file and path does. */
  readonly ownsErrors: boolean;
}

export function planInputs(plan: JoinPlan, files: readonly (SourceFile & RowReader)[]): PlanInput[] {
  const alternates = plan.tables.flatMap(({ parentKey }) => (parentKey === undefined ? [] : [parentKey]));
  const owned = new Set<string>();
  const all = plan.tables
    .toSorted((a, b) => Number(isTicketTable(b)) - Number(isTicketTable(a)))
    .flatMap((table) => table.inputs.map((input) => ({ table, input })));
  const owners = new Set<JoinInput>();
  for (const { input } of all) {
    const name = passName(input.file, input.selector);
    if (!owned.has(name)) owners.add(input);
    owned.add(name);
  }
  return plan.tables
    .flatMap((table) => table.inputs.map((input) => ({ table, input })))
    .map(({ table, input }, index): PlanInput => {
      const file = files.find(({ id }) => id === input.file);
      if (file === undefined)
        throw new AppError('internal', `The plan names file ${input.file}, which is not open.`);
      const readers = (specs: readonly KeySpec[]) =>
        new Map(specs.map((columns) => [specName(columns), keyReader(columns, file)]));
      const key = keyOf(table, input);
      return {
        index,
        table,
        file,
        selector: input.selector,
        key: table.role === 'lookup' ? undefined : keyReader(key, file),
        version: table.latest === undefined ? undefined : versionReader(table.latest, file),
        lookups: readers(table.lookups ?? []),
        alternates: readers(isTicketTable(table) ? alternates : []),
        ownsErrors: owners.has(input),
      };
    });
}

const keyOf = (table: JoinTable, input: JoinInput) => input.key ?? table.key;

export function isTicketTable({ role }: JoinTable): boolean {
  return role === 'root' || role === 'group';
}

/** Inputs with the same name are read in one pass. */
function passName(file: number, selector: RecordSelector | undefined): string {
  return `${file} ${JSON.stringify(selector?.path ?? null)}`;
}

/** Which row holds an external id: the first one with it, or of several versions the greatest. */
export interface Holder {
  readonly row: number;
  readonly input: number;
}

/** A group of rows that is a ticket, or a row of a group table that is none. */
export interface GroupItem {
  readonly id: number;
  /** Null for a row that cannot be read or names no ticket. */
  readonly key: string | null;
  readonly row: number;
  readonly input: number;
  /** Why a row cannot be read. */
  readonly error: string | null;
}

/**
 * `link`: a row found by a key, as messages by their ticket or users by their address. `parent`: the key of a ticket, by its
 * external id (`columns` 0) or by other columns. `grouped`: rows with one key that are one ticket, in the order of their first rows.
 */
const SCHEMA = `
  DROP TABLE IF EXISTS temp.link;
  DROP TABLE IF EXISTS temp.parent;
  DROP TABLE IF EXISTS temp.grouped;
  DROP TABLE IF EXISTS temp.unreadable;
  CREATE TEMP TABLE link (list INTEGER, key TEXT, row INTEGER, version);
  CREATE TEMP TABLE parent (columns INTEGER, key TEXT, row INTEGER, input INTEGER, version, PRIMARY KEY (columns, key)) WITHOUT ROWID;
  CREATE TEMP TABLE grouped (id INTEGER PRIMARY KEY, key TEXT UNIQUE, row INTEGER, input INTEGER, error TEXT);
  CREATE TEMP TABLE unreadable (row INTEGER PRIMARY KEY, input INTEGER, error TEXT)`;

export class JoinTables {
  readonly #db: Connection;
  readonly #names = new Map<string, number>([['', 0]]);
  readonly #link: Statement<unknown[]>;
  readonly #parent: Statement<unknown[]>;
  readonly #newest: Statement<unknown[]>;
  readonly #group: Statement<unknown[]>;
  readonly #unreadable: Statement<unknown[]>;
  readonly #holder: Statement<[string], Holder>;
  #rows: Statement<[number, string], number> | undefined;
  #counts = new Map<string, number>();

  constructor(db: Connection) {
    db.exec(SCHEMA);
    this.#db = db;
    this.#link = db.prepare('INSERT INTO link VALUES (?, ?, ?, ?)');
    this.#parent = db.prepare('INSERT OR IGNORE INTO parent VALUES (?, ?, ?, ?, NULL)');
    this.#newest = db.prepare(
      `INSERT INTO parent VALUES (0, ?, ?, ?, ?) ON CONFLICT DO UPDATE
       SET row = excluded.row, input = excluded.input, version = excluded.version WHERE excluded.version >= version`,
    );
    this.#group = db.prepare('INSERT OR IGNORE INTO grouped VALUES (NULL, ?, ?, ?, ?)');
    this.#unreadable = db.prepare('INSERT OR IGNORE INTO unreadable VALUES (?, ?, ?)');
    this.#holder = db.prepare('SELECT row, input FROM parent WHERE columns = 0 AND key = ?');
  }

  /** Notes the keys of every row of the plan. */
  async load(inputs: readonly PlanInput[], signal: AbortSignal): Promise<void> {
    for (const pass of Map.groupBy(inputs, ({ file, selector }) => passName(file.id, selector)).values()) {
      const [first] = pass;
      if (first === undefined) continue;
      const path = first.selector?.path;
      for await (const records of first.file.records(path === undefined ? undefined : { path }, signal))
        guarded(() => {
          for (const record of records)
            for (const input of pass) {
              const { ref } = record;
              const selected =
                record.object === undefined ? undefined : selectObject(record.object, input.selector);
              if (record.object !== undefined && selected === undefined) continue;
              const error =
                typeof selected === 'string' ? selected : input.ownsErrors ? record.error : undefined;
              if (error !== undefined) this.#addUnreadable(input, ref.row, error);
              else if (typeof selected === 'object')
                this.#add(input, ref.row, { ...record, object: selected });
            }
        });
    }
    guarded(() => this.#seal());
  }

  #addUnreadable(input: PlanInput, row: number, error: string): void {
    if (input.table.role === 'group') this.#group.run(null, row, input.index, error);
    // One of a root table is reported in its place among the tickets.
    else if (input.table.role !== 'root') this.#unreadable.run(row, input.index, error);
  }

  #add(input: PlanInput, row: number, values: Parameters<KeyReader>[0]): void {
    const { role, name } = input.table;
    const version = input.version?.(values) ?? null;
    for (const [columns, read] of input.lookups) {
      const key = read(values);
      if (key !== '') this.#link.run(this.#numberOf(`${name} ${columns}`), key, row, version);
    }
    if (input.key === undefined) return;
    const key = input.key(values);
    if (role === 'child') {
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
      this.#link.run(this.#numberOf(name), key, row, version);
      return;
    }
    if (role === 'group') {
      const isFirst = this.#group.run(key === '' ? null : key, row, input.index, null).changes > 0;
      if (key !== '') this.#link.run(this.#numberOf(name), key, row, version);
      if (!isFirst) return;
    }
    if (key === '') return;
    if (version !== null && role === 'root') this.#newest.run(key, row, input.index, version);
    else this.#parent.run(0, key, row, input.index);
    for (const [columns, read] of input.alternates) {
      const alternate = read(values);
      if (alternate !== '') this.#parent.run(this.#numberOf(columns), alternate, row, input.index);
    }
  }

  #seal(): void {
    this.#db.exec(
      `DELETE FROM link WHERE rowid IN (SELECT rowid FROM (
         SELECT rowid, row_number() OVER (PARTITION BY list, key ORDER BY version DESC, rowid DESC) AS place FROM link
         WHERE version IS NOT NULL) WHERE place > 1);
       CREATE INDEX link_key ON link (list, key, row)`,
    );
    this.#rows = this.#db
      .prepare<[number, string], number>('SELECT row FROM link WHERE list = ? AND key = ? ORDER BY row')
      .pluck();
  }

  /** Ids of the rows of a child or group table that name a ticket, in the order of the export. */
  rowsOf(table: string, key: string): number[] {
    return key === '' ? [] : (guarded(() => this.#rows?.all(this.#numberOf(table), key)) ?? []);
  }

  /** The first row of a table by some of its columns. */
  lookup(table: string, columns: KeySpec, key: string): number | undefined {
    return this.rowsOf(`${table} ${specName(columns)}`, key)[0];
  }

  holder(externalId: string): Holder | undefined {
    return guarded(() => this.#holder.get(externalId));
  }

  groups(): Generator<GroupItem[]> {
    return this.#pages<GroupItem>('SELECT * FROM grouped WHERE id > ? ORDER BY id');
  }

  /** Rows of child tables whose ticket is not in the export. */
  *unmatched(tables: readonly JoinTable[]): Generator<{ table: string; key: string; row: number }> {
    for (const { name, role, parentKey } of tables) {
      if (role !== 'child') continue;
      const columns = parentKey === undefined ? 0 : this.#numberOf(specName(parentKey));
      const pages = this.#pages<{ id: number; key: string; row: number }>(
        `SELECT rowid AS id, key, row FROM link WHERE list = ${this.#numberOf(name)} AND rowid > ?
           AND NOT EXISTS (SELECT 1 FROM parent WHERE columns = ${columns} AND parent.key = link.key) ORDER BY rowid`,
      );
      for (const page of pages) for (const { key, row } of page) yield { table: name, key, row };
    }
  }

  /** Rows of child and look-up tables that cannot be read. */
  *unreadable(): Generator<{ row: number; input: number; error: string }> {
    for (const page of this.#pages<{ id: number; row: number; input: number; error: string }>(
      'SELECT row AS id, row, input, error FROM unreadable WHERE row > ? ORDER BY row',
    ))
      yield* page;
  }

  /** Rows of child tables, orphans included. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** A page at a time, so that nothing grows and no statement stays open. `select` takes the last id that was seen. */
  *#pages<Row extends { readonly id: number }>(select: string): Generator<Row[]> {
    const statement = this.#db.prepare<[number], Row>(`${select} LIMIT 500`);
    for (let last = 0; ; ) {
      const page = guarded(() => statement.all(last));
      const end = page.at(-1);
      if (end === undefined) return;
      yield page;
      last = end.id;
    }
  }

  #numberOf(name: string): number {
    const number = this.#names.get(name) ?? this.#names.size;
    this.#names.set(name, number);
    return number;
  }
}
