/** The published client of the app API works against the sandbox as it is. */
import { MantleClient } from '@heymantle/client';
import { describe, expect, it } from 'vitest';
import { seeded } from './seeded-sandbox.ts';

async function connected(options: { customerApiToken?: string } = {}) {
  const sandbox = await seeded();
  const { id, key } = sandbox.app;
  const client = new MantleClient({
    appId: id,
    ...(options.customerApiToken === undefined ? { apiKey: key } : options),
    apiUrl: `${sandbox.url}/v1`,
  });
  return { sandbox, client };
}

describe('the published client', () => {
  it('sends a usage event, again and again, and it counts once', async () => {
    const { sandbox, client } = await connected();
    const event = {
      eventId: 'evt-1',
      eventName: 'order_created',
      customerId: 'cus_1',
      properties: { total: 12.5 },
    };
    expect(await client.sendUsageEvent(event)).toEqual({ success: true });
    expect(await client.sendUsageEvent(event)).toEqual({ success: true });
    expect(await client.sendUsageEvents({ events: [event, { ...event, eventId: 'evt-2' }] })).toEqual({
      success: true,
    });
    const customer = await client.getCustomer('cus_1');
    if ('error' in customer) throw new Error(customer.error);
    expect(customer.usage['orders']).toMatchObject({
      eventName: 'order_created',
      last24HoursValue: 2,
      allTimeValue: 2,
    });
    expect(customer.usage['revenue']).toMatchObject({ allTimeValue: 25 });
    expect(sandbox.store.usage.count()).toBe(2);
  });

  it('reads subscription, plans and features of a customer, by id and by domain', async () => {
    const { client } = await connected();
    for (const name of ['cus_1', 'blue-bottle.example.com']) {
      const customer = await client.getCustomer(name);
      if ('error' in customer) throw new Error(customer.error);
      expect(customer).toMatchObject({ id: 'cus_1', billingStatus: 'active' });
      expect(customer.subscription?.plan.name).toBe('Pro');
      expect(customer.plans.map((plan) => plan.id)).toEqual(['plan_basic', 'plan_pro']);
    }
  });

  it('enforces features and limits', async () => {
    const { client } = await connected();
    const customerId = 'cus_1';
    expect(await client.isFeatureEnabled({ customerId, featureKey: 'reports' })).toBe(true);
    expect(await client.isFeatureEnabled({ customerId, featureKey: 'chat' })).toBe(true);
    expect(await client.isFeatureEnabled({ customerId, featureKey: 'seats', count: 24 })).toBe(true);
    expect(await client.isFeatureEnabled({ customerId, featureKey: 'seats', count: 25 })).toBe(false);
    expect(await client.isFeatureEnabled({ customerId, featureKey: 'exports', count: 1e9 })).toBe(true);
    expect(await client.limitForFeature({ customerId, featureKey: 'seats' })).toBe(25);
    expect(await client.isFeatureEnabled({ customerId: 'cus_2', featureKey: 'reports' })).toBe(false);
  });

  it.each([null, 'text', [1], { name: 'no value' }])('refuses %j as a feature', async (feature) => {
    const sandbox = await seeded();
    const body = { platformId: '78', features: { odd: feature } };
    expect((await sandbox.appCall('POST', '/identify', body)).status).toBe(400);
    expect((await sandbox.appCall('GET', '/customer?id=78')).status).toBe(404);
  });

  it('identifies a customer, whose token then reads and sends for that customer alone', async () => {
    const { sandbox, client } = await connected();
    const made = await client.identify({
      platform: 'shopify',
      platformId: '77',
      myshopifyDomain: 'new.example.com',
      name: 'New',
    });
    if ('error' in made) throw new Error(made.error);
    const own = new MantleClient({
      appId: sandbox.app.id,
      customerApiToken: made.apiToken,
      apiUrl: `${sandbox.url}/v1`,
    });
    expect(await own.sendUsageEvent({ eventName: 'page_view', properties: {} } as never)).toEqual({
      success: true,
    });
    expect(await own.getCustomer()).toMatchObject({ id: '77', name: 'New', billingStatus: 'none' });
    expect(
      await own.sendUsageEvent({ eventName: 'page_view', customerId: 'cus_1', properties: {} }),
    ).toMatchObject({
      error: 'customerId: The token is that of another customer.',
    });
    expect(JSON.stringify(await own.getCustomer())).not.toContain(made.apiToken);
  });

  it('reads the report of a metric by days', async () => {
    const { client } = await connected();
    await client.sendUsageEvents({
      events: [
        {
          eventId: 'a',
          eventName: 'api_call',
          customerId: 'cus_1',
          timestamp: '2026-03-01T00:00:00Z',
          properties: {},
        },
        {
          eventId: 'b',
          eventName: 'api_call',
          customerId: 'cus_1',
          timestamp: '2026-02-28T23:59:59Z',
          properties: {},
        },
      ] as never,
    });
    const answer = await client.getUsageMetricReport({
      id: 'metric_api_calls',
      customerId: 'cus_1',
      period: 'daily',
    });
    if ('error' in answer) throw new Error(answer.error);
    expect(answer.report.data).toHaveLength(30);
    expect(answer.report.data.slice(-2)).toEqual([
      { date: '2026-02-28', value: 1 },
      { date: '2026-03-01', value: 1 },
    ]);
  });

  it('is told plainly what is wrong', async () => {
    const { sandbox, client } = await connected();
    expect(await client.getCustomer('nobody')).toMatchObject({ error: 'There is no customer nobody.' });
    const stranger = new MantleClient({
      appId: sandbox.app.id,
      apiKey: 'wrong',
      apiUrl: `${sandbox.url}/v1`,
    });
    expect(await stranger.getCustomer('cus_1')).toMatchObject({
      error: 'This key in X-Mantle-App-Api-Key is not that of the app.',
    });
  });

  it('is told of every call that is no part of the import that there is no such path, in words that it shows', async () => {
    const { client } = await connected();
    const names = Object.getOwnPropertyNames(MantleClient.prototype).filter((name) => !SERVED.has(name));
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) {
      const call = (client as unknown as Record<string, (params: object) => Promise<unknown>>)[name];
      const answer = await call?.call(client, { ...ASKED, join: () => 'x' });
      expect(answer, name).toMatchObject({ error: expect.stringMatching(/\w+ \w+/) });
    }
  });
});

const ASKED = { id: 'x', customerId: 'cus_1', handle: 'x' };

/** What the sandbox serves, asked for above, and what is no call. */
const SERVED: ReadonlySet<string> = new Set([
  'constructor',
  'mantleRequest',
  'evaluateFeature',
  'identify',
  'getCustomer',
  'isFeatureEnabled',
  'limitForFeature',
  'sendUsageEvent',
  'sendUsageEvents',
  'getUsageMetricReport',
]);
