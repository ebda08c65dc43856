/**
 * The rejects, written at the end by one more pass over the export: what stands there is what the checkpoint says then,
 * so the folder and the counts cannot disagree. The pass is left out where there is nothing to write.
 */
import { existsSync } from 'node:fs';
import type { Ledger, TicketRecord } from '../domain/ledger.ts';
import type { Problem } from '../domain/problem.ts';
import { openRejects, type RejectsWriter } from '../rejects/rejects-writer.ts';
import type { Examined, ExaminedTicket } from './examine.ts';
import { examineExport } from './examine-export.ts';
import type { ImportJob } from './import-job.ts';
import { orphanRows } from './orphans.ts';
import { isReadFrom } from './rejects-read.ts';

/** Resolves with whether there is a folder of rejects now. Throws AppError `disk-write`, and `usage` for another folder. */
export async function writeRejects(
  job: ImportJob,
  ledger: Pick<Ledger, 'get'> | undefined,
): Promise<boolean> {
  const { source, settings, ports } = job;
  const { rejects } = settings.output;
  const keepsOpen = isReadFrom(rejects, settings.source.files);
  const writer = openRejects(rejects, source.files, source.detection.plan);
  try {
    for await (const chunk of examineExport(job, ports.hard, ledger))
      for (const examined of chunk) await record(examined, writer, keepsOpen);
    for (const { ref, table, message } of orphanRows(source)) await writer.row(ref, message, table);
    for (const { ref, message } of source.staged.unreadableRows()) await writer.unreadable(ref, message);
    return await writer.finish();
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

/** Removes what earlier runs left there, once nothing is left of it. */
export async function clearRejects({ source, settings }: ImportJob): Promise<void> {
  const { rejects } = settings.output;
  if (existsSync(rejects)) await openRejects(rejects, source.files, source.detection.plan).finish();
}

async function record(examined: Examined, writer: RejectsWriter, keepsOpen: boolean): Promise<void> {
  if (examined.kind === 'unreadable') {
    const { item, skippedBecause } = examined;
    if (skippedBecause !== undefined && !keepsOpen) return;
    if (item.code === 'unreadable' || item.table === undefined)
      await writer.unreadable(item.ref, item.message);
    else await writer.ticket([{ table: item.table, ref: item.ref }], item.message);
    return;
  }
  const reason = reasonOf(examined, keepsOpen);
  if (reason !== undefined) await writer.ticket([...examined.mapped.rows], reason);
}

/** Why a ticket stands in the rejects, or undefined where it does not. */
function reasonOf({ step, result, record: known }: ExaminedTicket, keepsOpen: boolean): string | undefined {
  const state = known?.state;
  if (state === 'failed' || state === 'rejected' || step.outcome === 'rejected')
    return errorsOf(result.problems) || recorded(known);
  if (!keepsOpen || state === 'done' || state === 'skipped') return undefined;
  return state === 'creating' || state === 'inDoubt'
    ? 'It is in doubt whether the target has it; see: helpdesk-import resolve.'
    : 'It has not been imported yet.';
}

function errorsOf(problems: readonly Problem[]): string {
  return problems
    .filter((problem) => problem.severity === 'error')
    .map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`))
    .join(' ');
}

function recorded(known: TicketRecord | undefined): string {
  return known?.problem?.message ?? 'It could not be imported.';
}
