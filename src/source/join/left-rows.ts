/** Rows that belong to no ticket: orphans, and those that could not be read. Read in pages, so nothing grows. */
import type { OrphanRow, RecordRef, UnreadableRow } from '../../domain/source.ts';
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
    const keys = guarded(() => orphanKeys(stores, rows.name, stores.parentsOf(table)));
    const page = stores.database.prepare<[number], OrphanPage>(
      `SELECT rowid AS row, key, input, offset, length, line FROM ${rows.name} WHERE rowid > ?
       AND key IN (SELECT key FROM ${keys}) ORDER BY rowid LIMIT ${PAGE}`,
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

/**
 * A table of the keys that no ticket has, made when it is asked for first. The index is walked from each key to the next
 * greater one, so the work follows the number of tickets and not that of rows.
 */
function orphanKeys({ database }: StageStores, rows: string, parents: string): string {
  const name = `${rows}_orphans`;
  const known = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name);
  if (known !== undefined) return name;
  database.exec(
    `CREATE TABLE ${name} AS
     WITH RECURSIVE keys (key) AS (
       SELECT min(key) FROM ${rows}
       UNION ALL
       SELECT (SELECT min(key) FROM ${rows} WHERE key > keys.key) FROM keys WHERE keys.key IS NOT NULL
     )
     SELECT key FROM keys WHERE key IS NOT NULL AND key NOT IN (SELECT key FROM ${parents})`,
  );
  return name;
}

interface BadPage extends RecordRef {
  readonly row: number;
  readonly name: string;
  readonly message: string;
  readonly text: string;
}

/** With what is known of the tickets that they belong to. */
export function* badRows(inputs: readonly PlanInput[], stores: StageStores): Generator<UnreadableRow, void> {
  if (!stores.isJoined) return;
  const tables = new Map(inputs.map(({ table }) => [table.name, table]));
  const { database } = stores;
  const page = database.prepare<[number], BadPage>(
    `SELECT rowid AS row, name, file, offset, length, line, message, text FROM bad WHERE rowid > ? ORDER BY rowid LIMIT ${PAGE}`,
  );
  for (let last = 0; ; ) {
    const found = guarded(() => page.all(last));
    if (found.length === 0) return;
    for (const { row, name, message, text, file, offset, length, line } of found) {
      last = row;
      const table = tables.get(name);
      const isLookup = table?.role !== 'child';
      const known =
        isLookup || table === undefined
          ? undefined
          : database
              .prepare<[string, number, number], { found: number }>(
                `SELECT key IN (SELECT key FROM ${stores.parentsOf(table)}) AS found FROM broken
                 WHERE name = ? AND file = ? AND offset = ? ORDER BY found DESC`,
              )
              .get(name, file, offset);
      const owner = isLookup
        ? 'none'
        : known === undefined
          ? 'unknown'
          : known.found === 1
            ? 'ticket'
            : 'missing';
      yield { table: name, ref: { file, offset, length, line }, message, text, owner };
    }
  }
}
