/**
 * One normalized address always maps to one contact (2.5). Over all tickets and messages that were read back, an address
 * with two contact ids is a duplicate contact, and an id with two addresses is a wrong match.
 */

import type { MessagePayload, TicketPayload } from '../domain/payload.ts';
import { normalizedEmail, toldId } from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import type { Check } from './check.ts';
import type { SentContact } from './compare-ticket.ts';
import { pairMessages } from './pair-messages.ts';

export interface ContactIds {
  /** Remembers the pair; a Check comes back when it contradicts what was seen before. */
  see(sent: SentContact, read: Readonly<Record<string, unknown>>): Check | undefined;
  /** Addresses whose id the target told. */
  size(): number;
}

export function createContactIds(): ContactIds {
  const idOf = new Map<string, string>();
  const emailOf = new Map<string, string>();
  return {
    size: () => idOf.size,
    see(sent, read) {
      if (sent.contact === undefined) return undefined;
      const id = toldId(read, 'contactId', 'contact');
      if (typeof id !== 'string') return undefined;
      const email = normalizedEmail(sent.contact.email);
      const knownId = idOf.get(email);
      const knownEmail = emailOf.get(id);
      if (knownId === undefined) idOf.set(email, id);
      if (knownEmail === undefined) emailOf.set(id, email);
      if (knownId !== undefined && knownId !== id)
        return fail(`The target has two contacts for ${email}: ${knownId} and ${id}.`);
      if (knownEmail !== undefined && knownEmail !== email)
        return fail(`The target has one contact, ${id}, for ${knownEmail} and for ${email}.`);
      return undefined;
    },
  };
}

/** What a ticket and its messages, as they were sent and as they were read, tell about contacts that contradicts what was seen. */
export function seenContacts(
  sent: { readonly ticket: TicketPayload; readonly messages: readonly MessagePayload[] },
  ticket: Snapshot,
  messages: readonly Snapshot[],
  contactIds: ContactIds,
): Check[] {
  const { readIndex } = pairMessages(sent.messages, messages);
  const found = [contactIds.see(sent.ticket, ticket)];
  for (const [index, message] of sent.messages.entries()) {
    const told = messages[readIndex[index] ?? -1];
    if (told !== undefined) found.push(contactIds.see(message, told));
  }
  return found.filter((check) => check !== undefined);
}

function fail(detail: string): Check {
  return { name: 'contact matching', ok: false, detail };
}
