/** One look at the target for the ticket that a create of unknown outcome may have made. */
import type { CreateIntent } from '../domain/ledger.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { type Reading, searchText } from './list-trust.ts';
import { matchTicket } from './match-ticket.ts';

export interface Found {
  readonly same: readonly string[];
  readonly untold: readonly string[];
}

/** Tickets of which the list tells too little are read one by one, up to so many. */
const READ_SINGLY = 5;

/**
 * `isTaken` says whether a ticket of the target is another ticket of the checkpoint. With `thorough`, a search by subject
 * that finds nothing is followed by one by e-mail: services differ in what they find by a subject, and nothing found is
 * about to be taken for nothing there.
 */
export async function lookFor(
  intent: CreateIntent,
  reading: Reading,
  isTaken: (ticketId: string) => boolean,
  thorough: boolean,
): Promise<Found> {
  const found = await candidates(await reading.search(searchText(intent.subject)), intent, reading, isTaken);
  if (!thorough || intent.email === undefined || found.same.length + found.untold.length > 0) return found;
  return candidates(await reading.search(intent.email), intent, reading, isTaken);
}

async function candidates(
  listed: readonly Snapshot[],
  intent: CreateIntent,
  reading: Reading,
  isTaken: (ticketId: string) => boolean,
): Promise<Found> {
  const same = new Set<string>();
  const untold = new Set<string>();
  for (const snapshot of listed) {
    if (isTaken(snapshot.id)) continue;
    const match = matchTicket(snapshot, intent);
    if (match === 'same') same.add(snapshot.id);
    else if (match === 'untold') untold.add(snapshot.id);
  }
  if (same.size > 0) return { same: [...same], untold: [] };
  for (const id of [...untold].slice(0, READ_SINGLY)) {
    const snapshot = await reading.read(id);
    const match = snapshot === undefined ? 'untold' : matchTicket(snapshot, intent);
    if (match === 'untold') continue;
    untold.delete(id);
    if (match === 'same') same.add(id);
  }
  return { same: [...same], untold: [...untold] };
}
