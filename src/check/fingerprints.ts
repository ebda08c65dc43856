import { sha256 } from '../domain/identity.ts';
import type { MessagePayload, TicketPayload } from '../domain/payload.ts';
import type { CheckedTicket, Fingerprints } from '../domain/ticket.ts';
import { fieldsOf } from '../domain/ticket-fields.ts';

export function fingerprintsOf(
  parts: Pick<CheckedTicket, 'ticket' | 'messages' | 'events'>,
  exported: CheckedTicket['asExported'] = { marks: 0, subject: parts.ticket.subject, channelId: undefined },
): Fingerprints {
  const ticket = withoutMarks(parts.ticket, exported);
  return {
    ticket: digest(ticket),
    messages: digest(
      parts.messages.map((message) => (isOfMail(message) ? withoutMailIds(message) : message)),
    ),
    events: digest(parts.events),
    fields: fieldsOf(ticket),
  };
}

/** Tags of identity and settings do not count as changes. */
function withoutMarks(
  { channelId: _sent, ...rest }: TicketPayload,
  { marks, subject, channelId }: NonNullable<CheckedTicket['asExported']>,
): TicketPayload {
  const own = { ...rest, subject, ...(channelId === undefined ? {} : { channelId }) };
  if (marks === 0 || own.tags === undefined) return own;
  // The digest depends on the order.
  if (own.tags.length > marks) return { ...own, tags: own.tags.slice(marks) };
  const { tags: __, ...untagged } = own;
  return untagged;
}

function isOfMail({ messageId, inReplyToId, referencesIds }: MessagePayload): boolean {
  return (messageId ?? inReplyToId ?? referencesIds) !== undefined;
}

function withoutMailIds({
  messageId: _,
  inReplyToId: __,
  referencesIds: ___,
  ...rest
}: MessagePayload): Partial<MessagePayload> {
  return rest;
}

/** 64 bits of SHA-256. Definitions fix the order of fields. */
function digest(value: unknown): string {
  return sha256(JSON.stringify(value)).slice(0, 16);
}
