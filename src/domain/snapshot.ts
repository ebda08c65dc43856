import type { EventPayload } from './payload.ts';
import type { Snapshot } from './ticket-api.ts';

// Reading fields of a snapshot, whose shape nobody promises (public facts): each reader gives the value when the target
// tells one in a form that can be understood, and undefined when it does not. An explicit null reads as null.

type Reported<T> = T | null | undefined;

export function reportedString(from: Readonly<Record<string, unknown>>, field: string): Reported<string> {
  const value = from[field];
  if (value === null) return null;
  return typeof value === 'string' ? value : undefined;
}

export function reportedBoolean(from: Readonly<Record<string, unknown>>, field: string): Reported<boolean> {
  const value = from[field];
  if (value === null) return null;
  return typeof value === 'boolean' ? value : undefined;
}

/** An object member, never an array. */
export function reportedObject(
  from: Readonly<Record<string, unknown>>,
  field: string,
): Reported<Readonly<Record<string, unknown>>> {
  const value = from[field];
  if (value === null) return null;
  return typeof value === 'object' && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

export function reportedArray(
  from: Readonly<Record<string, unknown>>,
  field: string,
): Reported<readonly unknown[]> {
  const value = from[field];
  if (value === null) return null;
  return Array.isArray(value) ? value : undefined;
}

/** Milliseconds since the epoch of an ISO-8601 string, or of a number that already is one. */
export function reportedInstant(from: Readonly<Record<string, unknown>>, field: string): Reported<number> {
  const value = from[field];
  if (value === null) return null;
  const at = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(at) ? at : undefined;
}

/** An id that stands bare (`agentId`) or in a nested object (`agent.id`). */
export function reportedId(
  from: Readonly<Record<string, unknown>>,
  field: string,
  nested: string,
): Reported<string> {
  const bare = reportedString(from, field);
  if (typeof bare === 'string') return bare;
  const object = reportedObject(from, nested);
  const inner = object ? reportedString(object, 'id') : undefined;
  return inner ?? (bare === null || object === null ? null : undefined);
}

/** An e-mail address as the service compares it (2.5). */
export function normalizedEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** The same instant: some services keep whole seconds only, which is not a difference a person sees. */
export function sameInstant(sentIso: string, reported: number): boolean {
  const sent = Date.parse(sentIso);
  return reported === sent || reported === Math.floor(sent / 1000) * 1000;
}

/** Line ends and outer white space are commonly changed on the way through a service. */
export function textKey(text: string): string {
  return text.replace(/\r\n?/g, '\n').trim();
}

export function isoOf(milliseconds: number): string {
  return Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString() : String(milliseconds);
}

// Which events of a history the target has already, and which only it has. Pure.

interface EventPairs {
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
  const type = reportedString(read, 'type');
  if (typeof type === 'string' && kindOf(type) !== kindOf(sent.type)) return false;
  const at = reportedInstant(read, 'occurredAt');
  if (at === null || (at !== undefined && !sameInstant(sent.occurredAt, at))) return false;
  const actor = reportedString(read, 'actorType');
  if (typeof actor === 'string' && actor !== sent.actorType) return false;
  return (['oldValue', 'newValue'] as const).every((side) => {
    const wanted = sent[side]?.['status'];
    const value = reportedObject(read, side);
    return wanted === undefined || value === undefined || value?.['status'] === wanted;
  });
}

/** The specification and the deployed service spell the status change differently (public facts). */
function kindOf(type: string): string {
  return type === 'status_changed' ? 'status_change' : type;
}
