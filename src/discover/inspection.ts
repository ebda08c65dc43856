/** A look at an export as data: what `inspect` shows, and what `init` makes its proposal from. */
import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type { ExportFiles, SourceFile } from '../domain/source-file.ts';
import { type Detection, detectLayout, rankLayouts } from '../mapping/detect/detect.ts';
import type { Layout } from '../mapping/language/layout.ts';
import type { ColumnProfile } from './column-profile.ts';
import { findJoins, type Join } from './joins.ts';
import { findOddities, type Oddity } from './oddities.ts';
import { type ReadOptions, readTables } from './read-tables.ts';
import type { TableProfile } from './table-profile.ts';

/** A layout that fits, and how surely (0 to 1). */
interface RankedLayout {
  readonly name: string;
  readonly title: string;
  readonly confidence: number;
}

export interface Inspection {
  readonly detection: Detection | undefined;
  /** Why no layout was chosen, where none was: one sentence, and a line for each of the nearest layouts. */
  readonly undetected: { readonly message: string; readonly near: readonly string[] } | undefined;
  /** All layouts that fit, best first. */
  readonly ranking: readonly RankedLayout[];
  readonly tables: readonly TableProfile[];
  readonly joins: readonly Join[];
  readonly oddities: readonly Oddity[];
  /** Warnings of reading: ignored and empty files, guessed encodings. */
  readonly problems: readonly Problem[];
}

/** `from` names the layout, as in `run`. Throws AppError `usage` for an unknown name, `source` for what cannot be read. */
export async function inspectExport(
  files: ExportFiles,
  layouts: readonly Layout[],
  options: ReadOptions & { readonly from?: string | undefined },
): Promise<Inspection> {
  const outlines = files.files.map(({ outline }) => outline);
  const { detection, undetected } = detect(() => detectLayout(outlines, layouts, options.from));
  const tables = await readTables(files, options);
  return {
    detection,
    undetected,
    ranking: rankLayouts(outlines, layouts),
    tables,
    joins: findJoins(tables),
    oddities: findOddities(files.files, tables),
    problems: files.problems,
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

/** An inspection for programs: `inspect --json`, and what the library's `inspect` gives. docs/inspect-init.md says it in words. */
export interface ExportReport {
  readonly version: 1;
  readonly layout:
    | {
        readonly detected: false;
        readonly message: string | undefined;
        readonly near: readonly string[] | undefined;
      }
    | ({ readonly detected: true; readonly unusedFiles: readonly string[] } & RankedLayout &
        Pick<Detection, 'reasons' | 'tables'>);
  readonly candidates: readonly RankedLayout[];
  readonly files: readonly (Pick<SourceFile, 'name' | 'format' | 'encoding' | 'compression' | 'bytes'> & {
    readonly delimiter?: string | undefined;
  })[];
  readonly tables: readonly TableReport[];
  readonly joins: readonly {
    readonly from: JoinEnd;
    readonly to: JoinEnd;
    readonly keysFound: number;
    readonly keysCompared: number;
    readonly certain: boolean;
  }[];
  readonly oddities: readonly Oddity[];
  readonly problems: readonly Problem[];
}

/** Where in its file a table is: the path of a list in JSON, or the kind of record. */
interface Place {
  readonly path?: string | undefined;
  readonly stream?: string | undefined;
}

interface JoinEnd extends Place {
  readonly file: string | undefined;
  readonly column: string;
}

export interface TableReport extends Place {
  readonly file: string;
  /** An estimate where `rowsExact` is false. */
  readonly rows: number;
  readonly files: number;
  readonly rowsExact: boolean;
  readonly rowsRead: number;
  readonly columns: readonly ColumnReport[];
  readonly columnsLeftOut: number;
}

type AlwaysInReport =
  | 'name'
  | 'type'
  | 'rows'
  | 'filled'
  | 'distinct'
  | 'distinctExact'
  | 'kinds'
  | 'examples'
  | 'longest';

export type ColumnReport = Pick<ColumnProfile, AlwaysInReport> &
  Partial<Pick<ColumnProfile, 'values' | 'times' | 'dayOrder' | 'nulls'>>;

/** Values of a column that are listed. */
const MOST_VALUES = 50;

export function inspectionJson(inspection: Inspection, files: readonly SourceFile[]): ExportReport {
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
      delimiter,
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

function tableJson(table: TableProfile): TableReport {
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

function place(table: TableProfile | undefined): Place {
  const { path, stream } = table?.collection ?? {};
  return {
    ...(path === undefined || path.length === 0 ? {} : { path: path.join('.') }),
    ...(stream === undefined ? {} : { stream }),
  };
}

function columnJson(column: ColumnProfile): ColumnReport {
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
