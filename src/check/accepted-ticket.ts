/** A ticket that passed checking. */
import type { CheckedTicket, Fingerprints } from '../domain/checked.ts';
import type { MappedTicket } from '../domain/mapped.ts';
import type { EventPayload, MessagePayload, TicketPayload } from '../domain/payload.ts';
import { fingerprintsOf } from './fingerprint.ts';

/**
 * Its fingerprints are worked out when they are asked for: they are a third of the cost of checking, and a dry run of a
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
  #fingerprints: Fingerprints | undefined;

  constructor(
    { seq, externalId, ref, rows, values }: MappedTicket,
    ticket: TicketPayload,
    messages: readonly MessagePayload[],
    events: readonly EventPayload[],
  ) {
    this.seq = seq;
    this.externalId = externalId;
    this.ref = ref;
    this.ticket = ticket;
    this.messages = messages;
    this.events = events;
    this.rows = rows;
    this.mapped = values;
  }

  get fingerprints(): Fingerprints {
    this.#fingerprints ??= fingerprintsOf(this.ticket, this.messages, this.events);
    return this.#fingerprints;
  }
}
