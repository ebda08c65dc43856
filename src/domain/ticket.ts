/** A ticket on its way from mapping to sending. */
import type { EventPayload, MessagePayload, TicketPayload } from './payload.ts';
import type { Problem } from './problem.ts';
import type { RecordRef } from './source.ts';
import type { UnmappedValue } from './unmapped.ts';

/** 64-bit digests (16 hex digits) of what is sent, without contact names. */
export interface Fingerprints {
  readonly ticket: string;
  readonly messages: string;
  readonly events: string;
  /** Of each field that the target may change (ticket-fields.ts). */
  readonly fields?: string | undefined;
}

export interface CheckedTicket {
  /** As the export has it, if links in its messages were rewritten. */
  readonly exported?: Pick<CheckedTicket, 'messages' | 'fingerprints'> | undefined;
  readonly seq: number;
  readonly externalId: string;
  readonly ref: RecordRef;
  readonly ticket: TicketPayload;
  /** By occurredAt, ties in source order. */
  readonly messages: readonly MessagePayload[];
  readonly events: readonly EventPayload[];
  /** Unmapped values, as an internal note at the end of the thread; never compared. */
  readonly note?: MessagePayload | undefined;
  readonly fingerprints: Fingerprints;
  /** What settings and marks changed, for the fingerprint. `marks`: how many of the tags, the last ones, are the import's. */
  readonly asExported?:
    | { readonly marks: number; readonly subject: string; readonly channelId?: string | undefined }
    | undefined;
  readonly rows: readonly { table: string; ref: RecordRef }[];
  readonly mapped: readonly MappedValue[];
  /** Rewritten links in its messages. */
  readonly links?: readonly RewrittenLink[] | undefined;
}

/** A rewritten link to a ticket of the source. */
export interface RewrittenLink {
  /** Index of the message. */
  readonly message: number;
  readonly written: string;
  readonly oldId: string;
  readonly newId: string;
  readonly newAddress: string;
}

/** A name of a contact, with the time that decides which is the newest. */
export interface NamedContact {
  readonly email: string;
  readonly name: string;
  /** Milliseconds since the epoch: createdAt of the ticket or occurredAt of the message. */
  readonly at: number;
}

/** The result of checking one ticket of the export. */
export interface CheckResult {
  readonly seq: number;
  readonly externalId: string;
  /** Of mapping and checking, in the order of ticket, messages, events. */
  readonly problems: readonly Problem[];
  /** Absent if the ticket is rejected, or left out by an exclude rule. */
  readonly checked?: CheckedTicket | undefined;
  /** Valid, but rejected for missing files. */
  readonly withheld?: CheckedTicket | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt?: number | undefined;
  /** Normalized addresses of the ticket (first) and its messages, each once. */
  readonly contacts: readonly string[];
  /** In source order: of names of the same age the later one is used. */
  readonly names: readonly NamedContact[];
  readonly mapped: readonly MappedValue[];
  readonly messages: number;
  /** Internal notes among the messages. */
  readonly internal: number;
  readonly events: number;
  readonly attachments: number;
  /** As far as the export has sizes. */
  readonly attachmentBytes: number;
}

// A ticket after mapping and before checking: unchecked payloads with their place.

/** A person as the export names them. */
export interface NamedPerson {
  readonly id?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
}

export interface MappedItem {
  /** An unchecked MessagePayload or EventPayload. */
  readonly value: Record<string, unknown>;
  readonly ref: RecordRef;
  /** Its author, if the mapping has one. */
  readonly who?: NamedPerson | undefined;
}

/** How one value of the source became one of the API. */
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
  /** An unchecked TicketPayload. */
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
  /** Why an `exclude` rule skips it. */
  readonly excluded?: string | undefined;
  /** Messages that the export claims and has (`declares`). */
  readonly declared?: { readonly messages: number; readonly has: number } | undefined;
  /** Unmapped values that a person would read. */
  readonly unmapped?: readonly UnmappedValue[] | undefined;
}

// One ticket of the plan: what is still to be sent, as plain data.

export type PlannedAction =
  /** Not in the target: create it, then its messages, then its events. */
  | {
      readonly do: 'create';
      /** An earlier create probably had no effect, or a person chose --retry. */
      readonly wasTried?: true | undefined;
    }
  /** In the target, without its messages and events, or without its events. */
  | { readonly do: 'finish'; readonly from: 'messages' | 'events'; readonly ticketId: string }
  /** An earlier create has an unknown outcome (`creating` or `inDoubt`). */
  | { readonly do: 'settle' }
  /**
   * A delta, new or unfinished: these parts of an imported ticket are updated. What only the target has is kept.
   */
  | { readonly do: 'reopen'; readonly ticketId: string; readonly parts: readonly DeltaPart[] };

/** What a delta can change. `fields`: status, priority, tags and assignee, if the target has the call. */
export type DeltaPart = 'messages' | 'events' | 'fields';

export interface PlannedTicket {
  /** Position in the export, from 0. */
  readonly seq: number;
  readonly externalId: string;
  readonly action: PlannedAction;
  /** Without the contact's name: the push adds the newest. */
  readonly ticket: TicketPayload;
  /** An empty list means no request. */
  readonly messages: readonly MessagePayload[];
  readonly events: readonly EventPayload[];
  readonly note?: MessagePayload | undefined;
  readonly fingerprints: Fingerprints;
  /** See domain/origin.ts. */
  readonly origin?: string | undefined;
  /** Normalized e-mail addresses of the ticket (first) and of its customer messages, each once. */
  readonly contacts: readonly string[];
}
