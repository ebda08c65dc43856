/**
 * The thread of a ticket that the target has already, brought up to the export: every message of the export, and between
 * them, by time, the messages that only the target has. PUT replaces the whole list (4.2); an element with an `id` keeps that
 * message, and one that is left out is deleted (public facts), so those are sent back as the target told them.
 *
 * A message of the target counts as the export's when time and text are the same, or when time and kind of author are (its
 * text was corrected, or the target cleans html). The text alone decides only where not one time agrees, as in a target
 * that keeps no times: two people may well write "Thanks!". Whatever is left over stays: to keep a message too many can be
 * seen and undone, a lost one cannot. Pure.
 */
import type { MessagePayload } from '../domain/payload.ts';
import { textKey, toldInstant, toldString } from '../domain/snapshot-fields.ts';
import type { Snapshot } from '../domain/ticket-api.ts';

export interface ThreadPairs {
  /** A message of the export, and the same one as the target tells it. */
  readonly pairs: readonly (readonly [MessagePayload, Snapshot])[];
  /** What only the target has. */
  readonly own: readonly Snapshot[];
}

type Key = string | undefined;

export function pairThread(ours: readonly MessagePayload[], read: readonly Snapshot[]): ThreadPairs {
  const open = new Set(ours);
  const free = new Set(read);
  const pairs: (readonly [MessagePayload, Snapshot])[] = [];
  const pass = (ofOurs: (message: MessagePayload) => Key, ofRead: (message: Snapshot) => Key) => {
    const waiting = Map.groupBy(free, ofRead);
    const before = pairs.length;
    // A Map's lists are taken from the front by an index of their own, which keeps this linear.
    const taken = new Map<Key, number>();
    for (const message of open) {
      const key = ofOurs(message);
      const at = taken.get(key) ?? 0;
      const found = key === undefined ? undefined : waiting.get(key)?.[at];
      if (found === undefined) continue;
      taken.set(key, at + 1);
      open.delete(message);
      free.delete(found);
      pairs.push([message, found]);
    }
    return pairs.length - before;
  };
  const sameTimes =
    pass(
      (m) => joined(secondOf(m), textKey(m.content)),
      (m) => joined(toldSecond(m), toldText(m)),
    ) +
    pass(
      (m) => joined(secondOf(m), m.actorType),
      (m) => joined(toldSecond(m), toldString(m, 'actorType')),
    );
  if (sameTimes === 0)
    pass(
      (m) => joined(m.actorType, textKey(m.content)),
      (m) => joined(toldString(m, 'actorType'), toldText(m)),
    );
  return { pairs, own: [...free] };
}

/** Ours keep their order. One of the target's stands behind all of ours that are not later. */
export function inOrderOfTime(
  ours: readonly MessagePayload[],
  kept: readonly MessagePayload[],
): readonly MessagePayload[] {
  if (kept.length === 0) return ours;
  const at = (message: MessagePayload) => Date.parse(message.occurredAt);
  const later = [...kept].sort((one, other) => at(one) - at(other));
  const merged: MessagePayload[] = [];
  let next = 0;
  for (const message of ours) {
    for (let own = later[next]; own !== undefined && at(own) < at(message); own = later[next]) {
      merged.push(own);
      next += 1;
    }
    merged.push(message);
  }
  return [...merged, ...later.slice(next)];
}

function joined(one: string | null | undefined, other: string | null | undefined): Key {
  return typeof one === 'string' && typeof other === 'string' ? `${one}\u0000${other}` : undefined;
}

/** Whole seconds: some services keep no finer times. */
function secondOf(message: MessagePayload): string {
  return String(Math.floor(Date.parse(message.occurredAt) / 1000));
}

function toldSecond(message: Snapshot): Key {
  const at = toldInstant(message, 'occurredAt');
  return typeof at === 'number' ? String(Math.floor(at / 1000)) : undefined;
}

/** A message of attachments alone may tell no text. */
function toldText(message: Snapshot): Key {
  const text = toldString(message, 'content');
  return text === undefined ? undefined : textKey(text ?? '');
}
