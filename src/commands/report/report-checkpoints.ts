/** What a report shows of checkpoints: tickets in doubt and refused, runs, speed, and whether several make one import. */
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import type { TicketRecord } from '../../domain/ledger.ts';
import type { LossReport, Survey } from '../../domain/survey.ts';
import { emptyCounts, type OutcomeCounts } from '../../domain/ticket-state.ts';
import { addCounts, type CheckpointStatus, checkpointStatus } from '../../import/checkpoint-status.ts';
import type { ProblemFrames } from '../../import/problem-frames.ts';
import {
  type FailedTicket,
  type ReportData,
  type ReportedRun,
  SHOWN,
} from '../../present/html/report-data.ts';
import { timelineOfChanges } from '../../present/html/run-timeline.ts';
import type { NextStep } from '../../present/terminal/next-steps.ts';
import type { ProblemSnapshot } from '../../present/terminal/problem-log.ts';
import { listDoubts } from '../resolve/resolve-doubts.ts';
import { type StatusAsked, statusSteps } from '../status/status-next.ts';
import { unionOf } from '../status/status-union.ts';
import type { ReportDetails } from './report-details.ts';
import { frameOf, planOf, problemsOf, type ReportFrame, sourceOf, surveyParts } from './report-parts.ts';

/** What checkpoints know, whoever asks. */
export type KnownParts = Pick<ReportData, 'inDoubt' | 'failed' | 'runs' | 'checkpoints'> & {
  readonly tickets: OutcomeCounts;
  readonly statuses: readonly CheckpointStatus[];
};

/** An export that was looked at along with the checkpoints. */
export interface SurveyedExport {
  readonly survey: Survey;
  readonly loss: LossReport;
  readonly layout: string;
  readonly problems: ProblemSnapshot;
  readonly frames: ProblemFrames;
  readonly details: ReportDetails;
}

export interface CheckpointParts extends ReportFrame {
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

export function knownOf(readers: readonly CheckpointReader[], now: number): KnownParts {
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
export function nothingKnown(): KnownParts {
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
