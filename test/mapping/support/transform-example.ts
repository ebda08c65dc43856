import type { TransformTicket } from '../../../src/mapping/compile/transform.ts';

/** What a user's module looks like. */
export const transform: TransformTicket = (ticket, source) => {
  const [first] = ticket.messages;
  if (first?.['content'] === 'skip me') return 'not wanted';
  if (first?.['content'] === 'break') throw new Error('it broke');
  return {
    ...ticket,
    ticket: {
      ...ticket.ticket,
      subject: String(ticket.ticket['subject']).toUpperCase(),
      customerId: `row ${source.row['id']}`,
    },
    messages: ticket.messages.map((message) => ({ ...message, content: `${message['content']}!` })),
  };
};
