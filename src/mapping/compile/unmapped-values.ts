/**
 * What a ticket has in the source, no rule uses and a person would read: custom fields, groups, ratings, rows of which nothing was
 * made. Addresses, ids of other tables, flags, times of bookkeeping and what another rule covers are left out.
 */
import type { RecordRef, Row, SourceTicket } from '../../domain/source.ts';
import type { MappedTicket } from '../../domain/ticket.ts';
import type { UnmappedValue } from '../../domain/unmapped.ts';
import type { Layout } from '../language/layout.ts';
import type { TableColumns } from './column-access.ts';
import { listOf, plainHeader } from './column-path.ts';
import { columnPatterns, type Known, type Level, readOf } from './unused-columns.ts';

/** Characters of one value that are kept. */
const LONGEST = 60_000;
/** Values of one ticket that are kept. */
const MOST_VALUES = 5_000;
const DEEPEST = 8;
/** From so many characters on a text that a rule read elsewhere in the ticket is the same text, and no coincidence. */
const LEAST_COVERED = 12;

interface TableReading {
  /** By file: whether rules read the cell. */
  readonly cells: ReadonlyMap<number, readonly boolean[]>;
  readonly known: Level;
  /** Read to join rows, whatever is made of them. */
  readonly keys: ReadonlySet<string>;
  /** Its rows become messages or events; one of which nothing became is kept as a whole. */
  readonly isItems: boolean;
}

export class UnmappedValues {
  readonly #tables = new Map<string, TableReading>();
  readonly #lookups = new Map<string, readonly string[]>();
  readonly #headers: (file: number) => readonly string[];
  readonly #isIgnored: (table: string, column: string) => boolean;
  readonly #root: string;
  readonly #keepsIds: boolean;

  /** To be made once the rules are compiled from which something of the target comes. */
  constructor(
    tables: Iterable<TableColumns>,
    layout: Layout,
    root: string,
    ignored: readonly string[],
    headers: (file: number) => readonly string[],
  ) {
    this.#headers = headers;
    this.#root = root;
    this.#isIgnored = columnPatterns(['_reason', ...ignored]);
    // In an export of one's own an order_id is the number of the order.
    this.#keepsIds = layout.ownColumns !== undefined;
    const itemTables = new Set(
      [...(layout.messages ?? []), ...(layout.events ?? [])].flatMap(({ from }) => listOf(from)),
    );
    for (const columns of tables) {
      const { table } = columns;
      const { known, keys, isCellRead } = readOf(columns, headers);
      const cells = new Map<number, boolean[]>();
      for (const { file } of table.inputs)
        cells.set(
          file,
          headers(file).map((header, index) => isCellRead(file, index) || plainHeader(header) === ''),
        );
      const isItems = table.role === 'child' && itemTables.has(table.name);
      this.#tables.set(table.name, { cells, known, keys, isItems });
      this.#lookups.set(table.name, table.lookups?.[0] ?? []);
    }
  }

  of(
    ticket: SourceTicket,
    { messages, events }: Pick<MappedTicket, 'messages' | 'events'>,
    lookedUp: Iterable<Row>,
  ): UnmappedValue[] {
    const found = new Found((table, column) => this.#isIgnored(table, column), this.#keepsIds, this.#root);
    let made: ReadonlySet<RecordRef> | undefined;
    const isMade = ({ ref }: Row) => {
      made ??= new Set([...messages, ...events].map((item) => item.ref));
      return made.has(ref);
    };
    if (!ticket.children.has(ticket.row.table)) this.#row(ticket.row, '', false, found);
    for (const [table, rows] of ticket.children) {
      const isItems = this.#tables.get(table)?.isItems === true;
      for (const [index, row] of rows.entries()) {
        const isLeft = isItems && !isMade(row);
        this.#row(row, table === this.#root && rows.length === 1 ? '' : String(index + 1), isLeft, found);
      }
    }
    for (const row of lookedUp) this.#row(row, this.#nameOf(row), false, found);
    return found.values();
  }

  #row(row: Row, name: string, isLeft: boolean, found: Found): void {
    const reading = this.#tables.get(row.table);
    if (reading === undefined) return;
    const { cells, object } = row;
    if (cells !== undefined) {
      const header = this.#headers(row.ref.file);
      const read = reading.cells.get(row.ref.file) ?? [];
      for (const [index, cell] of cells.entries()) {
        const column = header[index] ?? '';
        const isRead = read[index] === true && (!isLeft || reading.keys.has(plainHeader(column)));
        if (cell === '') continue;
        if (isRead) found.cover(column, cell);
        else found.add(row.table, name, column, cell);
      }
    } else if (object !== undefined) {
      const known = isLeft
        ? new Map<string, Known>([...reading.keys].map((key) => [key, true]))
        : reading.known;
      found.walk(object, known, row.table, name, '', 0);
    }
  }

  /** A row that was looked up is called by the key that it was found by. */
  #nameOf(row: Row): string {
    const values = (this.#lookups.get(row.table) ?? []).map((column) =>
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

/** The values of one ticket. */
class Found {
  readonly #values: UnmappedValue[] = [];
  readonly #covered = new Set<string>();
  readonly #isIgnored: (table: string, column: string) => boolean;
  readonly #keepsIds: boolean;
  readonly #root: string;

  constructor(isIgnored: (table: string, column: string) => boolean, keepsIds: boolean, root: string) {
    this.#root = root;
    this.#isIgnored = isIgnored;
    this.#keepsIds = keepsIds;
  }

  /** Without what rules read elsewhere in the ticket, which may come later than its copy. */
  values(): UnmappedValue[] {
    return this.#values.filter(
      ({ column, text }) => isCustom(column) || !this.#covered.has(coverKey(column, text)),
    );
  }

  cover(column: string, text: string): void {
    this.#covered.add(coverKey(column, text));
  }

  add(table: string, row: string, column: string, text: string): void {
    const parts = column.split(/\[\]\.|\./);
    const names = [column, ...parts, ...parts.map((_, at) => parts.slice(0, at + 1).join('.'))];
    // Layouts ignore what stands around the channel of a ticket, and a person asks for the channel.
    const isChannel = table === this.#root && /^(?:[a-z]+\.)?channel$/.test(column);
    if (!isChannel && names.some((name) => this.#isIgnored(table, name))) return;
    const isKept = isCustom(column) ? text !== '' : isForPeople(column, text, this.#keepsIds);
    if (isKept && this.#values.length < MOST_VALUES)
      this.#values.push({ table, row, column, text: text.slice(0, LONGEST) });
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
    if (typeof value !== 'object' || value === null) {
      if (known === true) this.cover(column, String(value));
      else this.add(table, row, column, String(value));
    } else if (depth > DEEPEST || (known === undefined && isFlatList(value)))
      this.add(table, row, column, textOf(value));
    else if (Array.isArray(value))
      for (const [index, element] of value.entries()) {
        // Of a list of lists rules read places.
        if (known !== undefined && Array.isArray(element)) continue;
        const named = known === undefined ? namedValue(element) : undefined;
        if (named !== undefined) this.add(table, row, `${column}: ${named.name}`, textOf(named.value));
        else if (known !== undefined || hasValue(element))
          this.walk(element, known, table, nth(row, index), `${column}[]`, depth + 1);
      }
    else
      for (const key in value) {
        const inner = (value as Readonly<Record<string, unknown>>)[key];
        const readOfIt = known === true ? true : known?.get(key);
        this.walk(inner, readOfIt, table, row, column === '' ? key : `${column}.${key}`, depth + 1);
      }
  }
}

/** Of short words alone the same name makes the same value: a group and a status may both be "open". */
function coverKey(column: string, text: string): string {
  const said = text.trim().toLowerCase();
  return said.length >= LEAST_COVERED ? said : `${lastName(column)}\u0000${said}`;
}

function lastName(column: string): string {
  return plainHeader(column.split(/[.\]]/).at(-1) ?? column).replace(/^(?:raw|plain|original)_/, '');
}

/** What the users of the old helpdesk named themselves is kept whatever it looks like. */
function isCustom(column: string): boolean {
  return /custom[_ ]?(?:field|attribute|value)s?\b|(?:^|\.)(?:cf|c)_|__c$/i.test(column);
}

const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\/\/|\/\/|data:)\S*$/i;
const ADDRESS_NAME = /(?:^|[._ ])(?:urls?|uri|href|self)$|[a-z](?:Url|Uri|Href)$/;
const ID_NAME = /(?:^|[._ ])(?:id|ids|uuid|guid|gid|etag)$|[a-z](?:Id|Ids|ID|IDs)$/;
const OF_ANOTHER_SYSTEM = /external|foreign|reference|order|invoice|customer number/i;
const BOOKKEEPING =
  /(?:^|[._ ])(?:created|updated|modified|generated|deleted)(?:[_ ]?(?:at|on|date|time|datetime|timestamp))?$|(?:created|updated|modified)(?:At|On|Date|Time)$/i;

function isForPeople(column: string, text: string, keepsIds: boolean): boolean {
  const said = text.trim();
  if (said === '' || /^(?:true|false)$/i.test(said) || ADDRESS.test(said)) return false;
  if (/(?:^|\.)_/.test(column) || ADDRESS_NAME.test(column)) return false;
  const isNested = column.includes('.') || column.includes('[]');
  if (
    ID_NAME.test(column) &&
    !OF_ANOTHER_SYSTEM.test(column) &&
    (!keepsIds || isNested || /^id$/i.test(column))
  )
    return false;
  return !BOOKKEEPING.test(column) || !/\d/.test(said);
}

function nth(row: string, index: number): string {
  return row === '' ? String(index + 1) : `${row}.${index + 1}`;
}

const NAMES = ['name', 'title', 'label', 'field_name', 'key', 'field', 'id'] as const;

/** A custom field as exports write it: its name, or else its id, and a value, perhaps in words as well. */
function namedValue(element: unknown): { readonly name: string; readonly value: unknown } | undefined {
  if (typeof element !== 'object' || element === null || !('value' in element)) return undefined;
  const fields = element as Readonly<Record<string, unknown>>;
  const name = NAMES.map((key) => fields[key]).find(
    (each) => ['string', 'number'].includes(typeof each) && each !== '',
  );
  const value = isNothing(fields['text']) ? fields['value'] : fields['text'];
  return name === undefined || isNothing(value) ? undefined : { name: String(name).slice(0, 200), value };
}

/** A custom field without a value is nothing. */
function hasValue(element: unknown): boolean {
  return (
    typeof element !== 'object' || element === null || !('value' in element) || !isNothing(element.value)
  );
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
