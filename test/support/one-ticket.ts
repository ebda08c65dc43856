/** The smallest ticket of the native layout with a message. */
export const ONE_TICKET = {
  id: 'T-1',
  subject: 'Where is it?',
  contact: { email: 'ann@example.com' },
  createdAt: '2024-05-06T07:08:09Z',
  messages: [
    {
      actorType: 'customer',
      contact: { email: 'ann@example.com' },
      content: 'Hello',
      occurredAt: '2024-05-06T07:08:09Z',
    },
  ],
};
