/**
 * Short digests of what would be sent: they tell a later run what has changed in the export, and take 24 bytes of the
 * checkpoint instead of the messages. 64 bits of SHA-256: no two versions of one ticket meet by chance.
 */
import { hash } from 'node:crypto';
import type { Fingerprints } from '../domain/checked.ts';
import type { EventPayload, MessagePayload, TicketPayload } from '../domain/payload.ts';

const HEX_DIGITS = 16;
const OF_NOTHING = digest([]);

/** Payloads come from the schemas, which list fields in their own order whatever the order of the source. */
export function fingerprintsOf(
  ticket: TicketPayload,
  messages: readonly MessagePayload[],
  events: readonly EventPayload[],
): Fingerprints {
  return {
    ticket: digest(ticket),
    messages: messages.length === 0 ? OF_NOTHING : digest(messages),
    events: events.length === 0 ? OF_NOTHING : digest(events),
  };
}

function digest(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'hex').slice(0, HEX_DIGITS);
}
