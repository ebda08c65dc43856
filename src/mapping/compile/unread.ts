/** What no rule reads: columns and keys over all rows, and the values of one ticket that a person would read. */

import type { UnmappedValue } from '../../domain/snapshot.ts';
import type { JsonObject, RecordRef, Row, SourceTicket } from '../../domain/source.ts';
import { valueAt } from '../../domain/source-file.ts';
import type { MappedTicket } from '../../domain/ticket.ts';
import type { TableColumns } from './columns.ts';
import type { Read } from './context.ts';
import { columnPatterns, keysOf, parsePath } from './paths.ts';
import {
  coverKey,
  isCustom,
  isForPeople,
  isNoise,
  isNothing,
  leavesOf,
  nth,
  sentences,
} from './unread-values.ts';

/** `true`: all of it is read. A level: some of its keys. */
type Known = true | Level;
type Level = Map<string, Known>;
/** Of a level: rules read the value itself too, where it is a text. */
const ITSELF = '\0';
type ReadColumn = Omit<Read, 'table'>;
type Reading = (ref: Pick<RecordRef, 'file'>) => Level;

/** JSON keys may be data, so their number is bounded. */
const MOST_COLUMNS = 2000;
const DEEPEST = 8;
const CHANNEL = /^(?:[a-z]+\.)?channel$/;
const MOST_VALUES = 5_000;
const LONGEST_VALUE = 60_000;

export interface UnusedColumn {
  readonly table: string;
  readonly column: string;
  readonly file: number;
  filled: number;
  text: number;
}

interface TableReading {
  readonly columns: TableColumns;
  readonly all: Reading;
  readonly sent: Reading;
  readonly keys: Reading;
  /** Undefined for columns left out on purpose. */
  readonly unread: Map<string, UnusedColumn | undefined>;
}

export interface UnreadRules {
  readonly sent: readonly Read[];
  readonly counted: readonly Read[];
  readonly ignored: readonly string[];
  readonly root: string;
  readonly named?: (
    column: string,
    text: string,
  ) => { readonly column: string; readonly text: string } | undefined;
  readonly keepsIds: boolean;
  /** Tables of messages or events; a row that became none is kept whole. */
  readonly itemTables: ReadonlySet<string>;
}

export class Unread {
  readonly #tables = new Map<string, TableReading>();
  readonly #rules: UnreadRules;
  readonly #isIgnored: (table: string, name: string) => boolean;

  constructor(tables: Iterable<TableColumns>, rules: UnreadRules) {
    this.#rules = rules;
    this.#isIgnored = columnPatterns(['_reason', ...rules.ignored]);
    for (const columns of tables) {
      const { name, key, parentKey = [], latest = [], lookups = [] } = columns.table;
      const keys = [key, parentKey, latest, ...lookups].flat().map((column) => ({ column }));
      const [sent, counted] = [rules.sent, rules.counted].map((reads) =>
        reads.filter(({ table }) => table === name),
      ) as [Read[], Read[]];
      this.#tables.set(name, {
        columns,
        all: readingOf(columns, [...sent, ...counted, ...keys]),
        sent: readingOf(columns, [...sent, ...keys]),
        keys: readingOf(columns, keys),
        unread: new Map(),
      });
    }
  }

  /** Called once for each row of the export. */
  see({ table: name, ref, object }: Row): void {
    const table = this.#tables.get(name);
    if (table === undefined || object === undefined) return;
    const { unread } = table;
    walk(object, table.all(ref), '', '', {
      other: () => {},
      unread: (column, value) => {
        if (typeof value === 'string' && value.trim() === '') return;
        if (!unread.has(column) && unread.size < MOST_COLUMNS)
          unread.set(column, this.#newColumn(name, column, ref));
        const counted = unread.get(column);
        if (counted === undefined) return;
        counted.filled++;
        counted.text += sentences(value);
      },
    });
  }

  #newColumn(table: string, column: string, { file }: RecordRef): UnusedColumn | undefined {
    const last = column.split(/\[\]\.|\./).at(-1) ?? column;
    if ([last, column].some((name) => this.#isIgnored(table, name))) return undefined;
    return { table, column, file, filled: 0, text: 0 };
  }

  columns(): UnusedColumn[] {
    return [...this.#tables.values()]
      .flatMap(({ unread }) => [...unread.values()].filter((column) => column !== undefined))
      .sort((a, b) => b.filled - a.filled);
  }

  /** Unread values, without copies of what rules read elsewhere in the ticket. */
  valuesOf(
    ticket: SourceTicket,
    { messages, events }: Pick<MappedTicket, 'messages' | 'events'>,
    lookedUp: Iterable<Row>,
  ): UnmappedValue[] {
    const { root, itemTables, named } = this.#rules;
    const [values, known]: [UnmappedValue[], UnmappedValue[]] = [[], []];
    const covered = new Set<string>();
    const made = new Set<RecordRef>([...messages, ...events].map(({ ref }) => ref));
    const addRow = (row: Row, name: string, isLeft = false) => {
      const table = this.#tables.get(row.table);
      if (table === undefined || row.object === undefined) return;
      const add = (column: string, text: string, item: string) => {
        if (values.length >= MOST_VALUES || isNoise(text)) return;
        const found = named?.(column, text);
        if (found !== undefined) known.push({ table: row.table, row: item, ...found });
        else if (this.#isKept(row.table, column, text))
          values.push({ table: row.table, row: item, column, text: text.slice(0, LONGEST_VALUE) });
      };
      walk(row.object, (isLeft ? table.keys : table.sent)(row.ref), '', name, {
        read: (column, text) => covered.add(coverKey(column, text)),
        other: add,
        unread: (column, value, item) => leavesOf(value, column, item, add),
      });
    };
    if (!ticket.children.has(ticket.row.table)) addRow(ticket.row, '');
    for (const [table, rows] of ticket.children)
      for (const [index, row] of rows.entries()) {
        const isLeft = table !== root && itemTables.has(table) && !made.has(row.ref);
        addRow(row, table === root && rows.length === 1 ? '' : String(index + 1), isLeft);
      }
    for (const row of lookedUp) addRow(row, this.#nameOf(row));
    const others = values.filter(
      ({ column, text }) => isCustom(column) || CHANNEL.test(column) || !covered.has(coverKey(column, text)),
    );
    return [...known, ...others];
  }

  #isKept(table: string, column: string, text: string): boolean {
    const { root, keepsIds } = this.#rules;
    const parts = column.split(/\[\]\.|\./);
    const names = [column, ...parts, ...parts.map((_, at) => parts.slice(0, at + 1).join('.'))];
    // Layouts ignore the surroundings of a channel, and a person asks for the channel.
    const isChannel = table === root && CHANNEL.test(column);
    if (!isChannel && names.some((name) => this.#isIgnored(table, name))) return false;
    return isCustom(column) ? text !== '' : isForPeople(column, text, keepsIds);
  }

  /** A looked-up row goes by its key. */
  #nameOf({ table, ref, object = {} }: Row): string {
    const { columns } = this.#tables.get(table) ?? {};
    const keys = columns?.table.lookups?.[0] ?? [];
    const values = keys.map((key) =>
      valueAt(object, columns?.headers.get(ref.file)?.find(key)?.keys ?? [key]),
    );
    return values
      .map((value) => (isNothing(value) ? '' : String(value)))
      .join(' ')
      .slice(0, 80);
  }
}

/** A cell is read as a whole, even if rules take a part. */
function readingOf(columns: TableColumns, reads: readonly ReadColumn[]): Reading {
  const [csv, json]: [Level, Level] = [new Map(), new Map()];
  for (const { paths } of columns.headers.values()) for (const keys of paths) levelAt(csv, keys.slice(0, -1));
  for (const { column, list, pick } of reads) {
    for (const { header, keys, indexes, isObject } of list === undefined ? columns.inHeaders(column) : [])
      for (const path of indexes.flatMap((index) => [header.paths[index] ?? []]))
        if (pick === undefined || isObject !== true || pick.includes(path[keys.length] ?? ''))
          learn(csv, path);
    for (const name of list === undefined ? columns.names(column) : [column]) {
      const steps = parsePath(name);
      // Items read unchanged are read with their list.
      if (list !== undefined && steps.length === 0) continue;
      const keys = keysOf([...(list ?? []), ...steps]);
      for (const inner of pick?.map((key) => [key]) ?? [[]]) learn(json, [...keys, ...inner]);
    }
  }
  return ({ file }) => (columns.headers.has(file) ? csv : json);
}

function learn(known: Level, keys: readonly string[]): void {
  const last = keys.at(-1);
  if (last === undefined) return;
  const level = levelAt(known, keys.slice(0, -1));
  const there = level.get(last);
  if (there === undefined) level.set(last, true);
  else if (there !== true) there.set(ITSELF, true);
}

function levelAt(known: Level, keys: readonly string[]): Level {
  let level = known;
  for (const key of keys) {
    const there = level.get(key);
    const next =
      there === undefined || there === true ? new Map<string, Known>(there && [[ITSELF, there]]) : there;
    level.set(key, next);
    level = next;
  }
  return level;
}

interface Walked {
  read?(column: string, text: string): void;
  unread(column: string, value: unknown, row: string): void;
  other(column: string, text: string, row: string): void;
}

/** `row`: which of the rows and items it is of. */
function walk(value: unknown, known: Known, column: string, row: string, on: Walked, depth = 0): void {
  if ((known === true && on.read === undefined) || isNothing(value)) return;
  if (typeof value !== 'object' || value === null) {
    if (known === true || known.has(ITSELF)) on.read?.(column, String(value));
    else on.other(column, String(value), row);
  } else if (depth > DEEPEST) on.other(column, JSON.stringify(value), row);
  else if (Array.isArray(value)) {
    for (const [index, element] of value.entries())
      if (!Array.isArray(element)) walk(element, known, `${column}[]`, nth(row, index), on, depth + 1);
  } else
    for (const key in value) {
      const inner = (value as JsonObject)[key];
      const name = column === '' ? key : `${column}.${key}`;
      const readOfIt = known === true ? true : known.get(key);
      if (readOfIt !== undefined) walk(inner, readOfIt, name, row, on, depth + 1);
      else if (!isNothing(inner)) on.unread(name, inner, row);
    }
}
