/**
 * Reading fields of a snapshot, whose shape nobody promises (public facts): each reader gives the value when the target
 * tells one in a form that can be understood, and undefined when it does not. An explicit null reads as null.
 */

export type Told<T> = T | null | undefined;

export function toldString(from: Readonly<Record<string, unknown>>, field: string): Told<string> {
  const value = from[field];
  if (value === null) return null;
  return typeof value === 'string' ? value : undefined;
}

export function toldBoolean(from: Readonly<Record<string, unknown>>, field: string): Told<boolean> {
  const value = from[field];
  if (value === null) return null;
  return typeof value === 'boolean' ? value : undefined;
}

/** An object member, never an array. */
export function toldObject(
  from: Readonly<Record<string, unknown>>,
  field: string,
): Told<Readonly<Record<string, unknown>>> {
  const value = from[field];
  if (value === null) return null;
  return typeof value === 'object' && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

export function toldArray(from: Readonly<Record<string, unknown>>, field: string): Told<readonly unknown[]> {
  const value = from[field];
  if (value === null) return null;
  return Array.isArray(value) ? value : undefined;
}

/** Milliseconds since the epoch of an ISO-8601 string, or of a number that already is one. */
export function toldInstant(from: Readonly<Record<string, unknown>>, field: string): Told<number> {
  const value = from[field];
  if (value === null) return null;
  const at = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(at) ? at : undefined;
}

/** An id that stands bare (`agentId`) or in a nested object (`agent.id`). */
export function toldId(from: Readonly<Record<string, unknown>>, field: string, nested: string): Told<string> {
  const bare = toldString(from, field);
  if (typeof bare === 'string') return bare;
  const object = toldObject(from, nested);
  const inner = object ? toldString(object, 'id') : undefined;
  return inner ?? (bare === null || object === null ? null : undefined);
}

/** An e-mail address as the service compares it (2.5). */
export function normalizedEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** The same instant: some services keep whole seconds only, which is not a difference a person sees. */
export function sameInstant(sentIso: string, told: number): boolean {
  const sent = Date.parse(sentIso);
  return told === sent || told === Math.floor(sent / 1000) * 1000;
}

/** Line ends and outer white space are commonly changed on the way through a service. */
export function textKey(text: string): string {
  return text.replace(/\r\n?/g, '\n').trim();
}

export function isoOf(milliseconds: number): string {
  return Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString() : String(milliseconds);
}
