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

/**
 * How much work may be in flight at once. One slot stands for one ticket, and a ticket has at most one request on the
 * wire, so the number of slots taken bounds the requests in flight too.
 */
export interface LimiterSample {
  /**
   * `overload`: the work met a time-out, a reset or a 5xx, which says that the target has too much to do.
   * `ignore`: its end says nothing about the target (refused data, an abort, nothing sent).
   */
  readonly outcome: 'ok' | 'overload' | 'ignore';
  /** From acquire to release, where the holder measured it. */
  readonly milliseconds?: number;
}

export interface Limiter {
  /** Takes a slot where one is free and nobody waits for it. */
  tryAcquire(): boolean;
  /** Waits for a slot, first come first served. Rejects with the signal's reason, and then holds no slot. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Gives back one slot that was acquired, exactly once. Never throws. */
  release(sample: LimiterSample): void;
  /** Slots that may be taken at this moment; may change at any time where the limit adapts. */
  readonly limit: number;
  readonly inFlight: number;
}
