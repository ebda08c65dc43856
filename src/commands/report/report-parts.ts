/** Parts that the report of a run and that of checkpoints have in common. */

import { type Problem, problemGroupKey } from '../../domain/problem.ts';
import type { LossReport, Survey } from '../../domain/survey.ts';
import type { ProblemFrames } from '../../import/problem-frames.ts';
import { excerpt, type ReportData, type ReportedProblems, SHOWN } from '../../present/html/report-data.ts';
import type { ProblemSnapshot } from '../../present/terminal/problem-log.ts';
import type { Settings } from '../../settings/settings.ts';
import type { ReportDetails } from './report-details.ts';

/** What every report has, whatever it is about. */
export interface ReportFrame {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly settings: Settings;
}

export function frameOf({ version, now, settings }: ReportFrame) {
  return { version, madeAt: now, redacted: false, budgets: settings.run.rates };
}

export function sourceOf({ source }: Settings, layout: string) {
  return { files: excerpt(source.files, SHOWN.files), layout };
}

type SurveyedParts = Pick<
  ReportData,
  | 'content'
  | 'skippedBecause'
  | 'months'
  | 'mapping'
  | 'mappingLeftOut'
  | 'loss'
  | 'conversations'
  | 'threads'
  | 'completion'
>;

export function surveyParts(
  survey: Survey,
  loss: LossReport,
  details: ReportDetails | undefined,
): SurveyedParts {
  const { messages, events, attachments, contacts, orphans, firstCreatedAt, lastCreatedAt, longestThread } =
    survey;
  return {
    content: {
      messages: { ...messages, orphans: orphans.messages },
      events: { ...events, orphans: orphans.events },
      attachments,
      contacts: {
        distinct: contacts.distinct,
        merged: details?.mergedContacts ?? { rows: [], total: contacts.merged },
      },
      firstCreatedAt,
      lastCreatedAt,
      longestThread,
    },
    skippedBecause: survey.skippedBecause
      .toSorted((a, b) => b.count - a.count)
      .slice(0, SHOWN.skippedReasons),
    months: survey.months,
    mapping: survey.mapping,
    mappingLeftOut: survey.mappingLeftOut,
    loss,
    conversations: details?.conversations ?? [],
    ...(details === undefined ? {} : { threads: details.threads, completion: details.completion }),
  };
}

export function planOf({ requests, batches, estimatedSeconds }: Survey): Pick<ReportData, 'plan'> {
  return {
    plan: {
      creates: requests.creates,
      requests: requests.total,
      batches: batches.count,
      batchSize: batches.size,
      estimatedSeconds,
    },
  };
}

/** Groups with a few of their problems each, as far as the log kept rows of them, and with the line of the first one. */
export function problemsOf(
  { groups, rows }: Pick<ProblemSnapshot, 'groups' | 'rows'>,
  frames: ProblemFrames | undefined,
): ReportedProblems {
  const examples = new Map<string, Problem[]>();
  for (const row of rows) {
    const key = problemGroupKey(row);
    const known = examples.get(key);
    if (known === undefined) examples.set(key, [row]);
    else if (known.length < SHOWN.examples) known.push(row);
  }
  const sum = (severity: 'error' | 'warning') =>
    groups.reduce((total, group) => total + (group.severity === severity ? group.count : 0), 0);
  const [errors, warnings] = [sum('error'), sum('warning')];
  return {
    total: errors + warnings,
    errors,
    warnings,
    groups: {
      rows: groups.slice(0, SHOWN.groups).map((group) => {
        const frame = frames?.get(group.example);
        return {
          ...group,
          examples: examples.get(problemGroupKey(group.example)) ?? [group.example],
          frame,
        };
      }),
      total: groups.length,
    },
  };
}
