/** What reads of the app API answer: the customer with its plan, features and usage; and a metric over time (public facts). */
import type { SandboxStore } from '../store/store.ts';
import type { BillingStatus, SeededCustomer, SeededFeatures, SeededMetric, SeededPlan } from './catalog.ts';
import { DAY_MS, type UsageWindow, usageWindows, WINDOW_FIELDS } from './usage-events.ts';

export type AnsweredCustomer = NonNullable<ReturnType<typeof customerAnswer>> & {
  readonly [field: string]: unknown;
};
export type AnsweredMetric = AnsweredCustomer['usage'][string];
export type AnsweredFeature = AnsweredCustomer['features'][string];

/**
 * Undefined for a customer that was neither seeded nor has events. Adding up the usage of a customer takes time where there
 * are many of them to list: `without usage` leaves it empty.
 */
export function customerAnswer(
  store: SandboxStore,
  name: string,
  now: number,
  detail: 'whole' | 'without usage' = 'whole',
) {
  const { catalog, usage } = store;
  const seeded = catalog.find(name);
  const id = seeded?.id ?? name;
  if (seeded === undefined && !usage.knowsCustomer(id)) return undefined;
  const plans = catalog.plans();
  const held = [seeded?.plan ?? []]
    .flat()
    .flatMap((planId) => plans.find((plan) => plan.id === planId) ?? []);
  const billingStatus = seeded?.status ?? (held.length > 0 ? 'active' : 'none');
  const live = billingStatus === 'active' || billingStatus === 'trialing';
  const entitled: SeededFeatures = Object.assign(
    {},
    ...(live ? held.map(({ features }) => features) : []),
    seeded?.features,
  );
  return {
    ...extra(seeded),
    id,
    name: seeded?.name ?? null,
    test: true,
    billingStatus,
    plans: plans.filter((plan) => plan.public).map(planAnswer),
    subscription: subscriptionAnswer(seeded, held, billingStatus),
    features: featuresAnswer(entitled),
    usage: detail === 'whole' ? usageAnswer(store, id, now, periodStartOf(seeded)) : {},
    usageCredits: [],
    reviews: [],
  };
}

/** Every metric of a customer; of all customers together where none is named. */
export function usageAnswer(
  store: SandboxStore,
  customerId: string | undefined,
  now: number,
  periodStart?: number,
) {
  const { catalog, usage } = store;
  const windows = usageWindows(now, periodStart);
  const declared = catalog.metrics();
  const counted = usage
    .eventNames(customerId)
    // An event that no metric is about is counted all the same, so that whatever is sent can be seen.
    .filter((eventName) => !declared.some((metric) => metric.eventName === eventName))
    .map((eventName): SeededMetric => ({ key: eventName, eventName, aggregate: 'count' }));
  return Object.fromEntries(
    [...declared, ...counted].map((metric) => [
      metric.key,
      {
        id: `metric_${metric.key}`,
        name: metric.name ?? metric.key,
        eventName: metric.eventName,
        ...usage.aggregate(metric, customerId, windows, now),
      },
    ]),
  );
}

/** Milliseconds since the epoch. */
export function periodStartOf(customer: SeededCustomer | undefined): number | undefined {
  return customer?.currentPeriodStart === undefined ? undefined : Date.parse(customer.currentPeriodStart);
}

/** Fields of the seed that have no meaning here are answered as they are; the customer's token never is. */
function extra(seeded: SeededCustomer | undefined): Record<string, unknown> {
  if (seeded === undefined) return {};
  const { apiToken: _, plan: _plan, status: _status, features: _features, billing, ...rest } = seeded;
  return { ...rest, platform: 'shopify', billingProvider: billing === 'legacy' ? 'legacy' : 'app_pricing' };
}

function planAnswer(plan: SeededPlan): Record<string, unknown> {
  const { features, ...rest } = plan;
  return {
    ...rest,
    availability: plan.public ? 'public' : 'customer',
    visible: plan.public,
    eligible: true,
    total: plan.amount,
    subtotal: plan.amount,
    presentmentAmount: plan.amount,
    presentmentCurrencyCode: plan.currencyCode,
    features: featuresAnswer(features),
    featuresOrder: Object.keys(features),
    usageCharges: [],
    discounts: [],
    bundleDiscounts: [],
  };
}

function subscriptionAnswer(
  seeded: SeededCustomer | undefined,
  held: readonly SeededPlan[],
  status: BillingStatus,
) {
  const [base] = held;
  if (seeded === undefined || base === undefined || status === 'none') return null;
  const total = held.reduce((sum, plan) => sum + plan.amount, 0);
  const { currentPeriodStart, trialExpiresAt } = seeded;
  return {
    id: `sub_${seeded.id}`,
    active: status === 'active' || status === 'trialing',
    plan: planAnswer(base),
    lineItems: held.map((plan) => ({
      id: `line_${seeded.id}_${plan.id}`,
      type: 'recurring',
      amount: plan.amount,
      currencyCode: plan.currencyCode,
      presentmentAmount: plan.amount,
      presentmentCurrencyCode: plan.currencyCode,
      plan: planAnswer(plan),
    })),
    currentPeriodStart,
    trialExpiresAt,
    features: featuresAnswer(Object.assign({}, ...held.map(({ features }) => features))),
    featuresOrder: held.flatMap(({ features }) => Object.keys(features)),
    usageCharges: [],
    total,
    subtotal: total,
    presentmentTotal: total,
    presentmentSubtotal: total,
  };
}

function featuresAnswer(features: SeededFeatures) {
  return Object.fromEntries(
    Object.entries(features).map(([key, written], index) => {
      const type: string = typeof written === 'boolean' ? 'boolean' : 'limit';
      const { name = key, ...full } = typeof written === 'object' ? written : { type, value: written };
      return [key, { id: `feature_${key}`, name, ...full, displayOrder: index }];
    }),
  );
}

/** A metric by days, weeks or months: what `GET /usage_events/{metric}/report` answers. Times are UTC; weeks begin on Monday. */
export const REPORT_PERIODS = ['daily', 'weekly', 'monthly'] as const;
type ReportPeriod = (typeof REPORT_PERIODS)[number];

/** Intervals of a report, the one that goes on included. */
const INTERVALS: Record<ReportPeriod, number> = { daily: 30, weekly: 12, monthly: 12 };

export function usageReport(
  store: SandboxStore,
  metric: Pick<SeededMetric, 'eventName' | 'aggregate' | 'property'>,
  customerId: string | undefined,
  period: ReportPeriod,
  now: number,
) {
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
