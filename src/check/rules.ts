/** What checking goes by: settings of the user, and what it must be told about the run. */
import type { RecordRef } from '../domain/source.ts';

/**
 * What to do about a message or an event without a time.
 * `reject`: the ticket is rejected. `ticket`: it takes its ticket's `createdAt`. `previous`: it takes the time of the one
 * before it in the export (the first one its ticket's `createdAt`), which keeps the order of a transcript.
 */
export const MISSING_TIMES = ['reject', 'ticket', 'previous'] as const;
export type MissingTimes = (typeof MISSING_TIMES)[number];

/**
 * What to do about an event whose actor is a customer and that names no contact id. `reject`: the ticket is rejected, as
 * the deployed service refuses such an event. `send`, the default: it is sent, as the specification (2.4) asks for no id.
 */
export const CUSTOMER_EVENTS = ['reject', 'send'] as const;
export type CustomerEvents = (typeof CUSTOMER_EVENTS)[number];

export interface CheckRules {
  /** The name under which the user knows the file of a record. */
  readonly fileName: (ref: RecordRef) => string;
  /** Milliseconds since the epoch: what counts as the future. */
  readonly now: () => number;
  /** Zone (IANA) of times that name none; without it such a time is an error. */
  readonly timezone?: string | undefined;
  /** Default: `reject`. */
  readonly missingTimes?: MissingTimes | undefined;
  /** `createdAt` of a ticket that has none and whose messages have none either; without it such a ticket is rejected. */
  readonly missingCreatedAt?: string | undefined;
  /** Tag that every ticket gets; empty for none. */
  readonly tag: string;
  /** The name of the source, for the tags of identity (domain/identity.ts); undefined: none of them. */
  readonly sourceName?: (() => string | undefined) | undefined;
  /** A further tag, where `{id}` stands for the external id, e.g. `source:{id}`. */
  readonly sourceTag?: string | undefined;
  /** Sent with every ticket, in place of what the export says. */
  readonly readOnly?: boolean | undefined;
  /** Sent with every ticket, in place of what the export says. */
  readonly managedBy?: string | undefined;
  /** How the target spells the type of a status change: `status_change` (2.4), or `status_changed` as deployed. */
  readonly statusChangeType: string;
  /** Default: `send`. */
  readonly customerEvents?: CustomerEvents | undefined;
}
