/** Our client of the app API: events may be sent again, and an answer says whether they were taken. */
import { expect, it, onTestFinished } from 'vitest';
import { type AppApiOptions, createAppApi, type UsageEventPayload } from '../../src/billing/app-api.ts';
import { Secret } from '../../src/domain/secret.ts';
import { systemClock } from '../../src/system-clock.ts';
import { parseFaults } from '../support/double/faults.ts';
import { answering, seeded } from './seeded-sandbox.ts';

const signal = AbortSignal.timeout(30_000);
const event = (eventId: string): UsageEventPayload => ({
  eventId,
  eventName: 'api_call',
  customerId: 'cus_1',
});

function clientOf(options: Pick<AppApiOptions, 'baseUrl'> & Partial<AppApiOptions>) {
  const api = createAppApi({
    appIdHeader: 'X-Mantle-App-Id',
    apiKeyHeader: 'X-Own-Key',
    appId: 'app-1',
    apiKey: new Secret('key-of-the-app'),
    timeoutMs: 5_000,
    connections: 4,
    budgets: [],
    clock: systemClock,
    random: () => 0,
    emit: () => {},
    ...options,
  });
  onTestFinished(() => api[Symbol.asyncDispose]());
  return api;
}

async function service(status: number, answer: unknown | ((body: string) => unknown)) {
  const { url, requests } = await answering((body) => ({
    status,
    body: typeof answer === 'function' ? answer(body) : answer,
  }));
  return { api: clientOf({ baseUrl: `${url}/base` }), requests };
}

it('requests carry the app’s ID and key under the names of the settings, and no bearer token', async () => {
  const { api, requests } = await service(200, { success: true });
  await api.sendUsageEvents([], signal);
  await api.sendUsageEvents([event('a')], signal);
  await api.sendUsageEvents([event('a'), event('b')], signal);
  expect(requests.map(({ method, url, body }) => [method, url, JSON.parse(body)])).toEqual([
    ['POST', '/base/v1/usage_events', event('a')],
    ['POST', '/base/v1/usage_events', { events: [event('a'), event('b')] }],
  ]);
  const [first] = requests;
  expect(first?.headers).toMatchObject({ 'x-mantle-app-id': 'app-1', 'x-own-key': 'key-of-the-app' });
  expect(first?.headers.authorization).toBeUndefined();
});

it.each([
  [200, { success: true }],
  [201, {}],
  [202, ''],
  [200, 'thanks'],
  [200, { success: true, error: null }],
])('%i %j says that the events were taken', async (status, body) => {
  const { api } = await service(status, body);
  await expect(api.sendUsageEvents([event('a')], signal)).resolves.toBeUndefined();
});

it.each([
  [200, { success: false }, 'refused', 'none'],
  [200, { error: 'unknown customer' }, 'refused', 'none'],
  [422, { error: 'invalid' }, 'refused', 'none'],
  [401, { error: 'bad_key' }, 'auth', 'none'],
  [403, { error: 'forbidden' }, 'auth', 'none'],
  [500, { error: 'oops' }, 'unknown-outcome', 'unknown'],
  [200, '<html><title>Log in</title></html>', 'unknown-outcome', 'unknown'],
  [404, { error: 'unknown customer' }, 'refused', 'none'],
  [404, '<html>not here</html>', 'unreachable', 'none'],
  [405, '', 'unreachable', 'none'],
])('%i %j to events says %s', async (status, body, code, effect) => {
  const { api } = await service(status, body);
  await expect(api.sendUsageEvents([event('a')], signal)).rejects.toMatchObject({ code, effect, status });
});

it('an error never shows the key', async () => {
  const { api } = await service(422, (body: string) => ({ error: `key-of-the-app and ${body}` }));
  await expect(api.sendUsageEvents([event('a')], signal)).rejects.not.toThrow(/key-of-the-app/);
});

it('a customer is read with every field, in an envelope or bare', async () => {
  const customer = { id: 'c', extra: { deep: [1] } };
  const { api, requests } = await service(200, { customer });
  expect(await api.readCustomer('a b&c', signal)).toEqual(customer);
  expect(requests[0]?.url).toBe('/base/v1/customer?id=a+b%26c');
  expect(await (await service(200, customer)).api.readCustomer('c', signal)).toEqual(customer);
});

it('a customer that the API does not know is undefined, a wrong address is an error', async () => {
  const known = await service(404, { error: 'not_found' });
  expect(await known.api.readCustomer('c', signal)).toBeUndefined();
  const wrong = await service(404, '<html>not here</html>');
  await expect(wrong.api.readCustomer('c', signal)).rejects.toMatchObject({ code: 'target-unreadable' });
});

it.each(['500-after:20', 'reset-after:20', 'close-after:20', 'garbage:20', 'truncated:20'])(
  '%s: every event is counted exactly once',
  async (fault) => {
    const faults = parseFaults([`${fault}@usage-events`], 3);
    const { url, app, store } = await seeded({ clock: systemClock, faults });
    const apiKeyHeader = 'X-Mantle-App-Api-Key';
    const key = { appId: app.id, apiKey: new Secret(app.key), apiKeyHeader };
    const api = clientOf({ baseUrl: `${url}/v1`, ...key });
    const all = Array.from({ length: 12 }, (_, index) => event(`e${index}`));
    await Promise.all(all.map((one) => api.sendUsageEvents([one], signal)));
    expect(store.sql.value('SELECT count(*) FROM usage_events')).toBe(all.length);
    // A body that cannot be read, or ends early, may be no failure: the status says that the events were taken.
    if (!/^(?:garbage|truncated)/.test(fault)) expect(api.stats.retried).toBeGreaterThan(0);
  },
);
