/** The rows of usage events: the mapping compiled, and of each row the values of the five fields. */
import type { Problem } from '../domain/problem.ts';
import type { RecordRef, Row } from '../domain/source.ts';
import {
  type ExportFiles,
  type FileOutline,
  type ReadRecord,
  type RecordSelector,
  rowOf,
  type SourceFile,
} from '../domain/source-file.ts';
import { TableColumns } from '../mapping/compile/columns.ts';
import {
  type CompileContext,
  type Evaluate,
  newNotes,
  type Read,
  rowPlace,
  rowScope,
} from '../mapping/compile/context.ts';
import { settleDayOrder } from '../mapping/compile/day-order.ts';
import { compileExpression, compileHolds } from '../mapping/compile/expressions.ts';
import { Unread } from '../mapping/compile/unread.ts';
import { isEmpty } from '../mapping/compile/values.ts';
import type { Settings } from '../settings/settings.ts';
import { EVENT_ID } from './usage-event.ts';
import { FIELDS, type FieldValues, type UsageMapping, usageMapping } from './usage-mapping-language.ts';

const TABLE = 'usage-events';
const PLACE = rowPlace(TABLE);
/** A row belongs to no other row. */
const ALONE = { kind: 'ticket', seq: 0, externalId: '', children: new Map() } as const;

interface MappedRow {
  readonly values: FieldValues;
  /** An error among them rejects the row. */
  readonly problems: readonly Problem[];
  /** Why an `exclude` rule leaves it out. */
  readonly excluded: string | undefined;
}

export interface UsageRow {
  readonly record: ReadRecord;
  readonly file: SourceFile;
  /** Undefined where the record cannot be read. */
  readonly row: Row | undefined;
  readonly mapped: MappedRow | undefined;
}

export type UsageRows = Awaited<ReturnType<typeof usageRows>>;

/** Throws AppError `configuration` where dates are ambiguous. */
export async function usageRows(
  { files }: ExportFiles,
  { source, appApi }: Pick<Settings, 'source' | 'appApi'>,
  signal: AbortSignal,
) {
  const mapping = usageMapping.parse(appApi?.usageEvents ?? {});
  const inputs = files.map(({ id, outline }) => ({ file: id, selector: selectorOf(outline, mapping.path) }));
  const table = { name: TABLE, role: 'root', key: [], inputs } as const;
  const { maps, nulls = [], ignore = [] } = mapping;
  const layout = { name: TABLE, title: 'Usage events', tables: {}, ticket: {}, maps, nulls };
  const columns = new TableColumns(table, files, layout);
  const fileName = (file: number) => files[file]?.name ?? '';
  const context: CompileContext = {
    layout,
    tables: new Map([[TABLE, columns]]),
    rootTable: TABLE,
    zone: source.timezone,
    timeColumns: [],
    mode: { observing: false },
    lookup: () => undefined,
    fileName: (ref) => fileName(ref.file),
    embedded: () => new Map(),
    noteUnlisted: () => {},
    reads: [],
    lookups: [],
  };
  const counted: Read[] = [];
  const map = compileRow(mapping, context, counted);
  const unused = new Unread([columns], {
    sent: context.reads,
    counted,
    ignored: [...ignore, EVENT_ID],
    root: TABLE,
    keepsIds: false,
    itemTables: new Set(),
  });
  const pages = async function* () {
    for (const [at, file] of files.entries())
      for await (const records of file.records(inputs[at]?.selector, signal))
        yield records.map((record): UsageRow => {
          const row = rowOf(TABLE, record);
          return { record, file, row, mapped: row && map(row) };
        });
  };
  await settleDayOrder(context, pages, source.dayFirst);
  return {
    files,
    async *read(): AsyncGenerator<UsageRow> {
      for await (const page of pages())
        for (const read of page) {
          if (read.row !== undefined && read.mapped?.excluded === undefined) unused.see(read.row);
          yield read;
        }
    },
    /** A record that was read before. */
    again: (ref: RecordRef) => files[ref.file]?.at(ref, inputs[ref.file]?.selector),
    /** Columns that no rule has read, as warnings. */
    unused: () =>
      unused.columns().map(
        ({ column, file, filled }): Problem => ({
          severity: 'warning',
          code: 'unused-column',
          file: fileName(file),
          line: 1,
          column,
          field: column,
          message: `The column "${column}" is not sent (filled in ${filled} rows of ${fileName(file)}). Map it, name it properties.${column}, or list it under ignore.`,
          count: 1,
        }),
      ),
  };
}

/** CSV and JSONL hold a record a line. A JSON document is a list of records, holds one, or is a record. */
function selectorOf({ format, collections }: FileOutline, path?: string): RecordSelector | undefined {
  if (format !== 'json' || path === '.') return undefined;
  const found = path?.split('.') ?? collections?.find((collection) => collection.path !== undefined)?.path;
  return found && { path: found };
}

function compileRow(
  mapping: UsageMapping,
  context: CompileContext,
  counted: Read[],
): (row: Row) => MappedRow {
  const readers = FIELDS.map((field) => ({ field, read: compileField(mapping[field], field, context) }));
  const excludes = (mapping.exclude ?? []).map(({ when, reason }) => ({
    holds: compileHolds(when, PLACE, { ...context, reads: counted }),
    reason,
  }));
  return (row) => {
    const notes = newNotes();
    const scope = rowScope({ ...ALONE, row }, row, notes);
    const excluded = excludes.find(({ holds }) => holds?.(scope) === true)?.reason;
    const values: Partial<Record<keyof FieldValues, unknown>> = {};
    for (const { field, read } of readers) {
      notes.field = field;
      values[field] = read(scope);
    }
    const problems = notes.problems.map(({ ticket: _, ...problem }) => problem);
    return { values: values as FieldValues, problems, excluded };
  };
}

function compileField(written: UsageMapping['properties'], field: string, context: CompileContext): Evaluate {
  if (typeof written === 'string' || !('fields' in written))
    return compileExpression(written, PLACE, context);
  const parts = Object.entries(written.fields).map(
    ([name, expression]) => [name, compileExpression(expression, PLACE, context)] as const,
  );
  return (scope) => {
    const filled = parts.flatMap(([name, read]) => {
      scope.notes.field = `${field}.${name}`;
      const value = read(scope);
      return isEmpty(value) ? [] : [[name, value] as const];
    });
    return filled.length === 0 ? undefined : Object.fromEntries(filled);
  };
}
