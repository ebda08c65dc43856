/** How tables join. A column is a CSV header or a dotted JSON path; a key of several columns joins their values. */
import type { Row, SourceItem, UnmatchedRow, UnreadableRow } from './source.ts';
import type { RecordSelector } from './source-file.ts';

export type KeySpec = readonly string[];

export interface JoinInput {
  readonly file: number;
  readonly selector?: RecordSelector | undefined;
  readonly key?: KeySpec | undefined;
}

export interface JoinTable {
  readonly name: string;
  /** `root`: one row a ticket. `group`: all rows with one key are a ticket. `child`: rows of a ticket. `lookup`: found from the mapping only. */
  readonly role: 'root' | 'group' | 'child' | 'lookup';
  readonly inputs: readonly JoinInput[];
  readonly key: KeySpec;
  /** child: the columns of the root, or of `parent`, that `key` matches, if not the external ID. */
  readonly parentKey?: KeySpec | undefined;
  readonly parent?: string | undefined;
  /** Keeps the row with the greatest value here; several columns are joined by spaces. */
  readonly latest?: KeySpec | undefined;
  readonly marks?: RowMarks | undefined;
  readonly lookups?: readonly KeySpec[] | undefined;
}

export interface RowMarks {
  /** Versions of a ticket agree in it. */
  readonly created: KeySpec;
  /** If it differs in most IDs, rows are messages and no versions. */
  readonly text: KeySpec;
  readonly person: KeySpec;
}

export interface JoinPlan {
  readonly tables: readonly JoinTable[];
}

/** Streams, repeatable, in bounded memory. */
export interface JoinedExport {
  /** In the order of root rows, in chunks. Duplicates and records without an ID come as UnreadableRecord. */
  tickets(signal: AbortSignal): Iterable<readonly SourceItem[]>;
  lookup(table: string, columns: KeySpec, values: readonly string[]): Row | undefined;
  /** Complete before the first ticket. */
  unmatchedRows(): IterableIterator<UnmatchedRow>;
  olderRows(): number;
  unreadableRows(): IterableIterator<UnreadableRow>;
}

export interface ContactNames {
  /** `at` decides; the later offer wins a tie; an empty name only registers the address. */
  offer(email: string, name: string | undefined, at: number): void;
  nameOf(email: string): string | undefined;
  distinct(): number;
  merged(): IterableIterator<{ email: string; name: string; names: number }>;
}
