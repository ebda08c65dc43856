/** Which events a trial sends: the most telling ones, each with its reason. Pure; one pass, constant memory. */
import type { UsageEventPayload } from '../app-api/usage-event.ts';
import type { RecordRef } from '../domain/source.ts';

export interface OfferedUsageEvent {
  readonly event: UsageEventPayload;
  readonly digest: Buffer;
  readonly atMs: number | undefined;
  readonly ref: RecordRef;
}

export interface UsagePick extends OfferedUsageEvent {
  readonly why: readonly string[];
}

export interface UsagePicker {
  offer(event: OfferedUsageEvent): void;
  picks(): UsagePick[];
}

interface Best {
  readonly score: number;
  readonly offered: OfferedUsageEvent;
}

/** What makes an event telling, the most telling first; the greatest score stands, of equals the first one. */
const FEATURES: readonly {
  readonly why: (offered: OfferedUsageEvent) => string;
  readonly score: (offered: OfferedUsageEvent) => number | undefined;
}[] = [
  {
    why: ({ event }) => `the oldest: ${event.timestamp ?? ''}`,
    score: ({ atMs }) => (atMs === undefined ? undefined : -atMs),
  },
  { why: ({ event }) => `the newest: ${event.timestamp ?? ''}`, score: ({ atMs }) => atMs },
  {
    why: ({ event }) => `the most properties: ${sizeOf(event)}`,
    score: ({ event }) => (sizeOf(event) === 0 ? undefined : sizeOf(event)),
  },
  { why: () => 'without a time', score: ({ atMs }) => (atMs === undefined ? 1 : undefined) },
  {
    why: () => 'names in other scripts',
    score: ({ event }) => (/[^\x20-\x7e]/.test(event.eventName + event.customerId) ? 1 : undefined),
  },
];

function sizeOf({ properties = {} }: UsageEventPayload): number {
  return Object.keys(properties).length;
}

export function createUsagePicker(size: number): UsagePicker {
  const best: (Best | undefined)[] = FEATURES.map(() => undefined);
  /** The first event of each name, as many as are needed. */
  const byName = new Map<string, OfferedUsageEvent>();
  const first: OfferedUsageEvent[] = [];
  return {
    offer(offered) {
      for (const [index, { score }] of FEATURES.entries()) {
        const points = score(offered);
        if (points === undefined || points <= (best[index]?.score ?? Number.NEGATIVE_INFINITY)) continue;
        best[index] = { score: points, offered };
      }
      const { eventName } = offered.event;
      if (byName.size < size && !byName.has(eventName)) byName.set(eventName, offered);
      if (first.length < size) first.push(offered);
    },
    picks() {
      const chosen = new Map<string, { offered: OfferedUsageEvent; why: string[] }>();
      const add = (offered: OfferedUsageEvent, why: string) => {
        const key = offered.digest.toString('hex');
        const known = chosen.get(key);
        if (known !== undefined) known.why.push(why);
        else if (chosen.size < size) chosen.set(key, { offered, why: [why] });
      };
      for (const [name, offered] of byName) add(offered, `the first "${name}"`);
      for (const [index, { why }] of FEATURES.entries()) {
        const found = best[index];
        if (found !== undefined) add(found.offered, why(found.offered));
      }
      for (const offered of first)
        if (!chosen.has(offered.digest.toString('hex'))) add(offered, 'one of the first');
      return [...chosen.values()].map(({ offered, why }) => ({ ...offered, why }));
    },
  };
}
