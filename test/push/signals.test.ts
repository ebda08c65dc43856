import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { ApiFailure } from '../../src/domain/ticket-api.ts';
import { FakeTarget, failing, turn, unknownOutcome } from './fake-target.ts';
import { driven, importOnce, scratchCheckpoint, start } from './import-run.ts';

describe('signals', () => {
  const many = Array.from({ length: 30 }, (_, i) => ({
    id: `t${i}`,
    email: `p${i}@example.com`,
    messages: ['agent'],
    events: 1,
  }));

  it('the first finishes and records requests in flight, and starts nothing new', async () => {
    const soft = new AbortController();
    const api = new FakeTarget({ latency: () => 4 });
    const { ledger } = scratchCheckpoint();
    const terminated = new AppError('terminated', 'Stopped.');
    const { result } = await importOnce({
      tickets: many,
      api,
      ledger,
      soft: soft.signal,
      onEvent: (event) => {
        if (event.type === 'ticket') soft.abort(terminated);
      },
    });
    expect(result.stoppedBy).toBe(terminated);
    expect(result.tickets.done).toBeGreaterThan(0);
    expect(result.tickets.done).toBeLessThanOrEqual(8);
    expect(result.tickets.done + result.tickets.pending).toBe(30);
    expect(ledger.counts()).toMatchObject({ creating: 0, inDoubt: 0, created: 0 });
  });

  it('a request in flight for too long is cut off, its ticket in doubt', async () => {
    const soft = new AbortController();
    // The first one goes alone, and is answered.
    let calls = 0;
    const api = new FakeTarget({ latency: () => (calls++ < 2 ? 0 : 100_000) });
    const { ledger } = scratchCheckpoint();
    const { run, clock } = start({ tickets: many, api, ledger, soft: soft.signal });
    for (let i = 0; i < 10; i += 1) await turn();
    soft.abort();
    await turn();
    expect(clock.sleeping()).toBe(1);
    await clock.advance(29_999);
    expect(ledger.counts().creating).toBe(3);
    await clock.advance(1);
    const result = await run;
    expect(result.stoppedBy?.exitCode).toBe(130);
    expect(result.tickets).toMatchObject({ inDoubt: 3, done: 0 });
    expect(ledger.counts()).toMatchObject({ inDoubt: 3, creating: 0 });
    expect(clock.sleeping()).toBe(0);
  });

  it('the second ends at once and leaves tickets in flight in doubt; the next run settles them', async () => {
    const hard = new AbortController();
    const api = new FakeTarget({ latency: () => 3 });
    const { ledger } = scratchCheckpoint();
    const { run, clock } = start({ tickets: many, api, ledger, hard: hard.signal });
    while (api.tickets.size < 2) await turn();
    hard.abort();
    const result = await run;
    expect(clock.sleeping()).toBe(0);
    expect(result.stoppedBy?.code).toBe('interrupted');
    const { inDoubt } = ledger.counts();
    expect(inDoubt).toBeGreaterThan(0);
    expect(inDoubt).toBeLessThanOrEqual(4);
    const again = await importOnce({ tickets: many, api, ledger });
    expect(again.result.tickets.done).toBe(30 - result.tickets.done);
    expect(Object.values(api.created())).toEqual(Array(30).fill(1));
  });

  it('a signal that came before the start sends nothing', async () => {
    const api = new FakeTarget();
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({ tickets: many, api, ledger, soft: AbortSignal.abort() });
    expect(api.calls).toEqual([]);
    expect(result.tickets.done).toBe(0);
  });

  it('a run leaves no timer and no listener behind', async () => {
    const soft = new AbortController();
    const hard = new AbortController();
    const api = new FakeTarget(failing('create', 'after', unknownOutcome(), (_, n) => n % 5 === 0));
    const { ledger } = scratchCheckpoint();
    const { run, clock } = start({ tickets: many, api, ledger, soft: soft.signal, hard: hard.signal });
    await driven(clock, run);
    expect(clock.sleeping()).toBe(0);
    expect(getEventListeners(soft.signal, 'abort')).toEqual([]);
    expect(getEventListeners(hard.signal, 'abort')).toEqual([]);
  });

  it.each([
    ['has an intent', 1],
    ['still waits for its turn', 0],
  ])('a create that the signal stopped before it was sent is not in doubt: it %s', async (_, pending) => {
    const hard = new AbortController();
    const api = new FakeTarget();
    api.createTicket = async (_ticket, signal, wire) => {
      if (pending > 0) await wire?.beforeSending?.();
      hard.abort(new ApiFailure('cut-off', 'none', 'not this'));
      throw signal.reason;
    };
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({ tickets: many.slice(0, 1), api, ledger, hard: hard.signal });
    expect(result.tickets).toEqual({ done: 0, failed: 0, inDoubt: 0, pending: 1 });
    expect(ledger.counts()).toMatchObject({ pending, creating: 0, inDoubt: 0 });
  });
});
