/** A dry run: the plan, and nothing else. It opens the checkpoint for reading, and no connection. */
import { lstatSync } from 'node:fs';
import type { CheckpointReader } from '../checkpoint/read-checkpoint.ts';
import { agentsAsked } from './agent-finder.ts';
import type { ImportJob, JobResult } from './import-job.ts';
import { type Surveyed, surveyExport } from './survey-export.ts';
import type { TargetAddress } from './target.ts';

export async function dryRun(job: ImportJob, target: TargetAddress | undefined): Promise<JobResult> {
  const { source, sourceName, settings, ports, names, check, problem } = job;
  const { checkpoint, rejectsAsked } = settings.output;
  const ledger = await known(checkpoint, target);
  try {
    sourceName.settle(ledger?.meta.sourceName, checkpoint);
    if (ledger !== undefined) await job.files.bind(ledger.files, target?.baseUrl);
    job.files.judge();
    const surveyed = await surveyExport(source, settings, {
      check,
      names,
      ledger,
      problem,
      emit: ports.emit,
      signal: ports.soft,
      now: ports.clock.now,
    });
    if (ledger !== undefined) await requireSource(job, surveyed, ledger);
    const asked = settings.sandbox === undefined ? agentsAsked(surveyed.loss) : undefined;
    if (asked !== undefined) problem(asked);
    if (settings.files.to !== undefined) {
      const { forecastFiles } = await import('./files/forecast.ts');
      for (const message of await forecastFiles(job, ledger?.files)) ports.emit({ type: 'note', message });
    }
    const attachments = settings.run.checkAttachments
      ? await (await import('./check-attachments.ts')).checkAllAttachments(job)
      : { checked: 0, unreachable: 0 };
    const rejects = rejectsAsked
      ? await (await import('./write-rejects.ts')).writeRejects(job, ledger)
      : undefined;
    return {
      surveyed,
      tickets: surveyed.survey.tickets,
      sent: { ...surveyed.sentBefore, updates: 0 },
      requests: { sent: 0, retried: 0, rateLimited: 0 },
      attachments,
      rejects,
      stoppedBy: surveyed.doubtful,
    };
  } finally {
    ledger?.close();
  }
}

/** What earlier runs recorded, where there were any. */
async function known(path: string, target: TargetAddress | undefined): Promise<CheckpointReader | undefined> {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const { readCheckpoint } = await import('../checkpoint/read-checkpoint.ts');
  return readCheckpoint(path, target?.key);
}

/** Refused as the run would be. */
async function requireSource(
  { settings }: ImportJob,
  { known }: Surveyed,
  ledger: CheckpointReader,
): Promise<void> {
  const [{ requireSameSource }, { rejectFoldersOf }] = await Promise.all([
    import('../checkpoint/same-source.ts'),
    import('./rejects-read.ts'),
  ]);
  const ofRejects = rejectFoldersOf(settings.source.files).length > 0;
  requireSameSource({ known: ledger.size(), ...known, ofRejects }, settings.output.checkpoint);
}
