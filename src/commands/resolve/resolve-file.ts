/** Decisions from a file: external_id, action, ticket_id as the columns of a CSV or the keys of JSON objects. */

import type { CliContext } from '../../cli/context.ts';
import { AppError } from '../../domain/errors.ts';
import { didYouMean } from '../../domain/nearest.ts';
import type { ReadRecord, SourceFile } from '../../domain/source-file.ts';
import { openExport } from '../../source/open-export.ts';
import type { ResolveAction } from './resolve-actions.ts';

const ACTIONS = ['adopt', 'retry', 'skip', 'release'] as const;
const COLUMNS = ['external_id', 'action', 'ticket_id'] as const;

/** Rows without an action are passed over, so that a list can be filled in bit by bit. Complaints are collected. */
export async function readDecisions(
  path: string,
  context: Pick<CliContext, 'stdin'>,
  complaints: string[],
): Promise<ResolveAction[]> {
  const signal = new AbortController().signal;
  await using opened = await openExport([path], { stdin: context.stdin, signal });
  const actions: ResolveAction[] = [];
  for (const file of opened.files) {
    const missing = missingColumn(file);
    if (missing !== undefined)
      throw new AppError('usage', `The file ${file.name} has no column ${missing}.`, {
        hint: `It needs the columns ${COLUMNS.join(', ')}. Nothing was changed.`,
      });
    for await (const chunk of file.records(undefined, signal)) {
      for (const record of chunk) {
        const where = `${file.name}:${record.ref.line}`;
        const read = decisionOf(record, file, where);
        if (typeof read === 'string') complaints.push(`${where}: ${read}`);
        else if (read !== undefined) actions.push(read);
      }
    }
  }
  return actions;
}

function missingColumn({ shape }: SourceFile): string | undefined {
  const names = shape.header?.map(plain);
  return names && COLUMNS.slice(0, 2).find((column) => !names.includes(column));
}

function plain(cell: string): string {
  return cell
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

function decisionOf(record: ReadRecord, file: SourceFile, where: string): ResolveAction | string | undefined {
  if (record.error !== undefined) return record.error;
  const value = (column: (typeof COLUMNS)[number]) => {
    const at = file.shape.header?.findIndex((cell) => plain(cell) === column) ?? -1;
    const found: unknown = record.object === undefined ? record.cells?.[at] : record.object[column];
    return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
  };
  const externalId = value('external_id');
  const written = value('action').trim().toLowerCase();
  const ticketId = value('ticket_id').trim();
  if (written === '' && ticketId === '') return undefined;
  const action = ACTIONS.find((name) => name === written);
  if (externalId === '') return 'there is no external_id.';
  if (action === undefined)
    return `the action must be adopt, retry or skip, and is "${written}".${didYouMean(written, ACTIONS)}`;
  if (action !== 'adopt')
    return ticketId === ''
      ? { externalId, decision: { do: action }, where }
      : `a ticket_id goes with adopt, and the action is ${action}.`;
  if (ticketId === '') return 'adopt needs the ticket_id in the target.';
  return { externalId, decision: { do: 'adopt', ticketId }, where };
}
