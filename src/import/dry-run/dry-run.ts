/** A dry run: the plan, and nothing else. It opens the checkpoint for reading; where the target may be asked, it is read. */

import { lstatSync } from 'node:fs';
import { type CheckpointReader, readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import type { Problem } from '../../domain/problem.ts';
import type { Settings } from '../../settings/settings.ts';
import { type AgentFinder, namesLater, openAgents } from '../agent-finder.ts';
import { forecastFiles } from '../files/forecast.ts';
import type { ImportJob } from '../import-job.ts';
import type { JobResult } from '../job-result.ts';
import { requireSource, surveyExport } from '../survey-export.ts';
import type { TargetAddress } from '../target.ts';
import { writeRejects } from '../write-rejects.ts';
import { keepPlanOf } from './kept-plan.ts';
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
): Promise<JobResult> {
  const { sourceName, settings, ports, names, problem } = job;
  const { checkpoint, rejectsAsked } = settings.output;
  const ledger = known(checkpoint, target);
  try {
    sourceName.settle(ledger?.meta.sourceName, checkpoint);
    if (ledger !== undefined) await job.files.bind(ledger, target?.baseUrl);
    job.files.judge();
    await looker?.readTeam();
    await looker?.readTickets(sourceName.name);
    const surveyed = await surveyExport(job, {
      ledger,
      exportTimes: ledger?.exportTimes,
      onRecord: (examined) => looker?.note(examined),
      isUnsettled: (checked) => namesLater(checked, finder),
    });
    if (ledger !== undefined) requireSource(settings, surveyed, ledger);
    await looker?.readContacts(names);
    for (const found of looker?.problems(checkpoint) ?? []) problem(found);
    const later = settings.sandbox === undefined ? finder.later.size : 0;
    if (later > 0) problem(agentsLater(later, finder));
    const files = settings.files.to === undefined ? undefined : await forecastFiles(job, ledger);
    for (const message of files?.lines ?? []) ports.emit({ type: 'note', message });
    const { keep } = settings.plan ?? {};
    const planFile =
      keep === undefined || surveyed.stoppedBy !== undefined
        ? undefined
        : await keepPlanOf(job, keep, surveyed.findings, finder);
    const rejects = rejectsAsked ? await writeRejects(job, ledger, 'dry-run') : undefined;
    return {
      surveyed,
      tickets: surveyed.survey.tickets,
      sent: { ...surveyed.sentBefore, updates: 0 },
      look:
        looker?.result() ?? (later > 0 ? { agents: { asked: 0, found: 0, unknown: [], later } } : undefined),
      requests: looker?.stats ?? { sent: 0, retried: 0, rateLimited: 0, changing: 0 },
      attachments: { checked: 0, unreachable: 0 },
      files: files?.forecast,
      planFile,
      rejects,
      stoppedBy: surveyed.stoppedBy,
    };
  } finally {
    ledger?.close();
  }
}

function agentsLater(count: number, finder: AgentFinder): Problem {
  const [email = ''] = openAgents(finder);
  return {
    severity: 'warning',
    code: 'agents-asked',
    message: `${count === 1 ? `The agent ${email} is` : `${count} agents, e.g. ${email}, are`} looked up at import, by e-mail address. Tickets of an agent who is not in the helpdesk are rejected, unless fallbackAgent is set.`,
    count: 1,
  };
}

/** What earlier runs recorded, where there were any. */
function known(path: string, target: TargetAddress | undefined): CheckpointReader | undefined {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  return readCheckpoint(path, target?.key);
}
