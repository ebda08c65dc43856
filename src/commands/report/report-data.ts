/** Puts together what the report of a run, a trial or a dry run shows. */
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import type { ImportResult } from '../../import/run-import.ts';
import type { ReportData } from '../../present/html/report-data.ts';
import type { Timeline } from '../../present/html/run-timeline.ts';
import type { NextStep } from '../../present/terminal/next-steps.ts';
import { knownOf, nothingKnown } from './report-checkpoints.ts';
import type { ReportDetails } from './report-details.ts';
import { frameOf, planOf, problemsOf, type ReportFrame, sourceOf, surveyParts } from './report-parts.ts';

export interface RunParts extends ReportFrame {
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
