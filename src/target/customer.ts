/** A customer as the app API answers it, in one shape: features and metrics as a list or by key, unknown fields kept. Pure. */
import { isJsonObject } from '../domain/source-file.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Windows of a usage metric: the word that a person writes; the service calls its field `last7DaysValue` and so on. */
const USAGE_PERIODS = [
  'current',
  'monthToDate',
  'last24Hours',
  'last7Days',
  'last30Days',
  'last90Days',
  'last365Days',
  'allTime',
] as const;
export type UsagePeriod = (typeof USAGE_PERIODS)[number];

/** A feature or a usage metric. */
export interface Entry {
  /** Its key; in a list its ID. */
  readonly key: string;
  readonly name: string;
  readonly fields: Fields;
}

export interface CustomerView {
  /** `active`, `trialing`, `canceled`, `frozen`, `none`, or another word of the service, in small letters. */
  readonly status: string;
  /** ID and name of the subscription's plan and of its add-ons. */
  readonly plans: readonly { readonly id: string | undefined; readonly name: string | undefined }[];
  readonly features: readonly Entry[];
  readonly usage: readonly Entry[];
  readonly subscription: Fields;
}

/** @param now milliseconds since the epoch, which tell whether a trial is over */
export function customerView(customer: Fields, now: number): CustomerView {
  const subscription = fieldsOf(customer['subscription']);
  const status = textOf(customer['billingStatus']) ?? textOf(customer['subscriptionStatus']);
  const lines = Array.isArray(subscription['lineItems']) ? subscription['lineItems'] : [];
  // `plans` of a customer lists what could be bought.
  const plans = [subscription['plan'], customer['plan'], ...lines.map((line) => fieldsOf(line)['plan'])]
    .map((plan) => (typeof plan === 'string' ? { name: plan } : fieldsOf(plan)))
    .map((plan: Fields) => ({ id: textOf(plan['id']), name: textOf(plan['name']) }))
    .filter(({ id, name }) => id !== undefined || name !== undefined);
  return {
    status: status === undefined ? impliedStatus(subscription, now) : plainStatus(status),
    plans: [...new Map(plans.map((plan) => [JSON.stringify(plan), plan])).values()],
    features: entriesOf(customer['features'] ?? subscription['features']),
    usage: entriesOf(customer['usage']),
    subscription,
  };
}

/** A status in the words of the service: `Cancelled` is `canceled`. */
export function plainStatus(word: string): string {
  const plain = word.trim().toLowerCase();
  if (plain === 'cancelled') return 'canceled';
  return plain === 'trial' || plain === 'trialling' ? 'trialing' : plain;
}

/** From the subscription's own word, else from its times, the last state first. */
function impliedStatus(subscription: Fields, now: number): string {
  const said = textOf(subscription['status']) ?? textOf(subscription['billingStatus']);
  if (said !== undefined) return plainStatus(said);
  const has = (field: string) => textOf(subscription[field]) !== undefined;
  if (has('cancelledAt') || has('canceledAt')) return 'canceled';
  if (has('frozenAt')) return 'frozen';
  if (subscription['active'] === false) return 'none';
  if (Date.parse(textOf(subscription['trialExpiresAt']) ?? '') > now) return 'trialing';
  return subscription['active'] === true || has('activatedAt') ? 'active' : 'none';
}

/** An object by its keys, a list by the IDs of its elements. */
export function entriesOf(value: unknown): Entry[] {
  const all = Array.isArray(value) ? value.entries() : Object.entries(fieldsOf(value));
  return [...all].flatMap(([at, entry]) => {
    if (!isJsonObject(entry)) return [];
    const key = typeof at === 'string' ? at : (textOf(entry['id']) ?? String(at));
    return [{ key, name: textOf(entry['name']) ?? key, fields: entry }];
  });
}

/** By key, ID, name or event name; without regard to capitals where only one fits. */
export function findEntry(entries: readonly Entry[], wanted: string): Entry | undefined {
  const plain = (text: string) => text.trim().toLowerCase();
  const namesOf = ({ key, fields }: Entry) =>
    [key, fields['id'], fields['name'], fields['eventName']].flatMap((name) => textOf(name) ?? []);
  const exact = entries.find((entry) => namesOf(entry).includes(wanted));
  const alike = entries.filter((entry) => namesOf(entry).map(plain).includes(plain(wanted)));
  return exact ?? (alike.length === 1 ? alike[0] : undefined);
}

/** The values of a metric that the service gives. */
export function valuesOf({ fields }: Entry): Map<UsagePeriod, number> {
  const values = USAGE_PERIODS.map((period) => [period, numberOf(fields[`${period}Value`])] as const);
  return new Map(values.filter((one): one is [UsagePeriod, number] => one[1] !== undefined));
}

/** `orders.last30Days` → the metric `orders` over that window; without a window its current value. */
export function metricAndPeriod(text: string): { readonly metric: string; readonly period: UsagePeriod } {
  const dot = text.lastIndexOf('.');
  const period = USAGE_PERIODS.find((one) => one === text.slice(dot + 1));
  return dot <= 0 || period === undefined
    ? { metric: text, period: 'current' }
    : { metric: text.slice(0, dot), period };
}

export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** A number, also if it is written as a text. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' && /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

export function fieldsOf(value: unknown): Fields {
  return isJsonObject(value) ? value : {};
}
