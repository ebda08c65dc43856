/** A look at an export as data: what `inspect` shows, and what `init` makes its proposal from. */
import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type { ExportFiles } from '../domain/source-file.ts';
import { type Detection, detectLayout, rankLayouts } from '../layouts/detect.ts';
import type { Layout } from '../layouts/language.ts';
import { findJoins, type Join } from './joins.ts';
import { findOddities, type Oddity } from './oddities.ts';
import { type ReadOptions, readTables } from './read-tables.ts';
import type { TableProfile } from './table-profile.ts';

/** A layout that fits, and how surely (0 to 1). */
export interface RankedLayout {
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
  const shapes = files.files.map(({ shape }) => shape);
  const { detection, undetected } = detect(() => detectLayout(shapes, layouts, options.from));
  const tables = await readTables(files, options);
  return {
    detection,
    undetected,
    ranking: rankLayouts(shapes, layouts),
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
