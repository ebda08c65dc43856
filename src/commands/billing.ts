import { type AppApi, asAppError } from '../billing/app-api.ts';
import { customerView, type Entry, entriesOf, type Fields, fieldsOf, valuesOf } from '../billing/customer.ts';
import { decideGate, type GateRule, parseUsageRule } from '../billing/gate.ts';
import { withAppApi } from '../billing/usage-import.ts';
import { type CommandSpec, SET } from '../cli/command.ts';
import { type CliContext, type Flags, listenForStop, portsOf, READ_ONLY } from '../cli/context.ts';
import { loadSettings } from '../cli/load-settings.ts';
import { answer, sayLine } from '../cli/screen.ts';
import { AppError } from '../domain/errors.ts';
import { numberOf, textOf } from '../domain/text/foreign.ts';
import { stop } from '../domain/text/stops.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import { type OptionSpec, option } from '../settings/option-spec.ts';
import { type Fact, facts, heading, paragraph } from '../view/blocks.ts';

const ASKING: readonly OptionSpec[] = [SET];

export const customer: CommandSpec = {
  arguments: [['<id>', 'id of the customer']],
  options: ASKING,
  examples: [['billing customer shop-1', 'plan, features and usage of a customer']],
  run: async ([id = ''], flags, context) => {
    const found = await ask(flags, context, (api, signal) => api.readCustomer(id, signal));
    if (found === undefined) throw stop('no-customer', { id });
    answer(context, flags, found, [facts(customerFacts(found, context.clock.now()))]);
    return 0;
  },
};

export const usage: CommandSpec = {
  arguments: [['[customer]', 'id of a customer']],
  options: ASKING,
  examples: [
    ['billing usage', 'the metrics of the app'],
    ['billing usage shop-1', 'what a customer has used'],
  ],
  run: async ([id], flags, context) => {
    const found = await ask(flags, context, (api, signal) => api.readUsage(id, signal));
    const body = fieldsOf(found);
    const metrics = entriesOf(body['usage'] ?? body['metrics'] ?? found).filter(
      (entry) => valuesOf(entry).size > 0,
    );
    const lines = JSON.stringify(found, null, 2).split('\n');
    const blocks =
      metrics.length > 0
        ? [facts(metrics.map(metricFact))]
        : lines.map((line) => paragraph(line, { look: 'verbatim' }));
    answer(context, flags, found, blocks);
    return 0;
  },
};

export const gate: CommandSpec = {
  arguments: [['<customer>', 'id of the customer']],
  options: [
    option(
      'What to do',
      '--feature <name>',
      'the feature is on, or its limit is not reached; may be given more than once',
      {
        repeat: true,
      },
    ),
    option(
      'What to do',
      '--count <n|metric>',
      'how much of a limit is used: a number, or a usage metric such as seats or orders.last30Days',
      { byDefault: '0' },
    ),
    option(
      'What to do',
      '--plan <names>',
      'the plan is one of these, by id or name, comma-separated; the subscription must be active or in a trial, unless --status says otherwise',
    ),
    option(
      'What to do',
      '--status <words>',
      'the subscription status is one of these: active, trialing, canceled, frozen, none',
    ),
    option(
      'What to do',
      '--usage <comparison>',
      "a usage metric compared with a number by < <= = != >= >; its window behind a dot: 'orders.last30Days < 100'; may be given more than once",
      { repeat: true },
    ),
    ...ASKING,
  ],
  examples: [['billing gate shop-1 --feature exports', 'may the customer use it?']],
  help: () => `All conditions must hold. A limit with overage is never reached: more is charged.

Exit codes: 0 allowed · 3 not allowed · 2 wrong usage or configuration · 5 key refused · 6 the app API cannot be reached`,
  run: async ([id = ''], flags, context) => {
    const rules = gateRules(flags);
    const found = await ask(flags, context, (api, signal) => api.readCustomer(id, signal));
    const decision = decideGate(found, rules, context.clock.now());
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
    answer(context, flags, { version: 1, customer: id, ...decision }, blocks);
    return allowed ? 0 : NOT_ALLOWED;
  },
};

const NOT_ALLOWED = 3;

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
    hint: 'See: `helpdesk-import billing gate --help`',
  });
}

async function ask<T>(
  flags: Flags,
  context: CliContext,
  question: (api: AppApi, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { settings, warnings } = await loadSettings([], flags, ['appApi'], context);
  for (const warning of warnings) sayLine(`Warning: ${warning}`, context);
  using stop = listenForStop(context, () => undefined, READ_ONLY);
  const ports = { ...portsOf(context, { soft: stop.soft, hard: stop.soft }), emit: () => {} };
  return await withAppApi(settings, ports, async ({ api }) => {
    try {
      return await question(api, stop.soft);
    } catch (error) {
      throw error instanceof ApiFailure ? asAppError(error) : error;
    }
  });
}
