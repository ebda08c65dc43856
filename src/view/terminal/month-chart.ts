/** Tickets over time as a small chart of text: a row a month, or a quarter or year where there are many months. */
import type { MonthRow } from '../../domain/survey.ts';
import { formatCount } from '../format.ts';
import type { Style } from './style.ts';
import { heading, tableLines } from './text-block.ts';

export interface Bucket {
  /** `2024-03`, `2024 Q1` or `2024`. */
  readonly label: string;
  readonly count: number;
}

/** Rows that the chart has at most, with the next coarser step beyond; years are never cut. */
const MOST_ROWS = 24;
const WIDEST_BAR = 40;

export function monthLines(months: readonly MonthRow[], style: Style): string[] {
  if (months.length === 0) return [];
  const { title, buckets } = bucketsOf(months);
  const most = Math.max(...buckets.map(({ count }) => count));
  const room = Math.min(WIDEST_BAR, style.width - 30);
  return [
    ...heading(`Tickets by ${title}`, style),
    ...tableLines(
      buckets.map(({ label, count }) => [
        label,
        formatCount(count),
        { text: bar(count / most, room, style), paint: style.cyan },
      ]),
      [{}, { align: 'right' }, {}],
      style,
    ),
  ];
}

/** Without gaps: a month without a ticket is a row with 0. */
export function bucketsOf(months: readonly MonthRow[]): { title: string; buckets: Bucket[] } {
  const { name, months: size } = stepFor(months, MOST_ROWS);
  const [from, to] = spanOf(months, size);
  const counts = new Map<number, number>();
  // A single wrong date (0001, 9999) would make thousands of empty rows: only gaps of a sane span are filled.
  if ((to - from) * size <= 12 * 60) for (let bucket = from; bucket <= to; bucket++) counts.set(bucket, 0);
  for (const { month, count } of months) {
    const bucket = Math.floor(monthNumber(month) / size);
    counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  }
  const buckets = [...counts].map(([bucket, count]) => ({ label: labelOf(bucket * size, size), count }));
  return { title: name, buckets };
}

export interface Step {
  readonly name: 'month' | 'quarter' | 'year';
  readonly months: number;
}

const YEAR: Step = { name: 'year', months: 12 };
const STEPS: readonly Step[] = [{ name: 'month', months: 1 }, { name: 'quarter', months: 3 }, YEAR];

/** The finest step of which there are less than `most`, or years. */
export function stepFor(rows: readonly MonthRow[], most: number): Step {
  const [from, to] = spanOf(rows, 1);
  return STEPS.find(({ months }) => (to - from) / months < most) ?? YEAR;
}

/** The first and the last of the steps of this size, counted from the year 0. */
export function spanOf(rows: readonly MonthRow[], size: number): [from: number, to: number] {
  const at = (row: MonthRow | undefined) => Math.floor(monthNumber(row?.month ?? '') / size);
  return [at(rows[0]), at(rows.at(-1))];
}

/** Of `2024-03`: months since the year 0. */
export function monthNumber(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1;
}

export function yearOf(month: number): string {
  return String(Math.floor(month / 12)).padStart(4, '0');
}

function labelOf(month: number, size: number): string {
  const year = yearOf(month);
  if (size === 12) return year;
  if (size === 3) return `${year} Q${Math.floor((month % 12) / 3) + 1}`;
  return `${year}-${String((month % 12) + 1).padStart(2, '0')}`;
}

/** Something that is there is never shown as nothing. */
function bar(share: number, room: number, { symbols: { levels } }: Style): string {
  const steps = levels.length - 1;
  const filled = share > 0 ? Math.max(1, Math.round(share * room * steps)) : 0;
  const full = levels.at(-1) ?? '#';
  return (full.repeat(Math.floor(filled / steps)) + (levels[filled % steps] ?? '')).trimEnd();
}
