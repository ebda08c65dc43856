/** Shows rows of an export to the mapper so that it can weigh how their times are written: samples, then whole tables. */

import type { JoinPlan } from '../../domain/join-plan.ts';
import { cellPaths, csvObject, type Row } from '../../domain/source.ts';
import type { ExportFiles, ReadRecord } from '../../domain/source-file.ts';
import { parsePath, valueAt } from '../compile/column-path.ts';

export type Observe = (row: Row) => void;

/** The rows that the look at the beginning of each file kept. */
export function observeSamples(plan: JoinPlan, files: ExportFiles, observe: Observe): void {
  for (const table of plan.tables) {
    if (table.role === 'lookup') continue;
    for (const input of table.inputs) {
      const outline = files.files[input.file]?.outline;
      const ref = { file: input.file, row: 0, line: 1 };
      const paths = cellPaths(outline?.header ?? []);
      for (const cells of outline?.sampleRows ?? [])
        observe({ table: table.name, ref, cells, object: csvObject(cells, paths) });
      const path = input.selector?.path?.join('.');
      const unwrap = parsePath(input.selector?.unwrap?.join('.') ?? '');
      for (const collection of outline?.collections ?? []) {
        if (collection.path?.join('.') !== path) continue;
        for (const sample of collection.sample) {
          const object = valueAt(sample, unwrap);
          if (typeof object === 'object' && object !== null)
            observe({ table: table.name, ref, object: object as Record<string, unknown> });
        }
      }
    }
  }
}

/** Every row of these tables, until `enough` is known. */
export async function observeTables(
  plan: JoinPlan,
  files: ExportFiles,
  tables: ReadonlySet<string>,
  observe: Observe,
  enough: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (const table of plan.tables) {
    if (!tables.has(table.name)) continue;
    for (const input of table.inputs) {
      const file = files.files[input.file];
      if (file === undefined) continue;
      for await (const records of file.records(input.selector, signal)) {
        for (const record of records) {
          const row = rowOf(table.name, record);
          if (row !== undefined) observe(row);
        }
        if (enough()) return;
      }
    }
  }
}

/** Undefined for a record that could not be read. */
export function rowOf(table: string, { ref, cells, object }: ReadRecord): Row | undefined {
  return object === undefined ? undefined : { table, ref, object, ...(cells && { cells }) };
}
