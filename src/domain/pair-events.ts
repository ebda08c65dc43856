/** Which events of a history the target has already, and which only it has. Pure. */
import type { EventPayload } from './payload.ts';
import { sameInstant, toldInstant, toldObject, toldString } from './snapshot-fields.ts';
import type { Snapshot } from './ticket-api.ts';

export interface EventPairs {
  /** Indexes of events that the target does not have with these values and at this time. */
  readonly missing: readonly number[];
  /** Events that only the target has: its own ones, and what the export had before it changed. */
  readonly extra: readonly Snapshot[];
}

export function pairEvents(sent: readonly EventPayload[], read: readonly Snapshot[]): EventPairs {
  const free = new Set(read);
  const missing: number[] = [];
  for (const [index, event] of sent.entries()) {
    if (!takeSame(event, free)) missing.push(index);
  }
  return { missing, extra: [...free] };
}

/** Both lists usually run the same way, so the first candidate is the one nearly always. */
function takeSame(event: EventPayload, free: Set<Snapshot>): boolean {
  for (const candidate of free) if (sameEvent(event, candidate)) return free.delete(candidate);
  return false;
}

/** What the target does not tell is no difference. */
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
