/** Checkpoints in any state, made the way an import makes them. */
import { openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import type { CreateIntent } from '../../src/domain/ledger.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';

export const TARGET = 'https://helpdesk.example.com/api/core/v1';
export const PRINTS = {
  ticket: '00112233445566aa',
  messages: 'ffeeddccbbaa9988',
  events: '0123456789abcdef',
};

export function intentOf(id: string, more: Partial<CreateIntent> = {}): CreateIntent {
  return {
    subject: `Subject of ${id}`,
    createdAt: '2024-01-02T03:04:05.000Z',
    email: `${id}@example.com`,
    at: Date.parse('2025-06-02T08:00:00.000Z'),
    ...more,
  };
}

export type Fate =
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
  /** External ids and what became of them. */
  readonly tickets: Readonly<Record<string, Fate>>;
  readonly intents?: Readonly<Record<string, CreateIntent>>;
  /** Ids in the target; `T-<external id>` where not given. */
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
  for (const [id, fate] of Object.entries(plan.tickets)) {
    const problem = { code: 'refused', status: 422, message: `The target refused ${id}.` };
    if (fate === 'rejected') {
      await checkpoint.rejected(id, { code: 'invalid-email', message: 'The address is none.' });
      continue;
    }
    await checkpoint.intend(id, plan.intents?.[id] ?? intentOf(id), PRINTS);
    switch (fate) {
      case 'creating':
        break;
      case 'pending':
        await checkpoint.notCreated(id);
        break;
      case 'failed':
        await checkpoint.refused(id, problem);
        break;
      case 'inDoubt':
      case 'skipped':
        await checkpoint.doubt(id, { code: 'unknown-outcome', message: 'No answer within 30 s.' });
        if (fate === 'skipped') await checkpoint.left(id);
        break;
      case 'created':
      case 'failedLater':
      case 'done':
        await checkpoint.created(id, plan.ticketIds?.[id] ?? `T-${id}`);
        if (fate === 'failedLater') await checkpoint.refused(id, problem);
        if (fate === 'done') {
          await checkpoint.messagesSent(id);
          await checkpoint.eventsSent(id);
        }
    }
  }
  if (plan.run !== undefined && plan.run !== 'cut-off') await checkpoint.endRun(plan.run);
  await checkpoint.close();
}
