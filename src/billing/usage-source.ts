/**
 * The files of usage events, opened, with the mapping that turns their rows into candidates for events. Each row is by
 * itself, so nothing is joined.
 */

import type { Readable } from 'node:stream';
import { AppError } from '../domain/errors.ts';
import type { JoinInput, JoinPlan } from '../domain/join-plan.ts';
import type { Problem, ProblemSink } from '../domain/problem.ts';
import type { Row } from '../domain/source.ts';
import type { ExportFiles, FileOutline, RecordSelector, SourceFile } from '../domain/source-file.ts';
import { TableColumns } from '../mapping/compile/column-access.ts';
import { type CompileContext, describeRule, rowPlace } from '../mapping/compile/compile-context.ts';
import { settleDayOrder } from '../mapping/compile/compile-layout.ts';
import { compileExpression, compileHolds } from '../mapping/compile/expressions.ts';
import { type Evaluate, newNotes, rowScope, type Scope } from '../mapping/compile/scope.ts';
import { comparable, isEmpty } from '../mapping/compile/text-forms.ts';
import { UnusedColumns } from '../mapping/compile/unused-columns.ts';
import type { Settings } from '../settings/settings.ts';
import { Closers } from '../source/closers.ts';
import { openExport } from '../source/open-export.ts';
import { readUsageMapping, type UsageMapping } from './usage-mapping-language.ts';

/** The one table, in which all rows are. */
export const USAGE_TABLE = 'usage-events';

const FIELDS = ['eventName', 'customerId', 'eventId', 'timestamp', 'properties'] as const;
type UsageField = (typeof FIELDS)[number];

/** Candidate for an event, every value still unchecked. */
export interface MappedUsageEvent {
  readonly row: Row;
  readonly values: Readonly<Record<UsageField, unknown>>;
  /** Of the mapping. An error among them rejects the event. */
  readonly problems: readonly Problem[];
  /** Why an `exclude` rule leaves it out. */
  readonly excluded?: string | undefined;
}

interface UsageMapper {
  map(row: Row): MappedUsageEvent;
  /** Columns that no rule read since the last `restart`, as warnings. */
  unused(): Problem[];
  restart(): void;
}

export interface UsageSource extends AsyncDisposable {
  readonly files: ExportFiles;
  readonly plan: JoinPlan;
  /** Where the records stand, file by file. */
  readonly inputs: readonly JoinInput[];
  readonly mapper: UsageMapper;
  fileName(file: number): string;
  header(file: number): readonly string[];
}

interface UsageSourcePorts {
  readonly stdin?: Readable | undefined;
  readonly signal: AbortSignal;
  readonly problem: ProblemSink;
}

/**
 * Throws AppError `source` where files cannot be read; `configuration` where the mapping is wrong, no file has a column
 * that is needed, or times leave the order of day and month open.
 */
export async function openUsageSource(settings: Settings, ports: UsageSourcePorts): Promise<UsageSource> {
  const { source, appApi } = settings;
  const mapping = requireMapping(appApi?.usageEvents ?? {});
  await using stack = new Closers();
  const files = stack.use(
    await openExport(source.files, {
      encoding: source.encoding,
      delimiter: source.delimiter,
      stdin: ports.stdin,
      signal: ports.signal,
    }),
  );
  for (const problem of files.problems) ports.problem(problem);
  const byId = new Map(files.files.map((file) => [file.id, file]));
  const inputs = inputsOf(files.files, mapping.path);
  const opened = {
    files,
    inputs,
    plan: planOf(inputs),
    fileName: (file: number) => byId.get(file)?.name ?? '',
    header: (file: number) => byId.get(file)?.outline.header ?? [],
  };
  const mapper = await compileMapper(opened, mapping, settings, ports.signal);
  const open = stack.move();
  return { ...opened, mapper, [Symbol.asyncDispose]: () => open[Symbol.asyncDispose]() };
}

/** How files are read of which nothing else is known: those of rejects. */
export function usagePlan(files: readonly SourceFile[], { appApi }: Settings): JoinPlan {
  return planOf(inputsOf(files, requireMapping(appApi?.usageEvents ?? {}).path));
}

function planOf(inputs: readonly JoinInput[]): JoinPlan {
  return { tables: [{ name: USAGE_TABLE, role: 'root', key: [], inputs }] };
}

function inputsOf(files: readonly SourceFile[], path: string | undefined): JoinInput[] {
  return files.map(({ id, outline }) => ({ file: id, selector: selectorOf(outline, path) }));
}

function requireMapping(written: unknown): UsageMapping {
  const read = readUsageMapping(written);
  if ('mapping' in read) return read.mapping;
  throw new AppError('configuration', 'The mapping of usage events in the settings file has mistakes.', {
    lines: read.issues.map(
      ({ path, message }) => `${['appApi.usageEvents', ...path.map(String)].join('.')}: ${message}`,
    ),
  });
}

/** CSV and JSONL hold a record a line. A JSON document is a list of them, holds one, or is one itself. */
function selectorOf({ format, collections }: FileOutline, path?: string): RecordSelector | undefined {
  if (format === 'csv') return undefined;
  if (path !== undefined) return path === '.' ? undefined : { path: path.split('.') };
  if (format === 'jsonl') return undefined;
  const found = collections?.find((collection) => collection.path !== undefined)?.path;
  return found && { path: found };
}

/** A row is the only one of its ticket: what expressions are evaluated on. */
const ALONE = { kind: 'ticket', seq: 0, externalId: '', children: new Map() } as const;

async function compileMapper(
  source: Pick<UsageSource, 'files' | 'plan' | 'fileName' | 'header'>,
  mapping: UsageMapping,
  settings: Settings,
  signal: AbortSignal,
): Promise<UsageMapper> {
  const { files, plan, fileName } = source;
  const columns = plan.tables.map(
    (table) =>
      new TableColumns(
        table,
        files.files,
        new Map(),
        mapping.nulls && new Set(mapping.nulls.map(comparable)),
      ),
  );
  const context: CompileContext = {
    layout: { name: USAGE_TABLE, title: 'Usage events', tables: {}, ticket: {}, maps: mapping.maps },
    tables: new Map(columns.map((one) => [one.table.name, one])),
    rootTable: USAGE_TABLE,
    zone: settings.source.timezone ?? mapping.zone,
    timeColumns: [],
    mode: { observing: false },
    lookup: () => undefined,
    fileName: (ref) => fileName(ref.file),
    embedded: () => new Map(),
    noteUnlisted: () => {},
  };
  const place = rowPlace(USAGE_TABLE);
  const readers = FIELDS.map((field) => ({ field, read: compileField(mapping[field], field, context) }));
  const excludes = (mapping.exclude ?? []).map(({ when, reason }) => ({
    holds: compileHolds(when, place, context),
    reason,
  }));
  const unused = new UnusedColumns(columns, mapping.ignore ?? [], source.header);
  for (const one of columns) requireColumns(one, mapping, files);

  const map = (row: Row): MappedUsageEvent => {
    const notes = newNotes();
    const scope = rowScope({ ...ALONE, row }, row, notes);
    const values = {} as Record<UsageField, unknown>;
    const excluded = excludes.find(({ holds }) => holds?.(scope) === true)?.reason;
    for (const { field, read } of readers) {
      notes.field = field;
      values[field] = read(scope);
    }
    if (excluded === undefined) unused.see(row);
    const problems = notes.problems.map(({ ticket: _, ...problem }) => problem);
    return { row, values, problems, excluded };
  };
  await settleDayOrder(context, (row) => void map(row), plan, files, settings.source.dayFirst, signal);
  unused.clear();

  const isNative = settings.appApi?.usageEvents === undefined;
  return {
    map,
    restart: () => unused.clear(),
    unused: () =>
      unused.all().map(({ column, file, filled }) => ({
        severity: 'warning',
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
  };
}

function compileField(
  written: UsageMapping['properties'],
  field: UsageField,
  context: CompileContext,
): Evaluate {
  const place = rowPlace(USAGE_TABLE);
  if (typeof written === 'string' || !('fields' in written))
    return compileExpression(written, place, context);
  const parts = Object.entries(written.fields).map(
    ([name, expression]) => [name, compileExpression(expression, place, context)] as const,
  );
  return (scope: Scope) => {
    const filled = parts.flatMap(([name, read]) => {
      scope.notes.field = `${field}.${name}`;
      const value = read(scope);
      return isEmpty(value) ? [] : [[name, value] as const];
    });
    return filled.length === 0 ? undefined : Object.fromEntries(filled);
  };
}

/** A whole export of rejects for a column's name that is spelled otherwise helps nobody: that is told at once. */
function requireColumns(columns: TableColumns, mapping: UsageMapping, { files }: ExportFiles): void {
  const csv = files.find(({ format }) => format === 'csv');
  if (csv === undefined) return;
  for (const field of ['eventName', 'customerId'] as const) {
    const wanted = plainColumns(mapping[field]);
    if (wanted.length === 0 || wanted.some((column) => columns.knows(column))) continue;
    throw new AppError(
      'configuration',
      `No column gives the ${field} of usage events: ${describeRule(mapping[field])} is not there.`,
      {
        hint: `The columns are: ${csv.outline.header?.join(', ')}. Map them under appApi.usageEvents in helpdesk-import.yaml.`,
      },
    );
  }
}

/** Columns that an expression needs; none where it can do without a column. */
function plainColumns(expression: UsageMapping['eventName']): string[] {
  if (typeof expression === 'string') return [expression];
  if (Array.isArray(expression)) return expression.flatMap(plainColumns);
  return expression.column === undefined ? [] : [expression.column];
}
