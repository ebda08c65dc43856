/**
 * Staged rows become tickets. Two temporary tables: `key` finds rows by their keys, `joined` has each ticket once, in the order
 * of the export.
 */

import type { Database, Statement } from '../domain/database.ts';
import { PARAMETER } from '../domain/database.ts';
import { AppError } from '../domain/errors.ts';
import { sha256 } from '../domain/identity.ts';
import {
  isBrokenKey,
  type RecordRef,
  type Row,
  type SourceItem,
  type UnmatchedRow,
  type UnreadableRow,
} from '../domain/source.ts';
import {
  isWholeRow,
  type JoinedExport,
  type JoinInput,
  type JoinPlan,
  type JoinTable,
  type KeySpec,
  type LeftRows,
  type RecordSelector,
  type RowMarks,
  rowOf,
  type SourceFile,
  selectObject,
  type UnreadRows,
} from '../domain/source-file.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import { stop } from '../domain/text/stops.ts';
import {
  comparableKey,
  firstReader,
  IS_PLAIN_KEY,
  joinKey,
  type KeyReader,
  keyCell,
  keyReader,
  keyText,
  type RowValues,
  timeText,
  versionReader,
  writtenKeyReader,
} from './keys.ts';
import type { StagedExport } from './open-export.ts';
import { guarded } from './problems.ts';
import { LINES, type Stage, type StagedRow } from './stage.ts';
import type { StagedFile } from './staged-file.ts';
import { unreadRows } from './unread-rows.ts';

/** Inputs of tickets come first. */
interface Input {
  readonly index: number;
  readonly table: JoinTable;
  readonly file: StagedFile;
  readonly selector: RecordSelector | undefined;
  readonly keys: readonly {
    readonly list: string;
    readonly columns: KeySpec;
    readonly read: KeyReader;
    readonly keepsEmpty?: true;
  }[];
  /** Keys may abbreviate it. */
  readonly written: KeyReader | undefined;
  readonly version: ((row: RowValues) => number | string) | undefined;
  /** Tells rows with one ID apart; empty if unknown. */
  readonly marks: { readonly [Mark in keyof RowMarks]: KeyReader } | undefined;
}

const TICKETS = '';
const groupList = (table: string) => `group ${table}`;
const childList = (table: string) => `child ${table}`;
const columnList = (table: string, columns: KeySpec) => `${table} ${JSON.stringify(columns)}`;

const SCHEMA = `
  DROP TABLE IF EXISTS temp.key;
  DROP TABLE IF EXISTS temp.joined;
  DROP TABLE IF EXISTS temp.asked;
  CREATE TEMP TABLE asked (row INTEGER PRIMARY KEY);
  CREATE TEMP TABLE key (id INTEGER PRIMARY KEY, list INTEGER, key TEXT, row INTEGER, input INTEGER, version, error TEXT,
    created TEXT, text TEXT, person TEXT);
  CREATE TEMP TABLE joined (id INTEGER PRIMARY KEY, key TEXT, row INTEGER, input INTEGER, error TEXT, people INTEGER)`;

const REPEATED = `SELECT count(*) AS ids, sum(rows) AS rows, coalesce(sum(texts > 1), 0) AS differing, min(iif(texts > 1, key, NULL)) AS example
  FROM (SELECT key, count(*) AS rows, count(DISTINCT text) AS texts FROM key
    WHERE list = ? AND key IS NOT NULL AND version IS NOT NULL GROUP BY key HAVING count(*) > 1 AND count(DISTINCT created) < 2)`;

const APART = `UPDATE key SET version = NULL WHERE list = ? AND key IN (
  SELECT key FROM key WHERE list = ? AND version IS NOT NULL GROUP BY key HAVING count(DISTINCT created) > 1)`;

/** Only the greatest version stays in its list, and the last of equal ones. */
const SEAL = `
  UPDATE key SET list = ? WHERE id IN (SELECT id FROM (
    SELECT id, row_number() OVER (PARTITION BY list, key ORDER BY version DESC, id DESC) AS place FROM key
    WHERE version IS NOT NULL) WHERE place > 1)`;

const NUMBERED = `UPDATE key SET key = key || '-' || place FROM (
  SELECT id AS other, row_number() OVER (PARTITION BY key ORDER BY id) AS place FROM key WHERE list = ? AND key IS NOT NULL)
  WHERE id = other AND place > 1`;

const EXCERPT = 80;
const CACHED = 10_000;
const BEGINNING = 40;
/** Tickets may be large. */
const PAGE = 4;

/** Files must stay open. Throws AppError `source` for a missing column. */
export function joinExport(files: StagedExport, plan: JoinPlan, signal: AbortSignal): JoinedExport {
  const inputs = inputsOf(plan, files.files);
  const { database } = files.stage;
  const { lists, equal } = guarded(() => load(database, inputs, signal));
  return new JoinedRows(files, plan, inputs, lists, equal, signal);
}

function inputsOf({ tables }: JoinPlan, files: readonly StagedFile[]): Input[] {
  const alternates = (table: string) =>
    tables.flatMap(({ parentKey, parent = TICKETS }) =>
      parentKey === undefined || parent !== table ? [] : [parentKey],
    );
  return tables
    .toSorted((a, b) => Number(isOfTickets(b)) - Number(isOfTickets(a)))
    .flatMap((table) => table.inputs.map((input) => ({ table, input })))
    .map(({ table, input }, index): Input => {
      const file = files.find(({ id }) => id === input.file);
      if (file === undefined)
        throw new AppError('internal', `The plan names file ${input.file}, which is not open.`);
      const byColumns = (name: string, all: readonly KeySpec[]) =>
        all.map((columns) => ({ list: columnList(name, columns), columns, read: keyReader(columns, file) }));
      return {
        index,
        table,
        file,
        selector: input.selector,
        keys: [
          ...ownKey(table, input, file),
          ...byColumns(table.name, table.lookups ?? []),
          ...(isOfTickets(table)
            ? byColumns(TICKETS, alternates(TICKETS))
            : byColumns(table.name, alternates(table.name))),
        ],
        written:
          isOfTickets(table) && !isWholeRow(table.key)
            ? writtenKeyReader(input.key ?? table.key, file)
            : undefined,
        version: table.latest === undefined ? undefined : versionReader(table.latest, file),
        marks: table.marks && marksReader(table.marks, file),
      };
    });
}

function marksReader(marks: RowMarks, file: SourceFile): Input['marks'] {
  const [created, text, person] = [marks.created, marks.text, marks.person].map((columns) =>
    firstReader(columns, file),
  ) as [KeyReader, KeyReader, KeyReader];
  // An edit seldom changes how a text begins.
  const digest = (said: string) => (said === '' ? '' : sha256(said.slice(0, BEGINNING)).slice(0, 16));
  return { created: (row) => timeText(created(row)), text: (row) => digest(text(row)), person };
}

function isOfTickets({ role }: JoinTable): boolean {
  return role === 'root' || role === 'group';
}

function ownKey({ name, role, key }: JoinTable, input: JoinInput, file: SourceFile): Input['keys'] {
  if (role === 'lookup') return [];
  const list = role === 'root' ? TICKETS : role === 'group' ? groupList(name) : childList(name);
  const columns = input.key ?? key;
  return [
    { list, columns, read: keyReader(columns, file), ...(!isWholeRow(columns) && { keepsEmpty: true }) },
  ];
}

/** Returns the list numbers, and the number of rows without an ID that repeat another. */
function load(
  database: Database,
  inputs: readonly Input[],
  signal: AbortSignal,
): { readonly lists: Lists; readonly equal: number } {
  database.exec(SCHEMA);
  const lists: Lists = new Map();
  const add = database.prepare('INSERT INTO key VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const broken: { readonly file: string; readonly line: number; readonly key: string }[] = [];
  const passName = ({ file, selector }: Input) => `${file.id} ${JSON.stringify(selector?.path)}`;
  for (const pass of Map.groupBy(inputs, passName).values()) {
    const [owner] = pass;
    signal.throwIfAborted();
    if (owner !== undefined && pass.length === 1 && loadPlainKeys(database, owner, lists)) continue;
    const path = owner?.selector?.path;
    for (const records of owner?.file.records(path && { path }, signal) ?? [])
      for (const record of records)
        for (const input of pass) {
          const { row } = record.ref;
          const object = record.object && selectObject(record.object, input.selector);
          // A record that no table can read counts as one of the first.
          const error = typeof object === 'string' ? object : input === owner ? record.error : undefined;
          if (error !== undefined) {
            const list = isOfTickets(input.table) ? (input.keys[0]?.list ?? '') : 'unreadable';
            add.run(numberOf(list, lists), null, row, input.index, null, error, null, null, null);
          } else if (typeof object === 'object') {
            const values = { ...record, object };
            const version = input.version?.(values) ?? null;
            const marks = (['created', 'text', 'person'] as const).map(
              (mark) => input.marks?.[mark](values).toLowerCase() || null,
            );
            for (const { list, read, keepsEmpty } of input.keys) {
              const key = read(values);
              if (isBrokenKey(key)) broken.push({ file: input.file.name, line: record.ref.line, key });
              if (key !== '' || keepsEmpty === true)
                add.run(numberOf(list, lists), key || null, row, input.index, version, null, ...marks);
            }
          }
        }
  }
  refuseBroken(broken);
  database.exec('CREATE INDEX key_row ON key (list, key, row)');
  const tickets = numberOf(TICKETS, lists);
  const isNamed = inputs.every(({ table }) => !isOfTickets(table) || !isWholeRow(table.key));
  const equal = isNamed ? 0 : database.prepare(NUMBERED).run(tickets).changes;
  database.prepare(APART).run(tickets, tickets);
  refuseMessages(database, inputs, tickets);
  database.prepare(SEAL).run(numberOf('older', lists));
  const items = 'INSERT INTO joined SELECT NULL, key, row, input, error, 1 FROM';
  database.prepare(`${items} key WHERE list = ? ORDER BY input, id`).run(tickets);
  database
    .prepare(
      `UPDATE joined SET people = 2 WHERE key IN (
         SELECT key FROM key WHERE list = ? AND key IS NOT NULL GROUP BY key HAVING count(DISTINCT person) > 1)`,
    )
    .run(tickets);
  for (const { role, name } of new Set(inputs.map(({ table }) => table)))
    if (role === 'group')
      database
        .prepare(
          `${items} (SELECT *, min(id) AS first FROM key WHERE list = ? GROUP BY coalesce(key, id)) ORDER BY first`,
        )
        .run(numberOf(groupList(name), lists));
  database.exec('CREATE INDEX joined_key ON joined (key, id)');
  return { lists, equal };
}

/** By SQL, several times as fast as reading rows. False if a key or row needs a closer look; then nothing is noted. */
function loadPlainKeys(database: Database, input: Input, lists: Lists): boolean {
  const { file, index, keys, version, marks } = input;
  if (file.format !== 'csv' || version !== undefined || marks !== undefined) return false;
  if (keys.some(({ columns }) => columns.length !== 1)) return false;
  const rows = `FROM row WHERE file = ${file.id} AND path = '${LINES}'`;
  if (database.prepare(`SELECT 1 ${rows} AND error IS NOT NULL`).get() !== undefined) return false;
  const begin = database.prepare<[], number>('SELECT coalesce(max(id), 0) FROM key').pluck().get() ?? 0;
  for (const { list, columns, keepsEmpty } of keys) {
    const cell = `coalesce(text ->> ${keyCell(columns[0] ?? '', file)}, '')`;
    const filled = keepsEmpty ? '' : `AND ${cell} <> ''`;
    database
      .prepare(
        `INSERT INTO key (list, key, row, input) SELECT ?, nullif(${cell}, ''), id, ? ${rows} ${filled} ORDER BY id`,
      )
      .run(numberOf(list, lists), index);
  }
  const other = `SELECT 1 FROM key WHERE id > ? AND key IS NOT NULL AND NOT (${IS_PLAIN_KEY})`;
  if (database.prepare(other).get(begin) === undefined) return true;
  database.prepare('DELETE FROM key WHERE id > ?').run(begin);
  return false;
}

/** Messages taken for versions of a ticket would be lost, all but the last. */
function refuseMessages(database: Database, inputs: readonly Input[], tickets: number): void {
  const found = database
    .prepare<[number], { ids: number; rows: number; differing: number; example: string }>(REPEATED)
    .get(tickets);
  const [input] = inputs;
  if (found === undefined || input === undefined || found.differing * 2 <= found.ids) return;
  const { name, key, latest = [] } = input.table;
  throw stop(
    'messages-as-versions',
    { rows: found.rows, file: input.file.name, latest: latest.join(' '), name },
    { lines: [`an example: ${key.join(', ')} ${found.example}`] },
  );
}

/** Several tickets or people share a rounded ID; a changed one matches nothing. */
function refuseBroken(
  keys: readonly { readonly file: string; readonly line: number; readonly key: string }[],
): void {
  const [first] = keys;
  if (first === undefined) return;
  const others = new Set(keys.map(({ key }) => key)).size - 1;
  const more = others === 0 ? '' : ` (and ${others.toLocaleString('en-US')} more)`;
  throw stop('changed-id', {
    file: first.file,
    line: String(first.line),
    key: JSON.stringify(first.key),
    more,
  });
}

type Lists = Map<string, number>;

function numberOf(list: string, lists: Lists): number {
  const number = lists.get(list) ?? lists.size;
  lists.set(list, number);
  return number;
}

interface KeyRow {
  readonly id: number;
  readonly key: string | null;
  readonly row: number;
  readonly input: number;
  readonly error: string | null;
  readonly people: number;
}

/** Rows of children that name their parent by a column, not by its key, have an `alternate` list. */
interface Children {
  readonly name: string;
  readonly parent: string;
  readonly alternate: string | undefined;
  readonly list: number;
}

class JoinedRows implements JoinedExport {
  readonly #files: StagedExport['files'];
  readonly #stage: Stage;
  readonly #inputs: readonly Input[];
  readonly #lists: Lists;
  readonly #equal: number;
  readonly #findUnread: () => readonly UnreadRows[];
  #unread: readonly UnreadRows[] | undefined;
  readonly #children: readonly Children[];
  readonly #find: Statement<[list: number, key: string], StagedRow & { readonly input: number }>;
  readonly #ask: Statement<[row: number]>;
  /** Undefined if each ID is of one ticket, as in nearly all exports. */
  readonly #sameKey: Statement<[key: string], number> | undefined;
  /** By list of the plan, then by key; not every row. */
  readonly #lookups: ReadonlyMap<string, Map<string, Row | undefined>>;

  constructor(
    staged: StagedExport,
    plan: JoinPlan,
    inputs: readonly Input[],
    lists: Lists,
    equal: number,
    signal: AbortSignal,
  ) {
    const { files, stage } = staged;
    this.#files = files;
    this.#stage = stage;
    this.#findUnread = () => guarded(() => unreadRows(staged, plan, signal)).sort((a, b) => b.rows - a.rows);
    this.#inputs = inputs;
    this.#lookups = new Map(inputs.flatMap(({ keys }) => keys.map(({ list }) => [list, new Map()])));
    this.#lists = lists;
    this.#equal = equal;
    this.#children = plan.tables
      .filter(({ role }) => role === 'child')
      .map(({ name, parentKey, parent = TICKETS }) => {
        const alternate = parentKey && columnList(parent, parentKey);
        return { name, parent, alternate, list: numberOf(childList(name), lists) };
      });
    const { database } = stage;
    this.#find = database.prepare(
      `SELECT row.*, input FROM key JOIN row ON row.id = key.row WHERE list = ${PARAMETER} AND key = ${PARAMETER} ORDER BY row`,
    );
    this.#ask = database.prepare('INSERT OR IGNORE INTO asked VALUES (?)');
    const repeats = database.prepare(
      'SELECT 1 FROM joined WHERE key IS NOT NULL GROUP BY key HAVING count(*) > 1',
    );
    if (repeats.get() !== undefined)
      this.#sameKey = database
        .prepare<[string], number>('SELECT row FROM joined WHERE key = ? ORDER BY id')
        .pluck();
  }

  *tickets(signal: AbortSignal): Generator<readonly SourceItem[]> {
    let seq = 0;
    const select = `SELECT row.*, joined.* FROM joined JOIN row ON row.id = joined.row WHERE joined.id > ? ORDER BY joined.id`;
    for (const page of this.#pages<StagedRow & KeyRow>(select, PAGE)) {
      signal.throwIfAborted();
      const items = page.flatMap((each) => {
        const item = this.#itemOf(each, seq);
        if (item !== undefined) seq++;
        return item ?? [];
      });
      if (items.length > 0) yield items;
    }
  }

  lookup(table: string, columns: KeySpec, values: readonly string[]): Row | undefined {
    const list = columnList(table, columns);
    const known = this.#lookups.get(list);
    if (known === undefined)
      throw new AppError('internal', `The plan has no lookup in ${table} by ${columns.join(', ')}.`);
    const key = joinKey(values.map((value) => comparableKey(keyText(value))));
    if (!known.has(key)) {
      if (known.size >= CACHED) known.clear();
      const [row] = this.#rowsOf(numberOf(list, this.#lists), key);
      known.set(key, row);
      if (row !== undefined) guarded(() => this.#ask.run(row.ref.row));
    }
    return known.get(key);
  }

  *unlikeRows(cells: ReadonlyMap<number, readonly (number | string)[]>): Generator<Row> {
    for (const input of this.#inputs) {
      if (!isOfTickets(input.table)) continue;
      const { unwrap, spelling } = input.selector ?? {};
      // These rename keys after a row is read.
      const read = unwrap === undefined && spelling === undefined ? cells.get(input.file.id) : undefined;
      const values = read?.map((cell) => `text -> ${typeof cell === 'number' ? cell : jsonKey(cell)}`);
      const select = `SELECT min(joined.row) AS id FROM joined JOIN row ON row.id = joined.row
        WHERE input = ${input.index} AND joined.error IS NULL GROUP BY ${values === undefined ? 'joined.row' : [...values, 'NULL'].join(', ')} ORDER BY 1`;
      for (const { id } of guarded(() => this.#stage.database.prepare<[], { id: number }>(select).all())) {
        const row = rowIn(input, this.#stage.get(id));
        if (row !== undefined) yield row;
      }
    }
  }

  *datedRows(): Generator<Row> {
    const inputs = Map.groupBy(this.#inputs, (input) => input.file.id);
    const select = `SELECT * FROM row WHERE id > ? AND error IS NULL
      AND (text GLOB '*"[0-9][/-]*' OR text GLOB '*"[0-9][0-9][/-]*') ORDER BY id`;
    for (const page of this.#pages<StagedRow>(select, PAGE))
      for (const staged of page)
        for (const input of inputs.get(staged.file) ?? []) {
          const row = rowIn(input, staged);
          if (row !== undefined) yield row;
        }
  }

  *unmatchedRows(): Generator<UnmatchedRow> {
    const { database } = this.#stage;
    database.exec(`CREATE INDEX IF NOT EXISTS temp.joined_near ON joined (${folded('key')})`);
    const nearest = database
      .prepare<[string, string], string>(
        `SELECT key FROM joined WHERE ${folded('key')} = ${folded(PARAMETER)} AND key <> ${PARAMETER}`,
      )
      .pluck();
    for (const child of this.#children) {
      const { name, list } = child;
      const select = `SELECT id, key, row FROM key WHERE list = ${list} AND id > ? AND NOT ${this.#hasParent(child)} ORDER BY id`;
      for (const page of this.#pages<KeyRow>(select))
        for (const { key, row } of page) {
          const near = nearest.get(key ?? '', key ?? '');
          yield { table: name, parent: key ?? '', ref: refOf(this.#stage, row), near };
        }
    }
  }

  /** A row of an orphan is an orphan too. */
  #hasParent(child: Children, key = 'key'): string {
    const { parent, alternate } = child;
    const of = `${key}_parent`;
    if (alternate === undefined)
      return `EXISTS (SELECT 1 FROM joined AS ${of} WHERE people = 1 AND ${of}.key = ${key}.key)`;
    const before = this.#children.slice(0, this.#children.indexOf(child));
    const above = before.find(({ name }) => name === parent);
    const own = `${key}_own`;
    const kept =
      above === undefined
        ? ''
        : `AND ${of}.row IN (SELECT row FROM key AS ${own} WHERE list = ${above.list} AND ${this.#hasParent(above, own)})`;
    return `EXISTS (SELECT 1 FROM key AS ${of} WHERE ${of}.list = ${numberOf(alternate, this.#lists)} AND ${of}.key = ${key}.key ${kept})`;
  }

  forgottenRows(taken: string): LeftRows[] {
    const repeated = `EXISTS (SELECT 1 FROM joined AS other WHERE other.key = key.key AND other.row < key.row)`;
    // In one query, so that the taken rows are collected once.
    const wanted = [
      `list = ${numberOf(TICKETS, this.#lists)} AND NOT ${repeated}`,
      ...this.#children.map((child) => `list = ${child.list} AND ${this.#hasParent(child)}`),
    ];
    return this.#left(`error IS NULL AND row NOT IN (${taken}) AND (${wanted.join(' OR ')})`);
  }

  #left(where: string): LeftRows[] {
    const left = this.#stage.database.prepare<[], { input: number; rows: number }>(
      `SELECT input, count(DISTINCT row) AS rows FROM key WHERE ${where} GROUP BY input`,
    );
    return guarded(() => left.all()).map(({ input, rows }) => {
      const { table, file } = this.#inputs[input] as Input;
      return { table: table.name, file: file.id, rows };
    });
  }

  unaskedRows(whole: ReadonlySet<string>): LeftRows[] {
    const count = this.#stage.database
      .prepare<[number, number], number>(
        `SELECT count(DISTINCT row) FROM key WHERE input = ? AND (? OR row NOT IN (SELECT row FROM asked))`,
      )
      .pluck();
    const lookups = this.#inputs.filter(({ table }) => table.role === 'lookup');
    const counts = lookups.map(({ table, file, index }) => ({
      table: table.name,
      file: file.id,
      rows: guarded(() => count.get(index, Number(whole.has(table.name))) ?? 0),
    }));
    return counts.filter(({ rows }) => rows > 0);
  }

  unreadRows(): readonly UnreadRows[] {
    this.#unread ??= this.#findUnread();
    return this.#unread;
  }

  *unreadableRows(): Generator<UnreadableRow> {
    const select = `SELECT row AS id, row, min(input) AS input, error FROM key
      WHERE list = ${numberOf('unreadable', this.#lists)} AND row > ? GROUP BY row ORDER BY row`;
    for (const page of this.#pages<KeyRow & { error: string }>(select))
      for (const { row, input, error } of page) {
        const { text, raw } = this.#stage.get(row);
        const table = this.#inputs[input]?.table;
        yield {
          table: table?.name ?? '',
          ref: refOf(this.#stage, row),
          message: error,
          text: (typeof raw === 'string' ? raw : text).slice(0, EXCERPT),
          isOfTicket: table?.role === 'child',
        };
      }
  }

  olderRows(): LeftRows[] {
    return this.#left(`list = ${numberOf('older', this.#lists)}`);
  }

  equalRows(): number {
    return this.#equal;
  }

  #rowsOf(list: number, key: string): Row[] {
    if (key === '') return [];
    return this.#find.all(list, key).flatMap((row) => rowIn(this.#inputs[row.input], row) ?? []);
  }

  /** Page by page, so that nothing grows and no statement stays open. `select` takes the last ID. */
  *#pages<Found extends { readonly id: number }>(select: string, most = 500): Generator<Found[]> {
    const statement = this.#stage.database.prepare<[number], Found>(`${select} LIMIT ${most}`);
    for (let last = -1; ; ) {
      const page = guarded(() => statement.all(last));
      const end = page.at(-1);
      if (end === undefined) return;
      yield page;
      last = end.id;
    }
  }

  /** Undefined for a repeated record, as in overlapping pages. */
  #itemOf(joined: StagedRow & KeyRow, seq: number): SourceItem | undefined {
    const { key, row, input: index, error } = joined;
    const input = this.#inputs[index] as Input;
    const { name, role, key: columns } = input.table;
    const broken = () => ({ kind: 'unreadable', seq, ref: refOf(this.#stage, row), table: name }) as const;
    if (error !== null) return { ...broken(), code: 'unreadable', message: error };
    if (key === null) {
      const named = columns.map((column) => JSON.stringify(column)).join(' and ');
      const { message } = problemOf('missing-id', { columns: named });
      return { ...broken(), code: 'missing-id', message };
    }
    const duplicate = this.#duplicateOf(joined, key);
    if (duplicate === 'repeated') return undefined;
    if (duplicate !== undefined)
      return { ...broken(), externalId: key, code: 'duplicate-id', message: duplicate.message };
    const group = role === 'group' ? this.#rowsOf(numberOf(groupList(name), this.#lists), key) : [];
    const own = group[0] ?? rowIn(input, { ...joined, id: row });
    if (own === undefined) return undefined;
    const found = this.#childrenOf(key, own, input);
    if (role === 'group') found.set(name, group);
    return { kind: 'ticket', seq, externalId: input.written?.(own) || key, row: own, children: found };
  }

  /** Another record with the same ID, unless it says the same. */
  #duplicateOf({ row, people }: KeyRow, key: string): { readonly message: string } | 'repeated' | undefined {
    const isHeld = people > 1;
    const other = isHeld ? this.#sameKey?.all(key).find((each) => each !== row) : this.#sameKey?.get(key);
    if (other === undefined || other === row) return undefined;
    const [one, own] = [this.#stage.get(other), this.#stage.get(row)];
    if (other < row && one.text === own.text) return 'repeated';
    const file = this.#files.find(({ id }) => id === one.file)?.name ?? '';
    const place = `${one.file === own.file ? '' : `${file}, `}line ${one.line}`;
    return problemOf(`duplicate-id:${isHeld ? 'held' : 'later'}`, { id: JSON.stringify(key), place });
  }

  #childrenOf(externalId: string, row: Row, input: Input): Map<string, readonly Row[]> {
    const found = new Map<string, readonly Row[]>();
    for (const { name, parent, alternate, list } of this.#children) {
      const keyIn = (of: Input | undefined, from: Row) =>
        of?.keys.find((key) => key.list === alternate)?.read(from) ?? '';
      const inputOf = (from: Row) =>
        this.#inputs.find(({ table, file }) => table.name === parent && file.id === from.ref.file);
      const keys =
        parent !== TICKETS
          ? new Set(found.get(parent)?.map((from) => keyIn(inputOf(from), from)))
          : [alternate === undefined ? externalId : keyIn(input, row)];
      const rows = [...keys].flatMap((key) => this.#rowsOf(list, key));
      if (rows.length > 0) found.set(name, rows);
    }
    return found;
  }
}

/** A name that begins with `$` would be a path. */
function jsonKey(name: string): string {
  return `'${`$.${JSON.stringify(name)}`.replaceAll("'", "''")}'`;
}

function rowIn(input: Input | undefined, row: StagedRow): Row | undefined {
  const record = input?.file.read(row, input.selector);
  return record && rowOf(input?.table.name ?? '', record);
}

/** As people and spreadsheets may have written it. */
const folded = (key: string) => `ltrim(lower(${key}), '#0')`;

function refOf(stage: Stage, row: number): RecordRef {
  const { file, line } = stage.get(row);
  return { file, row, line };
}
