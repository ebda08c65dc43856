/** A ticket after mapping and before checking: candidates for payloads, each with its origin. */
import type { Problem } from './problem.ts';
import type { RecordRef } from './source.ts';

export interface MappedItem {
  /** Candidate for a MessagePayload or EventPayload, every value still unchecked. */
  readonly value: Record<string, unknown>;
  readonly ref: RecordRef;
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
  /** Why an `exclude` rule leaves it out; then it is skipped. */
  readonly excluded?: string | undefined;
}
