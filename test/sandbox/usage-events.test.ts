/** The app API of the sandbox: usage events are kept once, counted over windows to the millisecond. */
import { describe, expect, it } from 'vitest';
import { seeded } from '../billing/seeded-sandbox.ts';
import { START } from './manual-clock.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const event = (eventId: string, more: Record<string, unknown> = {}) => ({
  eventId,
  eventName: 'api_call',
  customerId: 'cus_1',
  ...more,
});

describe('windows', () => {
  it.each([
    ['last24HoursValue', START - DAY],
    ['last7DaysValue', START - 7 * DAY],
    ['last30DaysValue', START - 30 * DAY],
    ['last90DaysValue', START - 90 * DAY],
    ['last365DaysValue', START - 365 * DAY],
    ['monthToDateValue', Date.parse('2026-02-28T23:59:59.999Z')],
  ] as const)('%s holds an event for exactly so long', async (field, edge) => {
    const { appCall } = await seeded();
    for (const [at, count] of [
      [edge, 0],
      [edge + 1, 1],
      [START, 2],
      [START + 1, 2],
    ] as const) {
      await appCall('POST', '/usage_events', event(`at ${at}`, { timestamp: at }));
      const { body } = await appCall('GET', '/customer?id=cus_1');
      expect(body.customer.usage.api_call?.[field] ?? 0).toBe(count);
    }
  });
});

describe('usage events', () => {
  it('count once by their id, and the first one stays', async () => {
    const { appCall, store } = await seeded();
    await appCall('POST', '/usage_events', event('one', { properties: { total: 1 } }));
    await appCall('POST', '/usage_events', { events: [event('one', { customerId: 'cus_2' }), event('two')] });
    expect(store.sql.all('SELECT event_id, customer_id FROM usage_events ORDER BY seq')).toEqual([
      { event_id: 'one', customer_id: 'cus_1' },
      { event_id: 'two', customer_id: 'cus_1' },
    ]);
  });

  it.each([
    [{ events: [] }, 400, 'events'],
    [{ events: [event('good'), { ...event('bad'), eventName: ' ' }] }, 400, 'events[1].eventName'],
    [event('bad', { timestamp: '2024-02-30T00:00:00Z' }), 400, 'timestamp'],
    [event('bad', { properties: 'text' }), 400, 'properties'],
    [{ eventName: 'x' }, 422, 'customerId'],
    ['text', 400, ''],
  ])('of which one is wrong are not kept: %j', async (body, status, path) => {
    const { appCall, store } = await seeded();
    const answer = await appCall('POST', '/usage_events', body);
    expect(answer.status).toBe(status);
    expect(answer.body.fields[0].path).toBe(path);
    expect(store.sql.value('SELECT count(*) FROM usage_events')).toBe(0);
  });
});

describe('customers', () => {
  it('are answered as the file has them, with their usage; one with events alone is known too', async () => {
    const { appCall } = await seeded();
    await appCall('POST', '/usage_events', [event('x')][0]);
    const { body } = await appCall('GET', '/customer?id=cus_1');
    expect(body.customer).toMatchObject({
      name: 'Blue Bottle Shop',
      billingStatus: 'active',
      usage: { api_call: { eventName: 'api_call', allTimeValue: 1 } },
    });
    await appCall('POST', '/usage_events', event('y', { customerId: 'new' }));
    expect((await appCall('GET', '/customer?id=new')).body.customer.billingStatus).toBe('none');
    expect((await appCall('GET', '/customer?id=nobody')).status).toBe(404);
    expect((await appCall('GET', '/usage')).body.usage.api_call.allTimeValue).toBe(2);
  });

  it('are for the app alone', async () => {
    const { appCall } = await seeded();
    expect((await appCall('GET', '/usage', undefined, {})).status).toBe(401);
    expect((await appCall('GET', '/usage', undefined, { 'x-mantle-app-id': 'sandbox_app' })).status).toBe(
      401,
    );
  });
});
