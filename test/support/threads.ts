/** What the sandbox holds after a run: tickets with their conversations, in the order of its ledger. */
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

export interface HeldTicket {
  readonly subject: string;
  readonly status: string;
  readonly email: string | null;
  readonly channel: string | null;
  readonly messages: readonly HeldMessage[];
}

export interface HeldMessage {
  readonly who: string;
  readonly agent: string | null;
  readonly email: string | null;
  readonly content: string;
  readonly at: string;
  readonly internal: boolean;
}

export function ticketsIn({ store }: Sandbox): HeldTicket[] {
  const tickets = store.database
    .prepare(
      `SELECT t.seq, t.subject, t.status, c.email, t.body ->> 'channelId' AS channel FROM tickets t
       LEFT JOIN contacts c ON c.seq = t.contact_seq ORDER BY t.subject`,
    )
    .all() as (Omit<HeldTicket, 'messages'> & { seq: number })[];
  const messages = store.database.prepare(
    `SELECT m.body ->> 'actorType' AS who, m.agent_id AS agent, c.email, m.content, m.body ->> 'occurredAt' AS at,
       m.body ->> 'isInternal' AS internal
     FROM messages m LEFT JOIN contacts c ON c.seq = m.contact_seq WHERE m.ticket_seq = ? ORDER BY m.position`,
  );
  return tickets.map(({ seq, ...ticket }) => ({
    ...ticket,
    messages: (messages.all(seq) as HeldMessage[]).map((message) => ({
      ...message,
      internal: Boolean(message.internal),
    })),
  }));
}
