/**
 * Rows → whole source tickets. The files of a join are read once to note where the rows of each ticket stand; then the
 * files of the tickets themselves are read again, and each ticket gets its rows. A plan whose tickets hold all their
 * data needs no pass before the first ticket.
 */
import type { SourceItem } from '../../domain/source.ts';
import type { ExportFiles } from '../../domain/source-file.ts';
import type { StagedExport, StagePlan } from '../../domain/stage-plan.ts';
import { badRows, orphanRows } from './left-rows.ts';
import { loadRows, type StageOptions } from './load-rows.ts';
import { Lookups } from './lookups.ts';
import { planInputs } from './plan-inputs.ts';
import { StageStores } from './stage-stores.ts';
import { TempDatabase } from './temp-database.ts';
import { TicketStream } from './ticket-stream.ts';

/** The files must stay open as long as the staged export is used. Throws AppError `source` for a column that is missing. */
export async function stageExport(
  files: ExportFiles,
  plan: StagePlan,
  options: StageOptions,
): Promise<StagedExport> {
  const inputs = planInputs(plan, files);
  const database = new TempDatabase();
  try {
    const stores = new StageStores(database, inputs);
    const loaded = await loadRows(inputs, stores, options);
    const lookups = new Lookups(inputs, stores);
    const passes = { complete: 0 };
    let told = loaded;
    return {
      tickets: (signal) => {
        const stream = new TicketStream(inputs, stores, passes);
        const tell = told ? undefined : options.onProgress;
        told = true;
        return tell === undefined ? stream.items(signal) : withProgress(stream, signal, inputs, tell);
      },
      lookup: (table, columns, values) => lookups.find(table, columns, values),
      orphans: () => orphanRows(inputs, stores),
      unreadableRows: () => badRows(inputs, stores),
      rowCounts: () => {
        const children = inputs.filter(({ table }) => table.role === 'child').map(({ table }) => table.name);
        return new Map(children.map((name) => [name, stores.rows.get(name)?.count ?? 0]));
      },
      [Symbol.asyncDispose]: () => {
        database[Symbol.dispose]();
        return Promise.resolve();
      },
    };
  } catch (error) {
    database[Symbol.dispose]();
    throw error;
  }
}

/** Without a pass before it, the first time that tickets are handed out is when the export is read. */
function withProgress(
  stream: TicketStream,
  signal: AbortSignal,
  inputs: readonly ReturnType<typeof planInputs>[number][],
  tell: NonNullable<StageOptions['onProgress']>,
): AsyncIterable<readonly SourceItem[]> {
  const total = inputs.reduce((sum, { file }) => sum + file.bytes, 0);
  let records = 0;
  return stream.items(signal, (input, chunk) => {
    records += chunk.length;
    const before = inputs.slice(0, input.index).reduce((sum, { file }) => sum + file.bytes, 0);
    const last = chunk.at(-1)?.ref;
    tell(before + (last === undefined ? 0 : last.offset + last.length), total, records);
  });
}
