/** The history of a ticket as it was sent against the events that the target tells (2.4). Pure. */

import type { EventPayload } from '../domain/payload.ts';
import { pairEvents } from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { type Check, listSome } from './check.ts';

/**
 * Every event sent must be there with its values and time. Further ones are no failure: a target writes some of its own
 * (a ticket was created, a tag was added). The order is not judged: what stands in a history is ordered by its times.
 */
export function compareEvents(sent: readonly EventPayload[], read: readonly Snapshot[]): Check[] {
  const name = 'events';
  if (sent.length === 0) return [];
  const missing = pairEvents(sent, read).missing.map((index) => index + 1);
  if (missing.length > 0)
    return [
      {
        name,
        ok: false,
        detail: `${missing.length} of ${sent.length} events are missing or differ in value or time: number ${listSome(missing)}.`,
      },
    ];
  return [{ name, ok: true, detail: `All ${sent.length} events are there.` }];
}
