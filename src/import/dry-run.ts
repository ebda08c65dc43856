/** A dry run: opens the checkpoint for reading, and reads the helpdesk if it may. */

import { lstatSync } from 'node:fs';
import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import type { Problem } from '../domain/problem.ts';
import type { Facts } from '../facts/facts.ts';
import { keepPlan } from '../plan/keep-plan.ts';
import { type AgentFinder, namesLater, openAgents } from './agent-finder.ts';
import { filesToKeep, sourceCredentials } from './fetch-files.ts';
import type { ImportJob } from './import-job.ts';
import type { TargetLooker } from './look.ts';
import type { Options, Sending } from './options.ts';
import { type JobResult, requireSource, shownBefore, summarize, surveyExport } from './survey-export.ts';
import type { TargetAddress } from './target.ts';
import { writeRejects } from './write-rejects.ts';

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
  finder: AgentFinder,
  looker: TargetLooker | undefined,
): Promise<JobResult & { readonly facts: Facts }> {
  const { sourceName, checkpointPath: checkpoint, ports, problem } = job;
  const ledger = lstatSync(checkpoint, { throwIfNoEntry: false }) && readCheckpoint(checkpoint, target?.key);
  try {
    sourceName.settle(ledger?.meta.sourceName, checkpoint);
    if (ledger !== undefined) await job.files.bind(ledger, target?.baseUrl);
    job.files.judge();
    const isKeeping = job.attachments.to !== undefined;
    const surveyed = await surveyExport(job, {
      ledger,
      files: ledger?.files,
      filesOf: isKeeping ? filesToKeep(job.attachments, await sourceCredentials(ports.env)) : undefined,
      exportTimes: ledger?.exportTimes,
      isUnsettled: (checked) => namesLater(checked, finder),
    });
    if (ledger !== undefined) requireSource(job, surveyed, ledger);
    const looked = await looker?.look(job);
    const later = job.helpdesk.sandbox === undefined ? finder.later.size : 0;
    if (later > 0) problem(agentsLater(later, finder));
    const { keptPlan } = job;
    const result: JobResult = {
      surveyed,
      shownBefore: shownBefore(ledger?.meta, surveyed),
      look: looked,
      requests: looker?.stats,
      planFile:
        keptPlan === undefined || surveyed.stoppedBy !== undefined
          ? undefined
          : await keepPlanOf(job, keptPlan, surveyed.findings, finder),
      rejects: job.rejects.isAsked ? await writeRejects(job, ledger, 'dry-run') : undefined,
      stoppedBy: surveyed.stoppedBy,
    };
    return { ...result, facts: summarize(job, ledger?.files, result) };
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

/** `findings`: of the whole mapping. Throws AppError `disk-write`. */
async function keepPlanOf(
  { source, sourceName, ports, runTag = '' }: ImportJob,
  { path, settings }: NonNullable<Options['keptPlan']>,
  findings: readonly Problem[],
  finder: AgentFinder,
): Promise<NonNullable<Facts['planFile']>> {
  const { files, detection, mapper, joined, people, agents = {} } = source;
  const sending: Sending = {
    settings,
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
