import type { EventPayload, MessagePayload, TicketPayload } from './payload.ts';
import type { Problem } from './problem.ts';
import type { UnmappedValue } from './snapshot.ts';
import type { RecordRef } from './source.ts';

/** 16 hexadecimal digits over the sent fields, without contact names. */
export interface Fingerprints {
  readonly ticket: string;
  readonly messages: string;
  readonly events: string;
  readonly fields?: string | undefined;
}

export interface CheckedTicket {
  /** Before links in its messages were rewritten. */
  readonly exported?: Pick<CheckedTicket, 'messages' | 'fingerprints'> | undefined;
  readonly seq: number;
  readonly externalId: string;
  readonly ref: RecordRef;
  readonly ticket: TicketPayload;
  readonly messages: readonly MessagePayload[];
  readonly events: readonly EventPayload[];
  /** Never compared. */
  readonly note?: MessagePayload | undefined;
  readonly fingerprints: Fingerprints;
  /** For the fingerprint. `marks`: how many tags at the end are the import's. */
  readonly asExported?:
    | { readonly marks: number; readonly subject: string; readonly channelId?: string | undefined }
    | undefined;
  readonly rows: readonly { table: string; ref: RecordRef }[];
}

export interface NamedContact {
  readonly email: string;
  readonly name: string;
  /** Milliseconds since the epoch: createdAt of the ticket or occurredAt of the message. */
  readonly at: number;
}

export interface CheckResult {
  readonly seq: number;
  readonly externalId: string;
  readonly problems: readonly Problem[];
  /** Absent if rejected or excluded. */
  readonly checked?: CheckedTicket | undefined;
  readonly withheld?: CheckedTicket | undefined;
  readonly createdAt?: number | undefined;
  /** Times that the export lacks: of the creation, `set` by the settings or `said` by a message, and of `times` messages. */
  readonly made?: { readonly created?: 'set' | 'said' | undefined; readonly times: number } | undefined;
  /** Normalized; the ticket's first, each once. */
  readonly contacts: readonly string[];
  /** The later of two names of one age is used. */
  readonly names: readonly NamedContact[];
  readonly mapped: readonly MappedValue[];
  readonly messages: number;
  readonly internal: number;
  readonly events: number;
  readonly attachments: number;
  readonly attachmentBytes: number;
  /** Unmapped values that the note does not have. */
  readonly notKept?: ReadonlyMap<UnmappedValue, 'same' | 'lost'> | undefined;
}

// A ticket after mapping and before checking: unchecked payloads with their place.

export interface NamedPerson {
  readonly id?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  /** Decided once for a person, before any message is mapped. */
  readonly kind?: 'customer' | 'agent' | 'system' | 'unknown' | undefined;
}

export interface MappedItem {
  readonly value: Record<string, unknown>;
  readonly ref: RecordRef;
  readonly who?: NamedPerson | undefined;
  /** The agent's name or address in the export. */
  readonly agent?: string | undefined;
}

export interface MappedValue {
  readonly kind: 'status' | 'priority' | 'actor' | 'contentType';
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

/** The export says that a ticket has more messages than it holds. `says`: its layout's sentences, for one ticket and for several. */
export interface UnmetClaim {
  readonly messages: number;
  readonly has: number;
  readonly says: readonly [string, string] | undefined;
}

export interface MappedTicket {
  readonly kind: 'ticket';
  readonly seq: number;
  readonly externalId: string;
  readonly ref: RecordRef;
  readonly ticket: Record<string, unknown>;
  readonly messages: readonly MappedItem[];
  readonly events: readonly MappedItem[];
  readonly rows: readonly { table: string; ref: RecordRef }[];
  readonly problems: readonly Problem[];
  readonly values: readonly MappedValue[];
  readonly requester?: NamedPerson | undefined;
  /** The assignee's name or address in the export. */
  readonly assignee?: string | undefined;
  readonly excluded?: string | undefined;
  readonly unmet?: UnmetClaim | undefined;
  readonly unmapped?: readonly UnmappedValue[] | undefined;
}

export type PlannedAction =
  | {
      readonly do: 'create';
      readonly wasTried?: true | undefined;
    }
  | { readonly do: 'finish'; readonly from: 'messages' | 'events'; readonly ticketId: string }
  | { readonly do: 'settle' }
  /** A delta, new or unfinished. */
  | { readonly do: 'reopen'; readonly ticketId: string; readonly parts: readonly DeltaPart[] };

/** `fields`: status, priority, tags and assignee, if the helpdesk has the call. */
export type DeltaPart = 'messages' | 'events' | 'fields';

export interface PlannedTicket
  extends Pick<
    CheckedTicket,
    'seq' | 'externalId' | 'ticket' | 'messages' | 'events' | 'note' | 'fingerprints'
  > {
  readonly action: PlannedAction;
  readonly origin?: string | undefined;
  readonly contacts: readonly string[];
}
