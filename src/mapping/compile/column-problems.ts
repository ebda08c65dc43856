/** Warnings about columns: those that nothing reads, those that rules read and no file has, and headers that repeat. */
import { didYouMean } from '../../domain/nearest.ts';
import type { Problem } from '../../domain/problem.ts';
import { plainHeader } from '../../domain/source.ts';
import { referencesOf } from '../language/references.ts';
import type { CompileContext } from './compile-context.ts';
import type { UnusedColumn } from './unread.ts';

const WARNING = { severity: 'warning', line: 1, count: 1 } as const;

/** Columns that the user's mapping reads and that no file of their table has. */
export function missingColumns({ layout, tables, fileName }: CompileContext): Problem[] {
  return (layout.ownColumns ?? []).flatMap(({ table, column }): Problem[] => {
    const columns = tables.get(table);
    const [input] = columns?.table.inputs ?? [];
    if (columns === undefined || input === undefined || columns.knows(column)) return [];
    const file = fileName(input);
    const headers = columns.headers().flatMap(({ written }) => written);
    const message = `The mapping reads the column "${column}", which ${file} does not have.${didYouMean(column, headers)}`;
    return [{ ...WARNING, code: 'missing-column', file, column, field: `${table}: ${column}`, message }];
  });
}

/** Columns of one name, read as one, that have different values in a row. */
export function repeatedHeaders({ tables, fileName }: CompileContext): Problem[] {
  const shown = (cell: string) => JSON.stringify(cell.length > 60 ? `${cell.slice(0, 59)}…` : cell);
  return [...tables.values()].flatMap(({ repeats }) =>
    [...repeats.values()].map(({ ref, header, taken, left }): Problem => {
      const file = fileName(ref);
      const message = `Several columns of ${file} are called "${header}". The first that is filled is read, and the others are not imported: here ${shown(taken)} is taken and ${shown(left)} is not. Give them different names, or read all with \`each\`.`;
      return { ...WARNING, code: 'repeated-header', file, line: ref.line, column: header, message };
    }),
  );
}

export function columnProblem(unused: UnusedColumn, context: CompileContext, isKept: boolean): Problem {
  const { table, column, filled } = unused;
  const consequence = isKept ? 'it goes into the note of its ticket' : 'it is not sent';
  const file = context.fileName(unused);
  const rows = filled === 1 ? '1 row' : `${filled} rows`;
  const isUnknown = context.layout.unknownFields === true;
  const field = table === context.rootTable ? column : `${table}[].${column}`;
  const message = isUnknown
    ? `The API has no field "${field}", so ${consequence} (it has a value in ${rows} of ${file}).${meantField(unused, context)}`
    : `Nothing uses the column "${column}" of ${file} (filled in ${rows}), so ${consequence}: map it, or list it under ignore.`;
  return { ...WARNING, code: isUnknown ? 'unknown-field' : 'unused-column', file, column, field, message };
}

/** A field that the table could have and does not, where the name looks like it. */
function meantField({ table, column }: UnusedColumn, { tables, layout }: CompileContext): string {
  const headers = tables.get(table)?.headers() ?? [];
  if (headers.length === 0) return '';
  const there = new Set(headers.flatMap(({ written }) => written.map(plainHeader)));
  const fields = referencesOf(layout)
    .reads.filter((read) => read.table === table && read.list === undefined)
    .flatMap((read) => read.pick?.map((key) => `${read.column}.${key}`) ?? [read.column])
    .filter((field) => !there.has(plainHeader(field)));
  return didYouMean(column, fields);
}
