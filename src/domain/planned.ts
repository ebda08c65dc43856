/** One ticket of the plan: what is still to be sent for it, as plain data. Made without a network, carried out by the push. */
import type { Fingerprints } from './checked.ts';
import type { EventPayload, MessagePayload, TicketPayload } from './payload.ts';

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

/** What a delta can change in the target: the API has no call for the ticket's own fields. */
export type DeltaPart = 'messages' | 'events';

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
  readonly fingerprints: Fingerprints;
  /** Who it is besides its id (domain/origin.ts). */
  readonly origin?: string | undefined;
  /** Normalized e-mail addresses of the ticket (first) and of its customer messages, each once. */
  readonly contacts: readonly string[];
  /** From 1. Never decreases from one ticket of the plan to the next. */
  readonly batch: number;
}
