/** A ticket that passed checking, with digests of what would be sent: they tell a later run what has changed in the export. */

import { sha256 } from '../domain/hash.ts';
import type { MessagePayload, TicketPayload } from '../domain/payload.ts';
import type { CheckedTicket, Fingerprints, MappedTicket } from '../domain/ticket.ts';
import { fieldsOf } from '../domain/ticket-fields.ts';

export function acceptedTicket(
  { seq, externalId, ref, rows, values }: MappedTicket,
  parts: Pick<CheckedTicket, 'ticket' | 'messages' | 'events' | 'note'>,
  exported: NonNullable<CheckedTicket['asExported']>,
): CheckedTicket {
  return {
    seq,
    externalId,
    ref,
    rows,
    mapped: values,
    ...parts,
    fingerprints: fingerprintsOf(parts, exported),
    asExported: exported,
  };
}

/** Of what would be sent, as the export has it. */
export function fingerprintsOf(
  parts: Pick<CheckedTicket, 'ticket' | 'messages' | 'events'>,
  exported: CheckedTicket['asExported'] = { marks: 0, subject: parts.ticket.subject, channelId: undefined },
): Fingerprints {
  const ticket = withoutMarks(parts.ticket, exported);
  return {
    ticket: digest(ticket),
    messages: digest(parts.messages.map(withoutMailIds)),
    events: digest(parts.events),
    fields: fieldsOf(ticket),
  };
}

/** A ticket has not changed because it is marked now, or no longer, or by another name of its source; nor because the settings put it elsewhere. */
function withoutMarks(
  { channelId: _sent, ...rest }: TicketPayload,
  { marks, subject, channelId }: NonNullable<CheckedTicket['asExported']>,
): TicketPayload {
  const own = { ...rest, subject, ...(channelId === undefined ? {} : { channelId }) };
  if (marks === 0 || own.tags === undefined) return own;
  // In the place of the tags, as the digest is taken of the text.
  if (own.tags.length > marks) return { ...own, tags: own.tags.slice(0, -marks) };
  const { tags: __, ...untagged } = own;
  return untagged;
}

/** They say how a mail is found, not what it says: an export that gains them has not changed. */
function withoutMailIds({
  messageId: _,
  inReplyToId: __,
  referencesIds: ___,
  ...rest
}: MessagePayload): Partial<MessagePayload> {
  return rest;
}

/**
 * 64 bits of SHA-256: no two versions of one ticket meet by chance, and the checkpoint takes 24 bytes instead of the messages.
 * Payloads come from the definitions, which list fields in their own order whatever the order of the source.
 */
function digest(value: unknown): string {
  return sha256(JSON.stringify(value)).slice(0, 16);
}
