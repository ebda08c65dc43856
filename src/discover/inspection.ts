/** What `inspect` shows, and `init` begins with. */

import { AppError } from '../domain/errors.ts';
import { countOf } from '../domain/printable.ts';
import type { Problem } from '../domain/problem.ts';
import type { ExportFiles, SourceFile } from '../domain/source-file.ts';
import { builtinLayouts, detectBuiltin } from '../mapping/detect/builtin-layouts.ts';
import { type Detection, rankLayouts } from '../mapping/detect/detect.ts';
import { leadsTo, mayJoin } from './names.ts';
import { type Column, findJoins, type Join, profileTables, type Table } from './profile.ts';
import { type Stage, stageTables } from './staged-tables.ts';

interface Oddity {
  readonly code: string;
  readonly file: string;
  readonly column?: string;
  readonly message: string;
}

export interface Inspection extends Disposable {
  readonly stage: Stage;
  readonly detection: Detection | undefined;
  /** One sentence, and a line for each of the nearest layouts. */
  readonly undetected: { readonly message: string; readonly near: readonly string[] } | undefined;
  /** Best first, 0 to 1. */
  readonly ranking: ReturnType<typeof rankLayouts>;
  readonly tables: readonly Table[];
  readonly joins: readonly Join[];
  readonly oddities: readonly Oddity[];
  readonly problems: readonly Problem[];
}

export async function inspectExport(
  files: ExportFiles,
  { from, signal }: { readonly from?: string | undefined; readonly signal: AbortSignal },
): Promise<Inspection> {
  const outlines = files.files.map(({ outline }) => outline);
  const { detection, undetected } = detect(() => detectBuiltin(outlines, from));
  const stage = await stageTables(files, signal);
  const tables = profileTables(stage);
  return {
    stage,
    detection,
    undetected,
    get ranking() {
      return rankLayouts(outlines, builtinLayouts());
    },
    tables,
    joins: findJoins(stage, tables, mayJoin, leadsTo),
    oddities: tables.flatMap(odditiesOf),
    problems: files.problems,
    [Symbol.dispose]: () => stage[Symbol.dispose](),
  };
}

function detect(find: () => Detection): Pick<Inspection, 'detection' | 'undetected'> {
  try {
    return { detection: find(), undetected: undefined };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'source') throw error;
    const near = error.lines.filter((line) => line.includes(' would need '));
    return { detection: undefined, undetected: { message: error.message, near } };
  }
}

function odditiesOf({ file, parts, columns, blank, unreadable: [first, ...more] }: Table): Oddity[] {
  const header = (parts[0]?.file.outline.header ?? []).map((name) => name.trim());
  const repeated = [...new Set(header.filter((name, at) => name !== '' && header.indexOf(name) !== at))];
  const found: Oddity[] = [];
  const add = (code: string, message: string, column?: string) =>
    found.push({ code, file, message, ...(column === undefined ? {} : { column }) });
  for (const column of repeated) add('repeated-header', `Several columns have the name "${column}".`, column);
  if (header.includes('')) add('missing-header', 'A column has no name, so no rule can read it.');
  if (blank > 0) add('blank-rows', `${countOf(blank, 'row is', 'rows are')} blank.`);
  if (first !== undefined)
    add(
      'unreadable',
      `${1 + more.length} records cannot be read, the first in line ${first.line}: ${first.reason}`,
    );
  for (const { name, type, kinds, times } of columns) {
    const counts = kinds.map(({ kind, count }) => `${kind} (${count})`).join(', ');
    if (type === 'mixed') add('mixed-types', `"${name}" holds ${counts}.`, name);
    if (new Set(times.map(({ zoned }) => zoned)).size > 1)
      add('mixed-zones', `Only some times of "${name}" have a time zone.`, name);
  }
  return found;
}

/** docs/inspect-init.md documents it. */
export function inspectionJson(inspection: Inspection, files: readonly SourceFile[]) {
  const { detection, undetected, ranking, tables, joins, oddities, problems } = inspection;
  const end = ({ table, column }: Join['from']) => ({
    file: tables[table]?.file,
    ...placeIn(tables[table]),
    column,
  });
  return {
    version: 1 as const,
    layout:
      detection === undefined
        ? { detected: false as const, ...undetected }
        : {
            detected: true as const,
            name: detection.layout.name,
            title: detection.layout.title,
            confidence: detection.confidence,
            reasons: detection.reasons,
            tables: detection.tables,
            unusedFiles: detection.unused.map(({ name }) => name),
          },
    candidates: ranking,
    files: files.map(({ name, format, encoding, compression, delimiter, bytes }) => {
      return { name, format, encoding, compression, delimiter, bytes };
    }),
    tables: tables.map((table) => ({
      file: table.file,
      ...placeIn(table),
      files: table.parts.length,
      rows: table.rows,
      columns: table.columns.map(columnJson),
      columnsLeftOut: table.columnsLeftOut,
    })),
    joins: joins.map(({ from, to, found, compared }) => ({
      from: end(from),
      to: end(to),
      keysFound: found,
      keysCompared: compared,
    })),
    oddities,
    problems,
  };
}

function placeIn(table: Table | undefined) {
  const { path = [], stream, kind } = table?.collection ?? {};
  return { path: path.length === 0 ? undefined : path.join('.'), stream, kind: kind?.value };
}

const columnJson = ({ list: _, path: __, average: ___, ...column }: Column) => column;
