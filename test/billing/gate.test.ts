/** Gates: what is not known is not allowed, and the reason is one sentence. */
import { describe, expect, it } from 'vitest';
import { customerView } from '../../src/billing/customer.ts';
import { decideGate, type GateRule, parseUsageRule } from '../../src/billing/gate.ts';
import type { Flags } from '../../src/cli/context.ts';
import { gateRules } from '../../src/commands/billing.ts';
import { billingDesk as desk, HEADER, row, rows } from './seeded-sandbox.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

const customer = {
  id: 'cus_1',
  billingStatus: 'active',
  subscription: {
    plan: { id: 'plan_pro', name: 'Pro' },
    lineItems: [{ plan: { id: 'plan_chat', name: 'Live chat' } }],
  },
  plans: [{ id: 'plan_max', name: 'Max' }],
  features: {
    reports: { id: 'f1', name: 'Advanced reports', type: 'boolean', value: true },
    beta: { id: 'f2', name: 'Beta', type: 'boolean', value: false },
    seats: { id: 'f3', name: 'Seats', type: 'limit', value: 10 },
    exports: { id: 'f4', name: 'Exports', type: 'limit', value: -1 },
    orders: { id: 'f5', name: 'Orders', type: 'limit_with_overage', value: 100 },
    none: { id: 'f6', name: 'None', type: 'limit', value: 0 },
    odd: { id: 'f7', name: 'Odd', type: 'schedule', value: 'mornings' },
    broken: { id: 'f8', name: 'Broken', type: 'limit', value: 'many' },
  },
  usage: {
    seats_used: {
      id: 'm1',
      name: 'Seats used',
      eventName: 'seat_taken',
      currentValue: 10,
      last30DaysValue: 4,
    },
    orders: { id: 'm2', name: 'Orders', eventName: 'order_created', currentValue: 99 },
  },
};

const decide = (rules: GateRule | GateRule[], who: Record<string, unknown> = customer) =>
  decideGate(who, [rules].flat(), NOW);

describe('features', () => {
  it.each<[string, number | string | undefined, boolean, string]>([
    ['reports', undefined, true, 'The feature Advanced reports is on.'],
    ['Advanced reports', undefined, true, 'The feature Advanced reports is on.'],
    ['f1', undefined, true, 'The feature Advanced reports is on.'],
    ['REPORTS', undefined, true, 'The feature Advanced reports is on.'],
    ['beta', undefined, false, 'The feature Beta is off.'],
    ['seats', undefined, true, 'The feature Seats has 0 of 10 used.'],
    ['seats', 9, true, 'The feature Seats has 9 of 10 used.'],
    ['seats', 10, false, 'The feature Seats has 10 of 10 used: its limit is reached.'],
    ['seats', 'seats_used', false, 'The feature Seats has 10 of 10 used: its limit is reached.'],
    ['seats', 'seats_used.last30Days', true, 'The feature Seats has 4 of 10 used.'],
    ['seats', 'seat_used', false, 'The customer has no usage metric seat_used. Did you mean "seats_used"?'],
    ['exports', 1e9, true, 'The feature Exports has no limit.'],
    ['none', undefined, false, 'The feature None has 0 of 0 used: its limit is reached.'],
    ['orders', 99, true, 'The feature Orders has 99 of 100 used.'],
    [
      'orders',
      100,
      true,
      'The feature Orders has 100 used, and 100 are included: more is charged as overage.',
    ],
    ['odd', undefined, false, 'The feature Odd is of the type schedule, which cannot be decided here.'],
    ['broken', undefined, false, 'The limit of the feature Broken is not a number.'],
    ['report', undefined, false, 'The customer has no feature report. Did you mean "reports"?'],
  ])('%s with %s used → %s', (feature, count, allowed, reason) => {
    const rule: GateRule = { kind: 'feature', feature, ...(count === undefined ? {} : { count }) };
    expect(decide(rule)).toMatchObject({ allowed, reason });
  });

  it('come as a list as well as by key', () => {
    const listed = { ...customer, features: Object.values(customer.features) };
    expect(decide({ kind: 'feature', feature: 'Advanced reports' }, listed).allowed).toBe(true);
  });
});

describe('subscription status', () => {
  const subscription = { plan: { name: 'Pro' } };
  it.each<[Record<string, unknown>, string]>([
    ...['active', 'trialing', 'canceled', 'frozen', 'none', 'paused'].map(
      (word): [Record<string, unknown>, string] => [{ billingStatus: word }, word],
    ),
    [{ billingStatus: 'Cancelled' }, 'canceled'],
    [{ subscription: { ...subscription, status: 'ACTIVE' } }, 'active'],
    [{ subscription: { ...subscription, active: true } }, 'active'],
    [{ subscription: { ...subscription, active: true, trialExpiresAt: '2026-03-02T00:00:00Z' } }, 'trialing'],
    [{ subscription: { ...subscription, active: true, trialExpiresAt: '2026-03-01T12:00:00Z' } }, 'active'],
    [{ subscription: { ...subscription, active: true, cancelledAt: '2026-02-01T00:00:00Z' } }, 'canceled'],
    [{ subscription: { ...subscription, active: true, frozenAt: '2026-02-01T00:00:00Z' } }, 'frozen'],
    [{ subscription: { ...subscription, active: false } }, 'none'],
    [{ subscription: null }, 'none'],
    [{}, 'none'],
  ])('%j is %s', (who, status) => {
    expect(customerView(who, NOW).status).toBe(status);
    expect(decide({ kind: 'status', statuses: [status] }, who).allowed).toBe(true);
    const other = status === 'frozen' ? 'active' : 'frozen';
    expect(decide({ kind: 'status', statuses: [other] }, who)).toMatchObject({
      allowed: false,
      reason: `The subscription status is ${status}, and not ${other}.`,
    });
  });
});

describe('plans', () => {
  it.each([
    [['Pro'], true],
    [['pro'], true],
    [['plan_pro'], true],
    [['Live chat'], true],
    [['Basic', 'Pro'], true],
    [['Basic'], false],
    // Listed among the plans that could be bought.
    [['Max'], false],
  ])('%j → %s', (plans, allowed) => {
    expect(decide({ kind: 'plan', plans }).allowed).toBe(allowed);
  });

  it.each([
    ['active', true],
    ['trialing', true],
    ['frozen', false],
    ['canceled', false],
  ])('of a subscription that is %s → %s', (billingStatus, allowed) => {
    expect(decide({ kind: 'plan', plans: ['Pro'] }, { ...customer, billingStatus }).allowed).toBe(allowed);
  });

  it('a status that is asked for decides instead', () => {
    const rules: GateRule[] = [
      { kind: 'plan', plans: ['Pro'] },
      { kind: 'status', statuses: ['frozen'] },
    ];
    expect(decide(rules, { ...customer, billingStatus: 'frozen' }).allowed).toBe(true);
    expect(decide(rules).allowed).toBe(false);
  });
});

describe('usage', () => {
  it.each([
    ['orders < 100', true],
    ['orders < 99', false],
    ['orders <= 99', true],
    ['orders = 99', true],
    ['orders == 99', true],
    ['orders != 99', false],
    ['orders >= 99', true],
    ['orders > 99', false],
    ['order_created<100', true],
    ['Seats used.last30Days <= 4', true],
    ['Seats used.last7Days <= 4', false],
    ['orders > -1.5', true],
    ['refunds < 1', false],
  ])('%s → %s', (text, allowed) => {
    const parsed = parseUsageRule(text);
    if (!('rule' in parsed)) throw new Error(parsed.problem);
    expect(decide(parsed.rule).allowed).toBe(allowed);
  });

  it.each([
    'orders',
    'orders <',
    '< 3',
    'orders < many',
    'orders =< 3',
    'orders <> 3',
    'orders < 1 or 2',
    '',
  ])('%j is no comparison', (text) => {
    expect(parseUsageRule(text)).toMatchObject({ problem: expect.stringContaining('orders < 100') });
  });
});

describe('the decision', () => {
  it('needs every rule, and names the first that does not hold', () => {
    const decision = decide([
      { kind: 'status', statuses: ['active'] },
      { kind: 'feature', feature: 'beta' },
      { kind: 'plan', plans: ['Basic'] },
    ]);
    expect(decision).toMatchObject({ allowed: false, reason: 'The feature Beta is off.' });
    expect(decision.checks.map(({ allowed }) => allowed)).toEqual([true, false, false]);
  });

  it('allows nothing without a rule, and nothing to an unknown customer', () => {
    expect(decide([]).allowed).toBe(false);
    expect(decideGate(undefined, [{ kind: 'status', statuses: ['none'] }], NOW).allowed).toBe(false);
  });

  it('takes the answer in its envelope too', () => {
    expect(decide({ kind: 'plan', plans: ['Pro'] }, { customer }).allowed).toBe(true);
  });
});

it('flags become rules in a fixed order', () => {
  const flags = {
    usage: ['a < 1'],
    status: 'active, trialing',
    plan: 'Pro',
    feature: ['x', 'y'],
    count: '3',
  };
  expect(gateRules(flags)).toEqual([
    { kind: 'feature', feature: 'x', count: 3 },
    { kind: 'feature', feature: 'y', count: 3 },
    { kind: 'plan', plans: ['Pro'] },
    { kind: 'status', statuses: ['active', 'trialing'] },
    { kind: 'usage', metric: 'a', period: 'current', operator: '<', value: 1 },
  ]);
});

it.each([
  [{}, 'There is nothing to decide'],
  [{ count: '3', status: 'active' }, '--count has an effect only with --feature'],
  [{ plan: ' , ' }, '--plan names nothing'],
  [{ usage: ['orders'] }, '--usage must be a metric'],
])('the flags %j are refused', (flags, message) => {
  expect(() => gateRules(flags)).toThrow(message);
});

describe('commands', () => {
  it('customer shows status, plan, features and usage; --json everything that was answered', async () => {
    const d = await desk();
    await d.send(d.write('usage.csv', HEADER, ...rows(3)));
    const { code, stdout } = await d.run('customer', ['cus_1']);
    expect(code).toBe(0);
    for (const text of [
      'Blue Bottle Shop · cus_1',
      'active',
      'Pro, Live chat',
      'unlimited',
      'limit with overage',
      'order_created',
      'myshopifyDomain',
    ])
      expect(stdout).toContain(text);
    const whole = JSON.parse((await d.run('customer', ['cus_1'], { json: true })).stdout);
    expect(whole).toMatchObject({ id: 'cus_1', myshopifyDomain: 'blue-bottle.example.com' });
    const unknown = await d.run('customer', ['nobody']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('has no customer nobody');
  });

  it('usage shows metrics, of one customer or of all; --json as the service answers', async () => {
    const d = await desk();
    await d.send(d.write('usage.csv', HEADER, ...rows(3), row('x', 'cus_2')));
    expect((await d.run('usage', ['cus_1'])).stdout).toMatch(/order_created +3 current · /);
    const { usage } = JSON.parse((await d.run('usage', [], { json: true })).stdout);
    expect(usage.order_created.allTimeValue).toBe(4);
  });

  it.each<[string, Flags, number, string]>([
    ['cus_1', { feature: ['reports'] }, 0, 'Allowed. The feature reports is on.'],
    ['cus_1', { feature: ['seats'], count: '25' }, 3, 'Not allowed. The feature seats has 25 of 25 used'],
    ['cus_1', { feature: ['orders'], count: '5000' }, 0, 'more is charged as overage'],
    ['cus_2', { status: 'active,trialing' }, 0, 'Allowed. The subscription status is trialing.'],
    ['cus_3', { plan: 'Pro' }, 3, 'but the subscription status is frozen'],
    ['cus_1', { usage: ['order_created.allTime < 2'], plan: 'Pro' }, 3, 'Not allowed. yes The plan is Pro.'],
    ['nobody', { status: 'active' }, 3, 'The service does not know this customer.'],
  ])('gate %s %j → %i', async (customer, flags, code, text) => {
    const d = await desk();
    await d.send(d.write('usage.csv', HEADER, ...rows(2)));
    const result = await d.run('gate', [customer], flags);
    expect(result.stdout.replaceAll(/\s+/g, ' ')).toContain(text);
    expect(result.code).toBe(code);
    const json = JSON.parse((await d.run('gate', [customer], { ...flags, json: true })).stdout);
    expect(json).toMatchObject({ version: 1, customer, allowed: code === 0 });
  });

  it('gate never allows when it cannot ask: 5 for a wrong key, 2 for an impossible rule', async () => {
    const d = await desk();
    const env = { HELPDESK_APP_URL: d.sandbox.url, HELPDESK_APP_ID: 'x', HELPDESK_APP_KEY: 'wrong' };
    expect((await d.run('gate', ['cus_1'], { status: 'active' }, { env })).code).toBe(5);
    expect((await d.run('gate', ['cus_1'], { usage: ['orders'] })).code).toBe(2);
    expect((await d.run('gate', ['cus_1'])).code).toBe(2);
  });
});
