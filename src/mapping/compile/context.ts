/** The export that rules are compiled for, and the scope of a compiled rule. */

import type { Problem } from '../../domain/problem.ts';
import type { RecordRef, Row, SourceTicket } from '../../domain/source.ts';
import { problemOf } from '../../domain/text/problem-words.ts';
import type { MappedValue } from '../../domain/ticket.ts';
import type { Layout } from '../language/layout.ts';
import { type ReadAs, TableColumns, type Touch } from './columns.ts';
import type { TimeColumn } from './day-order.ts';
import type { Path, Place } from './paths.ts';

export type Role = 'customer' | 'agent' | 'system';

export interface Person {
  readonly id?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  /** The role in the source's words; undefined if it says nothing. */
  readonly role?: Role | undefined;
  readonly roleFrom?: string | undefined;
  /** Each table has IDs of its own; `''` if the rule names no table. */
  readonly spaces?: readonly string[] | undefined;
  readonly listed?: Role | undefined;
}

/** People whom some ticket gives in full, by table and ID. */
export type EmbeddedPeople = Map<string, Map<string, Person>>;

/** `decides`: its words choose visibility, author or exclusion. `compare`: nothing of it is sent. */
export type Use = 'value' | 'decides' | 'key' | 'person' | 'list' | 'compare';

export interface Read {
  readonly use: Use;
  /** Another column or row may be taken instead. */
  readonly isChoice: boolean;
  /** The address in a person's cell, for one. */
  readonly isPart?: boolean;
  /** For what decides: true if a rule lists this word. */
  readonly knows?: ((value: unknown) => boolean) | undefined;
  /** For a choice with a value map: what a word becomes. */
  readonly means?: ((value: unknown) => unknown) | undefined;
  readonly table: string;
  readonly column: string;
  readonly list?: Path | undefined;
  readonly pick?: readonly string[] | undefined;
}

export interface CompileContext {
  readonly layout: Layout;
  /** By name; tables that the export lacks are missing. */
  readonly tables: ReadonlyMap<string, TableColumns>;
  readonly rootTable: string;
  readonly zone?: string | undefined;
  readonly readAs?: ReadAs;
  readonly htmlText?: ((html: string) => string) | undefined;
  readonly timeColumns: TimeColumn[];
  /** Cells of times that checking may refuse, by the time read. */
  readonly timeCells: Map<string, string>;
  readonly embedded: EmbeddedPeople;
  lookup(table: string, columns: readonly string[], values: readonly string[]): Row | undefined;
  fileName(ref: Pick<RecordRef, 'file'>): string;
  noteUnlisted(field: string, value: string, action: string): void;
  readonly isChoice?: boolean;
  readonly isPart?: boolean;
  readonly knows?: Read['knows'];
  readonly means?: Read['means'];
  /** Columns that rules read, and keys besides a table's own by which they look rows up. */
  readonly reads: Read[];
  readonly lookups: { readonly table: string; readonly key: readonly string[] }[];
}

export const forValues = (context: CompileContext): CompileContext => ({ ...context, readAs: 'value' });
export const asChoice = (context: CompileContext): CompileContext => ({ ...context, isChoice: true });

export const rowPlace = (table: string): Place => ({ table, inItem: false, paths: [], outer: undefined });

export function columnsOf(context: CompileContext, table: string): TableColumns {
  return (
    context.tables.get(table) ??
    new TableColumns({ name: table, role: 'lookup', inputs: [], key: [] }, [], context.layout)
  );
}

export interface FieldOrigin {
  readonly field: string;
  readonly value: unknown;
  readonly rule: string;
  readonly touched: readonly Touch[];
}

export interface UnknownWord {
  readonly column: string;
  readonly word: string;
}

/** The first word that a yes-or-no condition did not know; empty for an absent value. */
export interface Doubt {
  unknown?: UnknownWord;
}

/** Notes on mapping one ticket, message or event; shared by its scopes. */
export interface Notes {
  readonly problems: Problem[];
  readonly values: MappedValue[];
  /** Shown as "from" in the plan. */
  mappedFrom: string | undefined;
  /** For problems: `status`; the mapper puts `messages[2].` before it. */
  field: string;
  /** Only while explaining. */
  trace: Touch[] | undefined;
  explained: FieldOrigin[] | undefined;
  /** Rows of other tables that were read; not while looking ahead or explaining. */
  readonly lookedUp: Map<number, Row> | undefined;
  /** Times are weighed for the order of day and month, and nothing is excluded. */
  readonly weighs: boolean;
}

export const wordIn = ({ unknown }: Doubt) => (unknown?.word === '' ? undefined : unknown);

export interface Scope {
  readonly ticket: SourceTicket;
  readonly row: Row;
  readonly item: unknown;
  readonly outer: Scope | undefined;
  readonly notes: Notes;
}

/** Pure except for the notes; `undefined` is absent. */
export type Evaluate = (scope: Scope) => unknown;

export function rowScope(ticket: SourceTicket, row: Row, notes: Notes): Scope {
  return { ticket, row, item: undefined, outer: undefined, notes };
}

export function itemScope(outer: Scope, item: unknown): Scope {
  return { ticket: outer.ticket, row: outer.row, item, outer, notes: outer.notes };
}

type NotesFor = Partial<Pick<Notes, 'explained' | 'lookedUp' | 'weighs'>>;

export function newNotes({ explained, lookedUp, weighs = false }: NotesFor = {}): Notes {
  const [trace, own] = explained === undefined ? [] : [[], []];
  return {
    problems: [],
    values: [],
    mappedFrom: undefined,
    field: '',
    trace,
    explained: own,
    lookedUp,
    weighs,
  };
}

/** Called once it is known that the message or event counts, and as which: `messages[2].`. */
export function addNotes(notes: Notes, own: Partial<Notes>, place: string): void {
  const { problems = [], explained = [] } = own;
  // The ticket may have read the same cell.
  const isNew = ({ code, file, line, message }: Problem) =>
    !notes.problems.some(
      (of) => of.code === code && of.file === file && of.line === line && of.message === message,
    );
  for (const problem of problems.filter(isNew))
    notes.problems.push({ ...problem, field: `${place}${problem.field ?? ''}` });
  for (const origin of explained) notes.explained?.push({ ...origin, field: place + origin.field });
}

export function mappingProblem(
  context: CompileContext,
  { ticket, row, notes }: Scope,
  kind: string,
  data: Parameters<typeof problemOf>[1],
  column?: string,
): Problem {
  const place = { ticket: ticket.externalId, file: context.fileName(row.ref), line: row.ref.line };
  return problemOf(kind, data, { ...place, field: notes.field, ...(column !== undefined && { column }) });
}
