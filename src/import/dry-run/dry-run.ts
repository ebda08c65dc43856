/** A dry run: the plan, and nothing else. It opens the checkpoint for reading; where the target may be asked, it is read. */

import { lstatSync } from 'node:fs';
import { readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import type { Problem } from '../../domain/problem.ts';
import { keepPlan } from '../../plan/keep-plan.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Summary } from '../../summary/summary.ts';
import { type AgentFinder, namesLater, openAgents } from '../agent-finder.ts';
import { forecastFiles } from '../files/forecast.ts';
import type { ImportJob } from '../import-job.ts';
import { plannedSettings, type Sending } from '../plan-settings.ts';
import { type JobResult, summarize } from '../summarize.ts';
import { requireSource, surveyExport } from '../survey-export.ts';
import type { TargetAddress } from '../target.ts';
import { writeRejects } from '../write-rejects.ts';
import type { TargetLooker } from './look.ts';

/** Whether a dry run asks the target of the settings what it has (import/look.ts). */
export function looks({ target, sandbox, credentials }: Settings): boolean {
  if (sandbox !== undefined || target.baseUrl === undefined || credentials === undefined) return false;
  // A refresh token may be replaced by its use, and a dry run changes nothing.
  return (
    credentials.kind !== 'oauth' ||
    (credentials.refreshToken === undefined && credentials.refreshTokenFile === undefined)
  );
}

/** `looker` where `target` may be asked. */
export async function dryRun(
  job: ImportJob,
  target: TargetAddress | undefined,
  finder: AgentFinder,
  looker: TargetLooker | undefined,
): Promise<JobResult & { readonly summary: Summary }> {
  const { sourceName, settings, ports, problem } = job;
  const { checkpoint, rejectsAsked } = settings.output;
  // What earlier runs recorded, where there were any.
  const ledger = lstatSync(checkpoint, { throwIfNoEntry: false }) && readCheckpoint(checkpoint, target?.key);
  try {
    sourceName.settle(ledger?.meta.sourceName, checkpoint);
    if (ledger !== undefined) await job.files.bind(ledger, target?.baseUrl);
    job.files.judge();
    const surveyed = await surveyExport(job, {
      ledger,
      exportTimes: ledger?.exportTimes,
      isUnsettled: (checked) => namesLater(checked, finder),
    });
    if (ledger !== undefined) requireSource(settings, surveyed, ledger);
    const looked = await looker?.look(job);
    const later = settings.sandbox === undefined ? finder.later.size : 0;
    if (later > 0) problem(agentsLater(later, finder));
    const files = settings.files.to === undefined ? undefined : await forecastFiles(job, ledger);
    for (const message of files?.lines ?? []) ports.emit({ type: 'note', message });
    const { keep } = settings.plan ?? {};
    const result: JobResult = {
      surveyed,
      look: looked ?? (later > 0 ? { agents: { asked: 0, found: 0, unknown: [], later } } : undefined),
      requests: looker?.stats,
      files: files?.forecast,
      planFile:
        keep === undefined || surveyed.stoppedBy !== undefined
          ? undefined
          : await keepPlanOf(job, keep, surveyed.findings, finder),
      rejects: rejectsAsked ? await writeRejects(job, ledger, 'dry-run') : undefined,
      stoppedBy: surveyed.stoppedBy,
    };
    return { ...result, summary: summarize(job, target, result) };
  } finally {
    ledger?.close();
  }
}

function agentsLater(count: number, finder: AgentFinder): Problem {
  const [email = ''] = openAgents(finder);
  return {
    severity: 'warning',
    code: 'agents-asked',
    message: `${count === 1 ? `The agent ${email} is` : `${count} agents, ${email} among them, are`} looked up at import, by e-mail address. Tickets of an agent who is not in the helpdesk are rejected, unless fallbackAgent is set.`,
    count: 1,
  };
}

/** The plan in a file that a run can send. `findings`: what was found wrong with the mapping as a whole. Throws AppError `disk-write`. */
async function keepPlanOf(
  { source, sourceName, settings, ports, runTag = '' }: ImportJob,
  path: string,
  findings: readonly Problem[],
  finder: AgentFinder,
): Promise<NonNullable<Summary['planFile']>> {
  const { files, detection, mapper, joined, people, agents = {} } = source;
  const sending: Sending = {
    settings: plannedSettings(settings),
    detection,
    isSourceNamed: sourceName.isGiven,
    people: people && { file: people.file, pairs: people.pairs() },
    agents,
    loss: mapper.loss(),
  };
  ports.emit({ type: 'stage', stage: 'writing' });
  const digest = await keepPlan({
    path,
    database: files.stage.database,
    programVersion: ports.version,
    madeAt: new Date(ports.clock.now()).toISOString(),
    sourceName: sourceName.name,
    runTag,
    layout: detection.layout.name,
    openAgents: openAgents(finder),
    sending,
    files: files.files.map(({ id, name, format, encoding, compression, bytes, delimiter, headerRef }) => ({
      ...{ id, name, format, encoding, compression, bytes, delimiter, headerRef },
    })),
    agents: [...mapper.agentNames()],
    problems: [...files.problems, ...detection.problems, ...mapper.problems(), ...findings],
    unmatched: joined.unmatchedRows(),
    unreadable: joined.unreadableRows(),
  });
  return { path, digest };
}
