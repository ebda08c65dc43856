/** How a measure is spread over tickets: bars of growing width, and the median. Constant memory whatever the number of tickets. */

export interface Bin {
  readonly label: string;
  /** Where there is little room. */
  readonly short?: string;
  readonly count: number;
}

export interface Distribution {
  readonly bins: readonly Bin[];
  readonly total: number;
  /** Half of the tickets have less, half have more; absent where there are no tickets. In the unit of what was offered. */
  readonly median?: number;
}

export interface DistributionBuilder {
  add(measure: number): void;
  result(): Distribution;
}

interface BinSpec {
  readonly label: string;
  readonly short?: string;
  /** The bin holds what is less than this, and not in the bins before. */
  readonly below: number;
}

const MESSAGE_BINS: readonly BinSpec[] = [
  ...[0, 1, 2, 3, 4, 5].map((messages) => ({ label: String(messages), below: messages + 1 })),
  { label: '6–10', below: 11 },
  { label: '11–20', below: 21 },
  { label: '21–50', below: 51 },
  { label: '51–200', below: 201 },
  { label: 'over 200', below: Number.POSITIVE_INFINITY },
];
/** The median of message counts is exact up to this; nobody asks beyond. */
const EXACT = 1000;

/** Messages per ticket; empty bins at the end are left out. */
export function messageDistribution(): DistributionBuilder {
  return distribution(
    MESSAGE_BINS,
    (messages) => Math.min(EXACT, messages),
    (slot) => slot,
  );
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const COMPLETION_BINS: readonly BinSpec[] = [
  { label: 'under 10 min', short: '<10m', below: 10 * MINUTE },
  { label: '10–60 min', short: '<1h', below: HOUR },
  { label: '1–4 hours', short: '<4h', below: 4 * HOUR },
  { label: '4–24 hours', short: '<1d', below: DAY },
  { label: '1–3 days', short: '<3d', below: 3 * DAY },
  { label: '3–7 days', short: '<7d', below: 7 * DAY },
  { label: '1–4 weeks', short: '<4wk', below: 28 * DAY },
  { label: '1–3 months', short: '<3mo', below: 91 * DAY },
  { label: 'over 3 months', short: 'more', below: Number.POSITIVE_INFINITY },
];
/** Slots per doubling of the time: the median is within 6 % of the true one. */
const FINENESS = 8;

/** Milliseconds from creation to completion; what ended before it began is not counted. */
export function completionDistribution(): DistributionBuilder {
  const builder = distribution(
    COMPLETION_BINS,
    (milliseconds) => Math.round(Math.log2(1 + milliseconds / MINUTE) * FINENESS),
    (slot) => (2 ** (slot / FINENESS) - 1) * MINUTE,
  );
  return {
    add: (milliseconds) => {
      if (milliseconds >= 0) builder.add(milliseconds);
    },
    result: builder.result,
  };
}

function distribution(
  specs: readonly BinSpec[],
  slotOf: (measure: number) => number,
  measureOf: (slot: number) => number,
): DistributionBuilder {
  const counts = specs.map(() => 0);
  const slots = new Map<number, number>();
  let total = 0;
  return {
    add: (measure) => {
      const bin = specs.findIndex(({ below }) => measure < below);
      counts[bin] = (counts[bin] ?? 0) + 1;
      const slot = slotOf(measure);
      slots.set(slot, (slots.get(slot) ?? 0) + 1);
      total++;
    },
    result: () => {
      const bins = specs.map(({ label, short }, index) => ({
        label,
        ...(short === undefined ? {} : { short }),
        count: counts[index] ?? 0,
      }));
      const last = bins.findLastIndex(({ count }) => count > 0);
      const middle = medianSlot(slots, total);
      return {
        bins: bins.slice(0, last + 1),
        total,
        ...(middle === undefined ? {} : { median: measureOf(middle) }),
      };
    },
  };
}

function medianSlot(slots: ReadonlyMap<number, number>, total: number): number | undefined {
  let left = total / 2;
  for (const [slot, count] of [...slots].sort(([a], [b]) => a - b)) {
    left -= count;
    if (left <= 0) return slot;
  }
  return undefined;
}
