/** An inspection for programs: `inspect --json`. The shape is documented in docs/inspect-init.md. */
import type { SourceFile } from '../domain/source-file.ts';
import type { ColumnProfile } from './column-profile.ts';
import type { Inspection } from './inspection.ts';
import type { TableProfile } from './table-profile.ts';

/** Values of a column that are listed. */
const MOST_VALUES = 50;

export function inspectionJson(
  inspection: Inspection,
  files: readonly SourceFile[],
): Record<string, unknown> {
  const { detection, undetected, ranking, tables, joins, oddities, problems } = inspection;
  return {
    version: 1,
    layout:
      detection === undefined
        ? { detected: false, message: undetected?.message, near: undetected?.near }
        : {
            detected: true,
            name: detection.layout.name,
            title: detection.layout.title,
            confidence: detection.confidence,
            reasons: detection.reasons,
            tables: detection.tables,
            unusedFiles: detection.unused.map(({ name }) => name),
          },
    candidates: ranking,
    files: files.map(({ name, format, encoding, compression, delimiter, bytes }) => ({
      name,
      format,
      encoding,
      compression,
      ...(delimiter === undefined ? {} : { delimiter }),
      bytes,
    })),
    tables: tables.map(tableJson),
    joins: joins.map(({ from, to, found, compared, certain }) => ({
      from: { file: tables[from.table]?.file, ...place(tables[from.table]), column: from.column },
      to: { file: tables[to.table]?.file, ...place(tables[to.table]), column: to.column },
      keysFound: found,
      keysCompared: compared,
      certain,
    })),
    oddities,
    problems,
  };
}

function tableJson(table: TableProfile): Record<string, unknown> {
  return {
    file: table.file,
    ...place(table),
    rows: table.estimatedRows,
    files: table.files,
    rowsExact: table.complete,
    rowsRead: table.rows,
    columns: table.columns.map(columnJson),
    columnsLeftOut: table.columnsLeftOut,
  };
}

function place(table: TableProfile | undefined): { path?: string; stream?: string } {
  const { path, stream } = table?.collection ?? {};
  return {
    ...(path === undefined || path.length === 0 ? {} : { path: path.join('.') }),
    ...(stream === undefined ? {} : { stream }),
  };
}

function columnJson(column: ColumnProfile): Record<string, unknown> {
  const { values, times, dayOrder, nulls } = column;
  return {
    name: column.name,
    type: column.type,
    rows: column.rows,
    filled: column.filled,
    distinct: column.distinct,
    distinctExact: column.distinctExact,
    kinds: column.kinds,
    ...(values === undefined ? {} : { values: values.slice(0, MOST_VALUES) }),
    examples: column.examples,
    longest: column.longest,
    ...(times.length === 0 ? {} : { times }),
    ...(dayOrder === undefined ? {} : { dayOrder }),
    ...(nulls.length === 0 ? {} : { nulls }),
  };
}
