/**
 * What a ticket has in the source and no rule uses: custom fields, organizations, ratings, whole rows of which nothing was made. Each
 * such value is named as the source names it, so that it can be kept in a note (`unmapped`); and every value is counted.
 */
import type { RecordRef, Row, SourceTicket } from '../../domain/source.ts';
import type { MappedTicket } from '../../domain/ticket.ts';
import {
  type Amount,
  addTo,
  type HomelessValue,
  type SourceValues,
  type UnmappedFate,
  type UnmappedRules,
} from '../../domain/unmapped.ts';
import type { Layout } from '../language/layout.ts';
import type { TableColumns } from './column-access.ts';
import { listOf, plainHeader } from './column-path.ts';
import { columnPatterns, type Known, type Level, readOf } from './unused-columns.ts';

/** Characters of one value that are kept. */
const LONGEST = 60_000;
/** Values of one ticket that are kept. */
const MOST_VALUES = 5_000;
const DEEPEST = 8;
/** Columns whose fate is remembered. */
const MOST_COLUMNS = 5_000;
const NOTHING: Readonly<Amount> = { cells: 0, bytes: 0 };

interface TableReading {
  readonly columns: TableColumns;
  /** By file: of each cell whether rules read it, or the cells before it under the same header. */
  readonly cells: ReadonlyMap<number, readonly (boolean | readonly number[])[]>;
  readonly known: Level;
  /** Read to join rows, whatever is made of them. */
  readonly keys: ReadonlySet<string>;
  /** Its rows become messages or events; one of which nothing became is homeless as a whole. */
  readonly isItems: boolean;
}

export class HomelessValues {
  readonly #tables = new Map<string, TableReading>();
  readonly #headers: (file: number) => readonly string[];
  readonly #judge: (table: string, column: string) => UnmappedFate;
  readonly #fates = new Map<string, UnmappedFate>();
  readonly #root: string;

  /**
   * To be made once the rules are compiled from which something of the target comes; `ignored`: columns that the user leaves out.
   */
  constructor(
    tables: Iterable<TableColumns>,
    layout: Layout,
    root: string,
    rules: UnmappedRules,
    ignored: readonly string[],
    headers: (file: number) => readonly string[],
  ) {
    this.#headers = headers;
    this.#root = root;
    const drops = columnPatterns(['_reason', ...ignored]);
    const listed = rules.columns.map(([pattern, fate]) => [columnPatterns([pattern]), fate] as const);
    this.#judge = (table, column) =>
      listed.find(([fits]) => fits(table, column))?.[1] ?? (drops(table, column) ? 'drop' : rules.otherwise);
    const itemTables = new Set(
      [...(layout.messages ?? []), ...(layout.events ?? [])].flatMap(({ from }) => listOf(from)),
    );
    for (const columns of tables) {
      const { table } = columns;
      const { known, keys, isCellRead } = readOf(columns, headers);
      const cells = new Map<number, (boolean | readonly number[])[]>();
      for (const { file } of table.inputs)
        cells.set(
          file,
          headers(file).map(
            (header, index) =>
              columns.alternatives.get(file)?.get(index) ??
              (isCellRead(file, index) || plainHeader(header) === ''),
          ),
        );
      const isItems = table.role === 'child' && itemTables.has(table.name);
      this.#tables.set(table.name, { columns, cells, known, keys, isItems });
    }
  }

  /** `changed`: values of the ticket's own fields that stand in other words in the target, by their columns. */
  of(
    ticket: SourceTicket,
    { messages, events }: Pick<MappedTicket, 'messages' | 'events'>,
    lookedUp: Iterable<Row>,
    changed: readonly { readonly column: string; readonly text: string }[],
  ): SourceValues {
    const found = new Found(this.#fateOf);
    let made: ReadonlySet<RecordRef> | undefined;
    const isMade = ({ ref }: Row) => {
      made ??= new Set([...messages, ...events].map((item) => item.ref));
      return made.has(ref);
    };
    for (const { column, text } of changed) found.add(this.#root, '', column, text, NOTHING);
    if (!ticket.children.has(ticket.row.table)) this.#row(ticket.row, '', false, found);
    for (const [table, rows] of ticket.children) {
      const isItems = this.#tables.get(table)?.isItems === true;
      for (const [index, row] of rows.entries()) {
        const isLeft = isItems && !isMade(row);
        this.#row(row, table === this.#root && rows.length === 1 ? '' : String(index + 1), isLeft, found);
      }
    }
    for (const row of lookedUp) this.#row(row, this.#nameOf(row), false, found);
    return found;
  }

  readonly #fateOf = (table: string, column: string) => this.fateOf(table, column);

  fateOf(table: string, column: string): UnmappedFate {
    const key = `${table}\u0000${column}`;
    const known = this.#fates.get(key);
    if (known !== undefined) return known;
    const fate = this.#judge(table, column);
    if (this.#fates.size < MOST_COLUMNS) this.#fates.set(key, fate);
    return fate;
  }

  #row(row: Row, name: string, isLeft: boolean, found: Found): void {
    const reading = this.#tables.get(row.table);
    if (reading === undefined) return;
    const { cells, object } = row;
    if (cells !== undefined) {
      const header = this.#headers(row.ref.file);
      const read = reading.cells.get(row.ref.file) ?? [];
      const taken = new Map<readonly number[], string>();
      for (let index = 0; index < cells.length; index += 1) {
        const cell = cells[index] ?? '';
        if (cell === '') continue;
        let isUsed = read[index] ?? false;
        // Of several columns with one name the first that is filled was taken.
        if (typeof isUsed === 'object') {
          const first = taken.get(isUsed) ?? cells[isUsed.find((one) => cells[one]) ?? index] ?? '';
          taken.set(isUsed, first);
          isUsed = first === cell;
        }
        const column = header[index] ?? '';
        if (isLeft) isUsed &&= reading.keys.has(plainHeader(column));
        if (isUsed) addValue(found.used, cell);
        else found.add(row.table, name, column, cell, { cells: 1, bytes: Buffer.byteLength(cell) });
      }
    } else if (object !== undefined) {
      const known = isLeft
        ? new Map<string, Known>([...reading.keys].map((key) => [key, true]))
        : reading.known;
      found.walk(object, known, row.table, name, '', 0);
    }
    for (const other of row.also ?? []) this.#row(other, name, isLeft, found);
  }

  /** A row that was looked up is called by the key that it was found by. */
  #nameOf(row: Row): string {
    const [key] = this.#tables.get(row.table)?.columns.table.lookups ?? [];
    const values = (key ?? []).map((column) =>
      row.object === undefined
        ? row.cells?.[
            this.#headers(row.ref.file).findIndex((header) => plainHeader(header) === plainHeader(column))
          ]
        : row.object[column],
    );
    return values
      .map((value) => (isNothing(value) ? '' : textOf(value)))
      .join(' ')
      .slice(0, 80);
  }
}

/** The sums and values of one ticket. */
class Found implements SourceValues {
  readonly used: Amount = { cells: 0, bytes: 0 };
  readonly dropped: Amount = { cells: 0, bytes: 0 };
  readonly homeless: HomelessValue[] = [];
  readonly #unused: Amount = { cells: 0, bytes: 0 };
  readonly #fateOf: (table: string, column: string) => UnmappedFate;

  constructor(fateOf: (table: string, column: string) => UnmappedFate) {
    this.#fateOf = fateOf;
  }

  get read(): Amount {
    const { cells, bytes } = this.#unused;
    return { cells: this.used.cells + cells, bytes: this.used.bytes + bytes };
  }

  add(table: string, row: string, column: string, text: string, amount: Amount): void {
    addTo(this.#unused, amount);
    const fate = this.#fateOf(table, column);
    if (fate === 'drop') addTo(this.dropped, amount);
    else if (this.homeless.length < MOST_VALUES)
      this.homeless.push({ table, row, column, text: text.slice(0, LONGEST), fate, ...amount });
  }

  /** A value of JSON, where rules read `known` of it: all, some of its keys, or nothing. */
  walk(
    value: unknown,
    known: Known | undefined,
    table: string,
    row: string,
    column: string,
    depth: number,
  ): void {
    if (isNothing(value)) return;
    if (known === true) measure(value, depth, this.used);
    else if (
      typeof value !== 'object' ||
      value === null ||
      depth > DEEPEST ||
      (known === undefined && isFlatList(value))
    )
      this.add(table, row, column, textOf(value), measured(value, depth));
    else if (Array.isArray(value))
      for (const [index, element] of value.entries()) {
        const named = known === undefined ? namedValue(element) : undefined;
        if (named === undefined) this.walk(element, known, table, nth(row, index), `${column}[]`, depth + 1);
        else this.add(table, row, `${column}: ${named.name}`, textOf(named.value), measured(element, depth));
      }
    else
      for (const key in value) {
        const inner = (value as Readonly<Record<string, unknown>>)[key];
        const readOfIt = known?.get(key);
        if (readOfIt === true) measure(inner, depth + 1, this.used);
        else this.walk(inner, readOfIt, table, row, column === '' ? key : `${column}.${key}`, depth + 1);
      }
  }
}

function nth(row: string, index: number): string {
  return row === '' ? String(index + 1) : `${row}.${index + 1}`;
}

/** A custom field as most exports write it: a name, or an id, and a value. */
function namedValue(element: unknown): { readonly name: string; readonly value: unknown } | undefined {
  if (typeof element !== 'object' || element === null || !('value' in element)) return undefined;
  const { value, ...rest } = element as Readonly<Record<string, unknown>>;
  const names = Object.entries(rest).filter(([, other]) => !isNothing(other));
  const [first] = names;
  const isName = names.length === 1 && first !== undefined && ['string', 'number'].includes(typeof first[1]);
  return isName && !isNothing(value) ? { name: String(first[1]).slice(0, 200), value } : undefined;
}

function isFlatList(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null);
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (typeof value !== 'object') return false;
  for (const _ in value) return false;
  return true;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isFlatList(value)) return (value as unknown[]).filter((each) => !isNothing(each)).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function measured(value: unknown, depth: number): Amount {
  const sum = { cells: 0, bytes: 0 };
  measure(value, depth, sum);
  return sum;
}

function measure(value: unknown, depth: number, sum: Amount): void {
  if (typeof value === 'string') addValue(sum, value);
  else if (isNothing(value)) return;
  else if (typeof value !== 'object' || value === null || depth > 4 * DEEPEST) addValue(sum, String(value));
  else if (Array.isArray(value)) for (const inner of value) measure(inner, depth + 1, sum);
  else for (const key in value) measure((value as Readonly<Record<string, unknown>>)[key], depth + 1, sum);
}

function addValue(sum: Amount, text: string): void {
  if (text === '') return;
  sum.cells += 1;
  sum.bytes += Buffer.byteLength(text);
}
