/** What the stages of an import of usage events share, and its passes over the files. */
import type { Readable } from 'node:stream';
import type { AppError } from '../domain/errors.ts';
import type { OutcomeCounts } from '../domain/outcome.ts';
import type { ProblemSink } from '../domain/problem.ts';
import { createSelection } from '../plan/selection.ts';
import type { Settings } from '../settings/settings.ts';
import type { UsageRecord } from './usage-checkpoint.ts';
import { examineUsage, type UsageExamination } from './usage-examine.ts';
import { EventIdentities } from './usage-identity.ts';
import type { UsageProgress } from './usage-progress.ts';
import type { UsageSource } from './usage-source.ts';
import type { UsageSummary } from './usage-summary.ts';
import { createUsageSurvey, type UsageSurvey } from './usage-survey.ts';
import { type AppPorts, appApiOf } from './usage-target.ts';
import type { UsageTrialEvent } from './usage-trial.ts';
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

/** What the stages of one import share. */
export interface UsageJob {
  readonly settings: Settings;
  readonly ports: UsageImportPorts;
  readonly source: UsageSource;
  readonly problem: ProblemSink;
}

export interface UsageRun {
  readonly survey: UsageSurvey;
  readonly events: OutcomeCounts;
  readonly requests: UsageSummary['requests'];
  readonly trial?: readonly UsageTrialEvent[];
  readonly rejects: boolean;
  readonly stoppedBy?: AppError | undefined;
  readonly record?: (summary: UsageSummary) => void;
}

/** A pass with selection and identities of its own. `run`: what it recorded itself is not taken for rows of earlier runs. */
export async function withExamination<T>(
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

/** The first pass. Tells every problem that it finds. */
export async function surveyed(
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
