/** The status changes of a ticket of the demo export, in the columns of events.csv. */
import type { TicketStatus } from '../../../src/domain/payload.ts';
import type { Seeded } from '../seeded.ts';
import { expertOf } from './author.ts';
import type { Step } from './thread.ts';
import { seconds } from './timeline.ts';

const DAY = 86_400_000;
type Change = Record<string, string | undefined> & { occurredAt: string };

/**
 * Status changes a moment after the message that brings them about: an agent's by that agent, an answer of the customer
 * that opens the ticket again by the system, one that settles it by the agent who reads it. Two thirds of what is
 * resolved close by themselves after a week.
 */
export function makeHistory(
  steps: readonly Step[],
  times: readonly number[],
  agentId: string,
  exported: number,
  random: Seeded,
) {
  const history: Change[] = [];
  let status = 'open' as TicketStatus;
  let last = 0;
  const change = (to: TicketStatus, at: number, by: string | undefined) => {
    if (to === status || at > exported) return;
    last = Math.max(at, last + 1000);
    history.push({
      type: 'status_change',
      'oldValue.status': status,
      'newValue.status': to,
      actorType: by === undefined ? 'system' : 'agent',
      agentId: by,
      occurredAt: seconds(last),
    });
    status = to;
  };
  for (const [index, step] of steps.entries()) {
    const at = times[index] ?? 0;
    if (step.status === undefined) continue;
    if (step.by === 'agent' || step.by === 'note') change(step.status, at + 2_000, agentId);
    else if (step.by === 'expert') change(step.status, at + 2_000, expertOf(step).id);
    else if (step.by === 'system' || step.status === 'open') change(step.status, at + 1_000, undefined);
    else change(step.status, at + random.between(60, 170) * 1000, agentId);
  }
  // The last step of the thread may have been cut off by the export; then the ticket is not closed either.
  if (status === 'resolved' && random.chance(66))
    change('closed', Math.max(last, times[steps.length - 1] ?? 0) + 7 * DAY, undefined);
  return history;
}
