/**
 * What a report shows and a run does not keep: the contacts with several names, and the sample conversations. Found in one more pass over the export, only when a report is asked for. Constant
 * memory: of each sample the cut conversation is kept and not the ticket, and of the contacts those with most names.
 */

import type { Readable } from 'node:stream';
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import { requireSameSource } from '../../checkpoint/same-source.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Ledger } from '../../domain/ledger.ts';
import type { LossReport, Survey, TrialPick } from '../../domain/survey.ts';
import { checkRules } from '../../import/check-rules.ts';
import { type ExaminedTicket, examineExport } from '../../import/examine.ts';
import { keptChecker } from '../../import/files/keep-files.ts';
import { keptPictures } from '../../import/files/kept-pictures.ts';
import type { ImportJob } from '../../import/import-job.ts';
import { notePlaces, type ProblemFrames, readFrames } from '../../import/problem-frames.ts';
import { openSource } from '../../import/source.ts';
import { surveyExport } from '../../import/survey-export.ts';
import type { Settings } from '../../settings/settings.ts';
import { createContactNames } from '../../source/join/contact-names.ts';
import { createProblemLog, type ProblemSnapshot } from '../../summary/problem-log.ts';
import { type Conversation, conversationOf } from '../../view/conversation/conversation.ts';
import { type Excerpt, type MergedContact, type ReportData, SHOWN } from '../../view/run-view.ts';

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
  const why = new Map(picks.map((pick) => [pick.externalId, pick.why] as const));
  const found = new Map<string, Conversation>();
  // The export has been mapped before, so all of them are known.
  const agentNames = source.mapper.agentNames();

  const take = ({ result, skippedBecause }: ExaminedTicket) => {
    const { checked } = result;
    if (skippedBecause !== undefined || checked === undefined) return;
    const reasons = why.get(checked.externalId);
    if (reasons !== undefined && !found.has(checked.externalId))
      found.set(
        checked.externalId,
        conversationOf(
          checked,
          reasons,
          (email) => names.nameOf(email),
          (agentId) => agentNames.get(agentId),
          picturesOf,
        ),
      );
  };

  for await (const chunk of examineExport(job, signal))
    for (const examined of chunk) if (examined.kind === 'ticket') take(examined);
  return {
    mergedContacts: mostNames(names.merged()),
    conversations: picks.flatMap(({ externalId }) => found.get(externalId) ?? []),
  };
}

/** Those with the most names, by address where they have as many. */
function mostNames(contacts: Iterable<MergedContact>, most = SHOWN.mergedContacts): Excerpt<MergedContact> {
  let kept: MergedContact[] = [];
  let total = 0;
  const trim = () => {
    kept = kept.toSorted((a, b) => b.names - a.names).slice(0, most);
  };
  for (const contact of contacts) {
    total++;
    kept.push(contact);
    if (kept.length >= most * 4) trim();
  }
  trim();
  return { rows: kept, total };
}

/** The export behind checkpoints, looked at for their report: what a dry run finds, with what the checkpoints know. */
interface ReportExportPorts {
  readonly clock: Clock;
  readonly stdin?: Readable | undefined;
  readonly signal: AbortSignal;
  /** Folder of the settings file. */
  readonly folder: string;
}

/** Throws AppError `source`, `configuration`, and `checkpoint` where the export is another one than the checkpoints'. */
export async function surveyForReport(
  settings: Settings,
  readers: readonly CheckpointReader[],
  { clock, stdin, signal, folder }: ReportExportPorts,
): Promise<SurveyedExport> {
  const log = createProblemLog();
  const places = notePlaces(log.add);
  const emit = () => undefined;
  await using source = await openSource(settings, {
    emit,
    soft: signal,
    settingsFolder: folder,
    problem: places.sink,
    stdin,
  });
  using names = createContactNames();
  const rules = checkRules(settings, source, clock);
  const { check, view } = await keptChecker(settings, rules, readers[0], settings.target.baseUrl);
  const { survey, loss, known } = await surveyExport(
    { source, settings, check, view, names, problem: places.sink, ports: { emit, soft: signal, clock } },
    { ledger: together(readers) },
  );
  requireSameSource(
    { known: readers.reduce((sum, reader) => sum + reader.size(), 0), ...known },
    readers.map(({ path }) => path).join(', '),
  );
  const details = await gatherDetails({ source, settings, names, check, view }, survey.trial, signal);
  const problems = log.snapshot();
  const frames = await readFrames(problems.groups, places, source);
  return { survey, loss, layout: source.detection.layout.name, problems, frames, details };
}

/** A ticket that several checkpoints know is what the first of them says. */
function together(readers: readonly CheckpointReader[]): Pick<Ledger, 'get'> {
  return {
    get: (externalId) => {
      for (const reader of readers) {
        const record = reader.get(externalId);
        if (record !== undefined) return record;
      }
      return undefined;
    },
  };
}
