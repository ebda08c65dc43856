/** Tickets over time as a chart: a column a month, or a quarter or year where there are many months. */
import { TICKET_STATUSES } from '../domain/payload.ts';
import type { MonthRow } from '../domain/survey.ts';
import type { Block, Chart, Swatch } from './blocks.ts';
import { heading } from './blocks.ts';
import { countOf, formatCount } from './format.ts';

/** Columns of the chart, with the next coarser step beyond; of years the newest are shown. */
const MOST = 24;
const MOST_YEARS = 48;
const STEPS = [
  { name: 'month', months: 1 },
  { name: 'quarter', months: 3 },
  { name: 'year', months: 12 },
] as const;

export function monthBlocks(months: readonly MonthRow[]): Block[] {
  const chart = monthChart(months);
  return chart === undefined ? [] : [heading(chart.title, { id: 'tickets' }), chart];
}

/** Without gaps: a month without a ticket is a column with 0. Undefined where there is no month to show. */
export function monthChart(months: readonly MonthRow[]): Chart | undefined {
  const [first, last] = [months[0], months.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const span = numberOf(last.month) - numberOf(first.month);
  const { name, months: size } = STEPS.find((step) => span / step.months < MOST) ?? STEPS[2];
  const statuses = TICKET_STATUSES.filter((status) =>
    months.some(({ byStatus }) => (byStatus[status] ?? 0) > 0),
  );
  const columns = new Map<number, number[]>();
  const at = (month: number) => {
    const bucket = Math.floor(month / size);
    const values = columns.get(bucket) ?? Array.from({ length: Math.max(1, statuses.length) }, () => 0);
    columns.set(bucket, values);
    return values;
  };
  // A single wrong date (0001, 9999) would make thousands of empty columns: only gaps of a sane span are filled.
  if (span <= 12 * 60)
    for (let month = numberOf(first.month); month <= numberOf(last.month); month++) at(month);
  for (const { month, count, byStatus } of months) {
    const values = at(numberOf(month));
    if (statuses.length === 0) values[0] = (values[0] ?? 0) + count;
    for (const [index, status] of statuses.entries())
      values[index] = (values[index] ?? 0) + (byStatus[status] ?? 0);
  }
  const shown = [...columns]
    .slice(-MOST_YEARS)
    .map(([bucket, values]) => ({ label: labelOf(bucket * size, size), values }));
  const total = months.reduce((sum, { count }) => sum + count, 0);
  const busiest = shown.reduce((best, column) => (sumOf(column) > sumOf(best) ? column : best));
  return {
    kind: 'chart',
    title: `Tickets by ${name}`,
    summary: `${countOf(total, 'ticket')} from ${first.month} to ${last.month}; most in ${busiest.label}: ${formatCount(sumOf(busiest))}.`,
    header: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    series:
      statuses.length === 0
        ? [{ label: 'tickets', swatch: 'plain' }]
        : statuses.map((status) => ({ label: status, swatch: status as Swatch })),
    columns: shown,
  };
}

function sumOf({ values }: { readonly values: readonly number[] }): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Of `2024-03`: months since the year 0. */
function numberOf(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1;
}

function labelOf(month: number, size: number): string {
  const year = String(Math.floor(month / 12)).padStart(4, '0');
  if (size === 12) return year;
  if (size === 3) return `${year} Q${Math.floor((month % 12) / 3) + 1}`;
  return `${year}-${String((month % 12) + 1).padStart(2, '0')}`;
}
