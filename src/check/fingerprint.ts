/**
 * Short digests of what would be sent: they tell a later run what has changed in the export, and take 24 bytes of the
 * checkpoint instead of the messages. 64 bits of SHA-256: no two versions of one ticket meet by chance.
 */

import type { Fingerprints } from '../domain/checked.ts';
import type { EventPayload, MessagePayload, TicketPayload } from '../domain/payload.ts';
import { sha256 } from '../domain/sha256.ts';

const HEX_DIGITS = 16;
/** `digest([])`. */
const OF_NOTHING = '4f53cda18c2baa0c';

/** Payloads come from the schemas, which list fields in their own order whatever the order of the source. */
export function fingerprintsOf(
  ticket: TicketPayload,
  messages: readonly MessagePayload[],
  events: readonly EventPayload[],
): Fingerprints {
  return {
    ticket: digest(ticket),
    messages: messages.length === 0 ? OF_NOTHING : digest(messages.map(withoutMailIds)),
    events: events.length === 0 ? OF_NOTHING : digest(events),
  };
}

/** They say how a mail is found, not what it says: an export that gains them has not changed. */
function withoutMailIds(message: MessagePayload): MessagePayload {
  if (
    message.messageId === undefined &&
    message.inReplyToId === undefined &&
    message.referencesIds === undefined
  )
    return message;
  const { messageId: _, inReplyToId: __, referencesIds: ___, ...rest } = message;
  return rest;
}

function digest(value: unknown): string {
  return sha256(JSON.stringify(value)).slice(0, HEX_DIGITS);
}
