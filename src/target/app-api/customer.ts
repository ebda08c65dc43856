/**
 * A customer as the app API tells it, brought into one shape: whatever the price is set by (the platform's app pricing or
 * its legacy billing), whether features and metrics come as a list or by key, with unknown fields left alone. Pure.
 */
import { type Fields, fieldsOf } from './client.ts';

/**
 * Windows over which the service aggregates a metric, by the words that a person writes, with the field of an answer
 * that holds each.
 */
const USAGE_PERIODS = {
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

function isUsagePeriod(word: string): word is UsagePeriod {
  return Object.hasOwn(USAGE_PERIODS, word);
}

interface CustomerPlan {
  readonly id: string | undefined;
  readonly name: string | undefined;
}

export interface CustomerFeature {
  /** The key under which it stands; in a list its id. */
  readonly key: string;
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** `boolean`, `limit`, `limit_with_overage`, or what a newer service says. */
  readonly type: string | undefined;
  readonly value: unknown;
}

export interface CustomerMetric {
  readonly key: string;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly eventName: string | undefined;
  /** Those that the service gives. */
  readonly values: ReadonlyMap<UsagePeriod, number>;
}

export interface CustomerView {
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** `active`, `trialing`, `canceled`, `frozen`, `none`, or what the service says; in small letters. */
  readonly status: string;
  /** What the customer has now: the plan of the subscription, and those of its further lines (add-ons). */
  readonly plans: readonly CustomerPlan[];
  readonly subscription: Fields | undefined;
  readonly features: readonly CustomerFeature[];
  readonly usage: readonly CustomerMetric[];
  /** All fields, as they were answered. */
  readonly raw: Fields;
}

/** @param now milliseconds since the epoch: whether a trial is over, where only its end is told */
export function customerView(raw: Fields, now: number): CustomerView {
  const subscription = fieldsOf(raw['subscription']);
  const own = textOf(raw['billingStatus']) ?? textOf(raw['subscriptionStatus']);
  return {
    id: textOf(raw['id']),
    name: textOf(raw['name']),
    status: own === undefined ? impliedStatus(subscription, now) : plainStatus(own),
    plans: currentPlans(raw, subscription),
    subscription,
    features: entries(raw['features'] ?? subscription?.['features']).map(([key, feature]) => ({
      key,
      id: textOf(feature['id']),
      name: textOf(feature['name']),
      type: textOf(feature['type']),
      value: feature['value'],
    })),
    usage: usageMetrics(raw['usage']),
    raw,
  };
}

/** Metrics in a list or by key, as of a customer or of `GET /usage`. */
export function usageMetrics(value: unknown): CustomerMetric[] {
  return entries(value).map(([key, metric]) => ({
    key,
    id: textOf(metric['id']),
    name: textOf(metric['name']),
    eventName: textOf(metric['eventName']),
    values: new Map(
      USAGE_PERIOD_NAMES.flatMap((period) => {
        const amount = numberOf(metric[USAGE_PERIODS[period]]);
        return amount === undefined ? [] : [[period, amount] as const];
      }),
    ),
  }));
}

/** The words of services for one state. */
const STATUS_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    cancelled: 'canceled',
    trial: 'trialing',
    trialling: 'trialing',
  }),
);

/** How a status is compared: `Cancelled` is `canceled`. */
export function plainStatus(word: string): string {
  const plain = word.trim().toLowerCase();
  return STATUS_WORDS.get(plain) ?? plain;
}

/** What a subscription says where nobody gives the status: its own word, or its times, the last state first. */
function impliedStatus(subscription: Fields | undefined, now: number): string {
  if (subscription === undefined) return 'none';
  const said = textOf(subscription['status']) ?? textOf(subscription['billingStatus']);
  if (said !== undefined) return plainStatus(said);
  const isSet = (...names: string[]) => names.some((name) => textOf(subscription[name]) !== undefined);
  if (isSet('cancelledAt', 'canceledAt')) return 'canceled';
  if (isSet('frozenAt')) return 'frozen';
  if (subscription['active'] === false) return 'none';
  const trialEnd = Date.parse(textOf(subscription['trialExpiresAt']) ?? '');
  if (trialEnd > now) return 'trialing';
  return subscription['active'] === true || isSet('activatedAt') ? 'active' : 'none';
}

/** `plans` of a customer lists what could be bought, so it says nothing about what was. */
function currentPlans(raw: Fields, subscription: Fields | undefined): CustomerPlan[] {
  const lines = subscription?.['lineItems'];
  const found = [
    subscription?.['plan'],
    raw['plan'],
    ...(Array.isArray(lines) ? lines.map((line: unknown) => fieldsOf(line)?.['plan']) : []),
  ].flatMap((value) => planOf(value) ?? []);
  return found.filter(
    (plan, index) => found.findIndex((other) => other.id === plan.id && other.name === plan.name) === index,
  );
}

function planOf(value: unknown): CustomerPlan | undefined {
  const plan = fieldsOf(value);
  if (plan === undefined) {
    const name = textOf(value);
    return name === undefined ? undefined : { id: undefined, name };
  }
  const [id, name] = [textOf(plan['id']), textOf(plan['name'])];
  return id === undefined && name === undefined ? undefined : { id, name };
}

/** An object by its keys, a list by the ids of its elements. Whatever is no object is none. */
function entries(value: unknown): (readonly [key: string, entry: Fields])[] {
  if (Array.isArray(value))
    return value.flatMap((element: unknown, index) => {
      const entry = fieldsOf(element);
      return entry === undefined ? [] : [[textOf(entry['id']) ?? String(index), entry] as const];
    });
  return Object.entries(fieldsOf(value) ?? {}).flatMap(([key, element]) => {
    const entry = fieldsOf(element);
    return entry === undefined ? [] : [[key, entry] as const];
  });
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** A number, also where it is written as a text. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || !/^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(value)) return undefined;
  return Number(value);
}

/** By key, id, name or event name; letters' case counts only where several would fit without it. */
export function findMetric(metrics: readonly CustomerMetric[], wanted: string): CustomerMetric | undefined {
  return findNamed(metrics, wanted, (metric) => [metric.key, metric.id, metric.name, metric.eventName]);
}

export function findFeature(
  features: readonly CustomerFeature[],
  wanted: string,
): CustomerFeature | undefined {
  return findNamed(features, wanted, (feature) => [feature.key, feature.id, feature.name]);
}

function findNamed<T>(
  all: readonly T[],
  wanted: string,
  namesOf: (one: T) => readonly (string | undefined)[],
): T | undefined {
  const exact = all.find((one) => namesOf(one).includes(wanted));
  if (exact !== undefined) return exact;
  const plain = wanted.trim().toLowerCase();
  const alike = all.filter((one) => namesOf(one).some((name) => name?.trim().toLowerCase() === plain));
  return alike.length === 1 ? alike[0] : undefined;
}

/** `orders.last30Days` → metric `orders` over that window; without a known window behind a dot the current value. */
export function metricAndPeriod(text: string): { readonly metric: string; readonly period: UsagePeriod } {
  const dot = text.lastIndexOf('.');
  const word = text.slice(dot + 1);
  if (dot > 0 && isUsagePeriod(word)) return { metric: text.slice(0, dot), period: word };
  return { metric: text, period: 'current' };
}
