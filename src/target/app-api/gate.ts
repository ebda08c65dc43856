/**
 * Whether a customer may do something, by subscription status, plan, features and usage: a pure decision over what
 * `GET /customer` answered. The same for the platform's app pricing and for its legacy billing, because the service answers
 * the same for both. What is not known is not allowed, and says so.
 */
import { didYouMean } from '../../domain/nearest.ts';
import { type Fields, fieldsOf } from './client.ts';
import {
  type CustomerFeature,
  type CustomerView,
  customerView,
  findFeature,
  findMetric,
  metricAndPeriod,
  numberOf,
  plainStatus,
  type UsagePeriod,
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
  /**
   * The feature is on. For a limit, `count` is how much of it is used already: a number, or the name of a usage metric
   * (`seats`, `orders.last30Days`); without it nothing is. One more must fit.
   */
  | { readonly kind: 'feature'; readonly feature: string; readonly count?: number | string | undefined }
  /** One of these plans, by id or name. The subscription must be active or in a trial, unless a status rule says otherwise. */
  | { readonly kind: 'plan'; readonly plans: readonly string[] }
  | { readonly kind: 'status'; readonly statuses: readonly string[] }
  | {
      readonly kind: 'usage';
      readonly metric: string;
      /** Default: `current`. */
      readonly period?: UsagePeriod | undefined;
      readonly operator: GateOperator;
      readonly value: number;
    };

export interface GateCheck {
  readonly rule: GateRule;
  readonly allowed: boolean;
  /** One sentence. */
  readonly reason: string;
  /** With `limit_with_overage`: allowed, and beyond what is included. */
  readonly overage?: true | undefined;
}

export interface GateDecision {
  /** All rules hold. */
  readonly allowed: boolean;
  /** The first rule that does not hold, else the last one that does. */
  readonly reason: string;
  readonly checks: readonly GateCheck[];
}

/** States in which a subscription gives what its plan promises. */
const LIVE = ['active', 'trialing'];

/**
 * @param customer the customer as `GET /customer` answered it, in its envelope or bare; undefined where the service knows none
 * @param rules all must hold; without any rule nothing is allowed
 * @param now milliseconds since the epoch
 */
export function decideGate(
  customer: Fields | undefined,
  rules: readonly GateRule[],
  now: number,
): GateDecision {
  if (customer === undefined) return decision([], 'The service does not know this customer.');
  const view = customerView(fieldsOf(customer['customer']) ?? customer, now);
  const asksStatus = rules.some(({ kind }) => kind === 'status');
  return decision(
    rules.map((rule) => ({ rule, ...check(view, rule, asksStatus) })),
    'No rule was given, so nothing is allowed.',
  );
}

function decision(checks: readonly GateCheck[], otherwise: string): GateDecision {
  const broken = checks.find(({ allowed }) => !allowed);
  return {
    allowed: broken === undefined && checks.length > 0,
    reason: (broken ?? checks.at(-1))?.reason ?? otherwise,
    checks,
  };
}

type Verdict = Omit<GateCheck, 'rule'>;
const yes = (reason: string): Verdict => ({ allowed: true, reason });
const no = (reason: string): Verdict => ({ allowed: false, reason });

function check(customer: CustomerView, rule: GateRule, asksStatus: boolean): Verdict {
  switch (rule.kind) {
    case 'feature':
      return checkFeature(customer, rule);
    case 'plan':
      return checkPlan(customer, rule.plans, asksStatus);
    case 'status':
      return checkStatus(customer, rule.statuses);
    case 'usage':
      return checkUsage(customer, rule);
  }
}

function checkStatus({ status }: CustomerView, wanted: readonly string[]): Verdict {
  const reason = `The subscription status is ${status}`;
  if (wanted.some((word) => plainStatus(word) === status)) return yes(`${reason}.`);
  return no(`${reason}, and not ${listed(wanted)}.`);
}

function checkPlan(customer: CustomerView, wanted: readonly string[], asksStatus: boolean): Verdict {
  const { plans, status } = customer;
  const plain = wanted.map((word) => word.trim().toLowerCase());
  const held = plans.find(
    ({ id, name }) =>
      (id !== undefined && wanted.includes(id)) ||
      (name !== undefined && plain.includes(name.trim().toLowerCase())),
  );
  if (held === undefined) {
    if (plans.length === 0) return no(`The customer has no plan, and not ${listed(wanted)}.`);
    return no(`The plan is ${plans.map(nameOf).join(' and ')}, and not ${listed(wanted)}.`);
  }
  if (!asksStatus && !LIVE.includes(status))
    return no(`The plan is ${nameOf(held)}, but the subscription status is ${status}.`);
  return yes(`The plan is ${nameOf(held)}.`);
}

function nameOf(one: { readonly id: string | undefined; readonly name: string | undefined }): string {
  return one.name ?? one.id ?? '?';
}

function checkUsage(customer: CustomerView, rule: Extract<GateRule, { kind: 'usage' }>): Verdict {
  const { metric, period = 'current', operator, value } = rule;
  const found = valueOfMetric(customer, metric, period);
  if (typeof found === 'string') return no(found);
  const holds = OPERATORS[operator](found.value, value);
  return {
    allowed: holds,
    reason: `The usage ${found.what} is ${found.value}, which is ${holds ? '' : 'not '}${operator} ${value}.`,
  };
}

/** The value, or one sentence that says why there is none. */
function valueOfMetric(
  { usage }: CustomerView,
  metric: string,
  period: UsagePeriod,
): { readonly value: number; readonly what: string } | string {
  const found = findMetric(usage, metric);
  if (found === undefined) {
    const names = usage.flatMap(({ key, name }) => (name === undefined ? [key] : [key, name]));
    return `The customer has no usage metric ${metric}.${didYouMean(metric, names)}`;
  }
  const value = found.values.get(period);
  const name = found.name ?? found.key;
  if (value === undefined) return `The usage metric ${name} has no value for ${period}.`;
  return { value, what: period === 'current' ? `of ${name}` : `of ${name} (${period})` };
}

function checkFeature(customer: CustomerView, rule: Extract<GateRule, { kind: 'feature' }>): Verdict {
  const feature = findFeature(customer.features, rule.feature);
  if (feature === undefined) {
    const names = customer.features.flatMap(({ key, name }) => (name === undefined ? [key] : [key, name]));
    return no(`The customer has no feature ${rule.feature}.${didYouMean(rule.feature, names)}`);
  }
  const name = feature.name ?? feature.key;
  switch (feature.type) {
    case 'boolean':
      return isTrue(feature.value) ? yes(`The feature ${name} is on.`) : no(`The feature ${name} is off.`);
    case 'limit':
    case 'limit_with_overage':
      return checkLimit(customer, rule, feature, name);
    default:
      return no(
        `The feature ${name} is of the type ${feature.type ?? 'nothing'}, which cannot be decided here.`,
      );
  }
}

function checkLimit(
  customer: CustomerView,
  { count = 0 }: Extract<GateRule, { kind: 'feature' }>,
  feature: CustomerFeature,
  name: string,
): Verdict {
  const limit = numberOf(feature.value);
  if (limit === undefined) return no(`The limit of the feature ${name} is not a number.`);
  if (limit === -1) return yes(`The feature ${name} has no limit.`);
  const used = usedOf(customer, count);
  if (typeof used === 'string') return no(used);
  if (used < limit) return yes(`The feature ${name} has ${used} of ${limit} used.`);
  if (feature.type === 'limit')
    return no(`The feature ${name} has ${used} of ${limit} used: its limit is reached.`);
  return {
    allowed: true,
    overage: true,
    reason: `The feature ${name} has ${used} used, and ${limit} are included: more is charged as overage.`,
  };
}

function usedOf(customer: CustomerView, count: number | string): number | string {
  if (typeof count === 'number') return count;
  const { metric, period } = metricAndPeriod(count);
  const found = valueOfMetric(customer, metric, period);
  return typeof found === 'string' ? found : found.value;
}

function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && value.trim().toLowerCase() === 'true');
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? 'anything') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** A rule as a person writes it on a command line, or what is wrong with the text. */
export type ParsedRule = { readonly rule: GateRule } | { readonly problem: string };

/** `orders < 100`, `API calls.last30Days >= 5`. The last comparison counts: a metric's name may hold signs of its own. */
export function parseUsageRule(text: string): ParsedRule {
  const match = /^(.*\S)\s*(?<![<>!=])(<=|>=|==|!=|<|>|=)(?!=)\s*([+-]?\d+(?:\.\d+)?)\s*$/.exec(text);
  const value = numberOf(match?.[3]);
  const operator = match?.[2] === '==' ? '=' : match?.[2];
  if (match === null || value === undefined || !isOperator(operator))
    return {
      problem: `must be a metric, a comparison and a number, such as 'orders < 100', not "${text}"`,
    };
  const { metric, period } = metricAndPeriod((match[1] ?? '').trim());
  return { rule: { kind: 'usage', metric, period, operator, value } };
}

/** Words with commas between. */
export function parseWords(text: string): readonly string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** `3`, or the name of a metric whose value is meant. */
export function parseCount(text: string): number | string {
  return numberOf(text) ?? text.trim();
}

function isOperator(text: string | undefined): text is GateOperator {
  return Object.hasOwn(OPERATORS, text ?? '');
}
