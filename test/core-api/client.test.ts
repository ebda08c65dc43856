import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { type CoreApi, type CoreApiOptions, createCoreApi } from '../../src/core-api/client.ts';
import type { RunEvent } from '../../src/domain/run-events.ts';
import { Secret } from '../../src/domain/secret.ts';
import { ApiFailure } from '../../src/domain/ticket-api.ts';
import { createAdmission } from '../../src/pace/admission.ts';
import type { RequestSample } from '../../src/pace/concurrency-limit.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { apiServer, type Responder } from './api-server.ts';

const TOKEN = 'secret-token-0123456789';
const ticket = { subject: 'Hi', createdAt: '2024-01-01T00:00:00.000Z', contact: { email: 'a@b.example' } };
const message = { actorType: 'system' as const, content: 'x', occurredAt: '2024-01-01T00:00:00.000Z' };
const event = { type: 'status_change', actorType: 'system' as const, occurredAt: '2024-01-01T00:00:00.000Z' };
const { signal } = new AbortController();

const opened: (CoreApi | AsyncDisposable)[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await ('close' in each ? each.close() : each[Symbol.asyncDispose]());
});

async function setUp(respond: Responder, options: Partial<CoreApiOptions> = {}) {
  const server = await apiServer(respond);
  const clock = createFakeClock();
  const events: RunEvent[] = [];
  const samples: RequestSample[] = [];
  const admission = createAdmission({ budgets: [], clock, emit: (each) => events.push(each) });
  const api = createCoreApi({
    baseUrl: server.url,
    credentials: { kind: 'token', token: new Secret(TOKEN) },
    timeoutMs: 30_000,
    connections: 8,
    admission,
    clock,
    random: () => 1,
    emit: (each) => events.push(each),
    onSample: (sample) => samples.push(sample),
    ...options,
  });
  opened.push(api, server);
  /** Moves the clock on, but only while no request is on the wire: answers take no time here. */
  const settle = async <T>(promise: Promise<T>): Promise<T> => {
    let settled = false;
    const mark = () => {
      settled = true;
    };
    promise.then(mark, mark);
    while (!settled) {
      for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
      const ended = events.filter(({ type }) => type === 'request').length;
      if (!settled && admission.admitted === ended) await clock.advanceToNext();
    }
    return promise;
  };
  return { api, server, clock, settle, events, samples, admission };
}

const failure = (promise: Promise<unknown>): Promise<ApiFailure> =>
  promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => {
      if (!(error instanceof ApiFailure)) throw error;
      return error;
    },
  );

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

  it('replaces messages and events with bare arrays, whatever the answer holds', async () => {
    const { api, server } = await setUp(() => ({ body: 'OK' }));
    await api.replaceMessages('a/b c', [message], signal);
    await api.replaceEvents('..', [event], signal);
    expect(server.seen.map(({ method, url, body }) => [method, url, JSON.parse(body)])).toEqual([
      ['PUT', '/api/core/v1/tickets/a%2Fb%20c/messages', [message]],
      ['PUT', '/api/core/v1/tickets/%2E%2E/events', [event]],
    ]);
  });

  it.each<[string, { body: string; headers?: Record<string, string> }]>([
    ['by its body', { body: '\n<!DOCTYPE html><title>Log in</title>' }],
    ['by its type', { body: 'Please log in', headers: { 'content-type': 'text/html; charset=utf-8' } }],
  ])(
    'takes no page for the answer to messages (%s): it sends them again, and then does not know',
    async (_, page) => {
      let isBefore = true;
      const { api, server, settle } = await setUp(() => (isBefore ? page : { body: '' }), { attempts: 3 });
      expect(await failure(settle(api.replaceMessages('1', [message], signal)))).toMatchObject({
        code: 'unknown-outcome',
        effect: 'unknown',
        message:
          'It is not known whether the target took the messages after 3 attempts: it answered 200 with a body that cannot be read.',
      });
      expect(server.seen).toHaveLength(3);
      isBefore = false;
      await settle(api.replaceMessages('1', [message], signal));
    },
  );

  it.each([
    ['https://desk.example', undefined, '/api/core/v1/tickets'],
    ['/', 'v1', '/v1/tickets'],
    ['/helpdesk/', '/api/core/v1/', '/helpdesk/api/core/v1/tickets'],
    ['/helpdesk', '/', '/helpdesk/tickets'],
  ])('base URL ending in %s with API path %s: %s', async (end, apiPath, url) => {
    const { api, server } = await setUp(() => ({ body: { id: '1' } }));
    const own = createCoreApi({
      baseUrl: end.startsWith('/') ? server.url + end : server.url,
      ...(apiPath === undefined ? {} : { apiPath }),
      credentials: { kind: 'token', token: new Secret(`Bearer ${TOKEN}\n`) },
      timeoutMs: 1_000,
      connections: 1,
      admission: createAdmission({ budgets: [], clock: createFakeClock() }),
      clock: createFakeClock(),
      random: () => 0,
    });
    opened.push(own, api);
    await own.createTicket(ticket, signal);
    expect(server.seen[0]).toMatchObject({ url, headers: { authorization: `Bearer ${TOKEN}` } });
  });

  it('reads a list page by page until its end', async () => {
    const { api, server } = await setUp(({ url }) => {
      const cursor = new URL(url, 'http://x').searchParams.get('cursor');
      if (cursor === null)
        return { body: { tickets: [{ id: 1 }, { id: 'b' }], cursor: 'c/2', hasNextPage: true } };
      return { body: { tickets: [{ id: 'c' }], cursor: 'ignored', hasNextPage: false } };
    });
    const found = await api.findTickets({ search: 'Re: Größe & Co', tags: ['imported', 'x'] }, signal);
    expect(found.map(({ id }) => id)).toEqual(['1', 'b', 'c']);
    const [first, second] = server.seen.map(({ url }) =>
      Object.fromEntries(new URL(url, 'http://x').searchParams),
    );
    expect(first).toEqual({ search: 'Re: Größe & Co', tags: 'imported,x', take: '100' });
    expect(second).toEqual({ ...first, cursor: 'c/2' });
  });

  it.each([
    ['a cursor that comes again', () => ({ tickets: [{ id: 1 }], cursor: 'same', hasNextPage: true })],
    ['pages without end', (nth: number) => ({ tickets: [{ id: nth }], cursor: `c${nth}` })],
  ])('a list with %s is not complete, and therefore fails', async (_name, page) => {
    const { api } = await setUp((_request, nth) => ({ body: page(nth) }), { maxPages: 20 });
    expect(await failure(api.findTickets({}, signal))).toMatchObject({
      code: 'unknown-outcome',
      effect: 'none',
    });
  });

  it.each([
    ['no list in it', { items: [] }],
    ['a ticket without an id', { tickets: [{ subject: 'x' }] }],
    ['another page that cannot be asked for', { tickets: [{ id: 1 }], hasNextPage: true }],
    ['no JSON', '<html>'],
  ])('a list with %s is not complete, and therefore fails', async (_name, body) => {
    const { api, settle } = await setUp(() => ({ body }), { attempts: 2 });
    expect(await failure(settle(api.findTickets({}, signal)))).toMatchObject({
      code: 'unknown-outcome',
      effect: 'none',
    });
  });

  it('reads a ticket, its messages and its events, bare or in an envelope', async () => {
    const { api, server } = await setUp(({ url }) => {
      if (url.endsWith('/messages'))
        return { body: { messages: [{ id: 7, content: 'x' }, { content: 'no id' }] } };
      if (url.endsWith('/events')) return { body: [{ id: 'e1' }] };
      return { body: { ticket: { id: 5, subject: 'Hi' } } };
    });
    expect(await api.readTicket('5', signal)).toEqual({ id: '5', subject: 'Hi' });
    expect(await api.readMessages('5', signal)).toEqual([
      { id: '7', content: 'x' },
      { id: '', content: 'no id' },
    ]);
    expect(await api.readEvents('5', signal)).toEqual([{ id: 'e1' }]);
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/api/core/v1/tickets/5',
      '/api/core/v1/tickets/5/messages',
      '/api/core/v1/tickets/5/events',
    ]);
  });

  it('finds an agent by the whole address, also where the service answers with everybody', async () => {
    const agents = [
      { id: 'a1', email: 'Other@x.example' },
      { id: 'a2', email: 'Agent@X.example' },
    ];
    const { api, server } = await setUp(() => ({ body: { agents } }));
    expect(await api.findAgent(' agent@x.example', signal)).toBe('a2');
    expect(await api.findAgent('nobody@x.example', signal)).toBeUndefined();
    expect(server.seen[0]!.url).toBe('/api/core/v1/agents?email=agent%40x.example');
  });

  it.each([403, 404, 405])('a target that answers reads with %i cannot be read', async (status) => {
    const { api } = await setUp(() => ({ status }));
    for (const read of [
      api.findTickets({}, signal),
      api.readTicket('1', signal),
      api.readMessages('1', signal),
      api.findAgent('a@b.example', signal),
    ])
      expect(await failure(read)).toMatchObject({ code: 'target-unreadable', effect: 'none', status });
  });

  it('a target that redirects reads to a login cannot be read', async () => {
    const { api } = await setUp(() => ({ status: 302, headers: { location: '/login' } }));
    expect(await failure(api.findTickets({}, signal))).toMatchObject({ code: 'target-unreadable' });
  });

  describe('failures are told in one sentence', () => {
    it.each([
      [
        400,
        { error: 'bad_request', message: 'subject is required' },
        'refused',
        'The target refused the ticket (400: bad_request: subject is required).',
      ],
      [
        422,
        { error: 'invalid', details: [{ path: 'contact.email' }] },
        'refused',
        'The target refused the ticket (422: invalid: [{"path":"contact.email"}]).',
      ],
      [409, '', 'refused', 'The target refused the ticket (409).'],
      [413, '<html><h1>Too large</h1></html>', 'refused', 'The target refused the ticket (413).'],
      [
        401,
        { error: 'token_expired' },
        'auth',
        'The target refuses the token (401: token_expired); get a new one and check that it belongs to this target.',
      ],
      [
        403,
        { error: 'forbidden' },
        'auth',
        'The token may not send the ticket (403: forbidden); it needs the scope write:tickets.',
      ],
      [
        403,
        { error: 'forbidden', message: 'missing scope write:contacts' },
        'auth',
        'The token may not send the ticket (403: forbidden: missing scope write:contacts); it needs the scope write:contacts.',
      ],
      [
        308,
        '',
        'unreachable',
        'The base URL redirects elsewhere (308 to https://new.example); set it to the final address.',
      ],
      [500, 'oops', 'unknown-outcome', 'It is not known whether the target took the ticket: 500: oops.'],
    ] as const)('%i', async (status, body, code, text) => {
      const { api } = await setUp(() => ({
        status,
        body,
        headers: { location: 'https://new.example/x?token=1' },
      }));
      expect(await failure(api.createTicket(ticket, signal))).toMatchObject({ code, status, message: text });
    });

    it('without secrets, control characters or length, whatever the service says', async () => {
      const { api } = await setUp(({ headers }) => ({
        status: 422,
        body: {
          error: `\u001b[31mYou sent ${headers.authorization}\n`,
          message: 'x'.repeat(5_000),
          details: { refresh_token: 'abcdefgh' },
        },
      }));
      const error = await failure(api.createTicket(ticket, signal));
      expect(error.message.length).toBeLessThanOrEqual(300);
      expect(error.detail!.length).toBeLessThanOrEqual(300);
      for (const text of [error.message, error.detail, error.stack, JSON.stringify(error)]) {
        expect(text).not.toContain(TOKEN);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what must not be there
        expect(text?.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f]/);
      }
    });
  });

  it('no secret in any event, and no query in a path', async () => {
    const { api, events, settle } = await setUp((_request, nth) =>
      nth === 1 ? { status: 500 } : { body: { tickets: [] } },
    );
    await settle(api.findTickets({ search: 'someone@private.example' }, signal));
    const text = JSON.stringify(events);
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain('private.example');
    expect(events.filter(({ type }) => type === 'request')).toMatchObject([
      { method: 'GET', path: '/api/core/v1/tickets', status: 500, attempt: 1 },
      { method: 'GET', path: '/api/core/v1/tickets', status: 200, attempt: 2 },
    ]);
  });

  it('events that the target appends are sent once, and repeated like messages otherwise', async () => {
    const append = await setUp(() => ({ status: 500 }), { eventsAppend: true, attempts: 3 });
    expect(await failure(append.settle(append.api.replaceEvents('1', [event], signal)))).toMatchObject({
      code: 'unknown-outcome',
      effect: 'unknown',
    });
    expect(append.server.seen).toHaveLength(1);
    const replace = await setUp(() => ({ status: 500 }), { attempts: 3 });
    await failure(replace.settle(replace.api.replaceEvents('1', [event], signal)));
    expect(replace.server.seen).toHaveLength(3);
  });

  it('a 429 holds all requests for exactly as long as it says, and the create goes out again', async () => {
    const { api, clock, server, events, settle } = await setUp((_request, nth) =>
      nth === 1 ? { status: 429, headers: { 'retry-after': '7' } } : { status: 201, body: { id: nth } },
    );
    const sentAt: number[] = [];
    const both = [api.createTicket(ticket, signal)];
    while (!events.some(({ type }) => type === 'rate-limited'))
      await new Promise((resolve) => setImmediate(resolve));
    both.push(api.createTicket(ticket, signal));
    await clock.advance(6_999);
    expect(server.seen).toHaveLength(1);
    await settle(Promise.all(both));
    sentAt.push(clock.monotonic());
    expect([server.seen.length, sentAt[0]]).toEqual([3, 7_000]);
    expect(events.filter(({ type }) => type === 'rate-limited')).toEqual([
      { type: 'rate-limited', waitMs: 7_000 },
    ]);
    expect(api.stats).toEqual({ sent: 3, retried: 1, rateLimited: 1 });
  });

  it('429s without Retry-After make growing pauses, which end with the first other answer', async () => {
    const { api, events, settle } = await setUp((_request, nth) =>
      nth <= 3 ? { status: 429 } : { status: 201, body: { id: nth } },
    );
    await settle(api.createTicket(ticket, signal));
    expect(events.flatMap((each) => (each.type === 'rate-limited' ? [each.waitMs] : []))).toEqual([
      2_000, 4_000, 8_000,
    ]);
  });

  it('while the target is down one harmless read probes it, and creates wait', async () => {
    const { api, clock, server, settle } = await setUp(({ method }, nth) =>
      nth <= 4
        ? { status: 503, headers: { 'retry-after': '3' } }
        : method === 'POST'
          ? { status: 201, body: { id: nth } }
          : { body: { tickets: [] } },
    );
    await settle(api.createTicket(ticket, signal));
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /api/core/v1/tickets',
      'GET /api/core/v1/tickets?take=1',
      'GET /api/core/v1/tickets?take=1',
      'GET /api/core/v1/tickets?take=1',
      'GET /api/core/v1/tickets?take=1',
      'POST /api/core/v1/tickets',
    ]);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(12_000);
  });

  it('gives up on a target that refuses connections after the time that it has, without any effect', async () => {
    const { api, server, events, settle } = await setUp(() => ({}), { giveUpAfterMs: 60_000 });
    await server[Symbol.asyncDispose]();
    const error = await failure(settle(api.createTicket(ticket, signal)));
    expect(error).toMatchObject({
      code: 'unreachable',
      effect: 'none',
      cause: { code: 'unreachable', exitCode: 6 },
    });
    expect(error.message).toContain('connection refused');
    expect(events.some((each) => each.type === 'waiting' && each.reason === 'target-down')).toBe(true);
    expect(api.stats.sent).toBe(0);
    opened.pop();
  });

  it('a host that does not exist is not waited for', async () => {
    const { api, settle } = await setUp(() => ({}), { baseUrl: 'https://no-such-host.invalid' });
    const error = await failure(settle(api.createTicket(ticket, signal)));
    expect(error).toMatchObject({ code: 'unreachable', effect: 'none' });
  });

  it('aborted before it was sent it gives the reason, aborted afterwards a create is cut off in doubt', async () => {
    const controller = new AbortController();
    const { api, server } = await setUp(() => new Promise(() => {}));
    const pending = failure(api.createTicket(ticket, controller.signal));
    while (server.seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error('second signal'));
    expect(await pending).toMatchObject({ code: 'cut-off', effect: 'unknown' });
    await expect(api.createTicket(ticket, controller.signal)).rejects.toThrow('second signal');
    expect(server.seen).toHaveLength(1);
  });

  it('tells the limiter of each request how long it took, how many there were, and whether it was too much', async () => {
    const { api, samples, settle } = await setUp((_request, nth) =>
      nth === 1 ? { status: 502 } : { body: '' },
    );
    await settle(api.replaceMessages('1', [message], signal));
    expect(samples).toMatchObject([
      { inFlight: 1, outcome: 'overload' },
      { inFlight: 1, outcome: 'ok' },
    ]);
  });

  it('leaves nothing on the signal after a thousand requests, and no timer once it is closed', async () => {
    const controller = new AbortController();
    const { api, clock } = await setUp(() => ({ status: 201, body: { id: '1' } }));
    const worker = async () => {
      for (let n = 0; n < 125; n++) await api.createTicket(ticket, controller.signal);
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    await clock.advance(0);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    expect(clock.sleeping()).toBeLessThanOrEqual(1);
    await api.close();
    await clock.advance(0);
    expect(clock.sleeping()).toBe(0);
    expect(api.stats).toEqual({ sent: 1_000, retried: 0, rateLimited: 0 });
  });

  it('a look asks once and gives back what it sees', async () => {
    const { api, server } = await setUp(() => ({ status: 503 }));
    expect(await api.look(signal)).toMatchObject({ type: 'answer', status: 503 });
    expect(server.seen).toHaveLength(1);
  });
});
