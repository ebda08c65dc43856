/** Tickets in memory, ready to be sent: every way of sending that is compared gets the same ones. */
import type { PlannedTicket } from '../../src/domain/ticket.ts';
import { contactsOf } from '../../src/plan/planned.ts';
import { generatedEvents, generatedMessages, generatedTicket } from '../../test/support/generated-ticket.ts';

const SHAPE = { tickets: 100_000, bodyLength: 600, messages: 3 };
const PRINTS = { ticket: '0123456789abcdef', messages: '0123456789abcdef', events: '0123456789abcdef' };

/** Three calls each: all of them have messages and events. `contacts`: distinct requesters. */
export function plannedTickets(count: number, contacts = count): PlannedTicket[] {
  const shape = { ...SHAPE, contacts };
  const planned: PlannedTicket[] = [];
  for (let index = 0; planned.length < count; index++) {
    const { id, contact, ...ticket } = generatedTicket(shape, index);
    const messages = generatedMessages(shape, index);
    const events = generatedEvents(shape, index);
    if (messages.length === 0 || events.length === 0) continue;
    const payload = { ...ticket, contact: { email: contact.email } };
    planned.push({
      seq: planned.length,
      externalId: id,
      action: { do: 'create' },
      ticket: payload,
      messages,
      events,
      fingerprints: PRINTS,
      contacts: contactsOf({ ticket: payload, messages }),
    });
  }
  return planned;
}
