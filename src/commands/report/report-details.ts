/**
 * What a report shows and a run does not keep: the contacts with several names, and the sample conversations. Found in one
 * more pass over the export, only when a report is asked for.
 */
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import { requireSameSource } from '../../checkpoint/same-source.ts';
import type { LossReport, Survey, TrialPick } from '../../domain/survey.ts';
import { checkRules } from '../../import/check-rules.ts';
import { examineExport } from '../../import/examine.ts';
import { keptChecker } from '../../import/files/keep-files.ts';
import { keptPictures } from '../../import/files/kept-pictures.ts';
import type { ImportJob, ImportPorts } from '../../import/import-job.ts';
import { notePlaces, type ProblemFrames, readFrames } from '../../import/problem-frames.ts';
import { openSource } from '../../import/source.ts';
import { surveyExport } from '../../import/survey-export.ts';
import type { Settings } from '../../settings/settings.ts';
import { createContactNames } from '../../source/join/contact-names.ts';
import { createProblemLog, type ProblemSnapshot } from '../../summary/problem-log.ts';
import { type Conversation, conversationOf } from '../../view/conversation/conversation.ts';
import { type ReportData, SHOWN } from '../../view/run-view.ts';

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
