/** What the charts show: tickets over time by status, and how a measure is spread over tickets. */
import { TICKET_STATUSES } from '../../domain/payload.ts';
import type { MonthRow } from '../../domain/survey.ts';
import { countOf, formatCount } from '../format.ts';
import { monthNumber, type Step, spanOf, stepFor, yearOf } from '../terminal/month-chart.ts';
import type { ChartColumn, ColumnChart, Tone } from './column-chart.ts';

/** Columns of a chart at most; of a span that is longer even in years, the newest ones are shown. */
const MOST_COLUMNS = 48;

const TONES: ReadonlyMap<string, Tone> = new Map(
  Object.entries({
    open: 'open',
    pending: 'pending',
    resolved: 'resolved',
    closed: 'closed',
  }),
);

/** Undefined where there is no month to show. */
export function monthChart(months: readonly MonthRow[]): ColumnChart | undefined {
  if (months.length === 0) return undefined;
  const step = stepFor(months, MOST_COLUMNS);
  const [from, to] = spanOf(months, 1);
  const statuses = TICKET_STATUSES.filter((status) =>
    months.some(({ byStatus }) => (byStatus[status] ?? 0) > 0),
  );
  const columns = columnsOf(sumsOf(months, step, statuses), step, statuses.length);
  const busiest = columns.reduce((best, column) => (sumOf(column) > sumOf(best) ? column : best));
  const total = months.reduce((sum, { count }) => sum + count, 0);
  const leftOut = total - columns.reduce((sum, column) => sum + sumOf(column), 0);
  return {
    title: `Tickets created by ${step.name}${leftOut > 0 ? ` (without ${countOf(leftOut, 'older ticket')})` : ''}`,
    summary: `${countOf(total, 'ticket')} from ${labelOf(from, 'month')} to ${labelOf(to, 'month')}; most in ${busiest.label}: ${formatCount(sumOf(busiest))}.`,
    header: `${step.name.charAt(0).toUpperCase()}${step.name.slice(1)}`,
    series: statuses.map((status) => ({ label: status, tone: TONES.get(status) ?? 'plain' })),
    columns,
  };
}

/** Tickets by status in each step that has some. */
function sumsOf(months: readonly MonthRow[], { months: size }: Step, statuses: readonly string[]) {
  const sums = new Map<number, number[]>();
  for (const { month, byStatus } of months) {
    const at = Math.floor(monthNumber(month) / size);
    const values = sums.get(at) ?? statuses.map(() => 0);
    sums.set(at, values);
    for (const [index, status] of statuses.entries())
      values[index] = (values[index] ?? 0) + (byStatus[status] ?? 0);
  }
  return sums;
}

/** Without gaps, unless single wrong dates (0001, 9999) make the span too long for that. */
function columnsOf(sums: ReadonlyMap<number, readonly number[]>, step: Step, series: number): ChartColumn[] {
  const there = [...sums.keys()];
  const [from, to] = [Math.min(...there), Math.max(...there)];
  const all =
    to - from < MOST_COLUMNS
      ? Array.from({ length: to - from + 1 }, (_, index) => from + index)
      : there.sort((a, b) => a - b).slice(-MOST_COLUMNS);
  const empty = Array.from({ length: series }, () => 0);
  let year = '';
  return all.map((at) => {
    const month = at * step.months;
    const label = labelOf(month, step.name);
    const ownYear = yearOf(month);
    const below = step.name !== 'year' && ownYear !== year ? ownYear : undefined;
    year = ownYear;
    return {
      label,
      tick: step.name === 'year' ? label : label.slice(0, label.indexOf(' ')).slice(0, 3),
      below,
      values: sums.get(at) ?? empty,
    };
  });
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

function labelOf(month: number, step: Step['name']): string {
  const year = yearOf(month);
  if (step === 'year') return year;
  return step === 'quarter'
    ? `Q${Math.floor((month % 12) / 3) + 1} ${year}`
    : `${MONTHS[month % 12]} ${year}`;
}

function sumOf({ values }: ChartColumn): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Counts of a measure by slots of it: memory is bounded, and quantiles are near the true ones. */
export class Slots {
  readonly #counts = new Map<number, number>();
  readonly #slotOf: (measure: number) => number;
  readonly #measureOf: (slot: number) => number;
  total = 0;

  constructor(slotOf: (measure: number) => number, measureOf: (slot: number) => number) {
    this.#slotOf = slotOf;
    this.#measureOf = measureOf;
  }

  /** For times, in milliseconds: eight slots per doubling, so that a quantile is within 5 % of the true one. */
  static ofTimes(): Slots {
    return new Slots(
      (milliseconds) => Math.round(Math.log2(1 + milliseconds) * 8),
      (slot) => 2 ** (slot / 8) - 1,
    );
  }

  add(measure: number): void {
    const slot = this.#slotOf(measure);
    this.#counts.set(slot, (this.#counts.get(slot) ?? 0) + 1);
    this.total++;
  }

  /** Undefined where nothing was added. */
  quantile(share: number): number | undefined {
    let left = this.total * share;
    for (const [slot, count] of [...this.#counts].sort(([a], [b]) => a - b)) {
      left -= count;
      if (left <= 0) return this.#measureOf(slot);
    }
    return undefined;
  }
}

/** How a measure is spread over tickets: bars of growing width, and the median. */
export interface Distribution {
  readonly bins: readonly {
    readonly label: string;
    /** Where there is little room. */
    readonly short?: string | undefined;
    readonly count: number;
  }[];
  readonly total: number;
  /** Half of the tickets have less, half have more; absent where there are no tickets. In the unit of what was offered. */
  readonly median?: number | undefined;
}

/** A bin holds what is less than `below`, and not in the bins before. */
type BinSpec = readonly [below: number, label: string, short?: string];

const MESSAGE_BINS: readonly BinSpec[] = [
  ...[0, 1, 2, 3, 4, 5].map((messages): BinSpec => [messages + 1, String(messages)]),
  [11, '6–10'],
  [21, '11–20'],
  [51, '21–50'],
  [201, '51–200'],
  [Number.POSITIVE_INFINITY, 'over 200'],
];
/** The median of message counts is exact up to this; nobody asks beyond. */
const EXACT = 1000;

/** Messages per ticket; empty bins at the end are left out. */
export function messageDistribution() {
  return distribution(
    MESSAGE_BINS,
    new Slots(
      (messages) => Math.min(EXACT, messages),
      (slot) => slot,
    ),
  );
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const COMPLETION_BINS: readonly BinSpec[] = [
  [10 * MINUTE, 'under 10 min', '<10m'],
  [HOUR, '10–60 min', '<1h'],
  [4 * HOUR, '1–4 hours', '<4h'],
  [DAY, '4–24 hours', '<1d'],
  [3 * DAY, '1–3 days', '<3d'],
  [7 * DAY, '3–7 days', '<7d'],
  [28 * DAY, '1–4 weeks', '<4wk'],
  [91 * DAY, '1–3 months', '<3mo'],
  [Number.POSITIVE_INFINITY, 'over 3 months', 'more'],
];

/** Milliseconds from creation to completion; what ended before it began is not counted. */
export function completionDistribution() {
  return distribution(COMPLETION_BINS, Slots.ofTimes());
}

function distribution(specs: readonly BinSpec[], slots: Slots) {
  const counts = specs.map(() => 0);
  return {
    add: (measure: number): void => {
      if (measure < 0) return;
      const bin = specs.findIndex(([below]) => measure < below);
      counts[bin] = (counts[bin] ?? 0) + 1;
      slots.add(measure);
    },
    result: (): Distribution => ({
      bins: specs
        .map(([, label, short], index) => ({ label, short, count: counts[index] ?? 0 }))
        .slice(0, counts.findLastIndex((count) => count > 0) + 1),
      total: slots.total,
      median: slots.quantile(0.5),
    }),
  };
}
