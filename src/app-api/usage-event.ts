/** Usage events as they go over the wire (specification, 2.6 and 4.4; public facts, "App API"). */

export interface UsageEventPayload {
  readonly eventName: string;
  /** The customer's id, or whatever else the service knows the customer by (a shop's domain). */
  readonly customerId: string;
  /** Makes sending idempotent: of several events with one id the service counts one. */
  readonly eventId: string;
  /** UTC ISO-8601; absent: the service takes the time of the request. */
  readonly timestamp?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/**
 * Windows over which the service aggregates a metric, by the words that a person writes, with the field of an answer
 * that holds each.
 */
export const USAGE_PERIODS = {
  current: 'currentValue',
  monthToDate: 'monthToDateValue',
  last24Hours: 'last24HoursValue',
  last7Days: 'last7DaysValue',
  last30Days: 'last30DaysValue',
  last90Days: 'last90DaysValue',
  last365Days: 'last365DaysValue',
  allTime: 'allTimeValue',
} as const;
export type UsagePeriod = keyof typeof USAGE_PERIODS;
export const USAGE_PERIOD_NAMES = Object.keys(USAGE_PERIODS) as readonly UsagePeriod[];

export function isUsagePeriod(word: string): word is UsagePeriod {
  return Object.hasOwn(USAGE_PERIODS, word);
}
