/** What compiling needs to know of the export, and what compiled rules tell while they run. */

import type { Problem } from '../../domain/problem.ts';
import { plainHeader, type RecordRef, type Row } from '../../domain/source.ts';
import type { ExpressionObject } from '../language/expression.ts';
import type { Layout } from '../language/layout.ts';
import type { EmbeddedPeople } from '../people/person.ts';
import { noEvidence, type TimeColumn } from '../time/day-order.ts';
import { TableColumns } from './column-access.ts';
import type { PathStep } from './column-path.ts';
import type { Scope } from './scope.ts';

/** Where an expression stands: in a row of a table, or in an item of a list in it. */
export interface Place {
  readonly table: string;
  readonly inItem: boolean;
  /** Where the list is whose items these are, as far as it is known. */
  readonly paths: readonly (readonly PathStep[])[];
  readonly outer: Place | undefined;
}

export const rowPlace = (table: string): Place => ({ table, inItem: false, paths: [], outer: undefined });

export interface CompileContext {
  readonly layout: Layout;
  /** Tables of the plan by name; a table of the layout that the export does not have is missing. */
  readonly tables: ReadonlyMap<string, TableColumns>;
  /** Name of the table of the tickets themselves. */
  readonly rootTable: string;
  readonly zone: string | undefined;
  /** The text of an html body; loaded only where some rule compares bodies. */
  readonly htmlText?: ((html: string) => string) | undefined;
  readonly timeColumns: TimeColumn[];
  /** While the order of day and month is being found out, times are weighed instead of read. */
  readonly mode: { observing: boolean };
  /** The address by which somebody with several is known, in small letters; undefined for others. */
  readonly personOf?: ((address: string) => string | undefined) | undefined;
  /** People who stand in records of tickets. */
  embedded(): EmbeddedPeople;
  lookup(table: string, columns: readonly string[], values: readonly string[]): Row | undefined;
  fileName(ref: RecordRef): string;
  noteUnlisted(field: string, value: string, action: string): void;
}

/** A table without rows: every column of it is absent. */
export function columnsOf(context: CompileContext, table: string): TableColumns {
  return (
    context.tables.get(table) ??
    new TableColumns({ name: table, role: 'lookup', inputs: [], key: [] }, [], new Map(), undefined)
  );
}

/** A problem of the mapping at the scope's row. */
export function mappingProblem(
  context: CompileContext,
  scope: Scope,
  problem: Pick<Problem, 'severity' | 'code' | 'message'> & { column?: string },
): Problem {
  return {
    ...problem,
    ticket: scope.ticket.externalId,
    file: context.fileName(scope.row.ref),
    line: scope.row.ref.line,
    field: scope.notes.field,
    count: 1,
  };
}

/** Registers a column of times so that its day order can be decided before the first ticket is mapped. */
export function timeColumn(context: CompileContext, place: Place, name: string): TimeColumn {
  const column: TimeColumn = {
    name: `${place.table}: ${name}`,
    table: place.table,
    evidence: noEvidence(),
    dayFirst: undefined,
  };
  context.timeColumns.push(column);
  return column;
}

/** Other names of columns, in both directions: a layout may use any of the names. */
export function aliasMap(layout: Layout): Map<string, string[]> {
  const aliases = new Map<string, string[]>();
  for (const [name, others] of Object.entries(layout.aliases ?? {})) aliases.set(plainHeader(name), others);
  return aliases;
}

/** The column that an expression is mostly about, for messages: its first column, else the rule itself. */
export function mainColumn(expression: ExpressionObject['of']): string {
  if (expression === undefined) return '';
  if (typeof expression === 'string') return expression;
  if (Array.isArray(expression)) return mainColumn(expression[0]);
  return (
    expression.column ??
    mainColumn(expression.of ?? expression.ticket ?? expression.row ?? expression.get ?? expression.each)
  );
}

/** The rule in one line, for `--explain`. */
export function describeRule(expression: unknown): string {
  if (typeof expression === 'string') return expression;
  if (Array.isArray(expression)) return `first of ${expression.map(describeRule).join(', ')}`;
  if (expression === null || typeof expression !== 'object') return String(expression);
  return Object.entries(expression)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}
