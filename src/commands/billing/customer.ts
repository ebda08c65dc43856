/** The commands that ask the app API one thing: `customer`, `usage` and `gate`. */
import { withAppApi } from '../../billing/app-target.ts';
import { answer } from '../../cli/answer.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { endedBy, portsOf } from '../../cli/signals.ts';
import { AppError } from '../../domain/errors.ts';
import { printable } from '../../domain/printable.ts';
import { ApiFailure } from '../../domain/ticket-api.ts';
import { type AppApi, asAppError } from '../../target/app-api/client.ts';
import {
  customerView,
  type Entry,
  entriesOf,
  type Fields,
  fieldsOf,
  numberOf,
  textOf,
  valuesOf,
} from '../../target/app-api/customer.ts';
import { decideGate, type GateRule, parseUsageRule } from '../../target/app-api/gate.ts';
import { type Fact, facts, heading, paragraph } from '../../view/blocks.ts';
import { blockLines } from '../../view/terminal/blocks.ts';

type Command = (args: readonly string[], flags: Flags, context: CliContext) => Promise<number>;

const NOT_ALLOWED = 3;

export const customerCommand: Command = async ([id = ''], flags, context) => {
  const customer = await ask(flags, context, (api, signal) => api.readCustomer(id, signal));
  if (customer === undefined)
    throw new AppError('usage', `The app API has no customer ${id}.`, {
      hint: 'Check the id: it is the customerId of usage events.',
    });
  const blocks = [facts(customerFacts(customer, context.clock.now()))];
  answer(
    context,
    flags,
    () => customer,
    (style) => blockLines(blocks, style),
  );
  return 0;
};

export const usageCommand: Command = async ([id], flags, context) => {
  const usage = await ask(flags, context, (api, signal) => api.readUsage(id, signal));
  const body = fieldsOf(usage);
  const metrics = entriesOf(body['usage'] ?? body['metrics'] ?? usage).filter(
    (entry) => valuesOf(entry).size > 0,
  );
  answer(
    context,
    flags,
    () => usage,
    (style) =>
      metrics.length > 0
        ? blockLines([facts(metrics.map(metricFact))], style)
        : JSON.stringify(usage, null, 2).split('\n').map(printable),
  );
  return 0;
};

export const gateCommand: Command = async ([id = ''], flags, context) => {
  const rules = gateRules(flags);
  const customer = await ask(flags, context, (api, signal) => api.readCustomer(id, signal));
  const decision = decideGate(customer, rules, context.clock.now());
  const { allowed, reason, checks } = decision;
  const tone = allowed ? 'good' : 'bad';
  const word = allowed ? 'Allowed.' : 'Not allowed.';
  const blocks =
    checks.length < 2
      ? [paragraph(`${word} ${reason}`, { tone })]
      : [
          heading(word, { level: 1, tone }),
          facts(checks.map((one) => ({ label: one.allowed ? 'yes' : 'no', value: one.reason }))),
        ];
  answer(
    context,
    flags,
    () => ({ version: 1, customer: id, ...decision }),
    (style) => blockLines(blocks, style),
  );
  return allowed ? 0 : NOT_ALLOWED;
};

function customerFacts(customer: Fields, now: number): Fact[] {
  const { status, plans, features, usage, subscription } = customerView(customer, now);
  const shown = ['id', 'name', 'billingStatus', 'subscription', 'features', 'usage', 'plan'];
  const others = Object.keys(customer).filter((field) => !shown.includes(field));
  const texts: Record<string, unknown> = {
    customer: [customer['name'], customer['id']].flatMap((part) => textOf(part) ?? []).join(' · '),
    status,
    plan: plans.map(({ id, name }) => name ?? id).join(', ') || 'none',
    'period since': subscription['currentPeriodStart'],
    'period until': subscription['currentPeriodEnd'],
    'trial until': subscription['trialExpiresAt'],
    'canceled at': subscription['cancelledAt'],
    'frozen at': subscription['frozenAt'],
  };
  return [
    ...Object.entries(texts).flatMap(([label, text]) => {
      const value = textOf(text);
      return value === undefined ? [] : [{ label, value }];
    }),
    ...features.map(featureFact),
    ...usage.map(metricFact),
    ...(others.length === 0 ? [] : [{ label: 'also', value: `${others.join(', ')} (see --json)` }]),
  ];
}

function featureFact({ key, name, fields: { type, value } }: Entry): Fact {
  const label = name === key ? key : `${name} (${key})`;
  if (type === 'boolean') return { label, value: value === true || value === 'true' ? 'on' : 'off' };
  const limit = Number(value) === -1 ? 'unlimited' : (textOf(value) ?? JSON.stringify(value) ?? '');
  return { label, value: `${limit}, ${String(type).replaceAll('_', ' ')}` };
}

function metricFact(metric: Entry): Fact {
  const values = [...valuesOf(metric)].map(([period, value]) => `${value.toLocaleString('en-US')} ${period}`);
  return { label: metric.name, value: values.join(' · ') };
}

/** The rules in the order of the options' table. Throws AppError `usage` with everything that is wrong. */
export function gateRules(flags: Flags): GateRule[] {
  const problems: string[] = [];
  const texts = (name: string): string[] => [flags[name] ?? []].flat().map(String);
  const words = (name: string): string[] => {
    const given = texts(name);
    const found = given
      .flatMap((text) => text.split(','))
      .map((word) => word.trim())
      .filter((word) => word !== '');
    if (given.length > 0 && found.length === 0) problems.push(`--${name} names nothing.`);
    return found;
  };
  const [typed] = texts('count');
  const count = typed === undefined ? undefined : (numberOf(typed) ?? typed.trim());
  const features = texts('feature').map((text) => text.trim());
  if (features.includes('')) problems.push('--feature names nothing.');
  if (count !== undefined && features.length === 0)
    problems.push('--count has an effect only with --feature: add it, or leave --count out.');
  const rules: GateRule[] = features.map((feature) => ({ kind: 'feature', feature, count }));
  const plans = words('plan');
  if (plans.length > 0) rules.push({ kind: 'plan', plans });
  const statuses = words('status');
  if (statuses.length > 0) rules.push({ kind: 'status', statuses });
  for (const text of texts('usage')) {
    const parsed = parseUsageRule(text);
    if ('rule' in parsed) rules.push(parsed.rule);
    else problems.push(`--usage ${parsed.problem}.`);
  }
  if (rules.length === 0 && problems.length === 0)
    problems.push('There is nothing to decide: give --feature, --plan, --status or --usage.');
  const [first, ...more] = problems;
  if (first === undefined) return rules;
  throw new AppError('usage', more.length === 0 ? first : 'The gate is not clear.', {
    lines: more.length === 0 ? [] : problems,
    hint: 'See: helpdesk-import billing gate --help',
  });
}

/** Asks the app API; the first signal ends it. */
async function ask<T>(
  flags: Flags,
  context: CliContext,
  question: (api: AppApi, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { settings, warnings } = await loadSettings([], flags, ['appApi'], context);
  for (const warning of warnings) context.stderr.write(`Warning: ${warning}\n`);
  const end = new AbortController();
  const stopListening = context.onSignal((signal) => end.abort(endedBy(signal, 'nothing was changed')));
  using _listening = { [Symbol.dispose]: stopListening };
  const ports = { ...portsOf(context, { soft: end.signal, hard: end.signal }), emit: () => {} };
  return await withAppApi(settings, ports, async ({ api }) => {
    try {
      return await question(api, end.signal);
    } catch (error) {
      throw error instanceof ApiFailure ? asAppError(error) : error;
    }
  });
}
