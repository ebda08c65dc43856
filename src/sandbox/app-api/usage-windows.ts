/**
 * The windows over which usage is aggregated (public facts). Pure.
 *
 * A window of so many days reaches from exactly that long ago, not included, to now, included: an event is in it for
 * exactly so long. The month begins at its first midnight, included, in UTC. What lies in the future counts nowhere yet.
 */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Each value of an answer with the first millisecond that counts. */
export interface UsageWindow {
  readonly field: WindowField;
  readonly fromMs: number;
}

export const WINDOW_FIELDS = [
  'currentValue',
  'monthToDateValue',
  'last24HoursValue',
  'last7DaysValue',
  'last30DaysValue',
  'last90DaysValue',
  'last365DaysValue',
  'allTimeValue',
] as const;
export type WindowField = (typeof WINDOW_FIELDS)[number];

/** @param periodStart where the billing period of the customer begins, included; without one all time is current */
export function usageWindows(now: number, periodStart: number | undefined): readonly UsageWindow[] {
  const date = new Date(now);
  const ago = (ms: number) => now - ms + 1;
  const from: Record<WindowField, number> = {
    currentValue: periodStart ?? Number.MIN_SAFE_INTEGER,
    monthToDateValue: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1),
    last24HoursValue: ago(DAY_MS),
    last7DaysValue: ago(7 * DAY_MS),
    last30DaysValue: ago(30 * DAY_MS),
    last90DaysValue: ago(90 * DAY_MS),
    last365DaysValue: ago(365 * DAY_MS),
    allTimeValue: Number.MIN_SAFE_INTEGER,
  };
  return WINDOW_FIELDS.map((field) => ({ field, fromMs: from[field] }));
}
