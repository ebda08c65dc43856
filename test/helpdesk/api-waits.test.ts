import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { event, failure, message, setUp, signal, ticket } from './client-set-up.ts';

describe('the Core API', () => {
  it.each([
    ['a zero', '0'],
    ['a date that is past', 'Mon, 01 Jan 2001 00:00:00 GMT'],
    ['a text', 'soon'],
    ['a pause that names a day', '86400'],
    ['nothing', undefined],
  ])('429 with %s never ends by itself: few tries, and after giveUpAfter the run stops', async (_, after) => {
    const headers: Record<string, string> = after === undefined ? {} : { 'retry-after': after };
    const { api, clock, server, settle } = await setUp(() => ({ status: 429, headers }), {
      giveUpAfterMs: 600_000,
    });
    expect(await failure(settle(api.createTicket(ticket, signal)))).toMatchObject({
      code: 'unreachable',
      effect: 'none',
      message: expect.stringContaining('has limited the rate for 10 minutes. It asks to wait until'),
    });
    expect(clock.monotonic()).toBe(600_000);
    expect(server.seen.length).toBeLessThan(20);
    expect(await failure(settle(api.readTicket('1', signal)))).toMatchObject({ code: 'unreachable' });
  });

  it('a list whose pages all show something new is given up after giveUpAfter', async () => {
    const pages = await setUp(
      async (_request, nth) => {
        await pages.clock.advance(25_000);
        return { body: { tickets: [{ id: `T${nth}` }], cursor: `c${nth}` } };
      },
      { giveUpAfterMs: 100_000 },
    );
    expect(await failure(pages.settle(pages.api.findTickets({}, signal)))).toMatchObject({
      code: 'unknown-outcome',
      effect: 'none',
      message: expect.stringContaining('never ended'),
    });
    expect(pages.server.seen.length).toBe(5);
  });

  it('while the helpdesk is down one harmless read probes it, and all writes wait', async () => {
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

  it('what a create has to record before it is sent is recorded when it is its turn, and waited for', async () => {
    const begun: number[] = [];
    const { promise: recorded, resolve: record } = Promise.withResolvers<void>();
    const { api, clock, server, settle, events } = await setUp((_request, nth) =>
      nth === 1 ? { status: 429, headers: { 'retry-after': '5' } } : { status: 201, body: { id: 'T1' } },
    );
    const wire = {
      mayHaveArrived: true,
      beforeSending: () => {
        begun.push(clock.monotonic());
        return recorded;
      },
    };
    const held = api.readTicket('T1', signal);
    while (!events.some(({ type }) => type === 'rate-limited'))
      await new Promise((resolve) => setImmediate(resolve));
    const created = api.createTicket(ticket, signal, wire);
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual([]);
    await settle(held);
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect([begun, server.seen.length, wire.mayHaveArrived]).toEqual([[5_000], 2, false]);
    record();
    expect(await settle(created)).toMatchObject({ id: 'T1' });
    expect([begun.length, server.seen.length, wire.mayHaveArrived]).toEqual([1, 3, true]);
  });

  it('what could not be recorded is not sent', async () => {
    const { api, server } = await setUp(() => ({ status: 201, body: { id: 'T1' } }));
    const reason = new AppError('disk-write', 'The disk is full.');
    const wire = { mayHaveArrived: true, beforeSending: () => Promise.reject(reason) };
    await expect(api.createTicket(ticket, signal, wire)).rejects.toBe(reason);
    expect([server.seen.length, wire.mayHaveArrived]).toEqual([0, false]);
  });

  it('if nothing more may be sent, nothing is: no create, no list and no read', async () => {
    const reason = new AppError('checkpoint', 'Another process has taken over.');
    const { api, server } = await setUp(() => ({ status: 201, body: { id: 'T1' } }), {
      aboutToSend: () => {
        throw reason;
      },
    });
    for (const call of [
      () => api.createTicket(ticket, signal),
      () => api.replaceMessages('T1', [message], signal),
      () => api.replaceEvents('T1', [event], signal),
      () => api.updateTicket('T1', { status: 'closed' }, signal),
      () => api.readTicket('T1', signal),
      () => api.findTickets({}, signal),
    ])
      await expect(call()).rejects.toBe(reason);
    expect(server.seen).toEqual([]);
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
