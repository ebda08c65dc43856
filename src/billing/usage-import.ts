/**
 * An import of usage events from beginning to end; what is called below reads as the list of its stages:
 *
 *   read → map → check → identify (the survey) → send → verify (a trial) → rejects → summary
 *
 * A dry run ends with the survey. What stops a run after it is told in the result and not thrown.
 */
import { existsSync } from 'node:fs';
import { isFileThere } from '../checkpoint/file-kind.ts';
import { AppError } from '../domain/errors.ts';
import type { ProblemSink } from '../domain/problem.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import type { OutcomeCounts } from '../domain/ticket-state.ts';
import { Tally } from '../import/tally.ts';
import { allowedErrors } from '../push/run-control.ts';
import { rejectFoldersOf } from '../rejects/rejects-read.ts';
import type { Settings } from '../settings/settings.ts';
import { createProblemLog } from '../summary/problem-log.ts';
import { exitCodeOf } from '../summary/summary.ts';
import { type AppApi, asAppError } from '../target/app-api/client.ts';
import { type AppTarget, appApiOf, connectApp } from './app-target.ts';
import { SurveyedRecords } from './surveyed-records.ts';
import { openUsageCheckpoint, readUsageCheckpoint, type UsageCheckpoint } from './usage-checkpoint.ts';
import { writeUsageRejects } from './usage-rejects.ts';
import { batchesOf, sendUsage, type UsageSendPorts } from './usage-send.ts';
import { openUsageSource } from './usage-source.ts';
import {
  examineUsage,
  requireSurveyed,
  surveyUsage,
  type UsageImportPorts,
  type UsageJob,
  type UsageSurvey,
} from './usage-survey.ts';
import { checkUsageTrial, type UsagePick, type UsageTrialEvent } from './usage-trial.ts';

const MOST_NAMES = 100;

/** The JSON summary (`--json`), version 1; docs/billing-data.md names its fields, and the screen shows the same object. */
export type UsageSummary = Awaited<ReturnType<typeof importUsage>>['summary'];

/**
 * `target` may be absent for a dry run. Throws AppError for what stops it before anything is sent, and the signal's reason
 * when it was stopped before that.
 */
export async function importUsage(
  settings: Settings,
  target: AppTarget | undefined,
  ports: UsageImportPorts,
) {
  const started = ports.clock.monotonic();
  const log = createProblemLog();
  const problem: ProblemSink = (found) => {
    log.add(found);
    ports.emit({ type: 'problem', problem: found });
  };
  ports.emit({ type: 'stage', stage: 'reading' });
  await using source = await openUsageSource(settings, { stdin: ports.stdin, problem, signal: ports.soft });
  const job: UsageJob = { settings, ports, source, problem };
  const run: UsageRun =
    settings.mode === 'dry-run' || target === undefined
      ? await dryRun(job, target)
      : await execute(job, target);
  const { survey, events, requests, trial, stoppedBy } = run;
  const { rows, total, groups } = log.snapshot();
  const { checkpoint } = appApiOf(settings);
  const summary = {
    version: 1,
    mode: settings.mode,
    target: target?.baseUrl,
    events,
    eventNames: survey.names.slice(0, MOST_NAMES),
    customers: survey.customers,
    firstAt: survey.firstAt,
    lastAt: survey.lastAt,
    skippedBecause: survey.skippedBecause,
    requests,
    problems: rows,
    problemsTotal: total,
    problemGroups: groups,
    trial: trial && { events: trial },
    checkpoint,
    rejects: run.rejects,
    durationMs: Math.round(ports.clock.monotonic() - started),
    exitCode: exitCodeOf({
      tickets: events,
      stoppedBy: stoppedBy === undefined ? [] : [stoppedBy],
      failedChecks: trial?.some(({ checks }) => checks.some(({ ok }) => !ok)) === true,
    }),
  };
  run.record?.(summary);
  return { summary, survey, stoppedBy };
}

interface UsageRun {
  readonly events: OutcomeCounts;
  readonly requests: Readonly<AppApi['stats']>;
  readonly survey: UsageSurvey;
  readonly trial?: readonly UsageTrialEvent[] | undefined;
  /** The folder of rejects that it leaves. */
  readonly rejects: string | undefined;
  readonly stoppedBy?: AppError | undefined;
  /** Notes the end of the run in the checkpoint and lets go of it. */
  readonly record?: (summary: Pick<UsageRun, 'events' | 'requests'> & { readonly exitCode: number }) => void;
}

async function dryRun(job: UsageJob, target: AppTarget | undefined): Promise<UsageRun> {
  const { checkpoint, rejectsAsked } = appApiOf(job.settings);
  using known = isFileThere(checkpoint) ? readUsageCheckpoint(checkpoint, target?.key) : undefined;
  const survey = await surveyUsage(job, known);
  return {
    survey,
    events: survey.events,
    requests: { sent: 0, retried: 0, rateLimited: 0, changing: 0 },
    rejects: rejectsAsked ? await writeUsageRejects(job, known) : undefined,
  };
}

/** A run or a trial, with the checkpoint open. From the first request on nothing is thrown away. */
async function execute(job: UsageJob, target: AppTarget): Promise<UsageRun> {
  const { settings, ports } = job;
  const checkpoint = openUsageCheckpoint(appApiOf(settings).checkpoint, {
    target: target.key,
    clock: ports.clock,
    programVersion: ports.version,
  });
  let isRecorded = false;
  try {
    checkpoint.startRun(settings.mode, rejectFoldersOf(settings.source.files).length > 0);
    const content = new SurveyedRecords(job.source.files);
    const survey = await surveyUsage(job, checkpoint, content);
    if (survey.toSend > 0 && (await ports.confirm?.(survey)) === false) {
      ports.soft.throwIfAborted();
      throw new AppError('usage', 'Cancelled. Nothing was sent.', {
        hint: 'See what would be sent with --dry-run, or try a few events with --trial.',
      });
    }
    const run = await send(job, survey, content, checkpoint, target);
    isRecorded = true;
    return {
      ...run,
      record: ({ exitCode, events, requests }) => {
        checkpoint.endRun({ exitCode, summary: { events, requests } });
        checkpoint.close();
      },
    };
  } finally {
    if (!isRecorded) checkpoint.close();
  }
}

async function send(
  job: UsageJob,
  survey: UsageSurvey,
  content: SurveyedRecords,
  checkpoint: UsageCheckpoint,
  target: AppTarget,
): Promise<UsageRun> {
  const { settings, ports } = job;
  const { eventsPerRequest } = appApiOf(settings);
  const { maxErrors, timeout } = settings.run;
  const tally = new Tally(survey.events);
  const picks = settings.mode === 'trial' ? survey.trial : undefined;
  const only = picks && new Set(picks.map(({ digest }) => digest.toString('hex')));
  const events = picks?.length ?? survey.toSend;
  const requests = Math.ceil(events / eventsPerRequest);
  const already = survey.events.rejected;
  const { api, limiter } = connectApp(target, settings, ports, checkpoint);
  const settled: UsageSendPorts['settled'] = (sent, outcome, failure) => {
    for (const { event, ref, outcome: before } of sent) {
      tally.move(before, outcome);
      ports.emit({ type: 'ticket', externalId: event.eventId, outcome });
      if (failure === undefined) continue;
      const severity = outcome === 'failed' ? 'error' : 'warning';
      const { code, message } = failure;
      const file = job.source.fileName(ref.file);
      job.problem({ severity, code, file, line: ref.line, message, count: 1 });
    }
  };
  try {
    ports.emit({ type: 'start-import', tickets: events, alreadyDone: 0, requests });
    const stopped = await sendUsage(
      batchesOf(requireSurveyed(examineUsage(job, checkpoint, ports.hard), content), eventsPerRequest, only),
      { api, limiter, clock: ports.clock, record: (outcomes) => checkpoint.record(outcomes), settled },
      {
        graceMs: timeout * 1000,
        budget: maxErrors && { allowed: allowedErrors(maxErrors, events + already), already },
      },
      ports,
    );
    const looked =
      stopped === undefined && picks !== undefined ? await lookBack(picks, checkpoint, api, ports.soft) : {};
    ports.emit({ type: 'stage', stage: 'writing' });
    return {
      survey,
      events: tally.counts,
      requests: { ...api.stats },
      rejects: await settleRejects(job, tally.counts, checkpoint, content, stopped),
      stoppedBy: stopped,
      ...looked,
    };
  } finally {
    await api.close();
  }
}

/** What was sent is recorded by now, so what goes wrong here is told beside it. */
async function lookBack(
  picks: readonly UsagePick[],
  checkpoint: UsageCheckpoint,
  api: AppApi,
  signal: AbortSignal,
): Promise<Pick<UsageRun, 'trial' | 'stoppedBy'>> {
  try {
    return { trial: await checkUsageTrial(picks, (digest) => checkpoint.get(digest)?.state, api, signal) };
  } catch (error) {
    if (error instanceof ApiFailure) return { stoppedBy: asAppError(error) };
    if (error instanceof AppError) return { stoppedBy: error };
    throw error;
  }
}

/** Left out where a person stops the run: who wants to be gone does not wait for another pass; and where the next run does it. */
async function settleRejects(
  job: UsageJob,
  counts: OutcomeCounts,
  checkpoint: UsageCheckpoint,
  content: SurveyedRecords,
  stopped: AppError | undefined,
): Promise<string | undefined> {
  const { rejects } = appApiOf(job.settings);
  if (['interrupted', 'terminated', 'disk-write', 'source', 'checkpoint'].includes(stopped?.code ?? ''))
    return existsSync(rejects) ? rejects : undefined;
  const nothing =
    counts.rejected + counts.failed === 0 &&
    !existsSync(rejects) &&
    rejectFoldersOf(job.settings.source.files).length === 0;
  return nothing ? undefined : await writeUsageRejects(job, checkpoint, content);
}
