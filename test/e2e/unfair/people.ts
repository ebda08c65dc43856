/** People at work in the helpdesk between two runs. */
import { expect } from 'vitest';
import type { HeldTicket, Json, UnfairTarget, UnfairWays } from '../../support/unfair-target.ts';
import { exportTickets, type UnfairRun, unfairly } from './unfair-run.ts';

export const TEXT = `${'An answer that an agent wrote by hand. '.repeat(23)}The end.`;

export function ticketOf(target: UnfairTarget, n: number): HeldTicket {
  const said = `of ticket ${n}"`;
  const found = [...target.workspace.tickets.values()].find(({ messages }) =>
    JSON.stringify(messages).includes(said),
  );
  if (found === undefined) throw new Error(`No ticket has a message ${said}.`);
  return found;
}

export function answerBy(ticket: HeldTicket, n: number): void {
  const answer = {
    id: `agent-${n}`,
    actorType: 'agent',
    agentId: 'agt-9',
    content: TEXT,
    contentType: 'text',
  };
  ticket.messages.push({ ...answer, occurredAt: '2024-04-01T00:00:00.000Z' });
}

export const textsOf = ({ messages }: HeldTicket) => messages.map(({ content }) => content);
const late = (n: number): Json => ({
  actorType: 'system',
  content: `Late message ${n}`,
  occurredAt: '2024-03-20T00:00:00.000Z',
});

/** Imported, then an agent answers every ticket, and the export has a further message for each. */
export async function answered(
  ways: UnfairWays,
  count: number,
  work: (run: UnfairRun) => Promise<void>,
): Promise<void> {
  await unfairly({}, async (run) => {
    const tickets = exportTickets(count);
    run.write(tickets);
    expect((await run.run()).code).toBe(0);
    for (let n = 1; n <= count; n += 1) answerBy(ticketOf(run.target, n), n);
    run.write(tickets.map((ticket, at) => ({ ...ticket, messages: [...ticket.messages, late(at + 1)] })));
    Object.assign(run.target.ways, ways);
    await work(run);
  });
}
