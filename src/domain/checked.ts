/** A ticket that may be sent: payloads in the order of sending, and what the plan needs to know about them. */
import type { EventPayload, MessagePayload, TicketPayload } from './payload.ts';
import type { MappedValue } from './shaped.ts';
import type { RecordRef } from './source.ts';

/** 64-bit digests (16 hex digits) of what would be sent, before contact names are applied. */
export interface Fingerprints {
  readonly ticket: string;
  readonly messages: string;
  readonly events: string;
}

export interface CheckedTicket {
  readonly seq: number;
  readonly externalId: string;
  readonly ref: RecordRef;
  readonly ticket: TicketPayload;
  /** By occurredAt, ties in source order. */
  readonly messages: readonly MessagePayload[];
  readonly events: readonly EventPayload[];
  readonly fingerprints: Fingerprints;
  readonly rows: readonly { table: string; ref: RecordRef }[];
  readonly mapped: readonly MappedValue[];
}

/** A name that the export gives to a contact, with the time that decides which one is the newest. */
export interface NamedContact {
  readonly email: string;
  readonly name: string;
  /** Milliseconds since the epoch: createdAt of the ticket or occurredAt of the message. */
  readonly at: number;
}
