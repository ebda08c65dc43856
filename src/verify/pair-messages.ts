/**
 * Which message of the target is which one of those sent. Targets give messages ids of their own, so they are recognised
 * by what they say and when: first by content and time, then by content alone, then by time alone. What is left over on
 * either side is missing or extra. Linear in the number of messages; equal messages pair in order.
 */
import type { MessagePayload } from '../domain/payload.ts';
import { reportedInstant, reportedString, textKey } from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';

export interface MessagePairs {
  /** For each message sent the index of the one read, or undefined where it is missing. */
  readonly readIndex: readonly (number | undefined)[];
  /** Indexes of messages that only the target has. */
  readonly extra: readonly number[];
}

type Key = string | undefined;

export function pairMessages(sent: readonly MessagePayload[], read: readonly Snapshot[]): MessagePairs {
  const readIndex: (number | undefined)[] = new Array(sent.length).fill(undefined);
  const free = new Set(read.keys());

  const pass = (keyOfSent: (message: MessagePayload) => Key, keyOfRead: (message: Snapshot) => Key) => {
    if (free.size === 0) return;
    const waiting = new Map<string, number[]>();
    for (const index of free) {
      const message = read[index];
      const key = message && keyOfRead(message);
      if (key === undefined) continue;
      const queue = waiting.get(key);
      if (queue) queue.push(index);
      else waiting.set(key, [index]);
    }
    // Reversed, so that the first one is taken from the end in constant time.
    for (const queue of waiting.values()) queue.reverse();
    for (const [index, message] of sent.entries()) {
      if (readIndex[index] !== undefined) continue;
      const key = keyOfSent(message);
      const found = key === undefined ? undefined : waiting.get(key)?.pop();
      if (found === undefined) continue;
      readIndex[index] = found;
      free.delete(found);
    }
  };

  pass(
    (m) => `${timeKey(Date.parse(m.occurredAt))}\u0000${textKey(m.content)}`,
    (m) => {
      const [at, text] = [reportedInstant(m, 'occurredAt'), reportedString(m, 'content')];
      return typeof at === 'number' && typeof text === 'string'
        ? `${timeKey(at)}\u0000${textKey(text)}`
        : undefined;
    },
  );
  pass(
    (m) => textKey(m.content),
    (m) => {
      const text = reportedString(m, 'content');
      return typeof text === 'string' ? textKey(text) : undefined;
    },
  );
  pass(
    (m) => timeKey(Date.parse(m.occurredAt)),
    (m) => {
      const at = reportedInstant(m, 'occurredAt');
      return typeof at === 'number' ? timeKey(at) : undefined;
    },
  );
  // Neither text nor time is told: only the place in the list is left.
  if (read.every((m) => m['content'] === undefined && m['occurredAt'] === undefined)) {
    for (const index of sent.keys()) {
      if (readIndex[index] !== undefined || !free.has(index)) continue;
      readIndex[index] = index;
      free.delete(index);
    }
  }
  return { readIndex, extra: [...free] };
}

/** Whole seconds: see sameInstant. */
function timeKey(milliseconds: number): string {
  return String(Math.floor(milliseconds / 1000));
}
