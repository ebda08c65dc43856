/** What `inspect` shows, and `init` begins with. */

import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type { ExportFiles, SourceFile } from '../domain/source-file.ts';
import { detectBuiltin } from '../mapping/detect/builtin-layouts.ts';
import type { Detection } from '../mapping/detect/detect.ts';
import type { Column, Join, Table } from './profile.ts';
import { type Evidence, evidenceOf } from './structure.ts';

export interface Inspection extends Evidence, Disposable {
  readonly detection: Detection | undefined;
  readonly undetected: AppError | undefined;
  readonly problems: readonly Problem[];
}

export async function inspectExport(
  files: ExportFiles,
  { from, signal }: { readonly from?: string | undefined; readonly signal: AbortSignal },
): Promise<Inspection> {
  const { detection, undetected } = detect(() => detectBuiltin(files.files, from));
  const evidence = await evidenceOf(files, signal);
  return {
    ...evidence,
    detection,
    undetected,
    problems: files.problems,
    [Symbol.dispose]: () => evidence.stage[Symbol.dispose](),
  };
}

function detect(find: () => Detection): Pick<Inspection, 'detection' | 'undetected'> {
  try {
    return { detection: find(), undetected: undefined };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'source') throw error;
    return { detection: undefined, undetected: error };
  }
}

/** docs/inspect-init.md documents it. */
export function inspectionJson(inspection: Inspection, files: readonly SourceFile[]) {
  const { detection, undetected, tables, joins, problems } = inspection;
  const end = ({ table, column }: Join['from']) => ({
    file: tables[table]?.file,
    ...placeIn(tables[table]),
    column,
  });
  return {
    version: 1 as const,
    layout:
      detection === undefined
        ? { detected: false as const, message: undetected?.message, lines: undetected?.lines }
        : {
            detected: true as const,
            name: detection.layout.name,
            title: detection.layout.title,
            confidence: detection.confidence,
            reasons: detection.reasons,
            tables: detection.tables,
            unusedFiles: detection.unused.map(({ name }) => name),
          },
    files: files.map(({ name, format, encoding, compression, delimiter, bytes }) => {
      return { name, format, encoding, compression, delimiter, bytes };
    }),
    tables: tables.map((table) => ({
      file: table.file,
      ...placeIn(table),
      files: table.parts.length,
      rows: table.rows,
      blank: table.blank,
      unreadable: table.unreadable,
      columns: table.columns.map(columnJson),
      columnsLeftOut: table.columnsLeftOut,
    })),
    joins: joins.map(({ from, to, found, compared }) => ({
      from: end(from),
      to: end(to),
      keysFound: found,
      keysCompared: compared,
    })),
    problems,
  };
}

function placeIn(table: Table | undefined) {
  const { path = [], stream, kind } = table?.collection ?? {};
  return { path: path.length === 0 ? undefined : path.join('.'), stream, kind: kind?.value };
}

const columnJson = ({ list: _, path: __, average: ___, ...column }: Column) => column;
