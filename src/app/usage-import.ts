/**
 * An import of usage events from beginning to end; what is called below reads as the list of its stages:
 *
 *   read → shape → check → identify (the survey) → send → verify (a trial) → rejects → summary
 *
 * A dry run ends with the survey. What stops a run after it is told in the result and not thrown.
 */
import { existsSync } from 'node:fs';
import type { AppError } from '../domain/errors.ts';
import { exitCodeOf } from '../report/exit-code.ts';
import { createProblemLog } from '../report/problem-log.ts';
import type { Settings } from '../settings/settings.ts';
import { carryOutUsage } from './usage-carry-out.ts';
import { readUsageCheckpoint } from './usage-checkpoint.ts';
import type { UsageExamination } from './usage-examine.ts';
import {
  surveyed,
  type UsageImportPorts,
  type UsageJob,
  type UsageRun,
  withExamination,
} from './usage-job.ts';
import { writeUsageRejects } from './usage-rejects.ts';
import { openUsageSource } from './usage-source.ts';
import { buildUsageSummary, type UsageSummary } from './usage-summary.ts';
import type { UsageSurvey } from './usage-survey.ts';
import { type AppTarget, appApiOf } from './usage-target.ts';
import { isReadFrom } from './write-rejects.ts';

export interface UsageImportResult {
  readonly summary: UsageSummary;
  readonly survey: UsageSurvey;
  readonly stoppedBy?: AppError;
}

/**
 * `target` may be absent for a dry run. Throws AppError for what stops it before anything is sent, and the signal's reason
 * when it was stopped before that.
 */
export async function importUsage(
  settings: Settings,
  target: AppTarget | undefined,
  ports: UsageImportPorts,
): Promise<UsageImportResult> {
  const started = ports.clock.monotonic();
  const log = createProblemLog(settings.output.maxProblems);
  await using source = await openUsageSource(settings, { ...ports, problem: log.add, signal: ports.soft });
  const job: UsageJob = { settings, ports, source, problem: log.add };
  const run =
    settings.mode === 'dry-run' || target === undefined
      ? await dryRun(job, target)
      : await carryOutUsage(job, target);
  const { survey, trial, stoppedBy } = run;
  const { checkpoint, rejects } = appApiOf(settings);
  const summary = buildUsageSummary({
    mode: settings.mode,
    ...(target === undefined ? {} : { target: target.baseUrl }),
    events: run.events,
    survey,
    requests: run.requests,
    problems: log.snapshot(),
    ...(trial === undefined ? {} : { trial }),
    checkpoint,
    ...(run.rejects ? { rejects } : {}),
    durationMs: ports.clock.monotonic() - started,
    exitCode: exitCodeOf({
      tickets: run.events,
      stoppedBy: stoppedBy === undefined ? [] : [stoppedBy],
      failedChecks: trial?.some(({ checks }) => checks.some(({ ok }) => !ok)) === true,
    }),
  });
  run.record?.(summary);
  return { summary, survey, ...(stoppedBy === undefined ? {} : { stoppedBy }) };
}

async function dryRun(job: UsageJob, target: AppTarget | undefined): Promise<UsageRun> {
  const { checkpoint: path, rejects, rejectsAsked } = appApiOf(job.settings);
  const known = existsSync(path) ? readUsageCheckpoint(path, target?.key) : undefined;
  const pass = <T>(work: (examination: UsageExamination) => Promise<T>) =>
    withExamination(job, known?.get, undefined, work);
  try {
    const survey = await pass((examination) => surveyed(job, examination));
    const written =
      rejectsAsked &&
      (await pass((examination) =>
        writeUsageRejects(
          examination,
          rejects,
          isReadFrom(rejects, job.settings.source.files),
          job.ports.hard,
        ),
      ));
    const requests = { sent: 0, retried: 0, rateLimited: 0 };
    return { survey, events: survey.events, requests, rejects: written };
  } finally {
    known?.close();
  }
}
