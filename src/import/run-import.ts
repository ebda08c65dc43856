/**
 * An import from beginning to end; what is called below reads as the list of its stages:
 *
 *   read → stage → shape → check → plan (the survey) → push → verify (a trial) → report (the summary)
 *
 * A dry run ends with the plan. What stops a run after the plan is in the result and not thrown: what was done until
 * then is recorded, and the counts say what is left.
 */

import { existsSync } from 'node:fs';
import { createChecker } from '../check/check-ticket.ts';
import { resolveCheckpointPath } from '../checkpoint/file.ts';
import type { AppError } from '../domain/errors.ts';
import { runTagAt } from '../domain/identity.ts';
import type { LossReport, Survey } from '../domain/survey.ts';
import type { Settings } from '../settings/settings.ts';
import { createContactNames } from '../source/contact-names.ts';
import { createProblemLog } from '../summary/problem-log.ts';
import type { Summary, TrialChecklist } from '../summary/summary.ts';
import { agentFinder } from './agent-finder.ts';
import { checkRules } from './check-rules.ts';
import { dryRun } from './dry-run/dry-run.ts';
import { TargetLooker } from './dry-run/look.ts';
import { execute } from './execute.ts';
import { KeptFiles } from './files/keep-files.ts';
import type { ImportJob, ImportPorts } from './import-job.ts';
import { notePlaces, type ProblemFrames, readFrames } from './problem-frames.ts';
import { openSource } from './source.ts';
import { platformIn, sourceNameOf, withPlannedName } from './source-name.ts';
import { greetTarget, type TargetAddress } from './target.ts';

export interface ImportResult {
  readonly summary: Summary;
  /** Lines of the export, for the examples of the summary's groups of problems; absent unless requested. */
  readonly frames?: ProblemFrames | undefined;
  /** Kinds of problems that an earlier run of the same export showed in full (`groupKey`). */
  readonly shownBefore?: ReadonlySet<string> | undefined;
  readonly survey: Survey;
  readonly loss: LossReport;
  /** What a person should look at after a trial. */
  readonly checklist?: TrialChecklist | undefined;
  /** What stopped it, where something did. */
  readonly stoppedBy?: AppError | undefined;
}

/**
 * `target` is where the tickets go; a dry run needs no target. Throws AppError for what stops it before anything is sent:
 * `auth`, `unreachable`, `source`, `configuration`, `checkpoint`, and `disk-write`; and the signal's reason when it was stopped before that.
 */
export async function runImport(
  settings: Settings,
  target: TargetAddress | undefined,
  ports: ImportPorts,
): Promise<ImportResult> {
  const started = ports.clock.monotonic();
  const { checkpoint } = settings.output;
  const isDry = settings.mode === 'dry-run' || target === undefined;
  if (!isDry) {
    resolveCheckpointPath(checkpoint);
    await greetTarget(target, settings, ports);
  }
  const log = createProblemLog();
  const places = notePlaces((found) => {
    const isFirst = log.add(found);
    ports.emit({ type: 'problem', problem: found });
    return isFirst;
  });
  const problem: ImportJob['problem'] = ports.frames === true ? places.sink : (found) => places.sink(found);
  const looker =
    isDry && target !== undefined && target.sandbox === undefined
      ? new TargetLooker(target, settings, ports)
      : undefined;
  await using finder = looker ?? agentFinder(settings, target, ports);
  const findAgent = (email: string, signal: AbortSignal) => finder.find(email, signal);
  await using source = await openSource(settings, { ...ports, problem, findAgent });
  using names = createContactNames();
  const job = jobOf({ source, settings, ports, names, problem, log, started });
  // Loaded before anything is sent: an import may end hours later, when the installation has been replaced.
  const reading = ports.beforeClose && (await import('../checkpoint/read-checkpoint.ts'));
  try {
    const { surveyed, trial, stoppedBy, shownBefore, summary } = isDry
      ? await dryRun(job, target, finder, looker)
      : await execute(job, target);
    const { survey, loss } = surveyed;
    if (ports.beforeClose !== undefined && reading !== undefined) {
      const reader = existsSync(checkpoint) ? reading.readCheckpoint(checkpoint) : undefined;
      try {
        await job.files.bind(reader, target?.baseUrl);
        await ports.beforeClose(job, survey, stoppedBy);
      } finally {
        reader?.close();
      }
    }
    const frames =
      ports.frames === true ? await readFrames(summary.problemGroups, places, source) : undefined;
    return { summary, frames, shownBefore, survey, loss, checklist: trial?.checklist, stoppedBy };
  } catch (error) {
    throw source.kept === undefined ? error : withPlannedName(error);
  }
}

function jobOf(
  opened: Pick<ImportJob, 'source' | 'settings' | 'ports' | 'names' | 'problem' | 'log' | 'started'>,
): ImportJob {
  const { source, settings, ports } = opened;
  const sourceName = sourceNameOf(settings, source);
  const isTagged = settings.mode !== 'dry-run' || settings.plan?.keep !== undefined;
  const runTag = source.kept?.runTag ?? (isTagged ? runTagAt(ports.clock.now()) : undefined);
  const rules = checkRules(settings, source, ports.clock, () => sourceName.name, runTag);
  const files = new KeptFiles(settings);
  files.links.setPlatform(platformIn(settings, source));
  const [check, view] = [createChecker(rules), files.view(rules.fileName)];
  return { ...opened, sourceName, check, view, files, runTag };
}
