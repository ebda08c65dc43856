/** A dry run writes the plan; a run compares itself with the approved one. */
import type { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import { isStandIn } from '../mapping/people/actors.ts';
import { approvalOf, compareWithPlan, type PlanMeta, refusalOf } from '../plan/approved.ts';
import type { Facts } from '../plan/facts.ts';
import { writePlan } from '../plan/write-plan.ts';
import { guarded } from '../source/problems.ts';
import type { ImportJob } from './import-job.ts';

type Approving = Pick<ImportJob, 'source' | 'sourceName' | 'ports' | 'plan' | 'target'>;

function metaOf({ sourceName, ports, plan, target }: Approving): PlanMeta {
  return {
    programVersion: ports.version,
    sourceName: sourceName.name,
    helpdesk: target?.baseUrl,
    settings: plan?.settings ?? {},
  };
}

/** Throws AppError `usage` for a plan that cannot be read. */
export function differsFromApproved(job: Approving): AppError | undefined {
  const { source, ports, plan: { approved } = {} } = job;
  if (approved === undefined) return undefined;
  const compared = guarded(() =>
    compareWithPlan(source.files.stage.database, metaOf(job), approved, isStandIn),
  );
  const refusal = refusalOf(compared, approved);
  if (refusal === undefined) ports.emit({ type: 'note', message: approvalOf(compared, approved) });
  return refusal;
}

/** `findings`: of the whole mapping. Throws AppError `disk-write`. */
export async function writePlanOf(job: Approving, findings: readonly Problem[]): Promise<Facts['planFile']> {
  const { source, ports, plan: { write } = {} } = job;
  if (write === undefined) return undefined;
  const { files, detection, mapper, joined } = source;
  ports.emit({ type: 'stage', stage: 'writing' });
  await writePlan({
    ...metaOf(job),
    path: write,
    database: files.stage.database,
    madeAt: new Date(ports.clock.now()).toISOString(),
    layout: detection.layout.name,
    files: files.files,
    agents: [...mapper.agentNames()],
    problems: [...files.problems, ...detection.problems, ...mapper.problems(), ...findings],
    unmatched: joined.unmatchedRows(),
    unreadable: joined.unreadableRows(),
  });
  return { path: write };
}
