/**
 * The report of a run: a look at the export before it is closed, and a file at the end, also when the run was stopped early.
 * Loaded only where a report is asked for: drawing loads a sanitizer and a parser.
 */
import { existsSync } from 'node:fs';
import { type CheckpointReader, readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import { requireOutput } from '../../cli/output-file.ts';
import { writeWhole } from '../../disk/whole-file.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../domain/errors.ts';
import { hideSecrets } from '../../domain/secret.ts';
import type { ImportPorts } from '../../import/import-job.ts';
import type { ImportResult } from '../../import/run-import.ts';
import type { Settings } from '../../settings/settings.ts';
import { GENERATOR, renderReport } from '../../view/html/report.ts';
import { type NextStepContext, nextSteps } from '../../view/next-steps.ts';
import { redactReport } from '../../view/redact.ts';
import type { ReportData } from '../../view/run-view.ts';
import { gatherDetails, type ReportDetails, reportOfRun } from './report-data.ts';

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

export interface RunReport {
  /** For the import's ports, as `beforeClose`. Never throws for a signal: then the export is not read again. */
  readonly look: NonNullable<ImportPorts['beforeClose']>;
  /**
   * Writes the file; the result names it. Never throws for a full disk: `failure` is to be thrown once the result of the run
   * has been shown.
   */
  write(result: ImportResult): Promise<{ readonly result: ImportResult; readonly failure?: AppError }>;
}

/** Undefined where no report is asked for. Throws AppError `usage` where it cannot be written. */
export function openRunReport(options: RunReportOptions): RunReport | undefined {
  const { settings, clock, version, redact, force = false, next } = options;
  const path = settings.output.report;
  if (path === undefined) return undefined;
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
        const steps = nextSteps(named.summary, { ...next, unknownAgents: named.loss.agentsWithoutId });
        const parts = { settings, version, now: clock.now() };
        await writeReport(path, reportOfRun(named, details, checkpoint, steps, parts), redact);
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

/** Before a run begins: throws AppError `usage` where the report cannot be written there. */
export function requireReportPath(path: string, force: boolean): void {
  const isOurs = (head: string) => head.includes(`content="${GENERATOR}"`);
  requireOutput({ path, name: `The report ${path}`, isOurs, force });
}

/**
 * Renders and writes atomically: an old report stays until the new one is complete. Resolves with its size in
 * bytes. Throws AppError `disk-write`.
 */
export async function writeReport(path: string, data: ReportData, redact: boolean): Promise<number> {
  const page = Buffer.from(hideSecrets(renderReport(redact ? redactReport(data) : data)));
  try {
    await writeWhole(path, page);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new AppError('disk-write', `The report cannot be written to ${path} (${code}).`, {
      hint: 'The import itself is recorded; "helpdesk-import report" writes the report again.',
      cause: error,
    });
  }
  return page.length;
}
