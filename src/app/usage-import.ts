/**
 * An import of usage events from beginning to end; what is called below reads as the list of its stages:
 *
 *   read → shape → check → identify (the survey) → send → verify (a trial) → rejects → summary
 *
 * A dry run ends with the survey. What stops a run after it is told in the result and not thrown.
 */
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { AppApi } from '../app-api/client.ts';
import { asAppError } from '../app-api/failures.ts';
import { AppError } from '../domain/errors.ts';
import type { OutcomeCounts } from '../domain/outcome.ts';
import type { ProblemSink } from '../domain/problem.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import { createSelection } from '../plan/selection.ts';
import { allowedErrors } from '../push/error-budget.ts';
import { exitCodeOf } from '../report/exit-code.ts';
import { createProblemLog } from '../report/problem-log.ts';
import type { Settings } from '../settings/settings.ts';
import { Tally } from './tally.ts';
import { batchesOf } from './usage-batches.ts';
import {
  openUsageCheckpoint,
  readUsageCheckpoint,
  type UsageCheckpoint,
  type UsageRecord,
  type UsageState,
} from './usage-checkpoint.ts';
import { examineUsage, type UsageExamination } from './usage-examine.ts';
import { EventIdentities } from './usage-identity.ts';
import type { UsageProgress } from './usage-progress.ts';
import { clearUsageRejects, writeUsageRejects } from './usage-rejects.ts';
import { sendUsage, type UsageToSend } from './usage-send.ts';
import { openUsageSource, type UsageSource } from './usage-source.ts';
import { buildUsageSummary, type UsageSummary } from './usage-summary.ts';
import { createUsageSurvey, type UsageSurvey } from './usage-survey.ts';
import { type AppPorts, type AppTarget, appApiOf, connectApp } from './usage-target.ts';
import { checkUsageTrial, type UsageTrialEvent } from './usage-trial.ts';
import type { UsagePick } from './usage-trial-picks.ts';
import { isReadFrom } from './write-rejects.ts';

export interface UsageImportPorts extends AppPorts {
  readonly stdin?: Readable;
  readonly progress: (progress: UsageProgress) => void;
  /** Aborted: take nothing new, finish what is in flight. */
  readonly soft: AbortSignal;
  /** Aborted: end at once. */
  readonly hard: AbortSignal;
  /** Asked once before anything is sent. Resolves to false where the user would rather not. */
  readonly confirm?: (survey: UsageSurvey) => Promise<boolean>;
}

export interface UsageImportResult {
  readonly summary: UsageSummary;
  readonly survey: UsageSurvey;
  readonly stoppedBy?: AppError;
}

/** What the stages of one import share. */
interface UsageJob {
  readonly settings: Settings;
  readonly ports: UsageImportPorts;
  readonly source: UsageSource;
  readonly problem: ProblemSink;
}

interface UsageRun {
  readonly survey: UsageSurvey;
  readonly events: OutcomeCounts;
  readonly requests: UsageSummary['requests'];
  readonly trial?: readonly UsageTrialEvent[];
  readonly rejects: boolean;
  readonly stoppedBy?: AppError | undefined;
  readonly record?: (summary: UsageSummary) => void;
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
      : await carryOut(job, target);
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

async function carryOut(job: UsageJob, target: AppTarget): Promise<UsageRun> {
  const { settings, ports } = job;
  const checkpoint = openUsageCheckpoint(appApiOf(settings).checkpoint, {
    target: target.key,
    clock: ports.clock,
    programVersion: ports.version,
  });
  let isRecorded = false;
  try {
    checkpoint.startRun(settings.mode);
    const survey = await withExamination(job, checkpoint.get, checkpoint.run, (examination) =>
      surveyed(job, examination),
    );
    if (survey.toSend > 0 && (await ports.confirm?.(survey)) === false)
      throw new AppError('usage', 'Nothing was sent, as you wished.', {
        hint: 'See what would be sent with --dry-run, or try a few events with --trial.',
      });
    const run = await send(job, survey, checkpoint, target);
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
  checkpoint: UsageCheckpoint,
  target: AppTarget,
): Promise<UsageRun> {
  const { settings, ports, source } = job;
  const { eventsPerRequest, rejects } = appApiOf(settings);
  const { maxErrors, timeoutSeconds } = settings.run;
  const tally = new Tally(survey.events);
  const picks = settings.mode === 'trial' ? survey.trial : undefined;
  const only = picks && new Set(picks.map(({ digest }) => digest.toString('hex')));
  const { api, limiter } = connectApp(target, settings, ports, checkpoint);
  const settled = (
    events: readonly UsageToSend[],
    outcome: 'done' | 'failed' | 'inDoubt',
    failure?: ApiFailure,
  ) => {
    for (const event of events) {
      tally.move(event.outcome, outcome);
      if (failure !== undefined) job.problem(problemOf(event, outcome, failure, source));
    }
    ports.progress({ stage: 'sending', counts: tally.counts, toSend: picks?.length ?? survey.toSend });
  };
  try {
    ports.progress({ stage: 'sending', counts: tally.counts, toSend: picks?.length ?? survey.toSend });
    const total = picks?.length ?? survey.toSend;
    const stopped = await withExamination(job, checkpoint.get, checkpoint.run, (examination) =>
      sendUsage(
        batchesOf(examineUsage(examination, ports.hard), eventsPerRequest, only),
        { api, limiter, clock: ports.clock, record: (outcomes) => checkpoint.record(outcomes), settled },
        {
          graceMs: timeoutSeconds * 1000,
          ...(maxErrors === undefined
            ? {}
            : {
                budget: {
                  allowed: allowedErrors(maxErrors, total + survey.events.rejected),
                  already: survey.events.rejected,
                },
              }),
        },
        { soft: ports.soft, hard: ports.hard },
      ),
    );
    const trial =
      picks === undefined || stopped !== undefined
        ? {}
        : await lookBack(picks, (digest) => checkpoint.get(digest)?.state, api, ports.soft);
    const written = await settleRejects(job, tally.counts, checkpoint, rejects, stopped);
    const { sent, retried, rateLimited } = api.stats;
    return {
      survey,
      events: tally.counts,
      requests: { sent, retried, rateLimited },
      rejects: written,
      stoppedBy: stopped,
      ...trial,
    };
  } finally {
    await api.close();
  }
}

/** What was sent is recorded by now, so what goes wrong here is told beside it. */
async function lookBack(
  picks: readonly UsagePick[],
  stateOf: (digest: Buffer) => UsageState | undefined,
  api: AppApi,
  signal: AbortSignal,
): Promise<Pick<UsageRun, 'trial' | 'stoppedBy'>> {
  try {
    return { trial: await checkUsageTrial(picks, stateOf, api, signal) };
  } catch (error) {
    if (error instanceof ApiFailure) return { stoppedBy: asAppError(error) };
    if (error instanceof AppError) return { stoppedBy: error };
    throw error;
  }
}

/** Left out where a person stops the run: who wants to be gone does not wait for another pass. */
async function settleRejects(
  job: UsageJob,
  counts: OutcomeCounts,
  checkpoint: UsageCheckpoint,
  folder: string,
  stopped: AppError | undefined,
): Promise<boolean> {
  if (stopped?.code === 'interrupted' || stopped?.code === 'terminated' || stopped?.code === 'disk-write')
    return existsSync(folder);
  const keepsOpen = isReadFrom(folder, job.settings.source.files);
  const isNeeded = counts.rejected + counts.failed > 0 || (keepsOpen && counts.done < counts.read);
  if (!isNeeded) {
    await clearUsageRejects(job.source, folder);
    return false;
  }
  return await withExamination(job, checkpoint.get, checkpoint.run, (examination) =>
    writeUsageRejects(examination, folder, keepsOpen, job.ports.hard),
  );
}

/** A pass with selection and identities of its own. `run`: what it recorded itself is not taken for rows of earlier runs. */
async function withExamination<T>(
  { settings, source, ports }: UsageJob,
  known: ((digest: Buffer) => UsageRecord | undefined) | undefined,
  run: number | undefined,
  work: (examination: UsageExamination) => Promise<T>,
): Promise<T> {
  const { rejects, missingTimestamp } = appApiOf(settings);
  const isFromRejects = isReadFrom(rejects, settings.source.files);
  using identities = new EventIdentities((digest) => {
    const record = isFromRejects ? known?.(digest) : undefined;
    return record?.state === 'done' && record.run !== run;
  });
  source.mapper.restart();
  return await work({
    source,
    identities,
    known,
    selection: createSelection(settings.selection),
    rules: { missingTimestamp, now: ports.clock.now, fileName: source.fileName },
  });
}

async function surveyed(
  { settings, ports, source, problem }: UsageJob,
  examination: UsageExamination,
): Promise<UsageSurvey> {
  const survey = createUsageSurvey(settings.trialSize, { problem, fileName: source.fileName });
  let read = 0;
  for await (const chunk of examineUsage(examination, ports.soft)) {
    for (const examined of chunk) survey.take(examined);
    read += chunk.length;
    ports.progress({ stage: 'checking', read });
  }
  for (const found of source.mapper.unused()) problem(found);
  for (const id of examination.selection.missing())
    problem({
      severity: 'warning',
      code: 'not-in-export',
      message: `--only names the event ${id}, which is not in the files; check the id.`,
      count: 1,
    });
  return survey.result(appApiOf(settings).eventsPerRequest);
}

function problemOf(
  { ref }: UsageToSend,
  outcome: 'done' | 'failed' | 'inDoubt',
  failure: ApiFailure,
  source: UsageSource,
): Parameters<ProblemSink>[0] {
  return {
    severity: outcome === 'failed' ? 'error' : 'warning',
    code: failure.code,
    file: source.fileName(ref.file),
    line: ref.line,
    message: failure.message,
    count: 1,
  };
}
