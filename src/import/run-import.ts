/** An import: read, plan, push, check, report. What stops it after the plan is in the result, so that the counts say what is left. */

import { existsSync } from 'node:fs';
import { createChecker } from '../check/check-ticket.ts';
import { resolveCheckpointPath } from '../checkpoint/file.ts';
import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import type { AppError } from '../domain/errors.ts';
import { runTagAt } from '../domain/identity.ts';
import { createProblemLog } from '../domain/problem.ts';
import type { Facts, TrialChecklist } from '../facts/facts.ts';
import { createContactNames } from '../source/contact-names.ts';
import { agentFinder, type RecordedAgents } from './agent-finder.ts';
import { dryRun } from './dry-run.ts';
import { execute } from './execute.ts';
import type { ImportJob, ImportPorts } from './import-job.ts';
import { KeptFiles } from './keep-files.ts';
import { TargetLooker } from './look.ts';
import type { Options } from './options.ts';
import { notePlaces, type ProblemFrames, readFrames } from './problem-frames.ts';
import { checkRules, openSource } from './source.ts';
import { platformIn, sourceNameOf, withPlannedName } from './source-name.ts';
import { greetTarget, type TargetAddress } from './target.ts';

export interface ImportResult {
  readonly facts: Facts;
  readonly frames?: ProblemFrames | undefined;
  /** Shown in full by an earlier run (`groupKey`). */
  readonly shownBefore?: ReadonlySet<string> | undefined;
  readonly checklist?: TrialChecklist | undefined;
  readonly stoppedBy?: AppError | undefined;
}

const NOT_SENT: ReadonlySet<string> = new Set(['delta-held', 'history-held', 'field-not-updatable']);

/** A dry run needs no `target`. Throws AppError for what stops it before anything is sent, and the signal's reason. */
export async function runImport(
  options: Options,
  target: TargetAddress | undefined,
  ports: ImportPorts,
): Promise<ImportResult> {
  const started = ports.clock.monotonic();
  const { checkpointPath: checkpoint, mode, isDelta, pace, reading } = options;
  const isDry = mode === 'dry-run' || target === undefined;
  if (!isDry) {
    resolveCheckpointPath(checkpoint);
    await greetTarget(target, pace, ports);
  }
  const log = createProblemLog();
  const notUpdated = new Set<string>();
  const places = notePlaces((found) => {
    const isFirst = log.add(found);
    const { severity, code, ticket } = found;
    if (isDelta && ticket !== undefined && severity === 'warning' && NOT_SENT.has(code))
      notUpdated.add(ticket);
    ports.emit({ type: 'problem', problem: found });
    return isFirst;
  });
  const problem: ImportJob['problem'] = ports.frames === true ? places.sink : (found) => places.sink(found);
  const looker =
    isDry && target !== undefined && target.sandbox === undefined
      ? new TargetLooker(target, pace, ports)
      : undefined;
  await using finder =
    looker ?? agentFinder(options, target, ports, isDry ? agentsIn(checkpoint) : undefined);
  const findAgent = (email: string, signal: AbortSignal) => finder.find(email, signal);
  await using source = await openSource(reading, { ...ports, problem, findAgent });
  using names = createContactNames();
  const sourceName = sourceNameOf(reading, source);
  const isTagged = mode !== 'dry-run' || options.keptPlan !== undefined;
  const runTag = source.kept?.runTag ?? (isTagged ? runTagAt(ports.clock.now()) : undefined);
  const rules = checkRules(options, source, ports.clock, () => sourceName.name, runTag);
  const files = new KeptFiles(options);
  files.links.setPlatform(platformIn(reading, source));
  const job: ImportJob = {
    ...options,
    ...{ source, ports, target, names, problem, log, notUpdated, started, sourceName, files, runTag },
    check: createChecker(rules),
    view: files.view(rules.fileName),
  };
  try {
    const { trial, stoppedBy, shownBefore, facts } = isDry
      ? await dryRun(job, target, finder, looker)
      : await execute(job, target);
    if (ports.beforeClose !== undefined) {
      const reader = existsSync(checkpoint) ? readCheckpoint(checkpoint) : undefined;
      try {
        await job.files.bind(reader, target?.baseUrl);
        await ports.beforeClose(job, facts, stoppedBy);
      } finally {
        reader?.close();
      }
    }
    const frames = ports.frames === true ? await readFrames(facts.problemGroups, places, source) : undefined;
    return { facts, frames, shownBefore, checklist: trial?.checklist, stoppedBy };
  } catch (error) {
    throw source.kept === undefined ? error : withPlannedName(error);
  }
}

/** Read whole, as the checkpoint is opened again later. */
function agentsIn(checkpoint: string): RecordedAgents | undefined {
  if (!existsSync(checkpoint)) return undefined;
  const reader = readCheckpoint(checkpoint);
  try {
    const found = new Map([...reader.people.values()].map((agent) => [agent.agent, agent]));
    return (email) => {
      const known = found.get(email);
      return known?.how === 'found' ? known.id : undefined;
    };
  } finally {
    reader.close();
  }
}
