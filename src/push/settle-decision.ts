/**
 * What is to be done about a create of unknown outcome, after a look at the target: a pure table.
 *
 * One ticket that matches, and that is no other ticket's of this checkpoint, is adopted. Several stay in doubt, and so does
 * one of which the target tells too little. None means that the ticket does not exist, but only after the target was given
 * time to finish what it may still have been doing, and only where it has shown that its list holds what was created last:
 * a list that lags behind or hides tickets would turn every doubt into a duplicate.
 */
export interface Look {
  /** Ids of tickets that match; those of other tickets of this checkpoint are left out. */
  readonly same: readonly string[];
  /** Ids of tickets that may match, for all that the target tells. */
  readonly untold: readonly string[];
  /** How many looks there were, this one included. */
  readonly looks: number;
  /** Time since the create was about to be sent, milliseconds. */
  readonly sinceIntentMs: number;
}

export interface SettleRules {
  /** The first pause between two looks, milliseconds; each following one is twice as long. */
  readonly settleMs: number;
  /** A request without an answer by then has an unknown outcome, milliseconds. */
  readonly timeoutMs: number;
}

export type SettleDecision =
  | { readonly do: 'adopt'; readonly ticketId: string }
  | { readonly do: 'hold'; readonly because: 'several' | 'unclear' }
  | { readonly do: 'look-again'; readonly afterMs: number }
  /** Nothing is there: it does not exist if the list can be believed. */
  | { readonly do: 'believe-absent' };

/** Looks before a ticket is believed not to exist. */
export const LOOKS = 3;

export function decideDoubt(look: Look, rules: SettleRules): SettleDecision {
  const [only, ...others] = look.same;
  if (only !== undefined) {
    return others.length === 0 ? { do: 'adopt', ticketId: only } : { do: 'hold', because: 'several' };
  }
  if (look.untold.length > 0) return { do: 'hold', because: 'unclear' };
  if (isSettled(look.looks, look.sinceIntentMs, rules)) return { do: 'believe-absent' };
  return { do: 'look-again', afterMs: pauseAfter(look.looks, rules) };
}

/** The pause after the n-th look, milliseconds. */
export function pauseAfter(looks: number, rules: SettleRules): number {
  return rules.settleMs * 2 ** (looks - 1);
}

/**
 * Whether the target had its time, so that this look may be the last one. The doubt of an earlier process is so old that
 * nothing of its request can still be under way: it needs no pauses.
 */
export function isSettled(looks: number, sinceIntentMs: number, rules: SettleRules): boolean {
  let settlingMs = rules.timeoutMs;
  for (let n = 1; n < LOOKS; n += 1) settlingMs += pauseAfter(n, rules);
  return looks >= LOOKS || sinceIntentMs >= settlingMs;
}
