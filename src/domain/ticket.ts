/** A ticket that may be sent: payloads in the order of sending, and what the plan needs to know about them. */
import type { EventPayload, MessagePayload, TicketPayload } from './payload.ts';
import type { Problem } from './problem.ts';
import type { RecordRef } from './source.ts';
import type { UnmappedValue } from './unmapped.ts';

/** 64-bit digests (16 hex digits) of what would be sent, before contact names are applied. */
export interface Fingerprints {
  readonly ticket: string;
  readonly messages: string;
  readonly events: string;
  /** Of the fields that the target may be able to change, one by one (ticket-fields.ts); absent in records of before. */
  readonly fields?: string | undefined;
}

export interface CheckedTicket {
  /** As the export has it, where links in its messages were rewritten. */
  readonly exported?: Pick<CheckedTicket, 'messages' | 'fingerprints'> | undefined;
  readonly seq: number;
  readonly externalId: string;
  readonly ref: RecordRef;
  readonly ticket: TicketPayload;
  /** By occurredAt, ties in source order. */
  readonly messages: readonly MessagePayload[];
  readonly events: readonly EventPayload[];
  /** What has no field in the target, as an internal note at the end of the thread; no part of what is compared. */
  readonly note?: MessagePayload | undefined;
  readonly fingerprints: Fingerprints;
  /** What settings and marks changed, for the fingerprint. `marks`: how many of the tags, the last ones, are the import's. */
  readonly asExported?:
    | { readonly marks: number; readonly subject: string; readonly channelId?: string | undefined }
    | undefined;
  readonly rows: readonly { table: string; ref: RecordRef }[];
  readonly mapped: readonly MappedValue[];
  /** Links to other tickets that were rewritten in its messages. */
  readonly links?: readonly RewrittenLink[] | undefined;
}

/** A link to a ticket of the source, and what it became. */
export interface RewrittenLink {
  /** Place of the message in the ticket, from 0. */
  readonly message: number;
  readonly written: string;
  readonly oldId: string;
  readonly newId: string;
  readonly newAddress: string;
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
  /** Passed checking, and is rejected for files that could not be fetched. */
  readonly withheld?: CheckedTicket | undefined;
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

// A ticket after mapping and before checking: candidates for payloads, each with its origin.

/** A person as the export names them. */
export interface NamedPerson {
  readonly id?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
}

export interface MappedItem {
  /** Candidate for a MessagePayload or EventPayload, every value still unchecked. */
  readonly value: Record<string, unknown>;
  readonly ref: RecordRef;
  /** Who wrote it, where the mapping tells. */
  readonly who?: NamedPerson | undefined;
}

/** How one value of the source became one of the API: the plan's table of what maps to what. */
export interface MappedValue {
  readonly kind: 'status' | 'priority' | 'actor' | 'contentType';
  readonly from: string;
  readonly to: string;
}

export interface MappedTicket {
  readonly kind: 'ticket';
  readonly seq: number;
  readonly externalId: string;
  readonly ref: RecordRef;
  /** Candidate for a TicketPayload. */
  readonly ticket: Record<string, unknown>;
  /** In source order. */
  readonly messages: readonly MappedItem[];
  readonly events: readonly MappedItem[];
  /** Every row of the ticket by table, for the rejects. */
  readonly rows: readonly { table: string; ref: RecordRef }[];
  /** Problems of the mapping. An error among them rejects the ticket. */
  readonly problems: readonly Problem[];
  readonly values: readonly MappedValue[];
  readonly requester?: NamedPerson | undefined;
  /** Why an `exclude` rule leaves it out; then it is skipped. */
  readonly excluded?: string | undefined;
  /** Messages that the export says it has, and those that are in it (`declares`). */
  readonly declared?: { readonly messages: number; readonly has: number } | undefined;
  /** Its values that no rule uses and a person would read. */
  readonly unmapped?: readonly UnmappedValue[] | undefined;
}

// One ticket of the plan: what is still to be sent for it, as plain data. Made without a network, carried out by the push.

export type PlannedAction =
  /** Nothing of it is in the target: create it, then its messages, then its events. */
  | {
      readonly do: 'create';
      /** An earlier create had no effect, as far as is known, or a person said to send it again. */
      readonly wasTried?: true | undefined;
    }
  /** It is in the target; its messages (and events), or its events alone, are missing. */
  | { readonly do: 'finish'; readonly from: 'messages' | 'events'; readonly ticketId: string }
  /** A create of an earlier process has an unknown outcome (`creating` or `inDoubt` in the checkpoint). */
  | { readonly do: 'settle' }
  /**
   * A delta, new or half done: these parts of a ticket that was imported are brought up to the export. Whatever only the
   * target has of them is kept.
   */
  | { readonly do: 'reopen'; readonly ticketId: string; readonly parts: readonly DeltaPart[] };

/** What a delta can change in the target. `fields`: status, priority, tags and assignee, where the target has the call. */
export type DeltaPart = 'messages' | 'events' | 'fields';

export interface PlannedTicket {
  /** Position in the export, from 0. */
  readonly seq: number;
  readonly externalId: string;
  readonly action: PlannedAction;
  /** Without the contact's name: the push puts the newest one in. */
  readonly ticket: TicketPayload;
  /** In the order of sending. An empty list means no request. */
  readonly messages: readonly MessagePayload[];
  readonly events: readonly EventPayload[];
  readonly note?: MessagePayload | undefined;
  readonly fingerprints: Fingerprints;
  /** Who it is besides its id (domain/origin.ts). */
  readonly origin?: string | undefined;
  /** Normalized e-mail addresses of the ticket (first) and of its customer messages, each once. */
  readonly contacts: readonly string[];
  /** From 1. Never decreases from one ticket of the plan to the next. */
  readonly batch: number;
}
