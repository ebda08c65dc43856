/** Tickets over time by status, as the columns of a chart: months, or quarters or years where there are many of them. */
import { TICKET_STATUSES } from '../../domain/payload.ts';
import type { MonthRow } from '../../domain/survey.ts';
import { countOf, formatCount } from '../format.ts';
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
      ...(below === undefined ? {} : { below }),
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
