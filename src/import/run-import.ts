/** An import: read, plan, push, check, report. What stops it after the plan is in the result, so that the counts say what is left. */

import { existsSync, lstatSync } from 'node:fs';
import { createChecker } from '../check/check-ticket.ts';
import { resolveCheckpointPath } from '../checkpoint/file.ts';
import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import type { AppError } from '../domain/errors.ts';
import { runTagAt } from '../domain/identity.ts';
import { createProblemLog, type Problem } from '../domain/problem.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import type { Facts } from '../plan/facts.ts';
import { createContactNames } from '../source/contact-names.ts';
import { differsFromApproved, writePlanOf } from './approve.ts';
import * as ask from './ask-helpdesk.ts';
import { execute } from './execute.ts';
import { filesToKeep, sourceCredentials } from './fetch-files.ts';
import type { ImportJob, ImportPorts } from './import-job.ts';
import { keptFiles } from './keep-files.ts';
import type { Options } from './options.ts';
import { notePlaces, type ProblemFrames, readFrames } from './problem-places.ts';
import { checkRules, openSource } from './source.ts';
import { sourceNameOf } from './source-name.ts';
import { type JobResult, requireSource, shownBefore, summarize, surveyExport } from './survey-export.ts';
import { greetTarget, type TargetAddress } from './target.ts';
import { writeRejects } from './write-rejects.ts';

export interface ImportResult {
  readonly facts: Facts;
  readonly frames?: ProblemFrames | undefined;
  /** Shown in full by an earlier run (`groupKey`). */
  readonly shownBefore?: ReadonlySet<string> | undefined;
  readonly stoppedBy?: AppError | undefined;
}

const NOT_SENT: ReadonlySet<string> = new Set([
  'delta-held',
  'history-held',
  'field-not-updatable',
  'not-ours-in-target',
]);

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
      ? ask.targetLooker(target, pace, ports)
      : undefined;
  await using finder =
    looker ?? ask.agentFinder(options, target, ports, isDry ? agentsIn(checkpoint) : undefined);
  const findAgent = (email: string, signal: AbortSignal) => finder.find(email, signal);
  await using source = await openSource(reading, { ...ports, problem, findAgent });
  using names = createContactNames();
  const sourceName = sourceNameOf(reading, source);
  const runTag = mode === 'dry-run' ? undefined : runTagAt(ports.clock.now());
  const rules = checkRules(options, source, ports.clock, () => sourceName.name, runTag);
  const files = keptFiles(options);
  const job: ImportJob = {
    ...options,
    ...{ source, ports, target, names, problem, log, notUpdated, started, sourceName, files, runTag },
    fixed: new Set(),
    check: createChecker(rules),
    view: files.view(rules.fileName),
  };
  const { stoppedBy, shownBefore, facts } = isDry
    ? await dryRun(job, target, finder, looker)
    : await execute(job, target);
  if (ports.beforeClose !== undefined) {
    using reader = existsSync(checkpoint) ? readCheckpoint(checkpoint) : undefined;
    job.files.bind(reader, target?.baseUrl);
    await ports.beforeClose(job, facts, stoppedBy);
  }
  const frames = ports.frames === true ? await readFrames(facts.problemGroups, places, source) : undefined;
  return { facts, frames, shownBefore, stoppedBy };
}

/** Read whole, as the checkpoint is opened again later. */
function agentsIn(checkpoint: string): ask.RecordedAgents | undefined {
  if (!existsSync(checkpoint)) return undefined;
  using reader = readCheckpoint(checkpoint);
  const found = new Map([...reader.people.values()].map((agent) => [agent.agent, agent]));
  return (email) => {
    const known = found.get(email);
    return known?.how === 'found' ? known.id : undefined;
  };
}

export function looks({ sandbox, baseUrl, credentials }: Options['helpdesk']): boolean {
  if (sandbox !== undefined || baseUrl === undefined || credentials === undefined) return false;
  // Using a refresh token may replace it, and a dry run changes nothing.
  return (
    credentials.kind !== 'oauth' ||
    (credentials.refreshToken === undefined && credentials.refreshTokenFile === undefined)
  );
}

export async function dryRun(
  job: ImportJob,
  target: TargetAddress | undefined,
  finder: ask.AgentFinder,
  looker: ask.TargetLooker | undefined,
): Promise<JobResult & { readonly facts: Facts }> {
  const { sourceName, checkpointPath: checkpoint, ports, problem } = job;
  const ledger = lstatSync(checkpoint, { throwIfNoEntry: false }) && readCheckpoint(checkpoint, target?.key);
  try {
    sourceName.settle(ledger?.meta.sourceName, checkpoint);
    if (ledger !== undefined) job.files.bind(ledger, target?.baseUrl);
    job.files.judge();
    const isKeeping = job.attachments.to !== undefined;
    const surveyed = await surveyExport(job, {
      ledger,
      files: ledger?.files,
      filesOf: isKeeping ? filesToKeep(job.attachments, await sourceCredentials(ports.env)) : undefined,
      exportTimes: ledger?.exportTimes,
      isUnsettled: (checked) => ask.namesLater(checked, finder),
    });
    if (ledger !== undefined) requireSource(job, surveyed, ledger);
    const looked = await looker?.look(job);
    const later = job.helpdesk.sandbox === undefined ? finder.later.size : 0;
    if (later > 0) problem(agentsLater(later, finder));
    const stoppedBy = surveyed.stoppedBy ?? differsFromApproved(job);
    const result: JobResult = {
      surveyed,
      shownBefore: shownBefore(ledger?.meta, surveyed),
      look: looked,
      requests: looker?.stats(),
      rejects: job.rejects.isAsked ? await writeRejects(job, ledger, 'dry-run') : undefined,
      planFile: stoppedBy === undefined ? await writePlanOf(job, surveyed.findings) : undefined,
      stoppedBy,
    };
    return { ...result, facts: summarize(job, ledger?.files, result) };
  } finally {
    ledger?.close();
  }
}

function agentsLater(count: number, finder: ask.AgentFinder): Problem {
  const [email = ''] = ask.openAgents(finder);
  return problemOf(`agents-asked:${count === 1 ? 'one' : 'several'}`, { agents: count, name: email });
}
