/** A ticket that may be sent: payloads in the order of sending, and what the plan needs to know about them. */

import type { MappedValue } from './mapped.ts';
import type { EventPayload, MessagePayload, TicketPayload } from './payload.ts';
import type { Problem } from './problem.ts';
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

/** What checking found in one ticket of the export, whether or not it may be sent. */
export interface CheckResult {
  readonly seq: number;
  readonly externalId: string;
  /** Of mapping and of checking, in the order of the ticket, its messages and its events. */
  readonly problems: readonly Problem[];
  /** Absent when any problem is an error (the ticket is rejected), and when an exclude rule leaves the ticket out. */
  readonly checked?: CheckedTicket | undefined;
  /** Milliseconds since the epoch, where it could be found. */
  readonly createdAt?: number | undefined;
  /** Normalized addresses of the ticket (first) and its messages, each once. */
  readonly contacts: readonly string[];
  /** In source order: of names of the same age the later one stands. */
  readonly names: readonly NamedContact[];
  readonly mapped: readonly MappedValue[];
  readonly messages: number;
  /** Internal notes among the messages. */
  readonly internal: number;
  readonly events: number;
  readonly attachments: number;
  /** As far as the export says. */
  readonly attachmentBytes: number;
}
