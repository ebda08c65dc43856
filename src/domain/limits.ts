/** What an import may do: how much is sent and by whom, and what becomes of what the export leaves out. */

/** At most `requests` requests in any window of `seconds`. */
export interface Rate {
  readonly requests: number;
  readonly seconds: number;
}

/** Part `index` of `count`, from 1: what one of several processes takes. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/**
 * What to do about a message or an event without a time.
 * `reject`: the ticket is rejected. `ticket`: it takes its ticket's `createdAt`. `previous`: it takes the time of the one
 * before it in the export (the first one its ticket's `createdAt`), which keeps the order of a transcript.
 */
export const MISSING_TIMES = ['reject', 'ticket', 'previous'] as const;
export type MissingTimes = (typeof MISSING_TIMES)[number];

/**
 * What to do about an event whose actor is a customer and that names no contact id. `reject`: the ticket is rejected, as
 * the deployed service refuses such an event. `send`: it is sent, as the specification (2.4) asks for no id.
 */
export const CUSTOMER_EVENTS = ['reject', 'send'] as const;
export type CustomerEvents = (typeof CUSTOMER_EVENTS)[number];

/** Whether messages carry the ids of their mails; `auto`: where the target keeps them. */
export const MESSAGE_IDS = ['auto', 'on', 'off'] as const;
export type MessageIdsMode = (typeof MESSAGE_IDS)[number];
