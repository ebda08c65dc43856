/** The context of compiling, and the reports of compiled rules. */

import type { Problem } from '../../domain/problem.ts';
import type { RecordRef, Row } from '../../domain/source.ts';
import type { ExpressionObject } from '../language/expression.ts';
import type { Layout } from '../language/layout.ts';
import type { EmbeddedPeople } from '../people/person.ts';
import type { TimeColumn } from '../time/day-order.ts';
import { TableColumns } from './column-access.ts';
import type { PathStep } from './column-path.ts';
import type { Scope } from './scope.ts';

/** What an expression reads: a row of a table, or an item of a list in it. */
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
  /** The first address of a person who has several, in small letters; undefined for others. */
  readonly personOf?: ((address: string) => string | undefined) | undefined;
  /** People within records of tickets. */
  embedded(): EmbeddedPeople;
  lookup(table: string, columns: readonly string[], values: readonly string[]): Row | undefined;
  fileName(ref: Pick<RecordRef, 'file'>): string;
  noteUnlisted(field: string, value: string, action: string): void;
}

/** A table without rows: every column of it is absent. */
export function columnsOf(context: CompileContext, table: string): TableColumns {
  return (
    context.tables.get(table) ?? new TableColumns({ name: table, role: 'lookup', inputs: [], key: [] }, [])
  );
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

/** The column that an expression is mostly about, for messages: its first column, else the rule itself. */
export function mainColumn(expression: ExpressionObject['of']): string {
  if (expression === undefined) return '';
  if (typeof expression === 'string') return expression;
  if (Array.isArray(expression)) return mainColumn(expression[0]);
  const { column, of, ticket, row, get, each } = expression;
  return column ?? mainColumn(of ?? ticket ?? row ?? get ?? each);
}

/** The rule in one line, for `--explain`. */
export function describeRule(expression: unknown): string {
  if (Array.isArray(expression)) return `first of ${expression.map(describeRule).join(', ')}`;
  if (expression === null || typeof expression !== 'object') return String(expression);
  return Object.entries(expression)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}
