/** Checkpoints in any state, made the way an import makes them. */
import { openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import * as steps from '../support/ledger-steps.ts';

const { created, doubted, failed, finished, intend, notCreated, rejected, skipped } = steps;

export const TARGET = 'https://helpdesk.example.com/api/core/v1';
export { PRINTS } from '../support/ledger-steps.ts';

export type Outcome =
  | 'creating'
  | 'created'
  | 'done'
  | 'failed'
  | 'failedLater'
  | 'inDoubt'
  | 'pending'
  | 'rejected'
  | 'skipped';

export interface CheckpointPlan {
  readonly target?: string;
  /** Outcomes by external id. */
  readonly tickets: Readonly<Record<string, Outcome>>;
  /** Ids in the helpdesk; `T-<external id>` where not given. */
  readonly ticketIds?: Readonly<Record<string, string>>;
  readonly clock?: FakeClock;
  /** How the run ended; `undefined` in it: it was cut off. */
  readonly run?: { readonly exitCode: number; readonly summary?: Record<string, unknown> } | 'cut-off';
}

export async function makeCheckpoint(path: string, plan: CheckpointPlan): Promise<void> {
  const clock = plan.clock ?? createFakeClock('2025-06-02T08:00:00.000Z');
  const checkpoint = openCheckpoint(path, {
    target: plan.target ?? TARGET,
    clock,
    programVersion: '0.1.0',
  });
  if (plan.run !== undefined) await checkpoint.startRun('run');
  for (const [id, outcome] of Object.entries(plan.tickets)) {
    const problem = { code: 'refused', status: 422, message: `The helpdesk refused ${id}.` };
    if (outcome === 'rejected') {
      await rejected(checkpoint, id, { code: 'invalid-email', message: 'The address is not an address.' });
      continue;
    }
    await intend(checkpoint, id);
    switch (outcome) {
      case 'creating':
        break;
      case 'pending':
        await notCreated(checkpoint, id);
        break;
      case 'failed':
        await failed(checkpoint, id, problem);
        break;
      case 'inDoubt':
      case 'skipped':
        await doubted(checkpoint, id, { code: 'unknown-outcome', message: 'No answer within 30 s.' });
        if (outcome === 'skipped') await skipped(checkpoint, id);
        break;
      case 'created':
      case 'failedLater':
      case 'done':
        await created(checkpoint, id, plan.ticketIds?.[id] ?? `T-${id}`);
        if (outcome === 'failedLater') await failed(checkpoint, id, problem);
        if (outcome === 'done') {
          await finished(checkpoint, id);
        }
    }
  }
  if (plan.run !== undefined && plan.run !== 'cut-off') await checkpoint.endRun(plan.run);
  await checkpoint.close();
}
