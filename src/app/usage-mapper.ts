/**
 * Binds the mapping of usage events to files: expressions compiled, the order of day and month found out. Each row is by
 * itself, so nothing is staged or joined. What comes out maps rows synchronously.
 */
import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type { Row, SourceTicket } from '../domain/source.ts';
import type { ExportFiles, ReadRecord } from '../domain/source-file.ts';
import type { StageTable } from '../domain/stage-plan.ts';
import { TableColumns } from '../mapping/compile/column-access.ts';
import { type CompileContext, describeRule, rowPlace } from '../mapping/compile/compile-context.ts';
import { compileExpression, compileHolds } from '../mapping/compile/expressions.ts';
import { MappedValues } from '../mapping/compile/mapped-values.ts';
import { type Evaluate, newNotes, rowScope, type Scope } from '../mapping/compile/scope.ts';
import { UnusedColumns } from '../mapping/compile/unused-columns.ts';
import { comparable, isEmpty } from '../mapping/compile/values.ts';
import { decideOrders, undecided } from '../mapping/time/day-order.ts';
import type { UsageMapping } from './usage-mapping-language.ts';

/** The table that all rows are in, for the rejects. */
export const USAGE_TABLE = 'usage-events';

const FIELDS = ['eventName', 'customerId', 'eventId', 'timestamp'] as const;
export type UsageField = (typeof FIELDS)[number];

/** Candidate for an event, every value still unchecked. */
export interface MappedUsageEvent {
  readonly row: Row;
  readonly values: Readonly<Record<UsageField | 'properties', unknown>>;
  /** Of the mapping. An error among them rejects the event. */
  readonly problems: readonly Problem[];
  /** Why an `exclude` rule leaves it out. */
  readonly excluded?: string;
}

export interface UsageMapper {
  map(row: Row): MappedUsageEvent;
  /** Columns that no rule read since the last `restart`, as warnings. */
  unused(): Problem[];
  restart(): void;
}

export interface UsageMapperOptions {
  readonly table: StageTable;
  readonly mapping: UsageMapping;
  readonly timezone: string | undefined;
  readonly dayFirst: boolean | undefined;
  /** No mapping was written: unused columns are fields that the API does not have. */
  readonly isNative: boolean;
  readonly signal: AbortSignal;
}

/** Throws AppError `configuration` where no file has a column that is needed, or times leave their order open. */
export async function compileUsageMapper(
  files: ExportFiles,
  options: UsageMapperOptions,
): Promise<UsageMapper> {
  const { table, mapping, isNative } = options;
  const nulls = mapping.nulls === undefined ? undefined : new Set(mapping.nulls.map(comparable));
  const columns = new TableColumns(table, files.files, new Map(), nulls);
  const names = new Map(files.files.map((file) => [file.id, file.name]));
  const fileName = (file: number) => names.get(file) ?? '';
  const context: CompileContext = {
    layout: {
      name: 'usage-events',
      title: 'Usage events',
      tables: {},
      ticket: {},
      ...(mapping.maps === undefined ? {} : { maps: { ...mapping.maps } }),
    },
    tables: new Map([[USAGE_TABLE, columns]]),
    rootTable: USAGE_TABLE,
    zone: options.timezone ?? mapping.zone,
    timeColumns: [],
    mode: { observing: false },
    mappedValues: new MappedValues(),
    lookup: () => undefined,
    fileName: (ref) => fileName(ref.file),
    noteUnlisted: () => {},
  };
  const place = rowPlace(USAGE_TABLE);
  const readers = FIELDS.flatMap((field) => {
    const expression = mapping[field];
    return expression === undefined ? [] : [{ field, read: compileExpression(expression, place, context) }];
  });
  const properties = compileProperties(mapping.properties, context);
  const excludes = (mapping.exclude ?? []).map(({ when, reason }) => ({
    holds: compileHolds(when, place, context) ?? (() => false),
    reason,
  }));
  const headers = new Map(files.files.map((file) => [file.id, file.shape.header ?? []]));
  const unused = new UnusedColumns([columns], mapping.ignore ?? [], (file) => headers.get(file) ?? []);
  if (files.files.some(({ format }) => format === 'csv')) requireColumns(columns, mapping, files);

  const map = (row: Row): MappedUsageEvent => {
    const notes = newNotes();
    const scope = rowScope(alone(row), row, notes);
    const values: Record<UsageField | 'properties', unknown> = {
      eventName: undefined,
      customerId: undefined,
      eventId: undefined,
      timestamp: undefined,
      properties: undefined,
    };
    const excluded = excludes.find(({ holds }) => holds(scope))?.reason;
    for (const { field, read } of readers) {
      notes.field = field;
      values[field] = read(scope);
    }
    notes.field = 'properties';
    values.properties = properties(scope);
    if (excluded === undefined) unused.see(row);
    return {
      row,
      values,
      problems: notes.problems.map(({ ticket: _, ...problem }) => problem),
      ...(excluded === undefined ? {} : { excluded }),
    };
  };

  await settleDayOrder(context, map, files, options);
  unused.clear();
  return {
    map,
    unused: () =>
      unused.all().map(({ column, file, filled }) => ({
        severity: 'warning' as const,
        code: isNative ? 'unknown-field' : 'unused-column',
        file: fileName(file),
        line: 1,
        column,
        field: column,
        message: isNative
          ? `A usage event has no field "${column}", so it is not sent (filled in ${filled} rows of ${fileName(file)}): name it properties.${column}, or map it.`
          : `Nothing uses the column "${column}" of ${fileName(file)} (filled in ${filled} rows), so it is not sent: map it, or list it under ignore.`,
        count: 1,
      })),
    restart: () => unused.clear(),
  };
}

/** The row as the only one of its ticket: what expressions are evaluated on. */
function alone(row: Row): SourceTicket {
  return { kind: 'ticket', seq: 0, externalId: '', row, children: NO_CHILDREN };
}
const NO_CHILDREN: ReadonlyMap<string, readonly Row[]> = new Map();

function compileProperties(properties: UsageMapping['properties'], context: CompileContext): Evaluate {
  const place = rowPlace(USAGE_TABLE);
  if (properties === undefined) return () => undefined;
  if (typeof properties === 'string' || !('fields' in properties))
    return compileExpression(properties, place, context);
  const parts = Object.entries(properties.fields).map(([name, expression]) => ({
    name,
    read: compileExpression(expression, place, context),
  }));
  return (scope: Scope) => {
    const made: Record<string, unknown> = {};
    let filled = false;
    for (const { name, read } of parts) {
      scope.notes.field = `properties.${name}`;
      const value = read(scope);
      if (isEmpty(value)) continue;
      made[name] = value;
      filled = true;
    }
    return filled ? made : undefined;
  };
}

/** A whole export of rejects for a column's name that is spelled otherwise helps nobody: that is told at once. */
function requireColumns(columns: TableColumns, mapping: UsageMapping, files: ExportFiles): void {
  for (const field of ['eventName', 'customerId'] as const) {
    const wanted = plainColumns(mapping[field]);
    if (wanted.length === 0 || wanted.some((column) => columns.knows(column))) continue;
    const header = files.files.find(({ format }) => format === 'csv')?.shape.header ?? [];
    throw new AppError(
      'configuration',
      `No column gives the ${field} of usage events: ${describeRule(mapping[field])} is not there.`,
      {
        hint: `The columns are: ${header.join(', ')}. Map them under appApi.usageEvents in helpdesk-import.yaml.`,
      },
    );
  }
}

/** Columns that an expression needs; none where it can do without a column. */
function plainColumns(expression: unknown): string[] {
  if (typeof expression === 'string') return [expression];
  if (Array.isArray(expression)) return expression.flatMap(plainColumns);
  if (typeof expression === 'object' && expression !== null && 'column' in expression)
    return [String(expression.column)];
  return [];
}

/** Samples first; all rows only where they leave it open. */
async function settleDayOrder(
  context: CompileContext,
  map: (row: Row) => unknown,
  files: ExportFiles,
  { table, dayFirst, signal }: UsageMapperOptions,
): Promise<void> {
  const { timeColumns, mode } = context;
  if (timeColumns.length === 0) return;
  if (dayFirst === undefined) {
    mode.observing = true;
    for (const input of table.inputs) {
      const file = files.files.find(({ id }) => id === input.file);
      let seen = 0;
      for await (const records of file?.records(input.selector, signal) ?? []) {
        for (const record of records) {
          const row = rowOf(record);
          if (row !== undefined) map(row);
        }
        seen += records.length;
        if (seen >= SAMPLE_ROWS && undecided(timeColumns).length === 0) break;
      }
    }
    mode.observing = false;
  }
  decideOrders(timeColumns, dayFirst);
}

const SAMPLE_ROWS = 1_000;

/** Undefined for a record that could not be read. */
export function rowOf({ ref, cells, object }: ReadRecord): Row | undefined {
  if (cells !== undefined) return { table: USAGE_TABLE, ref, cells };
  return object === undefined ? undefined : { table: USAGE_TABLE, ref, object };
}
