/** What of the export no rule reads: columns and keys, counted over all rows, and the values of one ticket that a person would read. */

import { plainHeader, type RecordRef, type Row, type SourceTicket } from '../../domain/source.ts';
import { valueAt } from '../../domain/source-file.ts';
import type { MappedTicket } from '../../domain/ticket.ts';
import type { UnmappedValue } from '../../domain/unmapped.ts';
import { fitsWildcard } from '../detect/wildcard.ts';
import type { Read } from '../language/references.ts';
import type { TableColumns } from './column-access.ts';
import { type PathStep, parsePath } from './column-path.ts';
import { isNothing, leavesOf, nth, sentences, UnmappedValues } from './unread-values.ts';

/** `true`: rules read all of it. A level: rules read some of its keys. */
type Known = true | Level;
type Level = Map<string, Known>;

/** Distinct keys that are remembered; JSON keys may be data. */
const MOST_COLUMNS = 2000;
const DEEPEST = 8;

export interface UnusedColumn {
  readonly table: string;
  readonly column: string;
  /** Id of the first file that has it. */
  readonly file: number;
  filled: number;
  /** Characters of what reads like sentences in it. */
  text: number;
}

interface TableReading {
  readonly columns: TableColumns;
  readonly all: Reading;
  /** What is sent comes from it. */
  readonly sent: Reading;
  /** Read to join rows, whatever is made of them. */
  readonly keys: Reading;
}

interface UnreadRules {
  readonly reads: readonly Read[];
  /** Columns that layout and settings leave out on purpose. */
  readonly ignored: readonly string[];
  readonly root: string;
  /** In an export of one's own an order_id is the number of the order. */
  readonly keepsIds: boolean;
  /** Tables whose rows become messages or events; one of which nothing became is kept as a whole. */
  readonly itemTables: ReadonlySet<string>;
}

export class Unread {
  readonly #tables: ReadonlyMap<string, TableReading>;
  readonly #rules: UnreadRules;
  readonly #isIgnored: (table: string, name: string) => boolean;
  readonly #found = new Map<string, UnusedColumn>();
  readonly #seen = new Set<number>();

  constructor(tables: Iterable<TableColumns>, rules: UnreadRules) {
    this.#rules = rules;
    // `_reason` is our own column in rejects
    this.#isIgnored = columnPatterns(['_reason', ...rules.ignored]);
    this.#tables = new Map(
      [...tables].map((columns) => {
        const { table } = columns;
        const keys = keyColumns(columns).map((column) => ({ column }));
        const reads = rules.reads.filter((read) => read.table === table.name);
        const sent = reads.filter(({ isSent }) => isSent);
        return [
          table.name,
          {
            columns,
            all: new Reading(columns, [...reads, ...keys]),
            sent: new Reading(columns, [...sent, ...keys]),
            keys: new Reading(columns, keys),
          },
        ];
      }),
    );
  }

  /** Counts what one row has; called once for each row of the export. */
  see(row: Row): void {
    const table = this.#tables.get(row.table);
    if (table === undefined || row.object === undefined) return;
    walk(row.object, table.all.of(row), '', '', {
      other: () => {},
      unread: (column, value) => {
        const name = column.split(/\[\]\.|\./).at(-1) ?? column;
        if (isBlank(value) || [name, column].some((each) => this.#isIgnored(row.table, each))) return;
        this.#count(row, column, value);
      },
    });
  }

  /** The same for a row that may come again and again. */
  seeOnce(row: Row): void {
    if (this.#seen.has(row.ref.row)) return;
    this.#seen.add(row.ref.row);
    this.see(row);
  }

  /** Most filled first. */
  columns(): UnusedColumn[] {
    return [...this.#found.values()].sort((a, b) => b.filled - a.filled);
  }

  clear(): void {
    this.#found.clear();
    this.#seen.clear();
  }

  /** What a person would read of a ticket and no rule does, without copies of what rules read elsewhere in it. */
  valuesOf(
    ticket: SourceTicket,
    { messages, events }: Pick<MappedTicket, 'messages' | 'events'>,
    lookedUp: Iterable<Row>,
  ): UnmappedValue[] {
    const { root, itemTables, keepsIds } = this.#rules;
    const found = new UnmappedValues(this.#isIgnored, root, keepsIds);
    const made = new Set<RecordRef>([...messages, ...events].map(({ ref }) => ref));
    if (!ticket.children.has(ticket.row.table)) this.#values(ticket.row, '', false, found);
    for (const [table, rows] of ticket.children)
      for (const [index, row] of rows.entries()) {
        const isLeft = table !== root && itemTables.has(table) && !made.has(row.ref);
        this.#values(row, table === root && rows.length === 1 ? '' : String(index + 1), isLeft, found);
      }
    for (const row of lookedUp) this.#values(row, this.#nameOf(row), false, found);
    return found.values();
  }

  #values(row: Row, name: string, isLeft: boolean, found: UnmappedValues): void {
    const table = this.#tables.get(row.table);
    if (table === undefined || row.object === undefined) return;
    const add = (column: string, text: string, item: string) => found.add(row.table, item, column, text);
    walk(row.object, (isLeft ? table.keys : table.sent).of(row), '', name, {
      read: (column, text) => found.cover(column, text),
      other: add,
      unread: (column, value, item) => leavesOf(value, column, item, add),
    });
  }

  /** A row that was looked up is called by the key that it was found by. */
  #nameOf({ table, ref, object = {} }: Row): string {
    const { columns } = this.#tables.get(table) ?? {};
    const keys = columns?.table.lookups?.[0] ?? [];
    const values = keys.map((key) => valueAt(object, columns?.header(ref.file)?.find(key)?.keys ?? [key]));
    return values
      .map((value) => (isNothing(value) ? '' : String(value)))
      .join(' ')
      .slice(0, 80);
  }

  #count({ table, ref }: Row, column: string, value: unknown): void {
    const key = `${table}\u0000${column}`;
    const known = this.#found.get(key);
    if (known !== undefined) {
      known.filled++;
      known.text += sentences(value);
    } else if (this.#found.size < MOST_COLUMNS)
      this.#found.set(key, { table, column, file: ref.file, filled: 1, text: sentences(value) });
  }
}

/** What rules read of the rows of a table. A cell is read as a whole, whatever rules take from its text. */
class Reading {
  readonly #columns: TableColumns;
  readonly #csv: Level = new Map();
  readonly #json: Level = new Map();

  constructor(columns: TableColumns, reads: readonly Pick<Read, 'column' | 'list' | 'pick'>[]) {
    this.#columns = columns;
    for (const keys of columns.parents()) levelAt(this.#csv, keys);
    for (const { column, list, pick } of reads) {
      for (const found of list === undefined ? columns.inHeaders(column) : [])
        for (const keys of found.indexes.flatMap((index) => [found.header.paths[index] ?? []]))
          if (pick === undefined || found.isObject !== true || pick.includes(keys[found.keys.length] ?? ''))
            learn(this.#csv, keys);
      for (const name of list === undefined ? columns.names(column) : [column])
        for (const key of pick ?? [undefined]) {
          const keys = keysOf([...(list ?? []), ...parsePath(name)]);
          // a list whose items are read as they are is read by what reads the list
          if (list === undefined || parsePath(name).length > 0)
            learn(this.#json, key === undefined ? keys : [...keys, key]);
        }
    }
  }

  of({ ref }: Row): Level {
    return this.#columns.header(ref.file) === undefined ? this.#json : this.#csv;
  }
}

function keysOf(steps: readonly PathStep[]): string[] {
  return steps.flatMap((step) => (step !== 'each' && 'key' in step ? [step.key] : []));
}

/** Where rules read a list and keys of its items, the items decide. */
function learn(known: Level, keys: readonly string[]): void {
  const last = keys.at(-1);
  if (last === undefined) return;
  const level = levelAt(known, keys.slice(0, -1));
  if (!level.has(last)) level.set(last, true);
}

function levelAt(known: Level, keys: readonly string[]): Level {
  let level = known;
  for (const key of keys) {
    const there = level.get(key);
    const next = there === undefined || there === true ? new Map<string, Known>() : there;
    level.set(key, next);
    level = next;
  }
  return level;
}

function keyColumns({ table }: TableColumns): string[] {
  const { key, parentKey = [], latest = [], lookups = [] } = table;
  return [key, parentKey, latest, ...lookups].flat();
}

interface Walked {
  /** Rules read it. Without this nothing that they read is entered. */
  read?(column: string, text: string): void;
  /** No rule reads it, or anything in it. */
  unread(column: string, value: unknown, row: string): void;
  /** A text where rules read keys of an object. */
  other(column: string, text: string, row: string): void;
}

/** Visits everything in a value, of which rules read `known`. `row`: which of the rows and items it is of. */
function walk(value: unknown, known: Known, column: string, row: string, on: Walked, depth = 0): void {
  if ((known === true && on.read === undefined) || isNothing(value)) return;
  if (typeof value !== 'object' || value === null) {
    if (known === true) on.read?.(column, String(value));
    else on.other(column, String(value), row);
  } else if (depth > DEEPEST) on.other(column, JSON.stringify(value), row);
  else if (Array.isArray(value)) {
    // of a list of lists rules read places
    for (const [index, element] of value.entries())
      if (!Array.isArray(element)) walk(element, known, `${column}[]`, nth(row, index), on, depth + 1);
  } else
    for (const [key, inner] of Object.entries(value)) {
      const name = column === '' ? key : `${column}.${key}`;
      const readOfIt = known === true ? true : known.get(key);
      if (readOfIt !== undefined) walk(inner, readOfIt, name, row, on, depth + 1);
      else if (!isNothing(inner)) on.unread(name, inner, row);
    }
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** Matches `id`, `_fivetran_*`, `*_link` and, for one table only, `metrics.*` or `users.locale`. Names compare as headers do. */
export function columnPatterns(patterns: readonly string[]): (table: string, name: string) => boolean {
  const names = new Set<string>();
  const globs: string[] = [];
  for (const pattern of patterns) {
    const plain = plainHeader(pattern);
    if (plain.includes('*')) globs.push(plain);
    else names.add(plain);
  }
  return (table, name) => {
    const plain = plainHeader(name);
    const full = `${plainHeader(table)}.${plain}`;
    if (names.has(plain) || names.has(full)) return true;
    return globs.some((glob) => fitsWildcard(glob, plain) || fitsWildcard(glob, full));
  };
}
