/**
 * What is done about a create of unknown outcome, by what the target shows: a pure table.
 *
 * A ticket that is surely ours is adopted. "Not there" is believed only where all of this holds, and else the ticket stays in
 * doubt: sent twice it would be a duplicate, held it is a question to a person.
 *
 *   time    nothing of that create can still be under way
 *   list    a ticket that was created after that time is shown, by the same kind of query, and a ticket like ours would be
 *   marks   no ticket that is nobody's shares even one mark with ours
 *   counts  the list tells its `total`: none by the query that would find ours, and as many of this source as we know. What it
 *           counts cannot be hidden by what it shows; of a list that does not count, that it shows others proves nothing of ours
 */
export interface Evidence {
  /** Ids of tickets that are ours: by their tag, or, where there is none, by all three marks. Those of other tickets are left out. */
  readonly own: readonly string[];
  /** Ids of tickets that are nobody's and share a mark, or of which too little is told. */
  readonly sharing: readonly string[];
  /** Another ticket of the import that looks the same is in doubt too, and no tag tells them apart. */
  readonly hasTwin: boolean;
  /** The time-out and the margin have passed since the create can last have been sent. */
  readonly isDue: boolean;
  /**
   * `shown`: the list shows a ticket that was created after that. `hidden`: it should, and does not. `none`: there is no such ticket.
   */
  readonly later: 'shown' | 'hidden' | 'none';
  /** That ticket has the status of ours: a list that leaves out closed tickets would have left it out too. */
  readonly isLaterAlike: boolean;
  /** The list shows a ticket of our status, whenever that was created: it does not leave these out. */
  readonly isStatusShown: boolean;
  readonly count: 'agrees' | 'more' | 'fewer' | 'unreported';
  /** How many the target counts by the queries that would find ours, beyond what it shows. */
  readonly ownCount: 'none' | 'some' | 'unreported';
}

export type Held =
  | 'several'
  | 'twin'
  | 'unclear'
  | 'list-lags'
  | 'list-hides'
  | 'count-differs'
  | 'uncounted'
  | 'nothing-later';

export type DoubtDecision =
  | { readonly do: 'adopt'; readonly ticketId: string }
  /** Believed not to exist. */
  | { readonly do: 'absent' }
  | { readonly do: 'hold'; readonly because: Held }
  /** Not now; where it stays so, it is held for this reason. */
  | { readonly do: 'look-again'; readonly because: Held };

export function decideDoubt(seen: Evidence): DoubtDecision {
  const [only, ...others] = seen.own;
  if (others.length > 0) return { do: 'hold', because: 'several' };
  if (only !== undefined)
    return seen.hasTwin ? { do: 'hold', because: 'twin' } : { do: 'adopt', ticketId: only };
  if (!seen.isDue) return { do: 'look-again', because: 'nothing-later' };
  if (seen.sharing.length > 0) return { do: 'look-again', because: 'unclear' };
  if (seen.hasTwin) return { do: 'hold', because: 'twin' };
  if (seen.later === 'hidden') return { do: 'look-again', because: 'list-lags' };
  if (seen.ownCount === 'some') return { do: 'look-again', because: 'count-differs' };
  if (seen.count === 'more') return { do: 'look-again', because: 'count-differs' };
  // It hides tickets that are there, so it may hide this one.
  if (seen.count === 'fewer') return { do: 'look-again', because: 'list-hides' };
  const isWhole = seen.isStatusShown && (seen.isLaterAlike || seen.count === 'agrees');
  if (seen.later === 'none' || !isWhole) return { do: 'look-again', because: 'nothing-later' };
  // It does not lag, and no further look makes it count.
  if (seen.ownCount === 'unreported') return { do: 'hold', because: 'uncounted' };
  return { do: 'absent' };
}
