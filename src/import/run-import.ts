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
import type { AppError } from '../domain/errors.ts';
import { runTagAt } from '../domain/identity.ts';
import type { Problem } from '../domain/problem.ts';
import type { LossReport, Survey } from '../domain/survey.ts';
import type { Settings } from '../settings/settings.ts';
import { createContactNames } from '../source/join/contact-names.ts';
import { createProblemLog, type ProblemSnapshot } from '../summary/problem-log.ts';
import { buildSummary, exitCodeOf, planOf, type Summary, type TrialChecklist } from '../summary/summary.ts';
import { agentFinder } from './agent-finder.ts';
import { checkRules } from './check-rules.ts';
import { dryRun } from './dry-run/dry-run.ts';
import { TargetLooker } from './dry-run/look.ts';
import { execute } from './execute.ts';
import { KeptFiles } from './files/keep-files.ts';
import type { ImportJob, ImportPorts } from './import-job.ts';
import type { JobResult } from './job-result.ts';
import { notePlaces, type ProblemFrames, readFrames } from './problem-frames.ts';
import { openSource } from './source.ts';
import { platformIn, sourceNameOf } from './source-name.ts';
import type { TargetAddress } from './target.ts';
import { greetTarget } from './target.ts';

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
 * `target` is where the tickets go; a dry run needs none. Throws AppError for what stops it before anything is sent:
 * `auth`, `unreachable`, `source`, `configuration`, `checkpoint`, and `disk-write`; and the signal's reason when it was stopped before that.
 */
export async function runImport(
  settings: Settings,
  target: TargetAddress | undefined,
  ports: ImportPorts,
): Promise<ImportResult> {
  const started = ports.clock.monotonic();
  const isDry = settings.mode === 'dry-run';
  if (!isDry && target !== undefined) await greetTarget(target, settings, ports);
  const told = listen(ports);
  const looker =
    isDry && target !== undefined && target.sandbox === undefined
      ? new TargetLooker(target, settings, ports)
      : undefined;
  await using finder = looker ?? agentFinder(settings, target, ports);
  await using source = await openSource(settings, {
    ...ports,
    problem: told.problem,
    findAgent: (email, signal) => finder.find(email, signal),
  });
  using names = createContactNames();
  const job = jobOf({ source, settings, ports, names, problem: told.problem });
  // Loaded before anything is sent: an import may end hours later, when the installation has been replaced.
  const reading =
    ports.beforeClose === undefined ? undefined : await import('../checkpoint/read-checkpoint.ts');
  const run =
    isDry || target === undefined ? await dryRun(job, target, finder, looker) : await execute(job, target);
  const problems = told.log.snapshot();
  const summary = summaryOf(job, target, run, problems, ports.clock.monotonic() - started);
  await run.record?.(summary);
  const { survey, loss } = run.surveyed;
  if (ports.beforeClose !== undefined && reading !== undefined) {
    const { checkpoint } = settings.output;
    const reader = existsSync(checkpoint) ? reading.readCheckpoint(checkpoint) : undefined;
    try {
      await job.files.bind(reader, target?.baseUrl);
      await ports.beforeClose(job, survey, run.stoppedBy);
    } finally {
      reader?.close();
    }
  }
  return {
    summary,
    ...(ports.frames === true ? { frames: await readFrames(problems.groups, told.places, source) } : {}),
    shownBefore: run.shownBefore,
    survey,
    loss,
    checklist: run.trial?.checklist,
    stoppedBy: run.stoppedBy,
  };
}

/** Counts problems and passes them on; keeps their places if their lines are shown. */
function listen(ports: ImportPorts) {
  const log = createProblemLog();
  const places = notePlaces((found) => {
    const isFirst = log.add(found);
    ports.emit({ type: 'problem', problem: found });
    return isFirst;
  });
  const problem = ports.frames === true ? places.sink : (found: Problem) => places.sink(found);
  return { log, places, problem };
}

function jobOf(opened: Pick<ImportJob, 'source' | 'settings' | 'ports' | 'names' | 'problem'>): ImportJob {
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

function summaryOf(
  { source, settings, runTag }: ImportJob,
  target: TargetAddress | undefined,
  run: JobResult,
  problems: ProblemSnapshot,
  durationMs: number,
): Summary {
  const { surveyed, stoppedBy } = run;
  const { survey } = surveyed;
  const { mode } = settings;
  const { kept } = source;
  const planFile = kept === undefined ? run.planFile : { path: kept.path, digest: kept.digest };
  return buildSummary({
    mode,
    layout: source.detection.layout.name,
    target: target?.baseUrl,
    tickets: run.tickets,
    messages: { read: survey.messages.read, sent: run.sent.messages, orphans: survey.orphans.messages },
    events: { read: survey.events.read, sent: run.sent.events, orphans: survey.orphans.events },
    ...(settings.delta ? { updates: { found: survey.requests.updates, sent: run.sent.updates } } : {}),
    contacts: { distinct: survey.contacts.distinct },
    attachments: { read: survey.attachments.read, ...run.attachments },
    ...(run.files && { files: run.files }),
    notes: survey.notes,
    requests: run.requests,
    ...(mode === 'dry-run' && { plan: planOf(survey) }),
    ...(run.look && { look: run.look }),
    ...(planFile && { planFile }),
    problems,
    runTag,
    openFirst: run.openFirst,
    ...(run.trial === undefined ? {} : { trial: { tickets: run.trial.tickets } }),
    checkpoint: settings.output.checkpoint,
    rejects: run.rejects,
    durationMs,
    exitCode: exitCodeOf({
      tickets: run.tickets,
      stoppedBy: stoppedBy === undefined ? [] : [stoppedBy],
      failedChecks: run.trial?.failed === true,
      duplicates: run.duplicates === true,
      lostRows: surveyed.lostRows > 0,
      olderThanImported: problems.groups.some(({ code }) => code === 'older-than-imported'),
      mustReachAll: mode === 'run' && settings.links === undefined,
    }),
  });
}
