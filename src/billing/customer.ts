/** The app API's customer in one shape: features and metrics as a list or by key, unknown fields kept. Pure. */

import { isJsonObject } from '../domain/source-file.ts';
import { numberOf, textOf } from '../domain/text/foreign.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Usage windows: the service calls the field of `last7Days` `last7DaysValue`. */
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

export interface Entry {
  readonly key: string;
  readonly name: string;
  readonly fields: Fields;
}

export interface CustomerView {
  /** `active`, `trialing`, `canceled`, `frozen`, `none`, or another word of the service, in small letters. */
  readonly status: string;
  readonly plans: readonly { readonly id: string | undefined; readonly name: string | undefined }[];
  readonly features: readonly Entry[];
  readonly usage: readonly Entry[];
  readonly subscription: Fields;
}

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

/** `Cancelled` → `canceled`. */
export function plainStatus(word: string): string {
  const plain = word.trim().toLowerCase();
  if (plain === 'cancelled') return 'canceled';
  return plain === 'trial' || plain === 'trialling' ? 'trialing' : plain;
}

/** From the subscription's word, else from its times, the last state first. */
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

export function entriesOf(value: unknown): Entry[] {
  const all = Array.isArray(value) ? value.entries() : Object.entries(fieldsOf(value));
  return [...all].flatMap(([at, entry]) => {
    if (!isJsonObject(entry)) return [];
    const key = typeof at === 'string' ? at : (textOf(entry['id']) ?? String(at));
    return [{ key, name: textOf(entry['name']) ?? key, fields: entry }];
  });
}

/** By key, ID, name or event name; ignores case if only one fits. */
export function findEntry(entries: readonly Entry[], wanted: string): Entry | undefined {
  const plain = (text: string) => text.trim().toLowerCase();
  const namesOf = ({ key, fields }: Entry) =>
    [key, fields['id'], fields['name'], fields['eventName']].flatMap((name) => textOf(name) ?? []);
  const exact = entries.find((entry) => namesOf(entry).includes(wanted));
  const alike = entries.filter((entry) => namesOf(entry).map(plain).includes(plain(wanted)));
  return exact ?? (alike.length === 1 ? alike[0] : undefined);
}

export function valuesOf({ fields }: Entry): Map<UsagePeriod, number> {
  const values = USAGE_PERIODS.map((period) => [period, numberOf(fields[`${period}Value`])] as const);
  return new Map(values.filter((one): one is [UsagePeriod, number] => one[1] !== undefined));
}

/** `orders.last30Days` → metric and window; without a window its current value. */
export function metricAndPeriod(text: string): { readonly metric: string; readonly period: UsagePeriod } {
  const dot = text.lastIndexOf('.');
  const period = USAGE_PERIODS.find((one) => one === text.slice(dot + 1));
  return dot <= 0 || period === undefined
    ? { metric: text, period: 'current' }
    : { metric: text.slice(0, dot), period };
}

export function fieldsOf(value: unknown): Fields {
  return isJsonObject(value) ? value : {};
}
