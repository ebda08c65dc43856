/** Rows that belong to no ticket: orphans, and those that could not be read. Read in pages, so nothing grows. */
import type { OrphanRow, RecordRef } from '../domain/source.ts';
import { inputAt } from './child-rows.ts';
import type { PlanInput } from './plan-inputs.ts';
import type { StageStores } from './stage-stores.ts';
import { guarded } from './temp-database.ts';

const PAGE = 500;

interface OrphanPage {
  readonly row: number;
  readonly key: string;
  readonly input: number;
  readonly offset: number;
  readonly length: number;
  readonly line: number;
}

/** In the order of the tables, then of their rows. */
export function* orphanRows(inputs: readonly PlanInput[], stores: StageStores): Generator<OrphanRow, void> {
  for (const table of new Set(inputs.map((input) => input.table))) {
    const rows = stores.rows.get(table.name);
    if (table.role !== 'child' || rows === undefined) continue;
    const page = stores.database.prepare<[number], OrphanPage>(
      `SELECT rowid AS row, key, input, offset, length, line FROM ${rows.name} AS child WHERE rowid > ?
       AND NOT EXISTS (SELECT 1 FROM ${stores.parentsOf(table)} AS parent WHERE parent.key = child.key)
       ORDER BY rowid LIMIT ${PAGE}`,
    );
    for (let last = 0; ; ) {
      const found = guarded(() => page.all(last));
      if (found.length === 0) break;
      for (const { row, key, input, offset, length, line } of found) {
        last = row;
        const file = inputAt(inputs, input).file.id;
        yield { table: table.name, parent: key, ref: { file, offset, length, line } };
      }
    }
  }
}

interface BadPage extends RecordRef {
  readonly row: number;
  readonly name: string;
  readonly message: string;
}

export function* badRows(
  stores: StageStores,
): Generator<{ table: string; ref: RecordRef; message: string }, void> {
  const page = stores.database.prepare<[number], BadPage>(
    `SELECT rowid AS row, name, file, offset, length, line, message FROM bad WHERE rowid > ? ORDER BY rowid LIMIT ${PAGE}`,
  );
  for (let last = 0; ; ) {
    const found = guarded(() => page.all(last));
    if (found.length === 0) return;
    for (const { row, name, message, file, offset, length, line } of found) {
      last = row;
      yield { table: name, ref: { file, offset, length, line }, message };
    }
  }
}
