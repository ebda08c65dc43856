/** What is recorded before a create is sent, so that its ticket is recognised where the answer does not come. */
import { identityTag } from '../domain/identity.ts';
import type { CreateIntent } from '../domain/ledger.ts';
import type { PlannedTicket } from '../domain/ticket.ts';

/**
 * The intent to create this ticket, `at` milliseconds since the epoch. `source`: the name of the source where its tickets carry
 * their identity.
 */
export function intentOf(
  { ticket, externalId }: PlannedTicket,
  at: number,
  source: string | undefined,
): CreateIntent {
  return {
    subject: ticket.subject,
    createdAt: ticket.createdAt,
    ...(ticket.contact === undefined ? {} : { email: ticket.contact.email }),
    ...(ticket.contactId === undefined ? {} : { contactId: ticket.contactId }),
    ...(source === undefined ? {} : { tag: identityTag(source, externalId) }),
    at,
  };
}

/** What the target takes it for where nothing is said (2.1). */
export function statusOf({ ticket }: PlannedTicket): string {
  return ticket.status ?? 'open';
}
