/** The rights of a customer, by subscription status, plan, features and usage. Unknown is not allowed. Pure. */

import { didYouMean } from '../domain/nearest.ts';
import { inWords } from '../domain/printable.ts';
import { isJsonObject } from '../domain/source-file.ts';
import { numberOf, textOf } from '../domain/text/foreign.ts';
import {
  type CustomerView,
  customerView,
  type Entry,
  type Fields,
  findEntry,
  metricAndPeriod,
  plainStatus,
  type UsagePeriod,
  valuesOf,
} from './customer.ts';

const OPERATORS = {
  '<': (left: number, right: number) => left < right,
  '<=': (left: number, right: number) => left <= right,
  '=': (left: number, right: number) => left === right,
  '!=': (left: number, right: number) => left !== right,
  '>=': (left: number, right: number) => left >= right,
  '>': (left: number, right: number) => left > right,
};
export type GateOperator = keyof typeof OPERATORS;

export type GateRule =
  /** The feature is on, or its limit leaves room for one more. `count`: a number, or a usage metric (`orders.last30Days`); default 0. */
  | { readonly kind: 'feature'; readonly feature: string; readonly count?: number | string | undefined }
  /** One of these plans, by ID or name. Without a status rule the subscription must be active or in a trial. */
  | { readonly kind: 'plan'; readonly plans: readonly string[] }
  | { readonly kind: 'status'; readonly statuses: readonly string[] }
  | {
      readonly kind: 'usage';
      readonly metric: string;
      readonly period?: UsagePeriod | undefined;
      readonly operator: GateOperator;
      readonly value: number;
    };

export interface GateCheck {
  readonly rule: GateRule;
  readonly allowed: boolean;
  readonly reason: string;
  /** `limit_with_overage`: allowed beyond what is included. */
  readonly overage?: true | undefined;
}

export interface GateDecision {
  readonly allowed: boolean;
  /** The first rule that fails, else the last one. */
  readonly reason: string;
  readonly checks: readonly GateCheck[];
}

type Verdict = Omit<GateCheck, 'rule'>;
const yes = (reason: string): Verdict => ({ allowed: true, reason });
const no = (reason: string): Verdict => ({ allowed: false, reason });

/** @param customer the answer of `GET /customer`, in its envelope or bare; undefined if unknown */
export function decideGate(
  customer: Fields | undefined,
  rules: readonly GateRule[],
  now: number,
): GateDecision {
  if (customer === undefined)
    return { allowed: false, reason: 'The service does not know this customer.', checks: [] };
  const inner = customer['customer'];
  const view = customerView(isJsonObject(inner) ? inner : customer, now);
  const asksStatus = rules.some(({ kind }) => kind === 'status');
  const checks = rules.map((rule) => ({ rule, ...check(view, rule, asksStatus) }));
  const decisive = checks.find(({ allowed }) => !allowed) ?? checks.at(-1);
  const { allowed, reason } = decisive ?? no('No rule was given, so nothing is allowed.');
  return { allowed, reason, checks };
}

function check(customer: CustomerView, rule: GateRule, asksStatus: boolean): Verdict {
  if (rule.kind === 'feature') return checkFeature(customer, rule.feature, rule.count ?? 0);
  if (rule.kind === 'plan') return checkPlan(customer, rule.plans, asksStatus);
  if (rule.kind === 'status') {
    const isOne = rule.statuses.some((word) => plainStatus(word) === customer.status);
    const reason = `The subscription status is ${customer.status}`;
    return isOne ? yes(`${reason}.`) : no(`${reason}, and not ${inWords(rule.statuses, 'or')}.`);
  }
  const { metric, period = 'current', operator, value } = rule;
  const used = valueOfMetric(customer, metric, period);
  if (typeof used === 'string') return no(used);
  const of = period === 'current' ? used.name : `${used.name} (${period})`;
  const holds = OPERATORS[operator](used.value, value);
  return {
    allowed: holds,
    reason: `The usage of ${of} is ${used.value}, which is ${holds ? '' : 'not '}${operator} ${value}.`,
  };
}

function checkPlan({ plans, status }: CustomerView, wanted: readonly string[], asksStatus: boolean): Verdict {
  const plain = wanted.map((word) => word.trim().toLowerCase());
  const nameOf = ({ id, name }: CustomerView['plans'][number]) => name ?? id ?? '?';
  const held = plans.find(
    ({ id, name }) =>
      (id !== undefined && wanted.includes(id)) ||
      (name !== undefined && plain.includes(name.trim().toLowerCase())),
  );
  if (plans.length === 0) return no(`The customer has no plan, and not ${inWords(wanted, 'or')}.`);
  if (held === undefined)
    return no(`The plan is ${plans.map(nameOf).join(' and ')}, and not ${inWords(wanted, 'or')}.`);
  if (!asksStatus && status !== 'active' && status !== 'trialing')
    return no(`The plan is ${nameOf(held)}, but the subscription status is ${status}.`);
  return yes(`The plan is ${nameOf(held)}.`);
}

function checkFeature(customer: CustomerView, wanted: string, count: number | string): Verdict {
  const feature = findEntry(customer.features, wanted);
  if (feature === undefined)
    return no(`The customer has no feature ${wanted}.${didYouMean(wanted, namesOf(customer.features))}`);
  const { name } = feature;
  const { value } = feature.fields;
  const type = textOf(feature.fields['type']);
  if (type === 'boolean') {
    const isOn = value === true || textOf(value)?.trim().toLowerCase() === 'true';
    return isOn ? yes(`The feature ${name} is on.`) : no(`The feature ${name} is off.`);
  }
  if (type !== 'limit' && type !== 'limit_with_overage')
    return no(`The feature ${name} is of the type ${type ?? 'nothing'}, which cannot be decided here.`);
  const limit = numberOf(value);
  if (limit === undefined) return no(`The limit of the feature ${name} is not a number.`);
  if (limit === -1) return yes(`The feature ${name} has no limit.`);
  const { metric, period } = metricAndPeriod(String(count));
  const used = typeof count === 'number' ? { value: count } : valueOfMetric(customer, metric, period);
  if (typeof used === 'string') return no(used);
  const reason = `The feature ${name} has ${used.value} of ${limit} used`;
  if (used.value < limit) return yes(`${reason}.`);
  if (type === 'limit') return no(`${reason}: its limit is reached.`);
  const overage = `The feature ${name} has ${used.value} used, and ${limit} are included: more is charged as overage.`;
  return { allowed: true, overage: true, reason: overage };
}

function valueOfMetric({ usage }: CustomerView, metric: string, period: UsagePeriod) {
  const found = findEntry(usage, metric);
  if (found === undefined)
    return `The customer has no usage metric ${metric}.${didYouMean(metric, namesOf(usage))}`;
  const value = valuesOf(found).get(period);
  if (value === undefined) return `The usage metric ${found.name} has no value for ${period}.`;
  return { value, name: found.name };
}

function namesOf(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ key, name }) => [key, name]);
}

/** `orders < 100`. The last comparison counts: a metric's name may hold signs. */
export function parseUsageRule(text: string): { readonly rule: GateRule } | { readonly problem: string } {
  const match = /^(.*\S)\s*(?<![<>!=])(<=|>=|==|!=|<|>|=)(?!=)\s*([+-]?\d+(?:\.\d+)?)\s*$/.exec(text);
  if (match === null)
    return {
      problem: `must be a metric, a comparison and a number, such as 'orders < 100', not "${text}"`,
    };
  const [, left = '', sign = '', right = ''] = match;
  const operator = (sign === '==' ? '=' : sign) as GateOperator;
  return { rule: { kind: 'usage', ...metricAndPeriod(left.trim()), operator, value: Number(right) } };
}
