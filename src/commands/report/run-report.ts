/** The report of a run: a look at the export before it is closed, and a file at the end, also when the run was stopped early. */
import { existsSync } from 'node:fs';
import { type CheckpointReader, readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../domain/errors.ts';
import type { ImportPorts } from '../../import/import-job.ts';
import type { ImportResult } from '../../import/run-import.ts';
import type { Settings } from '../../settings/settings.ts';
import { type NextStepContext, nextSteps } from '../../view/next-steps.ts';
import { reportOfRun } from './report-data.ts';
import { gatherDetails, type ReportDetails } from './report-details.ts';

export interface RunReportOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly version: string;
  /** Leave personal data out (`--redact`). */
  readonly redact: boolean;
  /** Replace a file that is no report (`--force`). */
  readonly force?: boolean;
  /** Commands for what to do next. */
  readonly next: NextStepContext;
}

export interface WrittenReport {
  /** Names the report, where it was written. */
  readonly result: ImportResult;
  /** `disk-write`: why there is no report. To be thrown once the result has been shown. */
  readonly failure?: AppError;
}

export interface RunReport {
  /**
   * For the import's ports, as `beforeClose`. Never throws for a signal: a person who stops the run
   * wants to be gone, so the export is not read again then.
   */
  readonly look: NonNullable<ImportPorts['beforeClose']>;
  /** Writes the file. Never throws for a full disk: the result of a run is shown without its report. */
  write(result: ImportResult): Promise<WrittenReport>;
}

/** Undefined where no report is asked for. Throws AppError `usage` where it cannot be written. */
export async function openRunReport(options: RunReportOptions): Promise<RunReport | undefined> {
  const { settings, clock, version, redact, force = false, next } = options;
  const path = settings.output.report;
  if (path === undefined) return undefined;
  // Drawing loads a sanitizer and a parser, only for a report.
  const { requireReportPath, writeReport } = await import('./write-report.ts');
  requireReportPath(path, force);
  let details: ReportDetails | undefined;
  return {
    look: async (job, survey, stoppedBy) => {
      const { soft, emit } = job.ports;
      if (soft.aborted || stoppedBy?.code === 'interrupted' || stoppedBy?.code === 'terminated') return;
      emit({ type: 'stage', stage: 'writing' });
      try {
        details = await gatherDetails(job, survey.trial, soft);
      } catch (error) {
        if (!soft.aborted) throw error;
      }
    },
    write: async (result) => {
      const named = { ...result, summary: { ...result.summary, report: path } };
      const checkpoint = openKnown(settings.output.checkpoint);
      try {
        const data = reportOfRun({
          result: named,
          details,
          checkpoint,
          settings,
          version,
          now: clock.now(),
          next: nextSteps(named.summary, { ...next, unknownAgents: named.loss.agentsWithoutId }),
        });
        await writeReport(path, data, { redact });
        return { result: named };
      } catch (error) {
        if (error instanceof AppError && error.code === 'disk-write') return { result, failure: error };
        throw error;
      } finally {
        checkpoint?.close();
      }
    },
  };
}

/** A checkpoint that cannot be read has stopped the run, and the result says so: the report does without it. */
function openKnown(path: string): CheckpointReader | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return readCheckpoint(path);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
