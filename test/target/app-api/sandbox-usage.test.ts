/** Usage events in the sandbox: kept once, added up over windows that are right to the millisecond, listed, exported. */
import { describe, expect, it } from 'vitest';
import { parseBillingSeed } from '../../../src/sandbox/app-api/catalog.ts';
import { usageWindows } from '../../../src/sandbox/app-api/usage-events.ts';
import { START } from '../../sandbox/manual-clock.ts';
import { look } from '../../sandbox/running-sandbox.ts';
import { seeded } from './seeded-sandbox.ts';

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
      expect(body.customer.usage.api_calls[field]).toBe(count);
    }
  });

  it('an event leaves its window when the time has come, and one of the future enters', async () => {
    const { appCall, clock } = await seeded();
    await appCall('POST', '/usage_events', {
      events: [event('now'), event('later', { timestamp: START + HOUR })],
    });
    const last24 = async () =>
      (await appCall('GET', '/usage?customerId=cus_1')).body.usage.api_calls.last24HoursValue;
    expect(await last24()).toBe(1);
    clock.advance(HOUR);
    expect(await last24()).toBe(2);
    clock.advance(DAY - HOUR);
    expect(await last24()).toBe(1);
    clock.advance(HOUR);
    expect(await last24()).toBe(0);
  });

  it('the month begins at its first midnight in UTC, and the period when the seed says', () => {
    const from = (now: string, period?: string) =>
      Object.fromEntries(
        usageWindows(Date.parse(now), period === undefined ? undefined : Date.parse(period)).map((window) => [
          window.field,
          window.fromMs,
        ]),
      );
    expect(from('2026-03-01T00:00:00.000Z')['monthToDateValue']).toBe(Date.parse('2026-03-01T00:00:00Z'));
    expect(from('2026-02-28T23:59:59.999Z')['monthToDateValue']).toBe(Date.parse('2026-02-01T00:00:00Z'));
    expect(from('2026-03-05T00:00:00Z', '2026-02-15T00:00:00Z')['currentValue']).toBe(
      Date.parse('2026-02-15T00:00:00Z'),
    );
  });

  it('the first millisecond of the month and of the period count, those before do not', async () => {
    const { appCall } = await seeded();
    const times = [
      '2026-02-28T23:59:59.999Z',
      '2026-03-01T00:00:00.000Z',
      '2026-02-14T23:59:59.999Z',
      '2026-02-15T00:00:00Z',
    ];
    await appCall('POST', '/usage_events', {
      events: times.map((timestamp) => event(timestamp, { timestamp })),
    });
    const { body } = await appCall('GET', '/customer?id=cus_1');
    expect(body.customer.usage.api_calls).toMatchObject({
      monthToDateValue: 1,
      currentValue: 3,
      allTimeValue: 4,
    });
  });
});

describe('usage events', () => {
  it('count once by their id, the first one standing', async () => {
    const { appCall, store } = await seeded();
    await appCall('POST', '/usage_events', event('one', { properties: { total: 1 } }));
    await appCall('POST', '/usage_events', { events: [event('one', { customerId: 'cus_2' }), event('two')] });
    expect(store.usage.list({ filter: {}, take: 10 }).map((row) => [row.event_id, row.customer_id])).toEqual([
      ['two', 'cus_1'],
      ['one', 'cus_1'],
    ]);
  });

  it('without an id are all kept', async () => {
    const { appCall, store } = await seeded();
    const { eventId: _, ...nameless } = event('');
    await appCall('POST', '/usage_events', { events: [nameless, nameless] });
    expect(store.usage.count()).toBe(2);
  });

  it.each([
    [{ events: [] }, 400, 'events'],
    [{ events: [event('good'), { ...event('bad'), eventName: ' ' }] }, 400, 'events[1].eventName'],
    [event('bad', { timestamp: '2024-02-30T00:00:00Z' }), 400, 'timestamp'],
    [event('bad', { timestamp: '2024-02-03T00:00:00' }), 400, 'timestamp'],
    [event('bad', { properties: 'text' }), 400, 'properties'],
    [{ eventName: 'x' }, 422, 'customerId'],
    ['text', 400, ''],
  ])('of which one is wrong are not kept at all: %j', async (body, status, path) => {
    const { appCall, store } = await seeded();
    const answer = await appCall('POST', '/usage_events', body);
    expect(answer.status).toBe(status);
    expect(answer.body.fields[0].path).toBe(path);
    expect(store.usage.count()).toBe(0);
  });

  it('are listed newest first, page by page, each once', async () => {
    const { appCall } = await seeded();
    const events = Array.from({ length: 25 }, (_, index) =>
      event(`e${index}`, { timestamp: START - (index % 3) * HOUR }),
    );
    await appCall('POST', '/usage_events', { events });
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await appCall(
        'GET',
        `/usage_events?take=4&customerId=cus_1${cursor && `&cursor=${cursor}`}`,
      );
      seen.push(...body.events.map((one: { eventId: string }) => one.eventId));
      expect(body.total).toBe(25);
      cursor = body.hasNextPage ? body.cursor : '';
    } while (cursor !== '');
    expect(seen.toSorted()).toEqual(events.map((one) => one.eventId).toSorted());
    expect(seen.slice(0, 9).every((id) => Number(id.slice(1)) % 3 === 0)).toBe(true);
  });

  it.each([
    ['sum', { total: 2.5 }, { total: '1.5' }, { total: 'none' }, 4],
    ['max', { total: 2 }, { total: 11 }, {}, 11],
    ['unique', { total: 'a' }, { total: 'b' }, { total: 'a' }, 2],
  ] as const)('add up as the metric says: %s', async (aggregate, a, b, c, expected) => {
    const billing = parseBillingSeed(
      { metrics: [{ key: 'm', eventName: 'api_call', aggregate, property: 'total' }] },
      'test',
    );
    const { appCall } = await seeded({ billing });
    const events = [a, b, c].map((properties, index) => event(String(index), { properties }));
    await appCall('POST', '/usage_events', { events });
    expect((await appCall('GET', '/usage')).body.usage.m.allTimeValue).toBe(expected);
  });
});

describe('who may call', () => {
  it.each([
    [{}, 401],
    [{ 'x-mantle-app-id': 'sandbox_app' }, 401],
    [{ 'x-mantle-app-id': 'other', 'x-mantle-app-api-key': 'key' }, 401],
    [{ 'x-mantle-app-id': 'sandbox_app', 'x-mantle-app-api-key': 'wrong' }, 401],
    [{ 'x-mantle-app-id': 'sandbox_app', 'x-mantle-app-api-key': 'key' }, 200],
  ])('%j → %i', async (headers, status) => {
    const { appCall } = await seeded({ app: { key: 'key' } });
    expect((await appCall('GET', '/usage', undefined, headers as Record<string, string>)).status).toBe(
      status,
    );
  });

  it('the Core API under the same prefix stays what it is', async () => {
    const { url, token, appCall } = await seeded();
    const response = await fetch(`${url}/v1/tickets`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    expect((await appCall('DELETE', '/customer')).status).toBe(405);
  });
});

describe('the seed', () => {
  it('names every mistake with its place', () => {
    const wrong = () =>
      parseBillingSeed(
        { plans: [{ id: 'p', name: 'P' }], customers: [{ id: 'c', plan: 'q' }], metrics: [] },
        'b.json',
      );
    expect(wrong).toThrow(
      expect.objectContaining({
        code: 'usage',
        lines: ['customers c: there is no plan q. Did you mean "p"?'],
      }),
    );
    expect(() =>
      parseBillingSeed({ metrics: [{ key: 'm', eventName: 'e', aggregate: 'sum' }] }, 'b.json'),
    ).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  it('a frozen or canceled subscription gives no feature of its plan, and keeps those of the customer', async () => {
    const { appCall } = await seeded();
    const features = async (id: string) =>
      Object.keys((await appCall('GET', `/customer?id=${id}`)).body.customer.features);
    expect(await features('cus_3')).toEqual([]);
    expect(await features('cus_4')).toEqual(['reports']);
    expect(await features('cus_5')).toEqual([]);
  });
});

describe('the pages', () => {
  it('browse events, with what was sent shown as text', async () => {
    const { appCall, url } = await seeded();
    await appCall(
      'POST',
      '/usage_events',
      event('<b>', { eventName: '<script>', customerId: 'cus_1', properties: { a: '<i>' } }),
    );
    for (const path of ['/usage', '/usage?customer=blue-bottle.example.com', '/usage/customer?id=cus_1']) {
      const response = await look(url + path);
      expect(response.status, path).toBe(200);
      const text = await response.text();
      expect(text, path).toContain('&lt;script&gt;');
      expect(text, path).not.toMatch(/<(script>|b>|i>)/);
    }
    expect((await look(`${url}/usage/customer?id=nobody`)).status).toBe(404);
    expect(await (await look(`${url}/usage?customer=nobody`)).text()).toContain('No event matches');
  });

  it('export every event, in formats that can be read again', async () => {
    const { appCall, url } = await seeded();
    const events = Array.from({ length: 2_500 }, (_, index) =>
      event(`e${index}`, { timestamp: START - index, properties: { note: `a "quoted", ${index}` } }),
    );
    await appCall('POST', '/usage_events', { events });
    const lines = (await (await look(`${url}/usage/events.jsonl`)).text()).trim().split('\n');
    expect(lines).toHaveLength(2_500);
    expect(JSON.parse(lines[7] ?? '')).toEqual({
      ...events[7],
      timestamp: new Date(START - 7).toISOString(),
    });
    const csv = (await (await look(`${url}/usage/events.csv?customer=cus_1`)).text()).trim().split('\r\n');
    expect(csv).toHaveLength(2_501);
    expect(csv[8]).toBe(
      `e7,api_call,cus_1,${new Date(START - 7).toISOString()},"{""note"":""a \\""quoted\\"", 7""}"`,
    );
  });
});
