/** The rejects of usage events, written by one more pass: what stands there is what the checkpoint says then. */
import { existsSync } from 'node:fs';
import { openRejects } from '../rejects/rejects-writer.ts';
import { type ExaminedUsage, examineUsage, type UsageExamination } from './usage-examine.ts';
import type { UsageSource } from './usage-source.ts';

/**
 * Resolves with whether there is a folder of rejects now. Throws AppError `disk-write`, and `usage` for another folder.
 * @param keepsOpen the events are read from this very folder: then what is not done yet must stay, whatever the reason
 */
export async function writeUsageRejects(
  examination: UsageExamination,
  folder: string,
  keepsOpen: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const { source } = examination;
  const writer = openRejects(folder, source.files, source.plan);
  try {
    for await (const chunk of examineUsage(examination, signal))
      for (const examined of chunk) {
        const reason = reasonOf(examined, keepsOpen);
        if (reason === undefined) continue;
        if (examined.isUnreadable) await writer.unreadable(examined.ref, reason);
        else await writer.ticket([{ table: source.table.name, ref: examined.ref }], reason);
      }
    return await writer.finish();
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

/** Removes what earlier runs left there, once nothing is left of it. */
export async function clearUsageRejects(source: UsageSource, folder: string): Promise<void> {
  if (existsSync(folder)) await openRejects(folder, source.files, source.plan).finish();
}

/** Why an event stands in the rejects, or undefined where it does not. */
function reasonOf({ outcome, problems, record }: ExaminedUsage, keepsOpen: boolean): string | undefined {
  if (outcome === 'rejected')
    return problems
      .filter(({ severity }) => severity === 'error')
      .map(({ message }) => message)
      .join(' ');
  if (outcome === 'failed') return record?.problem ?? 'The target refused it.';
  if (!keepsOpen || outcome === 'done' || outcome === 'skipped') return undefined;
  return outcome === 'inDoubt' ? 'It is not known whether the target took it.' : 'It has not been sent yet.';
}
