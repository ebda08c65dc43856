/** The JSON summary of an import of usage events (`--json`), version 1; the screen shows the same object. */
import type { OutcomeCounts } from '../domain/outcome.ts';
import type { Problem } from '../domain/problem.ts';
import type { ProblemGroup, ProblemSnapshot } from '../report/problem-log.ts';
import type { UsageSurvey } from './usage-survey.ts';
import type { UsageTrialEvent } from './usage-trial.ts';

export interface UsageSummary {
  readonly version: 1;
  readonly mode: 'run' | 'dry-run' | 'trial';
  /** Absent in a dry run without a target. */
  readonly target?: string;
  readonly events: OutcomeCounts;
  /** Of the events that this run sent or would send, the most frequent first. */
  readonly eventNames: readonly { readonly name: string; readonly count: number }[];
  readonly customers: { readonly distinct: number; readonly isLowerBound: boolean };
  readonly firstAt?: string;
  readonly lastAt?: string;
  readonly skippedBecause: readonly { readonly reason: string; readonly count: number }[];
  readonly requests: { readonly sent: number; readonly retried: number; readonly rateLimited: number };
  readonly problems: readonly Problem[];
  readonly problemsTotal: number;
  readonly problemGroups: readonly ProblemGroup[];
  readonly trial?: { readonly events: readonly UsageTrialEvent[] };
  readonly checkpoint: string;
  readonly rejects?: string;
  readonly durationMs: number;
  readonly exitCode: number;
}

export interface UsageSummaryParts
  extends Pick<
    UsageSummary,
    'mode' | 'target' | 'events' | 'requests' | 'checkpoint' | 'rejects' | 'durationMs' | 'exitCode'
  > {
  readonly survey: UsageSurvey;
  readonly problems: ProblemSnapshot;
  readonly trial?: readonly UsageTrialEvent[];
}

const MOST_NAMES = 100;

export function buildUsageSummary(parts: UsageSummaryParts): UsageSummary {
  const { mode, target, events, survey, requests, problems, trial, checkpoint, rejects } = parts;
  const { firstAt, lastAt } = survey;
  return {
    version: 1,
    mode,
    ...(target === undefined ? {} : { target }),
    events,
    eventNames: survey.names.slice(0, MOST_NAMES),
    customers: { distinct: survey.customers, isLowerBound: survey.customersAreMore },
    ...(firstAt === undefined ? {} : { firstAt }),
    ...(lastAt === undefined ? {} : { lastAt }),
    skippedBecause: survey.skippedBecause,
    requests,
    problems: problems.rows,
    problemsTotal: problems.total,
    problemGroups: problems.groups,
    ...(trial === undefined ? {} : { trial: { events: trial } }),
    checkpoint,
    ...(rejects === undefined ? {} : { rejects }),
    durationMs: Math.round(parts.durationMs),
    exitCode: parts.exitCode,
  };
}
