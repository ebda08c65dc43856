import { describe, expect, it } from 'vitest';
import { FakeTarget, refused, turn, unauthorized } from './fake-target.ts';
import { driven, importOnce, planned, SAMPLE, scratchCheckpoint, startPlan } from './import-run.ts';

describe('an import', () => {
  it('sends each ticket with its messages and events once, and no request for an empty list', async () => {
    const api = new FakeTarget();
    const { result, events, ledger } = await importOnce({ tickets: SAMPLE, api });
    expect(result).toEqual({
      tickets: { done: 4, failed: 0, inDoubt: 0, pending: 0 },
      updated: 0,
      messagesSent: 3,
      eventsSent: 3,
      lastCreated: ['d', 'b', 'c'],
      namesKept: 0,
      doubted: [],
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
    const { ledger } = await importOnce({ tickets: SAMPLE, api });
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

  it('keeps no more tickets in flight than allowed, and uses them', async () => {
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
    const taken = new Set<string>();
    let settled = 0;
    let most = 0;
    const tickets = Array.from({ length: 900 }, (_, i) => ({ id: `t${i}`, email: `p${i}@example.com` }));
    const { ledger } = scratchCheckpoint();
    const watched = Object.create(ledger, {
      get: {
        value: (id: string) => {
          taken.add(id);
          most = Math.max(most, taken.size - settled);
          return ledger.get(id);
        },
      },
    });
    for (const name of ['put', 'inStates', 'flush', 'ownerOf'] as const)
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
    const { run, clock } = startPlan(work(), { api, ledger });
    const result = await driven(clock, run);
    expect(result.stoppedBy?.code).toBe('auth');
    expect(isClosed).toBe(true);
  });

  it('that never answers does not keep a run from stopping', async () => {
    const soft = new AbortController();
    const { ledger } = scratchCheckpoint();
    const work = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) };
    const { run, clock } = startPlan(work, { api: new FakeTarget(), ledger, soft: soft.signal });
    await turn();
    soft.abort();
    expect((await driven(clock, run)).stoppedBy?.code).toBe('interrupted');
    expect(clock.sleeping()).toBe(0);
  });
});

it.each([1, 4, 8])(
  'a field that the helpdesk refuses is tried on one request, with %i tickets at a time',
  async (concurrency) => {
    const api = new FakeTarget({ latency: () => 3 });
    const replace = api.replaceMessages.bind(api);
    let refusals = 0;
    api.replaceMessages = async (id, messages, ...more) => {
      if (!messages.some(({ messageId }) => messageId !== undefined)) return replace(id, messages, ...more);
      await turn();
      refusals += 1;
      throw refused();
    };
    const { ledger } = scratchCheckpoint();
    const tickets = Array.from({ length: 20 }, (_, n) => ({
      id: `t${n}`,
      email: `p${n}@example.com`,
      messages: ['agent'],
    }));
    const { result } = await importOnce({
      tickets,
      api,
      ledger,
      options: { concurrency, facts: { takesMessageIds: undefined } },
    });
    expect(result.tickets.done).toBe(20);
    expect(refusals).toBe(1);
  },
);
