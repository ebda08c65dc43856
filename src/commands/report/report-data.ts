/** Puts together what screen and report show: of a run, a trial or a dry run, or of checkpoints with the export behind them. */
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import { requireSameSource } from '../../checkpoint/same-source.ts';
import { addCounts, type CheckpointStatus, checkpointStatus, runTagOf } from '../../checkpoint/status.ts';
import { problemGroupKey } from '../../domain/problem.ts';
import type { LossReport, Survey, TrialPick } from '../../domain/survey.ts';
import type { OutcomeCounts } from '../../domain/ticket-state.ts';
import { checkRules } from '../../import/check-rules.ts';
import { examineExport } from '../../import/examine.ts';
import { keptChecker } from '../../import/files/keep-files.ts';
import { keptPictures } from '../../import/files/kept-pictures.ts';
import type { ImportJob, ImportPorts } from '../../import/import-job.ts';
import { notePlaces, type ProblemFrames, readFrames } from '../../import/problem-frames.ts';
import type { ImportResult } from '../../import/run-import.ts';
import { openSource } from '../../import/source.ts';
import { surveyExport } from '../../import/survey-export.ts';
import type { Settings } from '../../settings/settings.ts';
import { createContactNames } from '../../source/contact-names.ts';
import { createProblemLog, groupKey, type ProblemSnapshot } from '../../summary/problem-log.ts';
import { type Conversation, conversationOf } from '../../view/conversation/conversation.ts';
import type { NextStep } from '../../view/next-steps.ts';
import { type ReportData, type RunView, SHOWN, type ShownGroup } from '../../view/run-view.ts';
import { listDoubts, listFailed, type StatusAsked, statusSteps } from '../checkpoint-view.ts';

/** `isVerbose`: problems that an earlier run showed in full are shown in full again. */
export function viewOfRun(
  { summary, survey, loss, frames, shownBefore, checklist, stoppedBy }: ImportResult,
  settings: Settings,
  next: readonly NextStep[],
  isVerbose = false,
): RunView {
  return {
    kind: summary.mode,
    tickets: summary.tickets,
    summary,
    survey,
    loss,
    layout: summary.layout,
    ...settingsOf(settings),
    target: summary.target,
    stopped: stoppedBy && { message: stoppedBy.message, hint: stoppedBy.hint },
    problems: groupsOf({ groups: summary.problemGroups, rows: summary.problems }, frames).map((group) => ({
      ...group,
      isKnown: !isVerbose && shownBefore?.has(groupKey(group)) === true,
    })),
    checklist,
    next,
  };
}

function settingsOf({ source, run }: Settings): Pick<RunView, 'files' | 'rate'> {
  const rate = run.rate.map(({ requests, seconds }) => `${requests}/${seconds}`).join(' and ');
  return { files: source.files, rate: rate || undefined };
}

/** Groups with a few of their problems each, as far as the log kept rows of them. */
function groupsOf(
  { groups, rows }: Pick<ProblemSnapshot, 'groups' | 'rows'>,
  frames: ProblemFrames | undefined,
): ShownGroup[] {
  const kept = Map.groupBy(rows, problemGroupKey);
  return groups.map((group) => ({
    ...group,
    examples: kept.get(problemGroupKey(group.example))?.slice(0, SHOWN.examples) ?? [group.example],
    frame: frames?.get(group.example),
  }));
}

/** What every report has; `now`: milliseconds since the epoch. */
interface ReportParts {
  readonly settings: Settings;
  readonly version: string;
  readonly now: number;
}

/** @param checkpoint the run's own, closed by the run */
export function reportOfRun(
  result: ImportResult,
  details: ReportDetails | undefined,
  checkpoint: CheckpointReader | undefined,
  next: readonly NextStep[],
  { settings, version, now }: ReportParts,
): ReportData {
  const { tickets: _, statuses: __, ...known } = knownOf(checkpoint === undefined ? [] : [checkpoint]);
  return {
    ...known,
    ...viewOfRun(result, settings, next, true),
    version,
    madeAt: now,
    redacted: false,
    conversations: [],
    ...details,
    noConversations:
      details === undefined
        ? 'The run was stopped, so the conversations were not read again; a dry run with --report shows them.'
        : undefined,
  };
}

export function reportOfCheckpoints(
  readers: readonly CheckpointReader[],
  surveyed: SurveyedExport | undefined,
  asked: StatusAsked,
  { settings, version, now }: ReportParts,
): ReportData {
  const { statuses, tickets: counted, ...known } = knownOf(readers);
  const tickets = surveyed === undefined ? counted : withUnreadable(surveyed, counted.done);
  const steps = statuses.flatMap((status) => statusSteps(status, asked));
  const goOn = {
    text: 'Some tickets are still to be imported. Run the import again; it continues where it stopped.',
  };
  return {
    ...known,
    ...settingsOf(settings),
    kind: 'checkpoint',
    version,
    madeAt: now,
    redacted: false,
    conversations: [],
    ...surveyed?.details,
    survey: surveyed && { ...surveyed.survey, tickets },
    loss: surveyed?.loss,
    layout: surveyed?.layout,
    problems: surveyed === undefined ? [] : groupsOf(surveyed.problems, surveyed.frames),
    target: readers[0]?.meta.target,
    tickets,
    next: steps.length === 0 && tickets.pending > 0 ? [goOn] : steps,
  };
}

/**
 * A record that can no longer be read has no ID. If the helpdesk has tickets that the export does not show, such records
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

/** Tickets of the export that no run has reached yet are pending, too. */
function withUnreached({ tickets, export: progress }: CheckpointStatus): CheckpointStatus['tickets'] {
  const unreached = Math.max(0, (progress?.left ?? 0) - tickets.pending);
  return { ...tickets, pending: tickets.pending + unreached, known: tickets.known + unreached };
}

/** What checkpoints have, of any report. Without one, as before the first run, nothing. */
function knownOf(readers: readonly CheckpointReader[]) {
  const statuses = readers.map((reader) => checkpointStatus(reader));
  const { known, ...outcomes } = addCounts(statuses.map(withUnreached));
  return {
    tickets: { ...outcomes, read: known },
    statuses,
    inDoubt: { rows: listDoubts(readers, SHOWN.inDoubt), total: outcomes.inDoubt },
    failed: { rows: listFailed(readers, SHOWN.failed, ['failed']), total: outcomes.failed },
    runs: statuses
      .flatMap(({ checkpoint, runs }) =>
        runs.map((run) => ({ checkpoint, ...run, tickets: run.batches.tickets, runTag: runTagOf(run) })),
      )
      .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
      .slice(0, SHOWN.runs),
    checkpoints: statuses.map(({ checkpoint }) => checkpoint),
  };
}

/** An export that was looked at along with the checkpoints. */
export interface SurveyedExport {
  readonly survey: Survey;
  readonly loss: LossReport;
  readonly layout: string;
  readonly problems: ProblemSnapshot;
  readonly frames: ProblemFrames;
  readonly details: ReportDetails;
}

/** The conversations in the order of the picks; a pick may be missing where it could not be read. */
export type ReportDetails = Pick<ReportData, 'mergedContacts' | 'conversations'>;

/** Rejects with the signal's reason when it aborts. */
export async function gatherDetails(
  job: Pick<ImportJob, 'source' | 'settings' | 'names' | 'check' | 'view'>,
  picks: readonly TrialPick[],
  signal: AbortSignal,
): Promise<ReportDetails> {
  const { source, names } = job;
  const picturesOf = keptPictures(job.settings);
  const why = new Map(picks.map((pick) => [pick.externalId, pick.why]));
  const found = new Map<string, Conversation>();
  // The export has been mapped before, so all of them are known.
  const agentNames = source.mapper.agentNames();
  const nameOf = (email: string) => names.nameOf(email);
  const agentOf = (agentId: string) => agentNames.get(agentId);
  for await (const chunk of examineExport(job, signal))
    for (const examined of chunk) {
      if (examined.kind !== 'ticket' || examined.skippedBecause !== undefined) continue;
      const { checked } = examined.result;
      if (checked === undefined) continue;
      const reasons = why.get(checked.externalId);
      if (reasons !== undefined && !found.has(checked.externalId))
        found.set(checked.externalId, conversationOf(checked, reasons, nameOf, agentOf, picturesOf));
    }
  const merged = [...names.merged()].sort((a, b) => b.names - a.names);
  return {
    mergedContacts: { rows: merged.slice(0, SHOWN.mergedContacts), total: merged.length },
    conversations: picks.flatMap(({ externalId }) => found.get(externalId) ?? []),
  };
}

/**
 * The export behind checkpoints, looked at for their report: what a dry run finds, with what the checkpoints know. Throws
 * AppError `source`, `configuration`, and `checkpoint` where the export is another one than the checkpoints'.
 */
export async function surveyForReport(
  settings: Settings,
  readers: readonly CheckpointReader[],
  ports: Pick<ImportPorts, 'clock' | 'stdin' | 'soft' | 'settingsFolder'>,
): Promise<SurveyedExport> {
  const log = createProblemLog();
  const places = notePlaces(log.add);
  const quiet = { ...ports, emit: () => undefined };
  await using source = await openSource(settings, { ...quiet, problem: places.sink });
  using names = createContactNames();
  const rules = checkRules(settings, source, ports.clock);
  const { check, view } = await keptChecker(settings, rules, readers[0], settings.target.baseUrl);
  // A ticket that several checkpoints know is what the first of them says.
  const ledger = {
    get: (externalId: string) =>
      readers.map((reader) => reader.get(externalId)).find((record) => record !== undefined),
  };
  const job = { source, settings, check, view, names, problem: places.sink, ports: quiet };
  const { survey, loss, known } = await surveyExport(job, { ledger });
  requireSameSource(
    { known: readers.reduce((sum, reader) => sum + reader.size(), 0), ...known },
    readers.map(({ path }) => path).join(', '),
  );
  const details = await gatherDetails(job, survey.trial, ports.soft);
  const problems = log.snapshot();
  const frames = await readFrames(problems.groups, places, source);
  return { survey, loss, layout: source.detection.layout.name, problems, frames, details };
}
