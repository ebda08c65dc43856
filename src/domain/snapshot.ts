import type { EventPayload, MessagePayload } from './payload.ts';
import { isJsonObject } from './source-file.ts';
import type { Snapshot } from './ticket-api.ts';

// The value, null, or undefined if it is missing or of another type.

type Reported<T> = T | null | undefined;

type Fields = Readonly<Record<string, unknown>>;

const reader =
  <T>(read: (value: unknown) => T | undefined) =>
  (from: Fields, field: string): Reported<T> =>
    from[field] === null ? null : read(from[field]);

export const reportedString = reader((value) => (typeof value === 'string' ? value : undefined));
export const reportedBoolean = reader((value) => (typeof value === 'boolean' ? value : undefined));
export const reportedObject = reader<Fields>((value) => (isJsonObject(value) ? value : undefined));
export const reportedArray = reader<readonly unknown[]>((value) =>
  Array.isArray(value) ? value : undefined,
);
export const reportedInstant = reader((value) => {
  const at = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(at) ? at : undefined;
});

export function reportedId(from: Fields, field: string, nested: string): Reported<string> {
  const bare = reportedString(from, field);
  if (typeof bare === 'string') return bare;
  const object = reportedObject(from, nested);
  const inner = object ? reportedString(object, 'id') : undefined;
  return inner ?? (bare === null || object === null ? null : undefined);
}

export function normalizedEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** The same instant; some services keep whole seconds only. */
export function sameInstant(sentIso: string, reported: number): boolean {
  const sent = Date.parse(sentIso);
  return reported === sent || reported === Math.floor(sent / 1000) * 1000;
}

export function textKey(text: string): string {
  return text.replace(/\r\n?/g, '\n').trim();
}

export function isoOf(milliseconds: number): string {
  return Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString() : String(milliseconds);
}

interface EventPairs {
  /** By the place of each sent event. */
  readonly same: readonly (Snapshot | undefined)[];
  readonly missing: readonly number[];
  readonly extra: readonly Snapshot[];
}

export function pairEvents(sent: readonly EventPayload[], read: readonly Snapshot[]): EventPairs {
  const free = new Set(read);
  const same = sent.map((event) => {
    const found = [...free].find((candidate) => sameEvent(event, candidate));
    if (found !== undefined) free.delete(found);
    return found;
  });
  return { same, missing: [...same.keys()].filter((at) => same[at] === undefined), extra: [...free] };
}

/** An unreported field is no difference. */
function sameEvent(sent: EventPayload, read: Snapshot): boolean {
  const type = reportedString(read, 'type');
  if (typeof type === 'string' && actorKind(type) !== actorKind(sent.type)) return false;
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

/** The specification and the deployed service spell it differently (public facts). */
function actorKind(type: string): string {
  return type === 'status_changed' ? 'status_change' : type;
}

/**
 * By Message-ID, by time and text, or by time and author type (an edited text, cleaned HTML). Text alone decides only if no
 * time agrees: two people may both write "Thanks!". Equal messages pair by position. `restByText`: who only compares takes a
 * message with another time for the same, and names the time.
 */
export interface MessagePairs {
  readonly pairs: readonly (readonly [MessagePayload, Snapshot])[];
  readonly own: readonly Snapshot[];
}

type Key = string | undefined;

/** Pairs by one key after the other; equal keys pair in order. */
export class Pairing<Left, Right> {
  readonly open: Set<Left>;
  readonly free: Set<Right>;
  readonly pairs: (readonly [Left, Right])[] = [];

  constructor(left: Iterable<Left>, right: Iterable<Right>) {
    this.open = new Set(left);
    this.free = new Set(right);
  }

  /** Returns how many it paired. */
  pass(ofLeft: (left: Left) => Key, ofRight: (right: Right) => Key): number {
    const waiting = Map.groupBy(this.free, ofRight);
    const before = this.pairs.length;
    // An index, as removing the first element of a list is not linear.
    const taken = new Map<Key, number>();
    for (const left of this.open) {
      const key = ofLeft(left);
      const at = taken.get(key) ?? 0;
      const found = key === undefined ? undefined : waiting.get(key)?.[at];
      if (found === undefined) continue;
      taken.set(key, at + 1);
      this.open.delete(left);
      this.free.delete(found);
      this.pairs.push([left, found]);
    }
    return this.pairs.length - before;
  }
}

export function pairMessages(
  ours: readonly MessagePayload[],
  read: readonly Snapshot[],
  restByText = false,
): MessagePairs {
  const pairing = new Pairing(ours, read);
  pairing.pass(
    (m) => (m.messageId === undefined ? undefined : bareId(m.messageId)),
    (m) => bareId(reportedString(m, 'messageId') ?? '') || undefined,
  );
  const sameTimes =
    pairing.pass(
      (m) => joined(secondOf(m), textKey(m.content)),
      (m) => joined(reportedSecond(m), reportedText(m)),
    ) +
    pairing.pass(
      (m) => joined(secondOf(m), m.actorType),
      (m) => joined(reportedSecond(m), reportedString(m, 'actorType')),
    );
  if (sameTimes === 0 || restByText)
    pairing.pass(
      (m) => joined(m.actorType, textKey(m.content)),
      (m) => joined(reportedString(m, 'actorType'), reportedText(m)),
    );
  return { pairs: pairing.pairs, own: [...pairing.free] };
}

/** Some services remove the angle brackets. */
export function bareId(id: string): string {
  return id.trim().replace(/^<|>$/g, '');
}

function joined(one: string | null | undefined, other: string | null | undefined): Key {
  return typeof one === 'string' && typeof other === 'string' ? `${one}\u0000${other}` : undefined;
}

/** Some services keep no finer times. */
function secondOf(message: MessagePayload): string {
  return String(Math.floor(Date.parse(message.occurredAt) / 1000));
}

function reportedSecond(message: Snapshot): Key {
  const at = reportedInstant(message, 'occurredAt');
  return typeof at === 'number' ? String(Math.floor(at / 1000)) : undefined;
}

function reportedText(message: Snapshot): Key {
  const text = reportedString(message, 'content');
  return text === undefined ? undefined : textKey(text ?? '');
}

/** Unmapped values, and the internal note that keeps them (`unmapped: note`). */

export const UNMAPPED = ['note', 'drop'] as const;
export type UnmappedPolicy = (typeof UNMAPPED)[number];

export interface UnmappedValue {
  readonly table: string;
  readonly row: string;
  readonly column: string;
  readonly text: string;
}

/** Services may clean its markup. */
export const NOTE_BEGINS = 'Kept by helpdesk-import';

/** Never compared, and never a person's words. */
export function isImportNote(message: Readonly<Record<string, unknown>>): boolean {
  return isNote(message, NOTE_BEGINS);
}

export function isNote(message: Readonly<Record<string, unknown>>, begins: string): boolean {
  const text = reportedString(message, 'content');
  if (typeof text !== 'string' || message['actorType'] === 'customer') return false;
  return text
    .slice(0, 400)
    .replace(/<[^<>]*>/g, '')
    .trimStart()
    .startsWith(begins);
}

export function withoutImportNotes<T extends Readonly<Record<string, unknown>>>(
  thread: readonly T[],
): readonly T[] {
  return thread.some(isImportNote) ? thread.filter((message) => !isImportNote(message)) : thread;
}
