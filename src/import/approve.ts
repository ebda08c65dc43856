/** A dry run writes the plan; a run compares itself with the approved one. */
import type { AppError } from '../domain/errors.ts';
import { isStandIn } from '../mapping/people/actors.ts';
import { approvalOf, compareWithPlan, type PlanMeta, refusalOf } from '../plan/approved.ts';
import type { Facts } from '../plan/facts.ts';
import { writePlan } from '../plan/write-plan.ts';
import { guarded } from '../source/problems.ts';
import type { LearntSource, Run } from './run.ts';

function metaOf({ settings: { plan }, ports, target }: Run, { name }: LearntSource): PlanMeta {
  return {
    programVersion: ports.version,
    sourceName: name.name,
    helpdesk: target?.baseUrl,
    settings: plan?.settings ?? {},
  };
}

export function differsFromApproved(run: Run, source: LearntSource): AppError | undefined {
  const { approved } = run.settings.plan ?? {};
  if (approved === undefined) return undefined;
  const compared = guarded(() =>
    compareWithPlan(source.files.stage.database, metaOf(run, source), approved, isStandIn),
  );
  const refusal = refusalOf(compared, approved);
  if (refusal === undefined) run.ports.emit({ type: 'note', message: approvalOf(compared, approved) });
  return refusal;
}

export async function writePlanOf(run: Run, source: LearntSource): Promise<Facts['planFile']> {
  const {
    ports,
    settings: { plan: { write } = {} },
  } = run;
  if (write === undefined) return undefined;
  const { files, detection, mapper, joined, plan } = source;
  const { findings = [] } = plan.steps.told();
  ports.emit({ type: 'stage', stage: 'writing' });
  await writePlan({
    ...metaOf(run, source),
    path: write,
    database: files.stage.database,
    madeAt: new Date(ports.clock.now()).toISOString(),
    layout: detection.layout.name,
    files: files.files,
    agents: [...mapper.agentNames()],
    problems: [...files.problems, ...mapper.problems(), ...findings],
    unmatched: joined.unmatchedRows(),
    unreadable: joined.unreadableRows(),
  });
  return { path: write };
}
