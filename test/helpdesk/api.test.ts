import { getEventListeners } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';
import { createCoreApi } from '../../src/helpdesk/api.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { event, failure, message, setUp, signal, TOKEN, ticket } from './client-set-up.ts';

describe('the Core API', () => {
  it.each([
    ['bare', { id: 'tkt_1', subject: 'Hi' }, 'tkt_1'],
    ['in an envelope', { ticket: { id: 'tkt_1', subject: 'Hi' } }, 'tkt_1'],
    ['a number', { ticket: { id: 4711 } }, '4711'],
    ['a bare one that has a field of that name', { id: 'tkt_1', ticket: 'nonsense' }, 'tkt_1'],
    ['a bare one with another object of that name', { id: 'tkt_1', ticket: { number: 5 } }, 'tkt_1'],
  ])('creates a ticket and takes its id: %s', async (_name, body, id) => {
    const { api, server } = await setUp(() => ({ status: 201, body }));
    const created = await api.createTicket(ticket, signal);
    expect(created.id).toBe(id);
    expect(server.seen).toMatchObject([
      { method: 'POST', url: '/api/core/v1/tickets', headers: { authorization: `Bearer ${TOKEN}` } },
    ]);
    expect(JSON.parse(server.seen[0]!.body)).toEqual(ticket);
  });

  it.each([
    ['no JSON', 'Created'],
    ['no id', { ticket: { subject: 'Hi' } }],
    ['an empty id', { id: '' }],
    ['a list', [{ id: '1' }]],
    ['nothing', ''],
    ['an id that is no id', { id: { $oid: 'x' } }],
  ])(
    'a create that is answered with success, but with %s, is of unknown outcome and not sent again',
    async (_name, body) => {
      const { api, server } = await setUp(() => ({ status: 201, body }));
      expect(await failure(api.createTicket(ticket, signal))).toMatchObject({
        code: 'unknown-outcome',
        effect: 'unknown',
        status: 201,
      });
      expect(server.seen).toHaveLength(1);
    },
  );

  it('replaces messages and events with bare arrays, and tells what the answer says of it', async () => {
    const { api, server } = await setUp(({ url }) =>
      url.endsWith('/events') ? { status: 204, body: '' } : { body: { messages: [{ id: 7, content: 'x' }] } },
    );
    expect(await api.replaceMessages('a/b c', [message], signal)).toEqual({
      confirmed: true,
      echo: [{ id: '7', content: 'x' }],
    });
    expect(await api.replaceEvents('..', [event], signal)).toEqual({ confirmed: false });
    await api.replaceEvents('a\ud800', [event], signal);
    expect(server.seen.map(({ method, url, body }) => [method, url, JSON.parse(body)])).toEqual([
      ['PUT', '/api/core/v1/tickets/a%2Fb%20c/messages', [message]],
      ['PUT', '/api/core/v1/tickets/%2E%2E/events', [event]],
      ['PUT', '/api/core/v1/tickets/a%EF%BF%BD/events', [event]],
    ]);
  });

  it.each([
    ['https://desk.example', undefined, '/api/core/v1/tickets'],
    ['/', 'v1', '/v1/tickets'],
    ['/helpdesk/', '/api/core/v1/', '/helpdesk/api/core/v1/tickets'],
    ['/helpdesk', '/', '/helpdesk/tickets'],
  ])('base URL ending in %s with API path %s: %s', async (end, apiPath, url) => {
    const { server } = await setUp(() => ({ body: { id: '1' } }));
    const own = createCoreApi({
      baseUrl: end.startsWith('/') ? server.url + end : server.url,
      ...(apiPath === undefined ? {} : { apiPath }),
      credentials: { kind: 'token', token: new Secret(`Bearer ${TOKEN}\n`) },
      timeoutMs: 1_000,
      connections: 1,
      budgets: [],
      clock: createFakeClock(),
      random: () => 0,
    });
    onTestFinished(() => own[Symbol.asyncDispose]());
    await own.createTicket(ticket, signal);
    expect(server.seen[0]).toMatchObject({ url, headers: { authorization: `Bearer ${TOKEN}` } });
  });

  it('messages go out once if their outcome is unknown, and again if nothing can have arrived', async () => {
    for (const status of [500, 503, 504, 408, 409]) {
      const { api, server, settle } = await setUp(() => ({ status }));
      for (const put of [
        api.replaceMessages('1', [message], signal),
        api.replaceEvents('1', [event], signal),
      ])
        expect(await failure(settle(put))).toMatchObject({ code: 'unknown-outcome', effect: 'unknown' });
      expect(server.seen).toHaveLength(2);
    }
    const limited = await setUp((_request, nth) => (nth < 3 ? { status: 429 } : { body: '' }));
    await limited.settle(limited.api.replaceMessages('1', [message], signal));
    expect(limited.server.seen).toHaveLength(3);
  });

  it('leaves nothing on the signal after a thousand requests, and no timer', async () => {
    const controller = new AbortController();
    const { api, clock } = await setUp(() => ({ status: 201, body: { id: '1' } }));
    const worker = async () => {
      for (let n = 0; n < 125; n++) await api.createTicket(ticket, controller.signal);
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    await clock.advance(0);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    expect(clock.sleeping()).toBe(0);
    expect(api.stats).toEqual({ sent: 1_000, retried: 0, rateLimited: 0, changing: 1_000 });
  });
});
