/** The export behind checkpoints, looked at for their report: what a dry run finds, with what the checkpoints know. */
import type { Readable } from 'node:stream';
import { createChecker } from '../../check/check-ticket.ts';
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import { requireSameSource } from '../../checkpoint/same-source.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Ledger } from '../../domain/ledger.ts';
import { checkRules } from '../../import/check-rules.ts';
import { notePlaces, readFrames } from '../../import/problem-frames.ts';
import { openSource } from '../../import/source.ts';
import { surveyExport } from '../../import/survey-export.ts';
import { createProblemLog } from '../../present/terminal/problem-log.ts';
import type { Settings } from '../../settings/settings.ts';
import { createContactNames } from '../../source/join/contact-names.ts';
import type { SurveyedExport } from './report-checkpoints.ts';
import { gatherDetails } from './report-details.ts';

export interface ReportExportPorts {
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
  const log = createProblemLog(settings.output.maxProblems);
  const places = notePlaces(log.add);
  const emit = () => undefined;
  await using source = await openSource(settings, {
    emit,
    signal,
    folder,
    problem: places.sink,
    stdin,
  });
  using names = createContactNames();
  const check = createChecker(checkRules(settings, source, clock));
  const { survey, loss, known } = await surveyExport(source, settings, {
    check,
    names,
    ledger: together(readers),
    problem: places.sink,
    emit,
    signal,
  });
  requireSameSource(
    { known: readers.reduce((sum, reader) => sum + reader.size(), 0), ...known },
    readers.map(({ path }) => path).join(', '),
  );
  const details = await gatherDetails({ source, settings, names, check }, survey.trial, signal);
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
