import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import { AppError } from '../../src/domain/errors.ts';
import { ApiFailure } from '../../src/domain/ticket-api.ts';
import { SLOW_AFTER_MS } from '../../src/push/create-gate.ts';
import { push } from '../../src/push/push.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { FakeTarget, refused, turn, unauthorized, unknownOutcome, unreachable } from './fake-target.ts';
import {
  DEFAULTS,
  driven,
  importOnce,
  planned,
  scratchCheckpoint,
  start,
  type TestTicket,
} from './import-run.ts';

const SAMPLE: TestTicket[] = [
  { id: 'a', email: 'mia@example.com', messages: ['mia@example.com', 'agent'], events: 2 },
  { id: 'b', email: 'tom@example.com', messages: ['tom@example.com'] },
  { id: 'c', email: 'mia@example.com', events: 1 },
  { id: 'd' },
];

describe('an import', () => {
  it('sends each ticket with its messages and events once, and no request for an empty list', async () => {
    const api = new FakeTarget();
    const { ledger } = scratchCheckpoint();
    const { result, events } = await importOnce({ tickets: SAMPLE, api, ledger });
    expect(result).toEqual({
      tickets: { done: 4, failed: 0, inDoubt: 0, pending: 0 },
      messagesSent: 3,
      eventsSent: 3,
    });
    expect([api.count('create'), api.count('messages'), api.count('events'), api.calls.length]).toEqual([
      4, 2, 2, 8,
    ]);
    const a = [...api.tickets.values()].find(({ payload }) => payload.subject === 'Subject of a');
    expect(a?.messages.map(({ content }) => content)).toEqual(['a: message 1', 'a: message 2']);
    expect(a?.events).toHaveLength(2);
    expect(ledger.get('a')).toMatchObject({ state: 'done', ticketId: a?.id });
    expect(events.filter(({ type }) => type === 'ticket')).toHaveLength(4);
  });

  it('run again sends nothing', async () => {
    const api = new FakeTarget();
    const { ledger } = scratchCheckpoint();
    await importOnce({ tickets: SAMPLE, api, ledger });
    const before = api.calls.length;
    const { result } = await importOnce({ tickets: SAMPLE, api, ledger });
    expect(api.calls.length).toBe(before);
    expect(result.tickets).toEqual({ done: 0, failed: 0, inDoubt: 0, pending: 0 });
  });

  it('gives each contact its newest name, and no other', async () => {
    const api = new FakeTarget();
    const { ledger } = scratchCheckpoint();
    await importOnce({ tickets: SAMPLE, api, ledger, names: { 'mia@example.com': 'Mia Miller' } });
    expect(
      [...api.tickets.values()].map(({ payload }) => payload.contact).filter((c) => c !== undefined),
    ).toEqual(
      expect.arrayContaining([
        { email: 'mia@example.com', name: 'Mia Miller' },
        { email: 'tom@example.com' },
      ]),
    );
  });

  it('keeps at most so many tickets in flight, and uses them', async () => {
    const api = new FakeTarget({ latency: () => 3 });
    const { ledger } = scratchCheckpoint();
    const tickets = Array.from({ length: 60 }, (_, i) => ({
      id: `t${i}`,
      email: `p${i}@example.com`,
      messages: ['agent'],
    }));
    await importOnce({ tickets, api, ledger, options: { concurrency: 7 } });
    expect(api.mostInFlight).toBe(7);
  });

  it('takes no more from the plan than it looks ahead', async () => {
    let taken = 0;
    let settled = 0;
    let most = 0;
    const tickets = Array.from({ length: 900 }, (_, i) => ({ id: `t${i}`, email: `p${i}@example.com` }));
    const { ledger } = scratchCheckpoint();
    const watched = Object.create(ledger, {
      get: {
        value: (id: string) => {
          if (ledger.get(id) === undefined) taken += 1;
          most = Math.max(most, taken - settled);
          return ledger.get(id);
        },
      },
    });
    for (const name of [
      'intend',
      'created',
      'eventsSent',
      'inStates',
      'flush',
      'batchSettled',
      'ownerOf',
    ] as const)
      Object.defineProperty(watched, name, { value: ledger[name].bind(ledger) });
    await importOnce({
      tickets,
      api: new FakeTarget(),
      ledger: watched,
      onEvent: ({ type }) => {
        if (type === 'ticket') settled += 1;
      },
    });
    expect(settled).toBe(900);
    expect(most).toBeLessThanOrEqual(258);
    expect(most).toBeGreaterThan(200);
  });

  it('settles batches as their tickets settle, and records them', async () => {
    const api = new FakeTarget({
      fault: (call, about) =>
        call === 'create' && about.endsWith(' t7') ? { at: 'before', error: refused() } : undefined,
    });
    const { ledger, path } = scratchCheckpoint();
    const run = await ledger.startRun('run');
    const tickets = Array.from({ length: 25 }, (_, i) => ({ id: `t${i}` }));
    const { events } = await importOnce({ tickets, api, ledger, options: { batchSize: 10 } });
    expect(events.filter((event) => event.type === 'batch')).toEqual([
      { type: 'batch', batch: 1, batches: expect.any(Number), done: 9, failed: 1, inDoubt: 0 },
      { type: 'batch', batch: 2, batches: expect.any(Number), done: 10, failed: 0, inDoubt: 0 },
      { type: 'batch', batch: 3, batches: 3, done: 5, failed: 0, inDoubt: 0 },
    ]);
    await ledger.close();
    const reader = readCheckpoint(path);
    expect(reader.batches(run).map(({ number, tickets: n }) => [number, n])).toEqual([
      [1, 10],
      [2, 10],
      [3, 5],
    ]);
    reader.close();
  });

  it('a delta replaces the messages of a ticket that is done and creates nothing', async () => {
    const api = new FakeTarget();
    const { ledger } = scratchCheckpoint();
    await importOnce({ tickets: SAMPLE, api, ledger });
    const ticketId = ledger.get('b')?.ticketId ?? '';
    const changed = planned(
      { id: 'b', email: 'tom@example.com', messages: ['tom@example.com', 'agent'] },
      1,
      { do: 'reopen', ticketId, parts: ['messages', 'events'] },
    );
    const prints = { ticket: 'a'.repeat(16), messages: 'b'.repeat(16), events: 'c'.repeat(16) };
    async function* work() {
      yield { ...changed, fingerprints: prints };
    }
    const result = await push(
      work(),
      {
        api,
        ledger,
        clock: createFakeClock(),
        random: () => 0,
        emit: () => undefined,
        names: { nameOf: () => undefined },
      },
      DEFAULTS,
      { soft: new AbortController().signal, hard: new AbortController().signal },
    );
    expect(result.tickets.done).toBe(1);
    expect(api.tickets.size).toBe(4);
    expect(api.tickets.get(ticketId)?.messages).toHaveLength(2);
    // The ticket's own fields stay as they were sent: the API cannot change them.
    expect(ledger.get('b')).toMatchObject({
      state: 'done',
      fingerprints: { ...prints, ticket: '1'.repeat(16) },
    });
  });
});

describe('one ticket that goes wrong', () => {
  it('never stops the others; refused ones are tried again by the next run', async () => {
    const api = new FakeTarget({
      fault: (call, about) =>
        call === 'create' && about === 'Subject of b' ? { at: 'before', error: refused() } : undefined,
    });
    const { ledger } = scratchCheckpoint();
    const { result, events } = await importOnce({ tickets: SAMPLE, api, ledger });
    expect(result.tickets).toEqual({ done: 3, failed: 1, inDoubt: 0, pending: 0 });
    expect(result.stoppedBy).toBeUndefined();
    expect(ledger.get('b')).toMatchObject({ state: 'failed', problem: { code: 'refused', status: 422 } });
    expect(events).toContainEqual({
      type: 'ticket',
      externalId: 'b',
      outcome: 'failed',
      problem: { code: 'refused', status: 422, message: 'The target refused the ticket (422).' },
    });
    api.options = {};
    const again = await importOnce({ tickets: SAMPLE, api, ledger });
    expect(again.result.tickets.done).toBe(1);
    expect(Object.values(api.created())).toEqual([1, 1, 1, 1]);
  });

  it.each(['messages', 'events'] as const)(
    'refused %s keep the ticket id, and the next run sends only those',
    async (step) => {
      const api = new FakeTarget({
        fault: (call) => (call === step ? { at: 'before', error: refused() } : undefined),
      });
      const { ledger } = scratchCheckpoint();
      const tickets = SAMPLE.slice(0, 1);
      const { result } = await importOnce({ tickets, api, ledger });
      expect(result.tickets).toMatchObject({ failed: 1, done: 0 });
      expect(ledger.get('a')).toMatchObject({ state: 'failed', ticketId: 'T1' });
      api.options = {};
      api.calls.length = 0;
      await importOnce({ tickets, api, ledger });
      expect(api.calls.map(({ call }) => call)).toEqual(
        step === 'messages' ? ['thread', 'messages', 'events'] : ['events'],
      );
      expect(ledger.get('a')?.state).toBe('done');
    },
  );

  it('messages of unknown outcome fail the ticket, which is finished by the next run', async () => {
    const api = new FakeTarget({
      fault: (call) => (call === 'messages' ? { at: 'after', error: unknownOutcome() } : undefined),
    });
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({ tickets: SAMPLE.slice(0, 1), api, ledger });
    expect(result.tickets.failed).toBe(1);
    api.options = {};
    await importOnce({ tickets: SAMPLE.slice(0, 1), api, ledger });
    expect(api.tickets.size).toBe(1);
    expect(api.tickets.get('T1')?.messages).toHaveLength(2);
  });
});

describe('what concerns every ticket stops the run', () => {
  const many = Array.from({ length: 40 }, (_, i) => ({
    id: `t${i}`,
    email: `p${i}@example.com`,
    messages: ['agent'],
  }));

  it.each([
    ['auth', unauthorized, 5],
    ['unreachable', unreachable, 6],
  ] as const)(
    '%s: exit %#, nothing new is sent, and what was not created is pending',
    async (code, error, exitCode) => {
      const api = new FakeTarget({
        fault: (call, _about, n) =>
          call === 'create' && n > 12 ? { at: 'before', error: error() } : undefined,
      });
      const { ledger } = scratchCheckpoint();
      const { result } = await importOnce({ tickets: many, api, ledger });
      expect(result.stoppedBy).toMatchObject({ code, exitCode });
      expect(result.tickets.done + result.tickets.pending).toBe(40);
      expect(result.tickets.failed + result.tickets.inDoubt).toBe(0);
      expect(api.calls.length).toBeLessThan(25);
      expect(ledger.counts().creating).toBe(0);
      api.options = {};
      await importOnce({ tickets: many, api, ledger });
      expect(Object.values(api.created())).toEqual(Array(40).fill(1));
    },
  );

  it('an AppError of the call stops it too, and the ticket was not sent', async () => {
    const gaveUp = new AppError('unreachable', 'The target could not be reached for 10 minutes.');
    const api = new FakeTarget({
      fault: (call) => (call === 'create' ? { at: 'before', error: gaveUp } : undefined),
    });
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({ tickets: many.slice(0, 3), api, ledger });
    expect(result.stoppedBy).toBe(gaveUp);
    expect(result.tickets.pending).toBe(3);
    expect(ledger.counts()).toMatchObject({ creating: 0, inDoubt: 0 });
  });

  it('more failures than allowed: in flight is finished, the rest is left', async () => {
    const api = new FakeTarget({
      fault: (call) => (call === 'create' ? { at: 'before', error: refused() } : undefined),
    });
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({
      tickets: many,
      api,
      ledger,
      options: { maxErrors: { allowed: 5, already: 2 } },
    });
    expect(result.stoppedBy).toMatchObject({ code: 'error-budget', exitCode: 6 });
    expect(result.tickets.failed).toBeGreaterThanOrEqual(4);
    // The first one alone, four, and the four that were in flight when the fourth failure was on disk.
    expect(result.tickets.failed).toBeLessThanOrEqual(9);
  });

  it('a budget that validation has already exceeded sends nothing', async () => {
    const api = new FakeTarget();
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({
      tickets: many,
      api,
      ledger,
      options: { maxErrors: { allowed: 1, already: 2 } },
    });
    expect(result.stoppedBy?.code).toBe('error-budget');
    expect(api.calls).toEqual([]);
  });

  it('a plan that fails stops it, and what is in flight is finished', async () => {
    const api = new FakeTarget();
    const { ledger } = scratchCheckpoint();
    const broken = new AppError('source', 'The file ended in the middle.');
    const clock = createFakeClock();
    async function* work() {
      yield planned({ id: 'a' }, 0, { do: 'create' });
      await turn();
      throw broken;
    }
    const run = push(
      work(),
      { api, ledger, clock, random: () => 0, emit: () => undefined, names: { nameOf: () => undefined } },
      DEFAULTS,
      { soft: new AbortController().signal, hard: new AbortController().signal },
    );
    const result = await driven(clock, run);
    expect(result.stoppedBy).toBe(broken);
    expect(result.tickets).toMatchObject({ done: 1 });
  });

  it('a defect is thrown after everything in flight has ended', async () => {
    const defect = new TypeError('undefined is not a function');
    const api = new FakeTarget({
      fault: (call, about) =>
        call === 'create' && about === 'Subject of t3' ? { at: 'after', error: defect } : undefined,
    });
    const { ledger } = scratchCheckpoint();
    await expect(importOnce({ tickets: many, api, ledger })).rejects.toBe(defect);
    expect(ledger.get('t3')?.state).toBe('inDoubt');
    expect(ledger.counts().creating).toBe(0);
    expect(ledger.counts().done).toBeGreaterThanOrEqual(3);
  });
});

describe('signals', () => {
  const many = Array.from({ length: 30 }, (_, i) => ({
    id: `t${i}`,
    email: `p${i}@example.com`,
    messages: ['agent'],
    events: 1,
  }));

  it('the first finishes and records what is in flight, and nothing new is taken', async () => {
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
    expect(ledger.counts()).toMatchObject({ creating: 0, inDoubt: 0, created: 0, messaged: 0 });
  });

  it('what is in flight longer than a request may take is cut off and in doubt', async () => {
    const soft = new AbortController();
    const api = new FakeTarget({ latency: () => 100_000 });
    const { ledger } = scratchCheckpoint();
    const { run, clock } = start({ tickets: many, api, ledger, soft: soft.signal });
    // The first one alone; when it turns out to be slow, the others.
    await clock.advance(SLOW_AFTER_MS);
    for (let i = 0; i < 10; i += 1) await turn();
    soft.abort();
    await turn();
    expect(clock.sleeping()).toBe(1);
    await clock.advance(29_999);
    expect(ledger.counts().creating).toBe(4);
    await clock.advance(1);
    const result = await run;
    expect(result.stoppedBy?.exitCode).toBe(130);
    expect(result.tickets).toMatchObject({ inDoubt: 4, done: 0 });
    expect(ledger.counts()).toMatchObject({ inDoubt: 4, creating: 0 });
    expect(clock.sleeping()).toBe(0);
  });

  it('the second ends at once and leaves what was in flight in doubt; the next run settles it', async () => {
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
    const api = new FakeTarget({
      fault: (call, _about, n) =>
        call === 'create' && n % 5 === 0 ? { at: 'after', error: unknownOutcome() } : undefined,
    });
    const { ledger } = scratchCheckpoint();
    const { run, clock } = start({ tickets: many, api, ledger, soft: soft.signal, hard: hard.signal });
    await driven(clock, run);
    expect(clock.sleeping()).toBe(0);
    expect(getEventListeners(soft.signal, 'abort')).toEqual([]);
    expect(getEventListeners(hard.signal, 'abort')).toEqual([]);
  });

  it('a create that the signal stopped before it was sent is not in doubt', async () => {
    const hard = new AbortController();
    const api = new FakeTarget();
    api.createTicket = async (_ticket, signal) => {
      hard.abort(new ApiFailure('cut-off', 'none', 'not this'));
      throw signal.reason;
    };
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({ tickets: many.slice(0, 1), api, ledger, hard: hard.signal });
    expect(result.tickets).toEqual({ done: 0, failed: 0, inDoubt: 0, pending: 1 });
    expect(ledger.counts()).toMatchObject({ pending: 1, creating: 0, inDoubt: 0 });
  });
});

describe('the plan', () => {
  it('is closed before the run ends, also when the run stops in the middle', async () => {
    const api = new FakeTarget({ fault: () => ({ at: 'before', error: unauthorized() }) });
    const { ledger } = scratchCheckpoint();
    let isClosed = false;
    async function* work() {
      try {
        for (let i = 0; ; i += 1) yield planned({ id: `t${i}` }, i, { do: 'create' });
      } finally {
        await turn();
        isClosed = true;
      }
    }
    const clock = createFakeClock();
    const run = push(
      work(),
      { api, ledger, clock, random: () => 0, emit: () => undefined, names: { nameOf: () => undefined } },
      DEFAULTS,
      { soft: new AbortController().signal, hard: new AbortController().signal },
    );
    const result = await driven(clock, run);
    expect(result.stoppedBy?.code).toBe('auth');
    expect(isClosed).toBe(true);
  });

  it('that never answers does not keep a run from stopping', async () => {
    const soft = new AbortController();
    const { ledger } = scratchCheckpoint();
    const work = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) };
    const clock = createFakeClock();
    const run = push(
      work,
      {
        api: new FakeTarget(),
        ledger,
        clock,
        random: () => 0,
        emit: () => undefined,
        names: { nameOf: () => undefined },
      },
      DEFAULTS,
      { soft: soft.signal, hard: new AbortController().signal },
    );
    await turn();
    soft.abort();
    expect((await driven(clock, run)).stoppedBy?.code).toBe('interrupted');
    expect(clock.sleeping()).toBe(0);
  });
});
