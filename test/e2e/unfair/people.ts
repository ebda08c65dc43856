/** People at work in the helpdesk between two runs. */
import type { HeldTicket } from '../../support/unfair-target.ts';

export const TEXT = `${'An answer that an agent wrote by hand. '.repeat(23)}The end.`;

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
