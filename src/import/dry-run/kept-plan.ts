/** The plan of a dry run, kept in a file that a run can send. */
import type { Problem } from '../../domain/problem.ts';
import { keepPlan } from '../../plan/keep-plan.ts';
import type { Summary } from '../../summary/summary.ts';
import { type AgentFinder, openAgents } from '../agent-finder.ts';
import type { ImportJob } from '../import-job.ts';
import { plannedSettings, type Sending } from '../plan-settings.ts';

/** `findings`: what was found wrong with the mapping as a whole. Throws AppError `disk-write`. */
export async function keepPlanOf(
  { source, sourceName, settings, ports, runTag = '' }: ImportJob,
  path: string,
  findings: readonly Problem[],
  finder: AgentFinder,
): Promise<NonNullable<Summary['planFile']>> {
  const { files, detection, mapper, people, agents = {} } = source;
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
      id,
      name,
      format,
      encoding,
      compression,
      bytes,
      delimiter,
      headerRef,
    })),
    agents: [...mapper.agentNames()],
    problems: [...files.problems, ...detection.problems, ...mapper.problems(), ...findings],
    unmatched: source.joined.unmatchedRows(),
    unreadable: source.joined.unreadableRows(),
  });
  return { path, digest };
}
