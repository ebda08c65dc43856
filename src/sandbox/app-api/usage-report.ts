/** A metric by days, weeks or months: what `GET /usage_events/{metric}/report` answers. Times are UTC; weeks begin on Monday. */
import type { SandboxStore } from '../store/store.ts';
import type { SeededMetric } from './billing-seed.ts';
import { type UsageWindow, WINDOW_FIELDS } from './usage-windows.ts';

export const REPORT_PERIODS = ['daily', 'weekly', 'monthly'] as const;
export type ReportPeriod = (typeof REPORT_PERIODS)[number];

/** Intervals of a report, the one that goes on included. */
const INTERVALS: Record<ReportPeriod, number> = { daily: 30, weekly: 12, monthly: 12 };
const DAY_MS = 86_400_000;

export interface UsageReport {
  readonly startDate: string;
  readonly endDate: string;
  readonly period: ReportPeriod;
  readonly data: readonly { readonly date: string; readonly value: number }[];
}

export function usageReport(
  store: SandboxStore,
  metric: Pick<SeededMetric, 'eventName' | 'aggregate' | 'property'>,
  customerId: string | undefined,
  period: ReportPeriod,
  now: number,
): UsageReport {
  const starts = intervalStarts(period, now);
  const data = starts.map((start, index) => {
    const end = (starts[index + 1] ?? now + 1) - 1;
    const windows: UsageWindow[] = WINDOW_FIELDS.map((field) => ({ field, fromMs: start }));
    const { currentValue } = store.usage.aggregate(metric, customerId, windows, Math.min(end, now));
    return { date: dateOf(start), value: currentValue };
  });
  return { startDate: dateOf(starts[0] ?? now), endDate: dateOf(now), period, data };
}

function intervalStarts(period: ReportPeriod, now: number): number[] {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const back = Array.from({ length: INTERVALS[period] }, (_, index) => INTERVALS[period] - 1 - index);
  if (period === 'monthly') return back.map((months) => Date.UTC(year, month - months, 1));
  const today = Date.UTC(year, month, day);
  const first = period === 'daily' ? today : today - ((date.getUTCDay() + 6) % 7) * DAY_MS;
  return back.map((steps) => first - steps * (period === 'daily' ? 1 : 7) * DAY_MS);
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
