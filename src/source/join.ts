/**
 * Staged rows → whole tickets. Two temporary tables in the database of the rows: `key` says by which keys a row is found, as
 * messages by their ticket or users by their address, and `joined` has each ticket once, in the order of the export.
 */
import { AppError } from '../domain/errors.ts';
import type { JoinedExport, JoinInput, JoinPlan, JoinTable, KeySpec } from '../domain/join-plan.ts';
import type { RecordRef, Row, SourceItem, UnmatchedRow, UnreadableRow } from '../domain/source.ts';
import { type RecordSelector, rowOf, type SourceFile, selectObject } from '../domain/source-file.ts';
import type { Database } from '../sqlite/database.ts';
import { joinKey, type KeyReader, keyReader, type RowValues, versionReader } from './keys.ts';
import type { StagedExport } from './open-export.ts';
import { guarded } from './problems.ts';
import type { Stage } from './stage.ts';

/** An input of the plan, with its file and its readers of keys; inputs of tickets come first. */
interface Input {
  readonly index: number;
  readonly table: JoinTable;
  readonly file: SourceFile;
  readonly selector: RecordSelector | undefined;
  /** Under which lists its rows are found. */
  readonly keys: readonly { readonly list: string; readonly read: KeyReader; readonly keepsEmpty?: true }[];
  readonly version: ((row: RowValues) => number | string) | undefined;
}

/** The list of all tickets. */
const TICKETS = '';
const groupList = (table: string) => `group ${table}`;
const childList = (table: string) => `child ${table}`;
/** Tickets by other columns than their external ID, or rows of a look-up table. */
const columnList = (table: string, columns: KeySpec) => `${table} ${JSON.stringify(columns)}`;

const SCHEMA = `
  DROP TABLE IF EXISTS temp.key;
  DROP TABLE IF EXISTS temp.joined;
  CREATE TEMP TABLE key (id INTEGER PRIMARY KEY, list INTEGER, key TEXT, row INTEGER, input INTEGER, version, error TEXT);
  CREATE TEMP TABLE joined (id INTEGER PRIMARY KEY, key TEXT, row INTEGER, input INTEGER, error TEXT)`;

/** Of several versions of a row only the greatest stays, and of equal ones the last. */
const SEAL = `
  DELETE FROM key WHERE id IN (SELECT id FROM (
    SELECT id, row_number() OVER (PARTITION BY list, key ORDER BY version DESC, id DESC) AS place FROM key
    WHERE version IS NOT NULL) WHERE place > 1);
  CREATE INDEX key_row ON key (list, key, row)`;

/** Of a row that cannot be read, for a person to find it. */
const EXCERPT = 80;
const CACHED = 10_000;
/** Tickets a chunk: each may be large. */
const PAGE = 4;

/** The files must stay open as long as the joined export is used. Throws AppError `source` for a column that is missing. */
export function joinExport(files: StagedExport, plan: JoinPlan, signal: AbortSignal): JoinedExport {
  const inputs = inputsOf(plan, files.files);
  const { database } = files.stage;
  const lists = guarded(() => load(database, inputs, signal));
  return joined(files, plan, inputs, lists);
}

function inputsOf({ tables }: JoinPlan, files: readonly SourceFile[]): Input[] {
  const alternates = tables.flatMap(({ parentKey }) => (parentKey === undefined ? [] : [parentKey]));
  return tables
    .toSorted((a, b) => Number(isOfTickets(b)) - Number(isOfTickets(a)))
    .flatMap((table) => table.inputs.map((input) => ({ table, input })))
    .map(({ table, input }, index): Input => {
      const file = files.find(({ id }) => id === input.file);
      if (file === undefined)
        throw new AppError('internal', `The plan names file ${input.file}, which is not open.`);
      const byColumns = (name: string, all: readonly KeySpec[]) =>
        all.map((columns) => ({ list: columnList(name, columns), read: keyReader(columns, file) }));
      return {
        index,
        table,
        file,
        selector: input.selector,
        keys: [
          ...ownKey(table, input, file),
          ...byColumns(table.name, table.lookups ?? []),
          ...(isOfTickets(table) ? byColumns(TICKETS, alternates) : []),
        ],
        version: table.latest === undefined ? undefined : versionReader(table.latest, file),
      };
    });
}

function isOfTickets({ role }: JoinTable): boolean {
  return role === 'root' || role === 'group';
}

/** Of the external ID, or of the ticket that a child names. */
function ownKey({ name, role, key }: JoinTable, input: JoinInput, file: SourceFile): Input['keys'] {
  if (role === 'lookup') return [];
  const list = role === 'root' ? TICKETS : role === 'group' ? groupList(name) : childList(name);
  return [{ list, read: keyReader(input.key ?? key, file), keepsEmpty: true }];
}

/** Notes the keys of every row of the plan, and returns the numbers of the lists. */
function load(database: Database, inputs: readonly Input[], signal: AbortSignal): Lists {
  database.exec(SCHEMA);
  const lists: Lists = new Map();
  const add = database.prepare('INSERT INTO key VALUES (NULL, ?, ?, ?, ?, ?, ?)');
  const passName = ({ file, selector }: Input) => `${file.id} ${JSON.stringify(selector?.path)}`;
  for (const pass of Map.groupBy(inputs, passName).values()) {
    const [owner] = pass;
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
            add.run(numberOf(list, lists), null, row, input.index, null, error);
          } else if (typeof object === 'object') {
            const values = { ...record, object };
            const version = input.version?.(values) ?? null;
            for (const { list, read, keepsEmpty } of input.keys) {
              const key = read(values);
              if (key !== '' || keepsEmpty === true)
                add.run(numberOf(list, lists), key || null, row, input.index, version, null);
            }
          }
        }
  }
  database.exec(SEAL);
  const items = 'INSERT INTO joined SELECT NULL, key, row, input, error FROM';
  database.prepare(`${items} key WHERE list = ? ORDER BY input, id`).run(numberOf(TICKETS, lists));
  for (const { role, name } of new Set(inputs.map(({ table }) => table)))
    if (role === 'group')
      database
        .prepare(
          `${items} (SELECT *, min(id) AS first FROM key WHERE list = ? GROUP BY coalesce(key, id)) ORDER BY first`,
        )
        .run(numberOf(groupList(name), lists));
  database.exec('CREATE INDEX joined_key ON joined (key, id)');
  return lists;
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
}

function joined(
  { files, stage }: StagedExport,
  plan: JoinPlan,
  inputs: readonly Input[],
  lists: Lists,
): JoinedExport {
  const { database } = stage;
  const children = plan.tables.filter(({ role }) => role === 'child');
  const first = database
    .prepare<[string], number>('SELECT row FROM joined WHERE key = ? ORDER BY id')
    .pluck();
  const find = database.prepare<[number, string], { row: number; input: number }>(
    'SELECT row, input FROM key WHERE list = ? AND key = ? ORDER BY row',
  );
  const rowsOf = (list: string, key: string): Row[] =>
    key === ''
      ? []
      : find.all(numberOf(list, lists), key).flatMap(({ row, input }) => rowIn(inputs[input], row) ?? []);
  /** A page at a time, so that nothing grows and no statement stays open. `select` takes the last id that was seen. */
  const pages = function* <Found extends { readonly id: number }>(
    select: string,
    most = 500,
  ): Generator<Found[]> {
    const statement = database.prepare<[number], Found>(`${select} LIMIT ${most}`);
    for (let last = -1; ; ) {
      const page = statement.all(last);
      const end = page.at(-1);
      if (end === undefined) return;
      yield page;
      last = end.id;
    }
  };
  const childrenOf = (externalId: string, row: Row, input: Input): Map<string, readonly Row[]> => {
    const found = new Map<string, readonly Row[]>();
    for (const { name, parentKey } of children) {
      const alternate = parentKey && columnList(TICKETS, parentKey);
      const read = input.keys.find(({ list }) => list === alternate)?.read;
      const rows = rowsOf(childList(name), alternate === undefined ? externalId : (read?.(row) ?? ''));
      if (rows.length > 0) found.set(name, rows);
    }
    return found;
  };
  /** Undefined for the same record once more, as in pages that overlap. */
  const itemOf = ({ key, row, input: index, error }: KeyRow, seq: number): SourceItem | undefined => {
    const input = inputs[index] as Input;
    const { name, role, key: columns } = input.table;
    const ref = refOf(stage, row);
    const broken = { kind: 'unreadable', seq, ref, table: name } as const;
    if (error !== null) return { ...broken, code: 'unreadable', message: error };
    if (key === null) {
      const named = columns.map((column) => JSON.stringify(column)).join(' and ');
      const message = `The record has no value in ${named}, so it has no external id.`;
      return { ...broken, code: 'missing-id', message };
    }
    const holder = first.get(key);
    if (holder !== undefined && holder !== row) {
      const [one, other] = [stage.get(holder), stage.get(row)];
      if (one.file !== other.file && one.text === other.text) return undefined;
      const where = one.file === ref.file ? '' : `${files.find(({ id }) => id === one.file)?.name ?? ''}, `;
      const message = `Duplicate ID ${JSON.stringify(key)}: already used in ${where}line ${one.line}. Only the first record is imported.`;
      return { ...broken, externalId: key, code: 'duplicate-id', message };
    }
    const group = role === 'group' ? rowsOf(groupList(name), key) : [];
    const own = group[0] ?? rowIn(input, row);
    if (own === undefined) return undefined;
    const found = childrenOf(key, own, input);
    if (role === 'group') found.set(name, group);
    return { kind: 'ticket', seq, externalId: key, row: own, children: found };
  };
  let cache = new Map<string, Row | undefined>();
  return {
    *tickets(signal) {
      let seq = 0;
      for (const page of pages<KeyRow>('SELECT * FROM joined WHERE id > ? ORDER BY id', PAGE)) {
        signal.throwIfAborted();
        const items = page.flatMap((each) => {
          const item = itemOf(each, seq);
          if (item !== undefined) seq++;
          return item ?? [];
        });
        if (items.length > 0) yield items;
      }
    },
    lookup: (table, columns, values) => {
      const key = joinKey(values.map((value) => value.trim()));
      const list = columnList(table, columns);
      if (!inputs.some(({ keys }) => keys.some((each) => each.list === list)))
        throw new AppError('internal', `The plan has no lookup in ${table} by ${columns.join(', ')}.`);
      const name = `${list} ${key}`;
      if (!cache.has(name)) {
        if (cache.size >= CACHED) cache = new Map();
        cache.set(name, rowsOf(list, key)[0]);
      }
      return cache.get(name);
    },
    *unmatchedRows(): Generator<UnmatchedRow> {
      for (const { name, parentKey } of children) {
        const parent =
          parentKey === undefined
            ? 'SELECT 1 FROM joined AS parent WHERE'
            : `SELECT 1 FROM key AS parent WHERE list = ${numberOf(columnList(TICKETS, parentKey), lists)} AND`;
        const select = `SELECT id, key, row FROM key WHERE list = ${numberOf(childList(name), lists)} AND id > ?
          AND NOT EXISTS (${parent} parent.key = key.key) ORDER BY id`;
        for (const page of pages<KeyRow>(select))
          for (const { key, row } of page) yield { table: name, parent: key ?? '', ref: refOf(stage, row) };
      }
    },
    *unreadableRows(): Generator<UnreadableRow> {
      const select = `SELECT row AS id, row, min(input) AS input, error FROM key
        WHERE list = ${numberOf('unreadable', lists)} AND row > ? GROUP BY row ORDER BY row`;
      for (const page of pages<KeyRow & { error: string }>(select))
        for (const { row, input, error } of page) {
          const { text, raw } = stage.get(row);
          const table = inputs[input]?.table;
          yield {
            table: table?.name ?? '',
            ref: refOf(stage, row),
            message: error,
            text: (typeof raw === 'string' ? raw : text).slice(0, EXCERPT),
            isOfTicket: table?.role === 'child',
          };
        }
    },
    rowCounts: () => {
      const count = database.prepare<[number], number>('SELECT count(*) FROM key WHERE list = ?').pluck();
      return new Map(children.map(({ name }) => [name, count.get(numberOf(childList(name), lists)) ?? 0]));
    },
  };
}

function rowIn(input: Input | undefined, row: number): Row | undefined {
  const record = input?.file.at({ row }, input.selector);
  return record && rowOf(input?.table.name ?? '', record);
}

function refOf(stage: Stage, row: number): RecordRef {
  const { file, line } = stage.get(row);
  return { file, row, line };
}
