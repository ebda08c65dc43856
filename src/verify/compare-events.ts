/** The history of a ticket as it was sent against the events that the target tells (2.4). Pure. */
import type { EventPayload } from '../domain/payload.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { type Check, listSome } from './check.ts';
import { sameInstant, toldInstant, toldObject, toldString } from './snapshot-fields.ts';

/**
 * Every event sent must be there with its values and time. Further ones are no failure: a target writes some of its own
 * (a ticket was created, a tag was added). The order is not judged: what stands in a history is ordered by its times.
 */
export function compareEvents(sent: readonly EventPayload[], read: readonly Snapshot[]): Check[] {
  const name = 'events';
  if (sent.length === 0) return [];
  const free = new Set(read);
  const missing: number[] = [];
  for (const [index, event] of sent.entries()) {
    if (!takeSame(event, free)) missing.push(index + 1);
  }
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

/** Both lists usually run the same way, so the first candidate is the one nearly always. */
function takeSame(event: EventPayload, free: Set<Snapshot>): boolean {
  for (const candidate of free) if (sameEvent(event, candidate)) return free.delete(candidate);
  return false;
}

function sameEvent(sent: EventPayload, read: Snapshot): boolean {
  const type = toldString(read, 'type');
  if (typeof type === 'string' && kindOf(type) !== kindOf(sent.type)) return false;
  const at = toldInstant(read, 'occurredAt');
  if (at === null || (at !== undefined && !sameInstant(sent.occurredAt, at))) return false;
  const actor = toldString(read, 'actorType');
  if (typeof actor === 'string' && actor !== sent.actorType) return false;
  return (['oldValue', 'newValue'] as const).every((side) => {
    const wanted = sent[side]?.['status'];
    const value = toldObject(read, side);
    return wanted === undefined || value === undefined || value?.['status'] === wanted;
  });
}

/** The specification and the deployed service spell the status change differently (public facts). */
function kindOf(type: string): string {
  return type === 'status_changed' ? 'status_change' : type;
}
