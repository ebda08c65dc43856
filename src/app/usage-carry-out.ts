/** A run or a trial of usage events: survey, then send, with the checkpoint open. From the first request on nothing is thrown away. */
import { existsSync } from 'node:fs';
import type { AppApi } from '../app-api/client.ts';
import { asAppError } from '../app-api/failures.ts';
import { AppError } from '../domain/errors.ts';
import type { OutcomeCounts } from '../domain/outcome.ts';
import type { Problem } from '../domain/problem.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import { allowedErrors } from '../push/error-budget.ts';
import { Tally } from './tally.ts';
import { batchesOf } from './usage-batches.ts';
import { openUsageCheckpoint, type UsageCheckpoint, type UsageState } from './usage-checkpoint.ts';
import { examineUsage } from './usage-examine.ts';
import { surveyed, type UsageJob, type UsageRun, withExamination } from './usage-job.ts';
import { clearUsageRejects, writeUsageRejects } from './usage-rejects.ts';
import { sendUsage, type UsageToSend } from './usage-send.ts';
import type { UsageSource } from './usage-source.ts';
import type { UsageSurvey } from './usage-survey.ts';
import { type AppTarget, appApiOf, connectApp } from './usage-target.ts';
import { checkUsageTrial } from './usage-trial.ts';
import type { UsagePick } from './usage-trial-picks.ts';
import { isReadFrom } from './write-rejects.ts';

export async function carryOutUsage(job: UsageJob, target: AppTarget): Promise<UsageRun> {
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

function problemOf(
  { ref }: UsageToSend,
  outcome: 'done' | 'failed' | 'inDoubt',
  failure: ApiFailure,
  source: UsageSource,
): Problem {
  return {
    severity: outcome === 'failed' ? 'error' : 'warning',
    code: failure.code,
    file: source.fileName(ref.file),
    line: ref.line,
    message: failure.message,
    count: 1,
  };
}
