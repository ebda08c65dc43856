import { describe, expect, it } from 'vitest';
import { failure, setUp, signal, ticket } from './client-set-up.ts';

describe('the Core API', () => {
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

  it('while the target is down one harmless read probes it, and whatever is to be sent waits', async () => {
    const { api, clock, server, settle } = await setUp(({ method }, nth) =>
      nth <= 4
        ? { status: 503, headers: { 'retry-after': '3' } }
        : method === 'GET'
          ? { body: { tickets: [] } }
          : { status: 201, body: { id: nth } },
    );
    // The create that was answered so is not sent again: its outcome is unknown.
    expect(await failure(settle(api.createTicket(ticket, signal)))).toMatchObject({
      code: 'unknown-outcome',
      effect: 'unknown',
      status: 503,
    });
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
});
