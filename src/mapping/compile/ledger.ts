/**
 * The place of each filled cell, by one walk a row after its ticket is mapped: sent, key, decided, the same as a sent cell,
 * technical, kept in the note, left with the fields of people, or lost.
 */
import { channel } from 'node:diagnostics_channel';
import { decodeHTML } from 'entities';
import type { Entry } from '../../domain/decisions.ts';
import type { UnmappedValue } from '../../domain/snapshot.ts';
import type { JsonObject, RecordRef, Row, SourceTicket } from '../../domain/source.ts';
import { textOf, valueAt } from '../../domain/source-file.ts';
import type { MappedTicket } from '../../domain/ticket.ts';
import { roughInstant } from '../../domain/written-time.ts';
import type { Layout } from '../language/layout.ts';
import { isAddress } from '../people/people.ts';
import { claimedBy, claimOf } from './aside.ts';
import { columnNames, type TableColumns } from './columns.ts';
import type { Read } from './context.ts';
import type { Entries } from './entries.ts';
import { fatePatterns, keysOf, parsePath } from './paths.ts';
import {
  cellsIn,
  coverKey,
  isCustom,
  isForPeople,
  isNoise,
  isNothing,
  isSentence,
  leavesOf,
  nth,
  sentences,
} from './unread-values.ts';
import { mailbox, mailboxes } from './values.ts';

/** Decided cell by cell: its word may be unknown, or another cell may have been taken. */
interface Doubt {
  readonly knows: ((value: unknown) => boolean)[];
  readonly means: ((value: unknown) => unknown)[];
  isChoice: boolean;
  /** Nothing is left of the cell where a part was read. */
  isWhole?: ((value: unknown) => boolean) | undefined;
  /** A cell about a person who may be someone else: other reads say more. */
  readonly isWeak?: true;
}
type Certain = 'sent' | 'key';
/** A level: some of its keys. */
type Known = Certain | Doubt | Level;
type Level = Map<string, Known>;
/** Reads of a level: rules read the value itself too, where it is a text. */
const ITSELF = '\0';
type Reading = (ref: Pick<RecordRef, 'file'>) => Level;
type ColumnRead = Omit<Read, 'table'>;

/** JSON keys may be data, so their number is bounded. */
const MOST_COLUMNS = 2000;
const DEEPEST = 8;
/** In an export of one's own: other numbers may be those of orders. */
const ROW_NUMBER = /(?:^|[.\]])_?id$/i;
const CHANNEL = /^(?:[a-z]+\.)?channel$/;
const MOST_VALUES = 5_000;
const LONGEST_VALUE = 60_000;
const MOST_SAMPLES = 20;
const LONGEST_SAMPLE = 200;

export type Fate = 'sent' | 'kept' | 'key' | 'left' | 'decided' | 'same' | 'technical' | 'lost';

export interface CellCount {
  readonly table: string;
  readonly column: string;
  readonly fate: Fate;
  readonly count: number;
  /** The row was looked up by a ticket. */
  readonly isAside?: true;
}

/** At the end of each survey, for tests of the sum. */
export const balances = channel('helpdesk-import:cells');

/** Some cells of a column in a row. */
interface Part {
  readonly fate: Fate;
  readonly cells: number;
  readonly value?: UnmappedValue | undefined;
}

interface Cell {
  readonly table: TableReading;
  readonly row: Row;
  readonly isOfTicket: boolean;
  readonly column: string;
  readonly parts: readonly Part[];
  readonly text: number;
  readonly isRead: boolean;
  readonly value?: unknown;
}

export interface TicketEnd {
  /** With its rows: rejected, or not selected. */
  readonly isLeft?: boolean;
  /** Values that its note does not have. */
  readonly notKept?: ReadonlyMap<UnmappedValue, 'same' | 'lost'> | undefined;
}

export interface UnusedColumn {
  readonly table: string;
  readonly column: string;
  readonly file: number;
  /** Rules read it, though not the counted cells. */
  readonly isRead: boolean;
  filled: number;
  kept: number;
  left: number;
  text: number;
  readonly values: Set<string>;
}

interface TableReading {
  readonly columns: TableColumns;
  readonly known: Reading;
  readonly keys: Reading;
  readonly counts: Map<string, UnusedColumn>;
  /** By column; only if `balances` has a subscriber. `aside`: of rows that tickets looked up. */
  readonly cells: Map<string, Map<Fate, number>> | undefined;
  readonly aside: Map<string, Map<Fate, number>>;
  /** Rows of people stay behind. */
  readonly left: { readonly rows: Map<number, number>; readonly columns: Set<string> };
}

export interface LedgerRules {
  readonly reads: readonly Read[];
  readonly layout: Pick<
    Layout,
    'tables' | 'aliases' | 'technical' | 'same' | 'people' | 'isOwn' | 'unknownFields'
  >;
  readonly isIgnored: (table: string, name: string) => boolean;
  readonly root: string;
  readonly named?: (
    column: string,
    text: string,
  ) => { readonly column: string; readonly text: string } | undefined;
  /** Tables of messages or events; a row that became none is kept whole. */
  readonly itemTables: ReadonlySet<string>;
  /** Counts beside those of cells. */
  readonly entries: Entries;
  readonly fileName: (of: { readonly file: number }) => string;
  /** In a note; a list of them alone keeps nothing. */
  readonly keeps: boolean;
  /** An agent is sent as an ID. */
  readonly isAgent: (address: string) => boolean;
}

export class Ledger {
  readonly #tables = new Map<string, TableReading>();
  readonly #rules: LedgerRules;
  readonly #isTechnical: (table: string, path: string) => boolean;
  readonly #people: ReadonlySet<string>;
  readonly #keepsAll: boolean;
  readonly #ignored = new Map<string, boolean>();
  readonly #seen = new Set<number>();
  /** The latest ticket's: its check decides what becomes of them. */
  #open: Cell[] = [];

  constructor(tables: Iterable<TableColumns>, rules: LedgerRules) {
    this.#rules = rules;
    const { technical = {}, same = {}, people = {}, isOwn, unknownFields } = rules.layout;
    const named = Object.entries(technical).map(([table, names]) => [
      table,
      names.flatMap((name) => columnNames(rules.layout, name)),
    ]);
    this.#isTechnical = fatePatterns(Object.fromEntries(named));
    this.#keepsAll = isOwn === true || unknownFields === true;
    this.#people = new Set(isOwn !== true ? Object.values(people).map(({ table }) => table) : []);
    for (const columns of tables) {
      const { name, key, parentKey = [], latest = [], lookups = [] } = columns.table;
      const keys = [key, parentKey, latest, ...lookups].flat().map((column) => readAs(column, 'key'));
      const copies = Object.keys(same[name] ?? {}).map((column) => ({
        ...readAs(column, 'value'),
        isChoice: true,
      }));
      const reads = rules.reads.filter(({ table }) => table === name);
      this.#tables.set(name, {
        columns,
        known: readingOf(columns, [...reads, ...copies, ...keys], this.#keepsAll, rules.isAgent),
        keys: readingOf(columns, keys, this.#keepsAll, rules.isAgent),
        counts: new Map(),
        cells: balances.hasSubscribers ? new Map() : undefined,
        aside: new Map(),
        left: { rows: new Map(), columns: new Set() },
      });
    }
  }

  /** `isFirst`: another ticket did not look it up before. */
  isOfPeople(row: Row, isFirst: boolean): boolean {
    const table = this.#tables.get(row.table);
    if (table === undefined || !this.#people.has(row.table)) return false;
    const { rows, columns } = table.left;
    if (isFirst) rows.set(row.ref.file, (rows.get(row.ref.file) ?? 0) + 1);
    if (isFirst && columns.size < MOST_COLUMNS)
      walk(row.object, table.known(row.ref), '', '', {
        other: () => {},
        unread: (column) => columns.add(column),
      });
    return true;
  }

  columns(): UnusedColumn[] {
    this.settle();
    return [...this.#tables.values()]
      .flatMap(({ counts }) => [...counts.values()])
      .sort((a, b) => b.filled - a.filled);
  }

  rows(): Entry[] {
    const { entries, fileName, keeps } = this.#rules;
    const columns = this.columns().flatMap(({ table: at, column: what, filled: all, kept, left, ...of }) => {
      const entry = { what, at, file: fileName(of) };
      const isNoted = keeps ? kept : 0;
      const counts = { kept: isNoted, columns: all - left - isNoted };
      return Object.entries(counts).flatMap(([kind, count]) =>
        count > 0 ? [{ kind, ...entry, count }] : [],
      );
    });
    const people = [...this.#tables].flatMap(([at, { left }]) => {
      const what = [...left.columns].join(', ');
      const rows = what === '' ? [] : [...left.rows];
      return rows.map(([file, count]) => ({ kind: 'people', at, what, file: fileName({ file }), count }));
    });
    return [...columns, ...entries.rows(), ...people];
  }

  /** Values for the note; `isKept` false: they are lost. `names`: of people who are not sent. Nothing is counted before `settle`. */
  account(
    ticket: SourceTicket,
    mapped: MappedTicket,
    lookedUp: Iterable<Row>,
    isKept: boolean,
    names: readonly Pick<UnmappedValue, 'column' | 'text'>[] = [],
  ): UnmappedValue[] {
    const { root, itemTables, named, isAgent } = this.#rules;
    const [values, known]: [UnmappedValue[], UnmappedValue[]] = [[], []];
    const covered = new Set<string>();
    const made = new Set<RecordRef>([...mapped.messages, ...mapped.events].map(({ ref }) => ref));
    const isSaid = saidIn(mapped, names);
    const [unread, doubts]: [(() => void)[], (() => void)[]] = [[], []];
    const addRow = (row: Row, name: string, isOfTicket = true, isLeft = false) => {
      const table = this.#tables.get(row.table);
      if (table === undefined || row.object === undefined) return;
      const isAgain = !isOfTicket && this.#seen.has(row.ref.row);
      const put = (column: string, parts: Cell['parts'], text = 0, isRead = true, value?: unknown) => {
        if (!isAgain) this.#open.push({ table, row, isOfTicket, column, parts, text, isRead, value });
      };
      const fateOf = (column: string, text: string, item: string, cells = 1): Part => {
        if (isNoise(text) || text.trim() === '') return { fate: 'technical', cells };
        const left = this.#leftAs(row.table, column, text);
        const found = left === 'left' ? undefined : named?.(column, text);
        if (left !== undefined && found === undefined) return { fate: left, cells };
        if (this.#isClaim(row.table, column, text)) return { fate: 'decided', cells };
        const isOwn = found !== undefined || isCustom(column) || CHANNEL.test(column);
        if (!isOwn && covered.has(coverKey(column, text))) return { fate: 'same', cells };
        const isOfUse = found !== undefined || this.#isForPeople(column, text);
        if (!isKept || !isOfUse || values.length >= MOST_VALUES) return { fate: 'lost', cells };
        const value = { table: row.table, row: item, column, text: text.slice(0, LONGEST_VALUE), ...found };
        (found === undefined ? values : known).push(value);
        return { fate: 'kept', cells, value };
      };
      const later =
        (column: string, text: string, item: string, cells = 1) =>
        () =>
          put(column, [fateOf(column, text, item, cells)]);
      walk(row.object, (isLeft ? table.keys : table.known)(row.ref), '', name, {
        certain: (fate, column, text, cells, item) => {
          // One of several people is sent, or the person by another address.
          const isOther = fate === 'sent' && !this.#keepsAll && isAddress(text) && !isAgent(text);
          if ((isOther || isSeveral(text)) && !isSaid(text))
            return void doubts.push(later(column, text, item));
          covered.add(coverKey(column, text));
          if (table.cells !== undefined) put(column, [{ fate, cells }]);
        },
        doubt: ({ knows, means, isChoice }, column, text, item) => {
          const isSent = () =>
            [text, ...means.map((of) => of(text))].some((said) => typeof said === 'string' && isSaid(said));
          const fate = knows.some((is) => is(text)) ? 'decided' : isChoice && isSent() ? 'same' : undefined;
          if (fate === undefined) doubts.push(later(column, text, item));
          else if (table.cells !== undefined) put(column, [{ fate, cells: 1 }]);
        },
        other: (column, text, item, cells) => unread.push(later(column, text, item, cells)),
        unread: (column, value, item) =>
          unread.push(() => {
            const parts: Part[] = [];
            leavesOf(value, column, item, (leaf, text, at, cells) =>
              parts.push(fateOf(leaf, text, at, cells)),
            );
            const names = cellsIn(value) - parts.reduce((sum, { cells }) => sum + cells, 0);
            // A sentence in a technical column is kept, and no conversation.
            const said = this.#isTechnical(row.table, column) ? 0 : sentences(value);
            put(column, [...parts, { fate: 'key', cells: names }], said, false, value);
          }),
      });
    };
    const table = this.#tables.get(root);
    for (const { column, text } of isKept ? names : []) {
      const value = { table: root, row: '', column, text: text.slice(0, LONGEST_VALUE) };
      known.push(value);
      const parts = [{ fate: 'kept', cells: 0, value }] as const;
      if (table !== undefined)
        this.#open.push({ table, row: ticket.row, isOfTicket: true, column, parts, text: 0, isRead: true });
    }
    if (!ticket.children.has(ticket.row.table)) addRow(ticket.row, '');
    for (const [table, rows] of ticket.children)
      for (const [index, row] of rows.entries()) {
        const isLeft = table !== root && itemTables.has(table) && !made.has(row.ref);
        addRow(row, table === root && rows.length === 1 ? '' : String(index + 1), true, isLeft);
      }
    for (const row of lookedUp) addRow(row, this.#nameOf(row), false);
    for (const account of [...unread, ...doubts]) account();
    return [...known, ...values];
  }

  /** `end`: what became of the latest ticket, checked and selected; without it all of its values were sent or kept. */
  settle({ isLeft = false, notKept }: TicketEnd = {}): void {
    this.#rules.entries.settle(isLeft);
    for (const { table, row, isOfTicket, column, parts, text, isRead, value } of this.#open.splice(0)) {
      if (!isOfTicket && !isLeft) this.#seen.add(row.ref.row);
      const fates = parts.map(({ fate, value }) => (value && notKept?.get(value)) ?? fate);
      const told = fates.filter((fate) => fate === 'kept' || fate === 'lost');
      if (told.length > 0) {
        const { table: name, ref } = row;
        const nothing = { filled: 0, kept: 0, left: 0, text: 0, values: new Set<string>() };
        const entry = table.counts.get(column) ?? { table: name, column, file: ref.file, isRead, ...nothing };
        if (entry.filled > 0 || table.counts.size < MOST_COLUMNS) table.counts.set(column, entry);
        entry.filled++;
        entry.kept += Number(!isLeft && !told.includes('lost'));
        entry.left += Number(isLeft);
        entry.text += text;
        for (const each of entry.values.size < MOST_SAMPLES ? [value].flat() : [])
          if (!isNothing(each) && typeof each !== 'object')
            entry.values.add(textOf(each).trim().slice(0, LONGEST_SAMPLE));
      }
      for (const [at, { cells }] of parts.entries())
        if (isOfTicket) addCells(table, column, isLeft ? 'left' : (fates[at] ?? 'lost'), cells);
        else addCells(table, column, fates[at] ?? 'lost', cells, table.aside);
    }
  }

  /** Rows of a ticket that a rule leaves out. */
  leave(rows: readonly Row[]): void {
    for (const { table: name, object } of rows) {
      const table = this.#tables.get(name);
      if (table?.cells === undefined) continue;
      for (const key in object) addCells(table, key, 'left', cellsIn(object[key]));
    }
  }

  *cells(): Generator<CellCount> {
    this.settle();
    for (const [table, { cells = new Map(), aside }] of this.#tables) {
      for (const [column, fates] of cells)
        for (const [fate, count] of fates) yield { table, column, fate, count };
      for (const [column, fates] of aside)
        for (const [fate, count] of fates) yield { table, column, fate, count, isAside: true };
    }
  }

  /** A sentence is nothing technical, but in a table of names and figures that `own-tables` counts. */
  #leftAs(table: string, column: string, text: string): 'technical' | 'left' | undefined {
    const isNamed = this.#isTechnical(table, column) || (this.#keepsAll && ROW_NUMBER.test(column));
    if (isNamed && (!isSentence(text) || this.#isOfOldHelpdesk(table))) return 'technical';
    return this.#isIgnored(table, column) ? 'left' : undefined;
  }

  /** It was compared; IDs say more than their number. */
  #isClaim(table: string, column: string, text: string): boolean {
    const { root, itemTables } = this.#rules;
    const claim = claimOf(lastOf(column));
    if (claim === 'IDs of files' || claim === 'messages' || claimedBy(claim, text) === undefined)
      return false;
    return table === root || itemTables.has(table);
  }

  #isOfOldHelpdesk(table: string): boolean {
    const { technical, tables } = this.#rules.layout;
    return tables[table]?.role === 'lookup' && technical?.[table]?.includes('*') === true;
  }

  /** By the person's word. */
  #isIgnored(table: string, column: string): boolean {
    const known = this.#ignored.get(`${table} ${column}`);
    if (known !== undefined) return known;
    const parts = column.split(/\[\]\.|\./);
    const names = [column, ...parts, ...parts.map((_, at) => parts.slice(0, at + 1).join('.'))];
    const found = names.some((name) => this.#rules.isIgnored(table, name));
    if (this.#ignored.size < MOST_COLUMNS) this.#ignored.set(`${table} ${column}`, found);
    return found;
  }

  #isForPeople(column: string, text: string): boolean {
    if (this.#keepsAll || isCustom(column) || isForPeople(column, text)) return true;
    return claimOf(lastOf(column)) === 'IDs of files';
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

function addCells({ cells }: TableReading, column: string, fate: Fate, count: number, to = cells): void {
  if (cells === undefined || to === undefined || count === 0) return;
  const fates = to.get(column) ?? new Map<Fate, number>();
  to.set(column, fates.set(fate, (fates.get(fate) ?? 0) + count));
}

const lastOf = (column: string): string => column.split(/\[\]\.?|\./).at(-1) || column;

const readAs = (column: string, use: Read['use']): ColumnRead => ({ column, use, isChoice: false });

const WORD = /[\p{L}\p{N}]+/gu;
/** Characters of a text that no other text holds by chance. */
const LONG = 40;
const LONGEST_LIST = 1000;

/** True if the ticket as sent, or `names`, has every word of a text, or its time. Read once, and only if a cell asks. */
function saidIn(
  { ticket, messages, events }: MappedTicket,
  names: readonly Pick<UnmappedValue, 'text'>[],
): (text: string) => boolean {
  let whole: Set<string> | undefined;
  let words: Set<string> | undefined;
  const gather = (to: Set<string>, value: unknown): Set<string> => {
    if (typeof value === 'string' || typeof value === 'number') to.add(String(value));
    else if (typeof value === 'object' && value !== null)
      for (const inner of Object.values(value)) gather(to, inner);
    return to;
  };
  const split = (texts: Iterable<string>): Set<string> => {
    const found = new Set<string>();
    for (const text of texts) {
      for (const [word] of plain(text).matchAll(WORD)) found.add(word);
      const at = text.length < 40 ? roughInstant(text) : undefined;
      if (at !== undefined) found.add(`at ${at}`);
    }
    return found;
  };
  return (text) => {
    whole ??= gather(new Set(), [
      ticket,
      messages.map(({ value }) => value),
      events.map(({ value }) => value),
      names.map(({ text }) => text),
    ]);
    // A long text inside another one needs no list of words: Zendesk's description is its first message's text.
    if (whole.has(text) || (text.length >= LONG && [...whole].some((said) => said.includes(text))))
      return true;
    words ??= split(whole);
    const at = text.length < 40 ? roughInstant(text) : undefined;
    if (at !== undefined && words.has(`at ${at}`)) return true;
    for (const [word] of plain(text).matchAll(WORD)) if (!words.has(word)) return false;
    return true;
  };
}

const isSeveral = (text: string): boolean =>
  text.length < LONGEST_LIST && text.indexOf('@') !== text.lastIndexOf('@') && mailboxes(text).length > 1;

const plain = (text: string): string =>
  (/[<&]/.test(text) ? decodeHTML(text.replace(/<[^<>]*>/g, ' ')) : text).toLowerCase();

/** A cell is read as a whole, even if rules take a part. `isOwn`: unsent parts of lists are kept too. */
function readingOf(
  columns: TableColumns,
  reads: readonly ColumnRead[],
  isOwn: boolean,
  isAgent: LedgerRules['isAgent'],
): Reading {
  const [csv, json]: [Level, Level] = [new Map(), new Map()];
  for (const { paths } of columns.headers.values()) for (const keys of paths) levelAt(csv, keys.slice(0, -1));
  const isCustomer = (value: unknown) => typeof value === 'string' && isAddress(value) && !isAgent(value);
  const weak: Doubt = {
    knows: [(value) => !isCustomer(value)],
    means: [],
    isChoice: true,
    isWeak: true,
  };
  const isWeak = ({ use, isChoice }: ColumnRead) => use === 'person' && isChoice;
  const isWhole = (value: unknown) => {
    const { email, name } = mailbox(textOf(value));
    return email === undefined || name === undefined || isAgent(email);
  };
  const inTurn = reads.toSorted((a, b) => Number(isWeak(a)) - Number(isWeak(b)));
  for (const { column, list, pick, use, isChoice: isOne, isPart = false, knows, means } of inTurn) {
    if (use === 'compare') continue;
    const isChoice = isOne || isPart;
    const isDoubt =
      use === 'decides' || isPart || ((use === 'value' || (use === 'list' && isOwn)) && isChoice);
    const leaf = (): Certain | Doubt =>
      isDoubt
        ? {
            knows: knows === undefined ? [] : [knows],
            means: means === undefined ? [] : [means],
            isChoice,
            isWhole: isPart ? isWhole : undefined,
          }
        : use === 'key'
          ? 'key'
          : isWeak({ column, use, isChoice })
            ? weak
            : 'sent';
    for (const { header, keys, indexes, isObject } of list === undefined ? columns.inHeaders(column) : [])
      for (const path of indexes.flatMap((index) => [header.paths[index] ?? []]))
        if (pick === undefined || isObject !== true || pick.includes(path[keys.length] ?? ''))
          learn(csv, path, leaf());
    for (const name of list === undefined ? columns.names(column) : [column]) {
      const steps = parsePath(name);
      // Items read unchanged are read with their list.
      if (list !== undefined && steps.length === 0) continue;
      const keys = keysOf([...(list ?? []), ...steps]);
      for (const inner of pick?.map((key) => [key]) ?? [[]]) learn(json, [...keys, ...inner], leaf());
    }
  }
  return ({ file }) => (columns.headers.has(file) ? csv : json);
}

function learn(known: Level, keys: readonly string[], leaf: Certain | Doubt): void {
  const last = keys.at(-1);
  if (last === undefined) return;
  const level = levelAt(known, keys.slice(0, -1));
  const there = level.get(last);
  if (there instanceof Map) there.set(ITSELF, merged(there.get(ITSELF), leaf));
  else level.set(last, merged(there, leaf));
}

function merged(there: Known | undefined, leaf: Certain | Doubt): Certain | Doubt {
  if (there === undefined || there instanceof Map) return leaf;
  if (typeof leaf === 'object' && leaf.isWeak)
    return typeof there === 'object' && there.isChoice ? there : 'sent';
  if (there === 'sent' || leaf === 'sent') return 'sent';
  if (typeof there === 'string' || typeof leaf === 'string') return 'key';
  there.knows.push(...leaf.knows);
  there.means.push(...leaf.means);
  there.isChoice ||= leaf.isChoice;
  there.isWhole ??= leaf.isWhole;
  return there;
}

function levelAt(known: Level, keys: readonly string[]): Level {
  let level = known;
  for (const key of keys) {
    const there = level.get(key);
    const next = there instanceof Map ? there : new Map<string, Known>(there && [[ITSELF, there]]);
    level.set(key, next);
    level = next;
  }
  return level;
}

interface Walked {
  certain?(fate: Certain, column: string, text: string, cells: number, row: string): void;
  doubt?(doubt: Doubt, column: string, text: string, row: string): void;
  unread(column: string, value: unknown, row: string): void;
  other(column: string, text: string, row: string, cells: number): void;
}

/** `row`: which of the rows and items it is of. */
function walk(value: unknown, known: Known, column: string, row: string, on: Walked, depth = 0): void {
  if (isNothing(value)) return;
  if (typeof value !== 'object' || value === null) {
    const leaf = known instanceof Map ? known.get(ITSELF) : known;
    if (leaf === undefined || leaf instanceof Map) on.other(column, String(value), row, 1);
    else if (typeof leaf === 'object' && leaf.isWhole?.(value) !== true)
      on.doubt?.(leaf, column, String(value), row);
    else on.certain?.(typeof leaf === 'string' ? leaf : 'sent', column, String(value), 1, row);
  } else if (depth > DEEPEST && typeof known === 'string')
    on.certain?.(known, column, '', cellsIn(value), row);
  else if (depth > DEEPEST) on.other(column, JSON.stringify(value), row, cellsIn(value));
  else if (Array.isArray(value)) {
    for (const [index, element] of value.entries())
      walk(element, known, `${column}[]`, nth(row, index), on, depth + 1);
  } else
    for (const key in value) {
      const inner = (value as JsonObject)[key];
      const name = column === '' ? key : `${column}.${key}`;
      const readOfIt = known instanceof Map ? known.get(key) : known;
      if (readOfIt !== undefined) walk(inner, readOfIt, name, row, on, depth + 1);
      else if (!isNothing(inner)) on.unread(name, inner, row);
    }
}
