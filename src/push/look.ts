/** A PUT replaces what people wrote, so the helpdesk is read again right before it leaves after a pause, and before each repeat. */
import type { Clock } from '../domain/ports.ts';
import { reportedBoolean, reportedString } from '../domain/snapshot.ts';
import { ApiFailure, type OnWire, type Snapshot } from '../domain/ticket-api.ts';
import { filesOf } from './thread-record.ts';

/** How long a reading counts as current. */
const FRESH_MS = 2_000;
export const MOST_READINGS = 4;

/** The ticket changed since the reading that a write was made from. */
export class Outdated extends ApiFailure {
  constructor() {
    super(
      'unknown-outcome',
      'unknown',
      'The ticket kept changing in the helpdesk while it was being sent. Run the same command again.',
    );
  }
}

export interface ReadAt {
  readonly at: number;
}

/** Wires one write: `look` reads again, and rejects if the write is outdated. */
export function lookingFirst(
  { clock }: { readonly clock: Clock },
  { at }: ReadAt,
  look: () => Promise<void>,
): OnWire {
  let readAt = at;
  let isRepeat = false;
  return {
    mayHaveArrived: true,
    beforeSending: async () => {
      if (isRepeat || clock.monotonic() - readAt >= FRESH_MS) {
        await look();
        readAt = clock.monotonic();
      }
      isRepeat = true;
    },
  };
}

/** Repeats a write from a new reading while it is outdated. Throws Outdated when that does not end. */
export async function fromNewReading<T>(write: (nth: number) => Promise<T>): Promise<T> {
  for (let nth = 1; ; nth += 1) {
    try {
      return await write(nth);
    } catch (error) {
      if (!(error instanceof Outdated) || nth >= MOST_READINGS) throw error;
    }
  }
}

export function isSameReading(one: readonly Snapshot[], other: readonly Snapshot[]): boolean {
  return one.length === other.length && one.every((entry, at) => shownOf(entry) === shownOf(other[at]));
}

function shownOf(entry: Snapshot | undefined): string {
  if (entry === undefined) return '';
  const text = reportedString(entry, 'fullContent') ?? reportedString(entry, 'content');
  return JSON.stringify([
    entry.id,
    text,
    reportedBoolean(entry, 'isInternal'),
    filesOf(entry),
    entry['type'],
  ]);
}
