/** Puts together what the report of a run, a trial or a dry run shows. */
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import type { TicketRecord } from '../../domain/ledger.ts';
import { type Problem, problemGroupKey } from '../../domain/problem.ts';
import type { LossReport, Survey } from '../../domain/survey.ts';
import { emptyCounts, type OutcomeCounts } from '../../domain/ticket-state.ts';
import { addCounts, type CheckpointStatus, checkpointStatus } from '../../import/checkpoint-status.ts';
import type { ProblemFrames } from '../../import/problem-frames.ts';
import type { ImportResult } from '../../import/run-import.ts';
import {
  excerpt,
  type FailedTicket,
  type ReportData,
  type ReportedProblems,
  type ReportedRun,
  SHOWN,
} from '../../present/html/report-data.ts';
import { type Timeline, timelineOfChanges } from '../../present/html/run-timeline.ts';
import type { NextStep } from '../../present/terminal/next-steps.ts';
import type { Settings } from '../../settings/settings.ts';
import type { ProblemSnapshot } from '../../summary/problem-log.ts';
import { listDoubts, unionOf } from '../status/status-lists.ts';
import { type StatusAsked, statusSteps } from '../status/status-next.ts';
import type { ReportDetails, SurveyedExport } from './report-details.ts';

interface RunParts extends ReportFrame {
  readonly result: ImportResult;
  /** Absent where the run was stopped before the export could be looked at again. */
  readonly details?: ReportDetails | undefined;
  readonly timeline?: Timeline | undefined;
  /** The run's own checkpoint, closed by the run; absent where there is none. */
  readonly checkpoint?: CheckpointReader | undefined;
  readonly next: readonly NextStep[];
}

export function reportOfRun(parts: RunParts): ReportData {
  const { result, details, timeline, checkpoint, settings, now } = parts;
  const { summary, survey, loss, checklist, stoppedBy } = result;
  const { mode, tickets, target } = summary;
  const known = checkpoint === undefined ? nothingKnown() : knownOf([checkpoint], now);
  return {
    inDoubt: known.inDoubt,
    failed: known.failed,
    runs: known.runs,
    checkpoints: known.checkpoints,
    ...frameOf(parts),
    ...surveyParts(survey, loss, details),
    kind: mode,
    source: sourceOf(settings, summary.layout),
    target,
    exitCode: summary.exitCode,
    stopped: stoppedBy && {
      message: stoppedBy.message,
      hint: stoppedBy.hint,
    },
    tickets,
    sent: { messages: summary.messages.sent, events: summary.events.sent },
    // What the survey planned is what the run has sent; only a dry run leaves it for later.
    ...(mode === 'dry-run' ? planOf(survey) : {}),
    problems: problemsOf({ groups: summary.problemGroups, rows: summary.problems }, result.frames),
    attachmentChecks: summary.attachments,
    requests: summary.requests,
    durationMs: summary.durationMs,
    timeline,
    trial: summary.trial && { tickets: summary.trial.tickets, checklist },
    ...(details === undefined
      ? {
          noConversations:
            'The run was stopped, so the conversations were not read again; a dry run with --report shows them.',
        }
      : {}),
    next: parts.next,
  };
}

/** Parts that the report of a run and that of checkpoints have in common. */

/** What every report has, whatever it is about. */
interface ReportFrame {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly settings: Settings;
}

function frameOf({ version, now, settings }: ReportFrame) {
  return { version, madeAt: now, redacted: false, budgets: settings.run.rate };
}

function sourceOf({ source }: Settings, layout: string) {
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

function surveyParts(survey: Survey, loss: LossReport, details: ReportDetails | undefined): SurveyedParts {
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

function planOf({ requests, batches, estimatedSeconds }: Survey): Pick<ReportData, 'plan'> {
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
function problemsOf(
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

/** What a report shows of checkpoints: tickets in doubt and refused, runs, speed, and whether several make one import. */

/** What checkpoints know, whoever asks. */
type KnownParts = Pick<ReportData, 'inDoubt' | 'failed' | 'runs' | 'checkpoints'> & {
  readonly tickets: OutcomeCounts;
  readonly statuses: readonly CheckpointStatus[];
};

interface CheckpointParts extends ReportFrame {
  readonly readers: readonly [CheckpointReader, ...CheckpointReader[]];
  readonly surveyed?: SurveyedExport | undefined;
  readonly asked: StatusAsked;
}

export function reportOfCheckpoints({ readers, surveyed, asked, ...frame }: CheckpointParts): ReportData {
  const { statuses, tickets, ...known } = knownOf(readers, frame.now);
  const timeline = timelineOfChanges(changesOf(readers));
  return {
    ...known,
    ...frameOf(frame),
    ...(surveyed === undefined
      ? { skippedBecause: [], months: [], mapping: [], mappingLeftOut: 0, conversations: [] }
      : {
          ...surveyParts(surveyed.survey, surveyed.loss, surveyed.details),
          ...planOf(surveyed.survey),
          source: sourceOf(frame.settings, surveyed.layout),
          problems: problemsOf(surveyed.problems, surveyed.frames),
        }),
    kind: 'checkpoint',
    target: readers[0].meta.target,
    tickets: surveyed?.survey.tickets ?? tickets,
    timeline,
    ...(readers.length > 1 ? { union: unionPart(readers, statuses) } : {}),
    next: stepsFor(surveyed?.survey.tickets ?? tickets, statuses, asked),
  };
}

function knownOf(readers: readonly CheckpointReader[], now: number): KnownParts {
  const statuses = readers.map((reader) => checkpointStatus(reader, now));
  const { known, ...outcomes } = addCounts(statuses.map(({ tickets }) => tickets));
  return {
    tickets: { ...outcomes, read: known },
    statuses,
    inDoubt: {
      rows: firstOf(readers, SHOWN.inDoubt, listDoubts),
      total: outcomes.inDoubt,
    },
    failed: {
      rows: firstOf(readers, SHOWN.failed, (reader, most) => reader.page(['failed'], most).map(failedTicket)),
      total: outcomes.failed,
    },
    runs: statuses
      .flatMap(runsOf)
      .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
      .slice(0, SHOWN.runs),
    checkpoints: statuses.slice(0, SHOWN.checkpoints).map(({ checkpoint, target, tickets, bytes }) => ({
      path: checkpoint,
      target,
      tickets: tickets.known,
      bytes,
    })),
  };
}

/** Where there is no checkpoint, as before the first run. */
function nothingKnown(): KnownParts {
  return {
    tickets: emptyCounts(),
    statuses: [],
    inDoubt: { rows: [], total: 0 },
    failed: { rows: [], total: 0 },
    runs: [],
    checkpoints: [],
  };
}

function firstOf<T>(
  readers: readonly CheckpointReader[],
  most: number,
  list: (reader: CheckpointReader, most: number) => readonly T[],
): T[] {
  const found: T[] = [];
  for (const reader of readers) if (found.length < most) found.push(...list(reader, most - found.length));
  return found;
}

function failedTicket({ externalId, ticketId, problem }: TicketRecord): FailedTicket {
  return {
    externalId,
    ticketId,
    code: problem?.code ?? 'unknown',
    status: problem?.status === undefined ? undefined : problem.status,
    reason: problem?.message ?? 'The reason is not recorded.',
  };
}

function runsOf({ checkpoint, runs }: CheckpointStatus): ReportedRun[] {
  return runs.map(({ mode, startedAt, endedAt, isGoingOn, exitCode, batches }) => ({
    checkpoint,
    mode,
    startedAt,
    endedAt,
    isGoingOn,
    exitCode,
    tickets: batches.tickets,
  }));
}

/** Tickets settled in each second, by all processes together. */
function changesOf(readers: readonly CheckpointReader[]): { second: number; tickets: number }[] {
  const sums = new Map<number, number>();
  for (const reader of readers)
    for (const { second, tickets } of reader.changesBySecond(['done']))
      sums.set(second, (sums.get(second) ?? 0) + tickets);
  return [...sums].sort(([a], [b]) => a - b).map(([second, tickets]) => ({ second, tickets }));
}

function unionPart(readers: readonly CheckpointReader[], statuses: readonly CheckpointStatus[]) {
  const { tickets, overlap, missingShards, targets } = unionOf(readers, statuses);
  return { tickets, overlap, missingShards: missingShards.slice(0, SHOWN.missingShards), targets };
}

function stepsFor(
  tickets: OutcomeCounts,
  statuses: readonly CheckpointStatus[],
  asked: StatusAsked,
): NextStep[] {
  const steps = statuses.flatMap((status) => statusSteps(status, asked));
  return steps.length === 0 && tickets.pending > 0
    ? [{ text: 'Tickets are yet to come. Run the import again; it goes on where it stopped.' }]
    : steps;
}
