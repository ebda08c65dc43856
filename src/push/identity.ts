/**
 * What a ticket looks like from outside, where the service has no place for an external id: subject, creation time and
 * contact (specification, 2.1). By it a ticket of unknown outcome is recognised. Tickets of the export that look the same
 * are not created at the same time, nor while one of them is in doubt: else the one's ticket could be taken for the other's.
 */
import type { CreateIntent } from '../domain/ledger.ts';
import type { TicketPayload } from '../domain/payload.ts';

/** The intent to create this ticket, `at` milliseconds since the epoch. */
export function intentOf(ticket: TicketPayload, at: number): CreateIntent {
  return {
    subject: ticket.subject,
    createdAt: ticket.createdAt,
    ...(ticket.contact === undefined ? {} : { email: ticket.contact.email }),
    ...(ticket.contactId === undefined ? {} : { contactId: ticket.contactId }),
    at,
  };
}

/** Equal for tickets that look the same. Begins with a character that no e-mail address has. */
export function likenessOf(ticket: TicketPayload): string {
  const contact = ticket.contact?.email ?? ticket.contactId ?? '';
  return `\u0000${ticket.createdAt}\u0000${contact}\u0000${ticket.subject}`;
}
