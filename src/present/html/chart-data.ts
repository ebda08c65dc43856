/** What the charts show: tickets over time by status, and how a measure is spread over tickets. */
import { TICKET_STATUSES } from '../../domain/payload.ts';
import type { MonthRow } from '../../domain/survey.ts';
import { countOf, formatCount } from '../terminal/format.ts';
import type { ChartColumn, ColumnChart, Tone } from './column-chart.ts';

/** Columns of a chart at most; of a span that is longer even in years, the newest ones are shown. */
const MOST_COLUMNS = 48;

interface Step {
  readonly name: 'month' | 'quarter' | 'year';
  readonly months: number;
}

const STEPS: readonly Step[] = [
  { name: 'month', months: 1 },
  { name: 'quarter', months: 3 },
  { name: 'year', months: 12 },
];
const YEAR: Step = { name: 'year', months: 12 };

const TONES: Readonly<Record<string, Tone>> = {
  open: 'open',
  pending: 'pending',
  resolved: 'resolved',
  closed: 'closed',
};

/** Undefined where there is no month to show. */
export function monthChart(months: readonly MonthRow[]): ColumnChart | undefined {
  const first = months[0];
  const last = months.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const [from, to] = [monthNumber(first.month), monthNumber(last.month)];
  const step = STEPS.find(({ months: size }) => (to - from) / size < MOST_COLUMNS) ?? YEAR;
  const statuses = TICKET_STATUSES.filter((status) =>
    months.some(({ byStatus }) => (byStatus[status] ?? 0) > 0),
  );
  const sums = sumsOf(months, step, statuses);
  const columns = columnsOf(sums, step, statuses.length);
  const busiest = columns.reduce((best, column) => (sumOf(column) > sumOf(best) ? column : best));
  const total = months.reduce((sum, { count }) => sum + count, 0);
  const leftOut = total - columns.reduce((sum, column) => sum + sumOf(column), 0);
  return {
    title: `Tickets created by ${step.name}${leftOut > 0 ? ` (without ${countOf(leftOut, 'older ticket')})` : ''}`,
    summary: `${countOf(total, 'ticket')} from ${labelOf(from, STEPS[0] ?? step)} to ${labelOf(to, STEPS[0] ?? step)}; most in ${busiest.label}: ${formatCount(sumOf(busiest))}.`,
    header: `${step.name.charAt(0).toUpperCase()}${step.name.slice(1)}`,
    series: statuses.map((status) => ({ label: status, tone: TONES[status] ?? 'plain' })),
    columns,
  };
}

/** Tickets by status in each step that has some. */
function sumsOf(months: readonly MonthRow[], { months: size }: Step, statuses: readonly string[]) {
  const sums = new Map<number, number[]>();
  for (const { month, byStatus } of months) {
    const at = Math.floor(monthNumber(month) / size);
    let values = sums.get(at);
    if (values === undefined) {
      values = statuses.map(() => 0);
      sums.set(at, values);
    }
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
    const label = labelOf(month, step);
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

function labelOf(month: number, { name }: Step): string {
  const year = yearOf(month);
  if (name === 'year') return year;
  return name === 'quarter'
    ? `Q${Math.floor((month % 12) / 3) + 1} ${year}`
    : `${MONTHS[month % 12]} ${year}`;
}

function yearOf(month: number): string {
  return String(Math.floor(month / 12)).padStart(4, '0');
}

function monthNumber(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1;
}

function sumOf({ values }: ChartColumn): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** How a measure is spread over tickets: bars of growing width, and the median. Constant memory whatever the number of tickets. */
interface Bin {
  readonly label: string;
  /** Where there is little room. */
  readonly short?: string | undefined;
  readonly count: number;
}

export interface Distribution {
  readonly bins: readonly Bin[];
  readonly total: number;
  /** Half of the tickets have less, half have more; absent where there are no tickets. In the unit of what was offered. */
  readonly median?: number | undefined;
}

interface DistributionBuilder {
  add(measure: number): void;
  result(): Distribution;
}

interface BinSpec {
  readonly label: string;
  readonly short?: string | undefined;
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
        short,
        count: counts[index] ?? 0,
      }));
      const last = bins.findLastIndex(({ count }) => count > 0);
      const middle = medianSlot(slots, total);
      return {
        bins: bins.slice(0, last + 1),
        total,
        median: middle === undefined ? undefined : measureOf(middle),
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
