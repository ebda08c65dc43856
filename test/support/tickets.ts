/** An export for tests that care for the import and not for the data. */

/** Tickets without anything awkward: `count` of them, each with one message of a contact of its own. */
export function tickets(count: number): string {
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      id: `T${index}`,
      subject: `Question ${index}`,
      contact: { email: `customer${index}@example.com` },
      createdAt: '2024-05-01T10:00:00Z',
      messages: [
        {
          actorType: 'customer',
          content: 'Hello',
          occurredAt: '2024-05-01T10:00:00Z',
          contact: { email: `customer${index}@example.com` },
        },
      ],
    }),
  );
  return `${lines.join('\n')}\n`;
}
