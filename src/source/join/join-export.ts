/**
 * Rows → whole source tickets. The files of a join are read once to note where the rows of each ticket stand; then the
 * files of the tickets themselves are read again, and each ticket gets its rows. A plan whose tickets hold all their
 * data needs no pass before the first ticket.
 */

import type { JoinedExport, JoinPlan } from '../../domain/join-plan.ts';
import type { SourceItem, UnmatchedRow, UnreadableRow } from '../../domain/source.ts';
import type { ExportFiles } from '../../domain/source-file.ts';
import { type JoinOptions, loadRows } from './load-rows.ts';
import { inputAt, type PlanInput, planInputs } from './plan-inputs.ts';
import { RowIndex } from './row-index.ts';
import { Lookups } from './row-reader.ts';
import { guarded } from './temp-database.ts';
import { type Passes, TicketStream } from './ticket-stream.ts';

/** The files must stay open as long as the joined export is used. Throws AppError `source` for a column that is missing. */
export async function joinExport(
  files: ExportFiles,
  plan: JoinPlan,
  options: JoinOptions,
): Promise<JoinedExport> {
  const inputs = planInputs(plan, files);
  const index = new RowIndex();
  try {
    let isReported = await loadRows(inputs, index, options);
    const lookups = new Lookups(inputs, index);
    const passes: Passes = { complete: 0, merged: undefined };
    return {
      tickets: (signal) => {
        const stream = new TicketStream(inputs, index, passes);
        const tell = isReported ? undefined : options.onProgress;
        isReported = true;
        return tell === undefined ? stream.items(signal) : withProgress(stream, signal, inputs, tell);
      },
      noteTurn: ({ seq, externalId, from }, rank, at) => {
        const { input = 0, ref } = from ?? {};
        const place = ref && ([input, ref.offset, ref.length, ref.line] as const);
        guarded(() => index.addTurn(rank, at, seq, place, place === undefined ? externalId : null));
      },
      inTurn: (signal) => new TicketStream(inputs, index, passes).inTurn(signal),
      lookup: (table, columns, values) => lookups.find(table, columns, values),
      merged: () => passes.merged,
      unmatchedRows: () => unmatchedRows(inputs, plan, index),
      unreadableRows: () => unreadableRows(plan, index),
      rowCounts: () =>
        new Map(
          plan.tables
            .filter(({ role }) => role === 'child')
            .map(({ name }) => [name, index.count(name)] as const),
        ),
      [Symbol.asyncDispose]: () => {
        index[Symbol.dispose]();
        return Promise.resolve();
      },
    };
  } catch (error) {
    index[Symbol.dispose]();
    throw error;
  }
}

function* unmatchedRows(
  inputs: readonly PlanInput[],
  { tables }: JoinPlan,
  index: RowIndex,
): Generator<UnmatchedRow> {
  for (const page of index.unmatched(tables))
    for (const { name, key, input, offset, length, line } of page) {
      const file = inputAt(inputs, input).file.id;
      yield { table: name, parent: key, ref: { file, offset, length, line } };
    }
}

/** With what is known of the tickets that they belong to. */
function* unreadableRows({ tables }: JoinPlan, index: RowIndex): Generator<UnreadableRow> {
  for (const page of index.unreadable())
    for (const { name, file, offset, length, line, message, text, named, isFound } of page) {
      const isChild = tables.some((table) => table.name === name && table.role === 'child');
      const owner = !isChild ? 'none' : named === 0 ? 'unknown' : isFound === 1 ? 'ticket' : 'missing';
      yield { table: name, ref: { file, offset, length, line }, message, text, owner };
    }
}

/** Without a pass before it, the first time that tickets are handed out is when the export is read. */
function withProgress(
  stream: TicketStream,
  signal: AbortSignal,
  inputs: readonly PlanInput[],
  tell: NonNullable<JoinOptions['onProgress']>,
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
