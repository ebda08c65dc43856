/** What rules are compiled for, and what a compiled rule is evaluated on. */
import type { Problem } from '../../domain/problem.ts';
import type { RecordRef, Row, SourceTicket } from '../../domain/source.ts';
import type { LossReport } from '../../domain/survey.ts';
import type { MappedValue } from '../../domain/ticket.ts';
import type { Layout } from '../language/layout.ts';
import { TableColumns, type Touch } from './columns.ts';
import type { TimeColumn } from './day-order.ts';
import type { Path } from './paths.ts';

export type Role = 'customer' | 'agent' | 'system';

/** A person as the export names them. */
export interface Person {
  readonly id?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  /** What the source says about the role, and its word for it, for the plan; undefined when it says nothing. */
  readonly role?: Role | undefined;
  readonly roleFrom?: string | undefined;
  /** The first address of a person with several. */
  readonly known?: string | undefined;
}

/** People within records of tickets, by table of the layout and by ID. */
export type EmbeddedPeople = ReadonlyMap<string, ReadonlyMap<string, Person>>;

/** A column that rules read. */
export interface Read {
  readonly table: string;
  readonly column: string;
  /** Of items of a list: the list's place in the row. */
  readonly list?: Path | undefined;
  /** Of an object only these keys. */
  readonly pick?: readonly string[] | undefined;
}

export interface CompileContext {
  readonly layout: Layout;
  /** Tables of the plan by name; a table of the layout that the export does not have is missing. */
  readonly tables: ReadonlyMap<string, TableColumns>;
  /** Name of the table of the tickets themselves. */
  readonly rootTable: string;
  readonly zone?: string | undefined;
  /** The text of an html body; loaded only where some rule compares bodies. */
  readonly htmlText?: ((html: string) => string) | undefined;
  readonly timeColumns: TimeColumn[];
  /** While the order of day and month is being found out, times are weighed instead of read. */
  readonly mode: { observing: boolean };
  /** The first address of a person who has several, in small letters; undefined for others. */
  readonly personOf?: ((address: string) => string | undefined) | undefined;
  embedded(): EmbeddedPeople;
  lookup(table: string, columns: readonly string[], values: readonly string[]): Row | undefined;
  fileName(ref: Pick<RecordRef, 'file'>): string;
  noteUnlisted(field: string, value: string, action: string): void;
  /** Noted while rules are compiled: columns they read, and keys other than a table's own by which they look rows up. */
  readonly reads: Read[];
  readonly lookups: { readonly table: string; readonly key: readonly string[] }[];
}

/** What an expression reads: a row of a table, or an item of a list in it. */
export interface Place {
  readonly table: string;
  readonly inItem: boolean;
  /** Where the list is whose items these are, as far as it is known. */
  readonly paths: readonly Path[];
  readonly outer: Place | undefined;
}

export const rowPlace = (table: string): Place => ({ table, inItem: false, paths: [], outer: undefined });

/** A table without rows: every column of it is absent. */
export function columnsOf(context: CompileContext, table: string): TableColumns {
  return (
    context.tables.get(table) ??
    new TableColumns({ name: table, role: 'lookup', inputs: [], key: [] }, [], context.layout)
  );
}

/** Where one field of a payload came from. */
export interface FieldOrigin {
  readonly field: string;
  /** Undefined where nothing gave it one. */
  readonly value: unknown;
  /** The rule of the layout, in one line. */
  readonly rule: string;
  /** The rows read for it, in the order of the export. */
  readonly touched: readonly Touch[];
}

/** What mapping a ticket, a message or an event collects besides values; shared by all its scopes. */
export interface Notes {
  readonly problems: Problem[];
  readonly values: MappedValue[];
  /** The raw text that a value map translated last: what the plan shows as "from". */
  mappedFrom: string | undefined;
  /** The field being made, for problems: `status`; the mapper puts `messages[2].` before it. */
  field: string;
  /** What was read for the field being made, and the fields so far; only while explaining. */
  trace: Touch[] | undefined;
  explained: FieldOrigin[] | undefined;
}

export interface Scope {
  readonly ticket: SourceTicket;
  readonly row: Row;
  /** The list item, in a scope that has one around it. */
  readonly item: unknown;
  readonly outer: Scope | undefined;
  readonly notes: Notes;
}

/** A compiled expression: pure but for the notes; `undefined` is an absent value. */
export type Evaluate = (scope: Scope) => unknown;

export function rowScope(ticket: SourceTicket, row: Row, notes: Notes): Scope {
  return { ticket, row, item: undefined, outer: undefined, notes };
}

export function itemScope(outer: Scope, item: unknown): Scope {
  return { ticket: outer.ticket, row: outer.row, item, outer, notes: outer.notes };
}

/** `explaining`: origins of fields are recorded too. */
export function newNotes(explaining = false): Notes {
  const recorded = explaining ? { trace: [], explained: [] } : { trace: undefined, explained: undefined };
  return { problems: [], values: [], mappedFrom: undefined, field: '', ...recorded };
}

/** What was noted of a message or event, once it is known that it counts and as which: `messages[2].`. */
export function addNotes(notes: Notes, { problems, explained }: Partial<Notes>, place: string): void {
  for (const problem of problems ?? [])
    notes.problems.push({ ...problem, field: `${place}${problem.field ?? ''}` });
  for (const origin of explained ?? []) notes.explained?.push({ ...origin, field: place + origin.field });
}

/** A problem of the mapping at the scope's row. */
export function mappingProblem(
  context: CompileContext,
  { ticket, row, notes }: Scope,
  problem: Pick<Problem, 'severity' | 'code' | 'message' | 'column'>,
): Problem {
  const { externalId } = ticket;
  const file = context.fileName(row.ref);
  return { ...problem, ticket: externalId, file, line: row.ref.line, field: notes.field, count: 1 };
}

// What of the source does not arrive, over all tickets of a pass.

/** Past this many distinct entries of a kind, new ones are counted together. */
const MOST_VALUES = 1000;
const LONGEST_VALUE = 200;

/** `unmapped`: a value, its field and what became of it. `agent`: with the fallback that replaces it. */
type Kind = 'unmapped' | 'agent' | 'author' | 'notHeld';

export class LossLog {
  /** Of each kind, the entries with their counts. */
  readonly #counts = new Map<Kind, Map<string, { readonly parts: readonly string[]; count: number }>>();
  /** While something is mapped without its being counted. */
  isPaused = false;

  add(kind: Kind, value: string, ...more: readonly string[]): void {
    if (this.isPaused) return;
    const counts = this.#counts.get(kind) ?? new Map();
    this.#counts.set(kind, counts);
    const short = value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE - 1)}…` : value;
    const key = JSON.stringify([short, ...more]);
    const isFull = counts.size >= MOST_VALUES && !counts.has(key);
    const [name, parts] = isFull ? ['', ['(other values)']] : [key, [short, ...more]];
    const entry = counts.get(name) ?? { parts, count: 0 };
    counts.set(name, entry);
    entry.count++;
  }

  clear(): void {
    this.#counts.clear();
  }

  report(unusedColumns: LossReport['unusedColumns']): LossReport {
    return {
      unusedColumns,
      unmappedValues: this.#entries('unmapped', ([value, field = '', action = ''], count) => {
        return { field, value, count, action };
      }),
      agentsWithoutId: this.#entries('agent', ([agent, fallback], count) => {
        return { agent, count, fallback: fallback || undefined };
      }),
      unknownAuthors: this.#entries('author', ([author], count) => ({ author, count })),
      notHeld: this.#entries('notHeld', ([what], count) => ({ what, count })),
    };
  }

  /** Most frequent first, ties as they came. */
  #entries<T>(kind: Kind, make: (parts: readonly [string, ...string[]], count: number) => T): T[] {
    return [...(this.#counts.get(kind)?.values() ?? [])]
      .sort((a, b) => b.count - a.count)
      .map(({ parts: [value = '', ...more], count }) => make([value, ...more], count));
  }
}
