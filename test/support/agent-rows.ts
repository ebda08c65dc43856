/** Settings with a layout of their own: each row of `tickets.csv` is a ticket with one message, which an agent wrote. */
export const agentRows = ({ requester, author }: { requester: string; author: string }) => `mapping:
  name: own
  title: Our own
  tables:
    tickets: { role: root, key: id, recognise: { columns: [id, subject, text, agent] } }
  ticket:
    subject: subject
    status: { const: open }
    createdAt: at
    requester: { ${requester} }
  messages:
    - content: text
      occurredAt: at
      actorType: { const: agent }
      author: { ${author} }
      public: true
`;
