/**
 * How the tables of an export join: layout detection makes the plan, joining follows it.
 * A column is a CSV header or a dotted JSON path; a key of several columns joins their values.
 */

import type { Row, SourceItem, UnmatchedRow, UnreadableRow } from './source.ts';
import type { RecordSelector } from './source-file.ts';

export type KeySpec = readonly string[];

export interface JoinInput {
  readonly file: number;
  readonly selector?: RecordSelector | undefined;
  /** If this file's key has another name than the table's. */
  readonly key?: KeySpec | undefined;
}

export interface JoinTable {
  readonly name: string;
  /**
   * `root`: one row a ticket. `group`: all rows with the same key are one ticket (a row a message, a row an update).
   * `child`: rows that belong to a ticket by its id. `lookup`: rows found by key from the mapping only.
   */
  readonly role: 'root' | 'group' | 'child' | 'lookup';
  readonly inputs: readonly JoinInput[];
  /** root, group: the external id. child: the columns that name the ticket. lookup: unused. */
  readonly key: KeySpec;
  /** child: the root columns that `key` matches, if not the external ID. */
  readonly parentKey?: KeySpec | undefined;
  /** Of rows with one key (versions of a row) keep the one with the greatest value here; several columns are joined by spaces. */
  readonly latest?: KeySpec | undefined;
  /** Keys by which the mapping finds rows of this table. */
  readonly lookups?: readonly KeySpec[] | undefined;
}

export interface JoinPlan {
  readonly tables: readonly JoinTable[];
}

/** The joined export. Iterating is streaming and may be repeated; memory does not grow with the export. */
export interface JoinedExport {
  /** In order of the root rows, in chunks. Duplicates and records without an id come as UnreadableRecord. */
  tickets(signal: AbortSignal): Iterable<readonly SourceItem[]>;
  /** The first row of `table` whose `columns` have these values. */
  lookup(table: string, columns: KeySpec, values: readonly string[]): Row | undefined;
  /** Child rows whose ticket is not in the export. Complete before the first ticket. */
  unmatchedRows(): IterableIterator<UnmatchedRow>;
  /** Unreadable rows of child and lookup tables. */
  unreadableRows(): IterableIterator<UnreadableRow>;
  /** Rows of child tables, orphans included, by table. */
  rowCounts(): ReadonlyMap<string, number>;
}

/** The contacts of the export: every normalized address, and the newest name for each. Constant memory. */
export interface ContactNames {
  /** `at` decides; the later offer wins a tie; an empty name only registers the address. */
  offer(email: string, name: string | undefined, at: number): void;
  nameOf(email: string): string | undefined;
  distinct(): number;
  /** Addresses with several names in the export. */
  merged(): IterableIterator<{ email: string; name: string; names: number }>;
}
