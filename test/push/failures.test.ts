import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { ApiFailure } from '../../src/domain/ticket-api.ts';
import { FakeTarget, failing, refused, turn, unknownOutcome } from './fake-target.ts';
import { driven, importOnce, planned, scratchCheckpoint, start, startPlan } from './import-run.ts';

describe('what concerns every ticket stops the run', () => {
  const many = Array.from({ length: 40 }, (_, i) => ({
    id: `t${i}`,
    email: `p${i}@example.com`,
    messages: ['agent'],
  }));

  it.each([
    // The first one alone, four, and the four that were in flight when the fourth failure was on disk.
    [2, 4, 9],
    [6, 0, 0],
  ])('of five allowed errors %i were made before: %i to %i creates fail', async (already, least, most) => {
    const api = new FakeTarget(failing('create', 'before', refused()));
    const { result } = await importOnce({
      tickets: many,
      api,
      options: { maxErrors: { allowed: 5, already } },
    });
    expect(result.stoppedBy).toMatchObject({ code: 'error-budget', exitCode: 6 });
    expect(result.tickets.failed).toBeGreaterThanOrEqual(least);
    expect(result.tickets.failed).toBeLessThanOrEqual(most);
  });

  it('a failing plan stops it, and requests in flight finish', async () => {
    const api = new FakeTarget();
    const { ledger } = scratchCheckpoint();
    const broken = new AppError('source', 'The file ended in the middle.');
    async function* work() {
      yield planned({ id: 'a' }, 0, { do: 'create' });
      yield planned({ id: 'b' }, 1, { do: 'create' });
      await turn();
      throw broken;
    }
    const { run, clock } = startPlan(work(), { api, ledger });
    const result = await driven(clock, run);
    expect(result.stoppedBy).toBe(broken);
    expect(result.tickets).toMatchObject({ done: 1, pending: 1 });
  });

  it('a defect is thrown after everything in flight has ended', async () => {
    const defect = new TypeError('undefined is not a function');
    const api = new FakeTarget(failing('create', 'after', defect, (about) => about === 'Subject of t3'));
    const { ledger } = scratchCheckpoint();
    await expect(importOnce({ tickets: many, api, ledger })).rejects.toBe(defect);
    expect(ledger.get('t3')?.state).toBe('inDoubt');
    expect(ledger.counts().creating).toBe(0);
    expect(ledger.counts().done).toBeGreaterThanOrEqual(3);
  });
});

describe('a signal', () => {
  const WITH_EVENTS = Array.from({ length: 30 }, (_, i) => ({
    ...{ id: `t${i}`, email: `p${i}@example.com`, messages: ['agent'], events: 1 },
  }));

  it('a request in flight for too long is cut off, its ticket in doubt', async () => {
    const soft = new AbortController();
    // The first one goes alone, and is answered.
    let calls = 0;
    const api = new FakeTarget({ latency: () => (calls++ < 2 ? 0 : 100_000) });
    const { ledger } = scratchCheckpoint();
    const { run, clock } = start({ tickets: WITH_EVENTS, api, ledger, soft: soft.signal });
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

  it('a signal that came before the start sends nothing', async () => {
    const api = new FakeTarget();
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({ tickets: WITH_EVENTS, api, ledger, soft: AbortSignal.abort() });
    expect(api.calls).toEqual([]);
    expect(result.tickets.done).toBe(0);
  });

  it('a run leaves no timer and no listener behind', async () => {
    const soft = new AbortController();
    const hard = new AbortController();
    const api = new FakeTarget(failing('create', 'after', unknownOutcome(), (_, n) => n % 5 === 0));
    const { ledger } = scratchCheckpoint();
    const { run, clock } = start({ tickets: WITH_EVENTS, api, ledger, soft: soft.signal, hard: hard.signal });
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
    const { result } = await importOnce({ tickets: WITH_EVENTS.slice(0, 1), api, ledger, hard: hard.signal });
    expect(result.tickets).toEqual({ done: 0, failed: 0, inDoubt: 0, pending: 1 });
    expect(ledger.counts()).toMatchObject({ pending, creating: 0, inDoubt: 0 });
  });
});
