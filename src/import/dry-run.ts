/** The survey, and the helpdesk's answers to a few questions. Nothing is sent. */
import type { CheckpointMeta } from '../checkpoint/meta.ts';
import type { AppError } from '../domain/errors.ts';
import type { FileRecord } from '../domain/ledger.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import type { Facts } from '../plan/facts.ts';
import { factsOf } from '../plan/facts-of.ts';
import type { Agents } from './agents.ts';
import { differsFromApproved, writePlanOf } from './approve.ts';
import { filesToKeep, sourceCredentials } from './fetch-files.ts';
import { sentView } from './known-files.ts';
import type { HelpdeskLook } from './look.ts';
import type { Ended, LearntSource, Run } from './run.ts';
import { surveyExport } from './survey.ts';
import { writeRejects } from './write-rejects.ts';

export async function dryRun(
  run: Run,
  source: LearntSource,
  agents: Agents,
  look: HelpdeskLook | undefined,
): Promise<Ended> {
  const { settings, ports, problems, ledger, target } = run;
  const { steps } = source.plan;
  const view = sentView(settings, ledger && { files: ledger.files, origin: target?.baseUrl });
  const fetches = settings.files.to !== undefined;
  const filesOf = filesToKeep(settings, fetches ? await sourceCredentials(ports.env) : undefined);
  const surveyed = await surveyExport(run, source, { view, filesOf, fetches });
  steps.tell({
    look: await look?.look(source, problems, settings.output.checkpoint),
    requests: look && { ...look.api.stats },
  });
  const [name = ''] = agents.later;
  const { size } = agents.later;
  if (settings.sandbox === undefined && size > 0)
    problems.tell(problemOf('agents-asked', { agents: size, name }));
  const stoppedBy = surveyed.stoppedBy ?? differsFromApproved(run, source);
  steps.tell({
    rejects: settings.output.rejectsAsked ? await writeRejects(run, source, ledger, view) : undefined,
    planFile: stoppedBy === undefined ? await writePlanOf(run, source) : undefined,
  });
  return {
    facts: factsAtEnd(run, source, ledger?.files, stoppedBy),
    shownBefore: shownBefore(ledger?.meta, surveyed.facts),
    stoppedBy,
  };
}

export function factsAtEnd(
  { problems, ports, started }: Run,
  { plan: { steps } }: LearntSource,
  files: { all(): readonly FileRecord[] } | undefined,
  stoppedBy: AppError | undefined,
): Facts {
  steps.tell({
    stoppedBy: stoppedBy && { code: stoppedBy.code, message: stoppedBy.message, hint: stoppedBy.hint },
    notUpdated: problems.notUpdated(),
    durationMs: Math.round(ports.clock.monotonic() - started),
  });
  return factsOf(steps, files, problems.snapshot());
}

/** From another export only the warnings: errors have other places there. */
export function shownBefore(
  meta: Pick<CheckpointMeta, 'shown'> | undefined,
  facts: Pick<Facts, 'export'>,
): ReadonlySet<string> {
  const { content, groups = [] } = meta?.shown ?? {};
  return new Set(groups.filter((key) => content === facts.export.digest || key.startsWith('warning ')));
}
