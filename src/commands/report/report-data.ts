/** Puts together what a report shows: of a run, a trial or a dry run, or of checkpoints with the export behind them. */
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import { type Problem, problemGroupKey } from '../../domain/problem.ts';
import type { OutcomeCounts } from '../../domain/ticket-state.ts';
import { addCounts, type CheckpointStatus, checkpointStatus } from '../../import/checkpoint-status.ts';
import type { ProblemFrames } from '../../import/problem-frames.ts';
import type { ImportResult } from '../../import/run-import.ts';
import type { Settings } from '../../settings/settings.ts';
import type { ProblemSnapshot } from '../../summary/problem-log.ts';
import { excerpt, type ReportData, type ReportedProblems, SHOWN } from '../../view/html/report-data.ts';
import { type Timeline, timelineOfChanges } from '../../view/html/run-timeline.ts';
import type { NextStep } from '../../view/next-steps.ts';
import { listDoubts, listFailed } from '../status/status-lists.ts';
import { type StatusAsked, statusSteps } from '../status/status-next.ts';
import type { ReportDetails, SurveyedExport } from './report-details.ts';

/** What every report has, whatever it is about. */
interface ReportFrame {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly settings: Settings;
}

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
  const { result, details, timeline, checkpoint, settings, next } = parts;
  const { summary, survey, loss, checklist, stoppedBy } = result;
  const { tickets: _, statuses: __, ...known } = knownOf(checkpoint === undefined ? [] : [checkpoint]);
  return {
    ...known,
    ...frameOf(parts),
    kind: summary.mode,
    source: sourceOf(settings, summary.layout),
    target: summary.target,
    exitCode: summary.exitCode,
    stopped: stoppedBy && { message: stoppedBy.message, hint: stoppedBy.hint },
    tickets: summary.tickets,
    survey,
    loss,
    conversations: [],
    ...details,
    noConversations:
      details === undefined
        ? 'The run was stopped, so the conversations were not read again; a dry run with --report shows them.'
        : undefined,
    sent: { messages: summary.messages.sent, events: summary.events.sent },
    problems: problemsOf({ groups: summary.problemGroups, rows: summary.problems }, result.frames),
    attachmentChecks: summary.attachments,
    requests: summary.requests,
    look: summary.look,
    plan: summary.planFile,
    durationMs: summary.durationMs,
    timeline,
    trial: summary.trial && { tickets: summary.trial.tickets, checklist },
    next,
  };
}

interface CheckpointParts extends ReportFrame {
  readonly readers: readonly [CheckpointReader, ...CheckpointReader[]];
  readonly surveyed?: SurveyedExport | undefined;
  readonly asked: StatusAsked;
}

export function reportOfCheckpoints({ readers, surveyed, asked, ...frame }: CheckpointParts): ReportData {
  const { statuses, tickets: counted, ...known } = knownOf(readers);
  const tickets = surveyed === undefined ? counted : withUnreadable(surveyed, counted.done);
  const steps = statuses.flatMap((status) => statusSteps(status, asked));
  return {
    ...known,
    ...frameOf(frame),
    conversations: [],
    ...(surveyed && {
      survey: { ...surveyed.survey, tickets },
      loss: surveyed.loss,
      ...surveyed.details,
      source: sourceOf(frame.settings, surveyed.layout),
      problems: problemsOf(surveyed.problems, surveyed.frames),
    }),
    kind: 'checkpoint',
    target: readers[0].meta.target,
    tickets,
    timeline: timelineOfChanges(changesOf(readers)),
    next:
      steps.length === 0 && tickets.pending > 0
        ? [
            {
              text: 'Some tickets are still to be imported. Run the import again; it continues where it stopped.',
            },
          ]
        : steps,
  };
}

/**
 * A record that cannot be read any more tells no id. Where the helpdesk has tickets that the export does not show, such records
 * may be theirs, and what is in the helpdesk was not rejected.
 */
function withUnreadable({ survey, problems }: SurveyedExport, inHelpdesk: number): OutcomeCounts {
  const { tickets } = survey;
  const unreadable = problems.groups
    .filter(({ code }) => code === 'unreadable')
    .reduce((sum, { count }) => sum + count, 0);
  const known = Math.max(0, Math.min(inHelpdesk - tickets.done, unreadable, tickets.rejected));
  return { ...tickets, done: tickets.done + known, rejected: tickets.rejected - known };
}

function frameOf({ version, now, settings }: ReportFrame) {
  return { version, madeAt: now, redacted: false, budgets: settings.run.rate };
}

function sourceOf({ source }: Settings, layout: string) {
  return { files: excerpt(source.files, SHOWN.files), layout };
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
      rows: groups.slice(0, SHOWN.groups).map((group) => ({
        ...group,
        examples: examples.get(problemGroupKey(group.example)) ?? [group.example],
        frame: frames?.get(group.example),
      })),
      total: groups.length,
    },
  };
}

/** What checkpoints know, whoever asks. Without one, as before the first run, nothing. */
function knownOf(readers: readonly CheckpointReader[]): Pick<
  ReportData,
  'inDoubt' | 'failed' | 'runs' | 'checkpoints'
> & {
  readonly tickets: OutcomeCounts;
  readonly statuses: readonly CheckpointStatus[];
} {
  const statuses = readers.map((reader) => checkpointStatus(reader));
  const { known, ...outcomes } = addCounts(statuses.map(({ tickets }) => tickets));
  const first = <T>(most: number, list: (reader: CheckpointReader, most: number) => readonly T[]) =>
    readers.flatMap((reader) => list(reader, most)).slice(0, most);
  return {
    tickets: { ...outcomes, read: known },
    statuses,
    inDoubt: { rows: first(SHOWN.inDoubt, listDoubts), total: outcomes.inDoubt },
    failed: {
      rows: first(SHOWN.failed, (reader, most) => listFailed(reader, most, ['failed'])),
      total: outcomes.failed,
    },
    runs: statuses
      .flatMap(({ checkpoint, runs }) =>
        runs.map((run) => ({ checkpoint, ...run, tickets: run.batches.tickets })),
      )
      .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
      .slice(0, SHOWN.runs),
    checkpoints: statuses.slice(0, SHOWN.checkpoints).map(({ checkpoint: path, target, tickets, bytes }) => ({
      path,
      target,
      tickets: tickets.known,
      bytes,
    })),
  };
}

/** Tickets settled in each second, by all processes together. */
function changesOf(readers: readonly CheckpointReader[]): { second: number; tickets: number }[] {
  const sums = new Map<number, number>();
  for (const reader of readers)
    for (const { second, tickets } of reader.changesBySecond(['done']))
      sums.set(second, (sums.get(second) ?? 0) + tickets);
  return [...sums].sort(([a], [b]) => a - b).map(([second, tickets]) => ({ second, tickets }));
}
