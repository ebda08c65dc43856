/** A ticket that passed checking, with digests of what would be sent: they tell a later run what has changed in the export. */

import { sha256 } from '../domain/hash.ts';
import type { EventPayload, MessagePayload, TicketPayload } from '../domain/payload.ts';
import type { CheckedTicket, Fingerprints, MappedTicket } from '../domain/ticket.ts';
import { fieldsOf } from '../domain/ticket-fields.ts';

/**
 * The fingerprints are worked out when they are asked for: they are a third of the cost of checking, and a dry run of a
 * new export never asks. A class for that reason: a getter in an object literal gives every object a hidden class of its
 * own, which lives, with all that the getter holds, until the next full garbage collection.
 */
export class AcceptedTicket implements CheckedTicket {
  readonly seq: number;
  readonly externalId: string;
  readonly ref: CheckedTicket['ref'];
  readonly ticket: TicketPayload;
  readonly messages: readonly MessagePayload[];
  readonly events: readonly EventPayload[];
  readonly rows: CheckedTicket['rows'];
  readonly mapped: CheckedTicket['mapped'];
  readonly note: MessagePayload | undefined;
  /** How many of the ticket's tags, the last ones, are marks of the import: its identity, and values that were kept as tags. */
  readonly #marks: number;
  /** As the export has it. */
  readonly #exported: { readonly subject: string; readonly channelId: string | undefined };
  #fingerprints: Fingerprints | undefined;

  constructor(
    { seq, externalId, ref, rows, values }: MappedTicket,
    ticket: TicketPayload,
    messages: readonly MessagePayload[],
    events: readonly EventPayload[],
    {
      marks = 0,
      subject = ticket.subject,
      channelId,
    }: {
      readonly marks?: number;
      readonly subject?: string | undefined;
      readonly channelId?: string | undefined;
    } = {},
    note?: MessagePayload,
  ) {
    this.seq = seq;
    this.externalId = externalId;
    this.ref = ref;
    this.ticket = ticket;
    this.messages = messages;
    this.events = events;
    this.rows = rows;
    this.mapped = values;
    this.#marks = marks;
    this.#exported = { subject, channelId };
    this.note = note;
  }

  get fingerprints(): Fingerprints {
    if (this.#fingerprints === undefined) {
      const ticket = withoutMarks(this.ticket, this.#marks, this.#exported);
      this.#fingerprints = {
        ticket: digest(ticket),
        messages: digest(this.messages.map(withoutMailIds)),
        events: digest(this.events),
        fields: fieldsOf(ticket),
      };
    }
    return this.#fingerprints;
  }
}

/** A ticket has not changed because it is marked now, or no longer, or by another name of its source; nor because the settings put it elsewhere. */
function withoutMarks(
  { channelId: _sent, ...rest }: TicketPayload,
  marks: number,
  { subject, channelId }: { readonly subject: string; readonly channelId: string | undefined },
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
