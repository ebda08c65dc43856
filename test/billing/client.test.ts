/** Our client of the app API: events may be sent again, and what comes back says whether they were taken. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';
import { systemClock } from '../../src/system-clock.ts';
import {
  type AppApi,
  type AppApiOptions,
  createAppApi,
  type UsageEventPayload,
} from '../../src/target/app-api/client.ts';
import { createAdmission } from '../../src/target/pace/admission.ts';
import { parseFaults } from '../support/faults.ts';
import { seeded } from './seeded-sandbox.ts';

const signal = AbortSignal.timeout(30_000);
const event = (eventId: string): UsageEventPayload => ({
  eventId,
  eventName: 'api_call',
  customerId: 'cus_1',
});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A service that answers as told, and what it was asked. */
async function service(
  answer: (request: IncomingMessage, body: string) => { status: number; body: unknown },
) {
  const requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      const reported = answer(request, body);
      response.writeHead(reported.status, { 'content-type': 'application/json' });
      response.end(typeof reported.body === 'string' ? reported.body : JSON.stringify(reported.body));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => new Promise((done) => server.close(() => done())));
  const api = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}/base`, { attempts: 3 });
  return { api, requests };
}

function clientOf(baseUrl: string, options: Partial<AppApiOptions> = {}): AppApi {
  const api = createAppApi({
    baseUrl,
    appIdHeader: 'X-Own-App',
    apiKeyHeader: 'X-Mantle-App-Api-Key',
    appId: 'app-1',
    apiKey: new Secret('key-of-the-app'),
    timeoutMs: 5_000,
    connections: 4,
    admission: createAdmission({ budgets: [], clock: systemClock }),
    clock: systemClock,
    random: () => 0,
    emit: () => {},
    ...options,
  });
  closing.unshift(() => api.close());
  return api;
}

describe('requests', () => {
  it('carry the app’s id and key under the names of the settings, and no bearer token', async () => {
    const { api, requests } = await service(() => ({ status: 200, body: { success: true } }));
    await api.sendUsageEvents([event('a')], signal);
    await api.sendUsageEvents([event('a'), event('b')], signal);
    expect(requests.map(({ method, url, body }) => [method, url, JSON.parse(body)])).toEqual([
      ['POST', '/base/v1/usage_events', event('a')],
      ['POST', '/base/v1/usage_events', { events: [event('a'), event('b')] }],
    ]);
    expect(requests[0]?.headers).toMatchObject({
      'x-own-app': 'app-1',
      'x-mantle-app-api-key': 'key-of-the-app',
    });
    expect(requests[0]?.headers.authorization).toBeUndefined();
  });

  it('for no event is none', async () => {
    const { api, requests } = await service(() => ({ status: 200, body: {} }));
    await api.sendUsageEvents([], signal);
    expect(requests).toEqual([]);
  });
});

describe('an answer to events', () => {
  it.each([
    [200, { success: true }],
    [201, {}],
    [202, ''],
    [200, 'thanks'],
    [200, { success: true, error: null }],
  ])('%i %j says that they were taken', async (status, body) => {
    const { api } = await service(() => ({ status, body }));
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
  ])('%i %j says %s', async (status, body, code, effect) => {
    const { api } = await service(() => ({ status, body }));
    await expect(api.sendUsageEvents([event('a')], signal)).rejects.toMatchObject({ code, effect, status });
  });

  it('never shows the key', async () => {
    const { api } = await service((_, body) => ({
      status: 422,
      body: { error: `key-of-the-app and ${body}` },
    }));
    await expect(api.sendUsageEvents([event('a')], signal)).rejects.not.toThrow(/key-of-the-app/);
  });
});

describe('a customer', () => {
  it.each([
    [{ customer: { id: 'c', extra: { deep: [1] } } }, { id: 'c', extra: { deep: [1] } }],
    [
      { id: 'c', billingStatus: 'active' },
      { id: 'c', billingStatus: 'active' },
    ],
  ])('is read from %j with every field', async (body, customer) => {
    const { api, requests } = await service(() => ({ status: 200, body }));
    expect(await api.readCustomer('a b&c', signal)).toEqual(customer);
    expect(requests[0]?.url).toBe('/base/v1/customer?id=a+b%26c');
  });

  it('that the API does not know is undefined, while a wrong address is an error', async () => {
    const known = await service(() => ({ status: 404, body: { error: 'not_found' } }));
    expect(await known.api.readCustomer('c', signal)).toBeUndefined();
    const wrong = await service(() => ({ status: 404, body: '<html>not here</html>' }));
    await expect(wrong.api.readCustomer('c', signal)).rejects.toMatchObject({ code: 'target-unreadable' });
  });
});

describe('against a service that fails', () => {
  it.each([
    '500-after:50@usage-events',
    'reset-after:40@usage-events',
    'close-after:50@usage-events',
    'garbage:50@usage-events',
    'truncated:50@usage-events',
  ])('%s: every event is counted exactly once', async (fault) => {
    const sandbox = await seeded({ clock: systemClock, faults: parseFaults([fault], 3) });
    const { id: appId, key } = sandbox.app;
    const api = clientOf(`${sandbox.url}/v1`, {
      appIdHeader: 'X-Mantle-App-Id',
      appId,
      apiKey: new Secret(key),
      attempts: 30,
    });
    const all = Array.from({ length: 12 }, (_, index) => event(`e${index}`));
    await Promise.all(all.map((one) => api.sendUsageEvents([one], signal)));
    expect(sandbox.store.usage.count()).toBe(all.length);
    // A body that cannot be read is no failure: the status says that the events were taken.
    if (!fault.startsWith('garbage')) expect(api.stats.retried).toBeGreaterThan(0);
  });
});
