import { describe, expect, it } from 'vitest';
import { ApiFailure } from '../../src/domain/ticket-api.ts';
import { FakeTarget, failing, unauthorized, unknownOutcome } from './fake-target.ts';
import { driven, importOnce, SAMPLE, scratchCheckpoint, start } from './import-run.ts';

const ONE = SAMPLE.slice(0, 1);

async function imported(api: FakeTarget) {
  const { result, events, ledger } = await importOnce({ tickets: ONE, api });
  const reported = events.find((e) => e.type === 'ticket');
  return { result, ledger, reported, ticket: api.tickets.get('T1') };
}

describe('events that are carried out late, in a helpdesk that appends', () => {
  /** The first PUT has no answer, or one that says nothing, and its effect so much later. */
  async function late(ms: number, how: 'unknown' | 'silent') {
    const api = new FakeTarget({ appendsEvents: true });
    const { ledger } = scratchCheckpoint();
    const { run, clock, events } = start({ tickets: ONE, api, ledger });
    const honest = api.replaceEvents.bind(api);
    let puts = 0;
    api.replaceEvents = async (...call) => {
      puts += 1;
      if (puts > 1) return honest(...call);
      void clock.sleep(ms).then(() => honest(...call));
      if (how === 'unknown') throw unknownOutcome();
      return { confirmed: false };
    };
    const result = await driven(clock, run);
    // Whatever is still under way arrives.
    await driven(clock, clock.sleep(600_000, new AbortController().signal));
    return { result, ticket: api.tickets.get('T1'), puts, reported: events.find((e) => e.type === 'ticket') };
  }

  it.each([0, 500, 5_000, 29_000, 44_000])('after %i ms, they exist once', async (ms) => {
    for (const how of ['unknown', 'silent'] as const) {
      const { result, ticket, puts } = await late(ms, how);
      expect(result.tickets.done).toBe(1);
      expect(ticket?.events).toHaveLength(2);
      expect(puts).toBe(1);
    }
  });
});

describe('a PUT that says nothing', () => {
  it('counts as done in an unreadable helpdesk, which is found out once', async () => {
    const api = new FakeTarget({ putAnswer: 'empty', readable: false });
    const { ledger } = scratchCheckpoint();
    const tickets = Array.from({ length: 20 }, (_, i) => ({ id: `t${i}`, messages: ['agent'], events: 1 }));
    const { result } = await importOnce({ tickets, api, ledger, options: { concurrency: 1 } });
    expect(result.tickets.done).toBe(20);
    expect(api.count('thread')).toBe(1);
    expect(api.count('history')).toBe(0);
  });
});

describe('messages whose outcome is unknown, one try after the other', () => {
  /** The first PUTs have no answer and no effect. */
  function unanswered(times: number, api: FakeTarget) {
    const honest = api.replaceMessages.bind(api);
    let puts = 0;
    api.replaceMessages = async (...call) => {
      puts += 1;
      if (puts > times) return honest(...call);
      throw unknownOutcome();
    };
    return () => puts;
  }

  it('are sent again unread if the helpdesk cannot be read', async () => {
    const api = new FakeTarget({ readable: false });
    const puts = unanswered(4, api);
    const { result, ticket } = await imported(api);
    expect(result.tickets.done).toBe(1);
    expect(puts()).toBe(5);
    expect(ticket?.messages).toHaveLength(2);
  });

  it('are not sent again if the thread cannot be read just now', async () => {
    const api = new FakeTarget(failing('thread', 'before', unknownOutcome()));
    const puts = unanswered(1, api);
    expect((await imported(api)).result.tickets).toMatchObject({ done: 0, failed: 1 });
    expect(puts()).toBe(1);
  });
});

describe('events whose outcome is unknown', () => {
  const failing = (at: 'before' | 'after', times: number) => {
    let left = times;
    return (call: string) => {
      if (call !== 'events' || left === 0) return undefined;
      left -= 1;
      return { at, error: unknownOutcome() };
    };
  };

  it('are not sent again in an unreadable helpdesk, by no later run either', async () => {
    const api = new FakeTarget({ appendsEvents: true, readable: false, fault: failing('after', 1) });
    const { ledger } = await importOnce({ tickets: ONE, api });
    expect(ledger.get('a')).toMatchObject({ state: 'incomplete', thread: expect.any(String) });
    for (let run = 0; run < 2; run += 1) {
      const { events } = await importOnce({ tickets: ONE, api, ledger });
      const reported = events.find((e) => e.type === 'ticket');
      expect(reported).toMatchObject({ outcome: 'failed', problem: { code: 'history-held' } });
    }
    expect(api.tickets.get('T1')?.events).toHaveLength(2);
  });

  it('that may have arrived changed are held', async () => {
    const api = new FakeTarget({ fault: failing('after', 1) });
    const read = api.readEvents.bind(api);
    api.readEvents = async (...call) =>
      (await read(...call)).map((event) => ({ ...event, occurredAt: '2024-03-01T00:00:00.000Z' }));
    const { result } = await imported(api);
    expect(result.tickets.failed).toBe(1);
    expect(api.count('events')).toBe(1);
  });
});

describe('a token that is refused during the look for sent messages', () => {
  it.each(['thread', 'history'] as const)(
    'stops the run with that, and the next one goes on (%s)',
    async (read) => {
      const api = new FakeTarget({
        putAnswer: 'empty',
        fault: (call) => (call === read ? { at: 'before', error: unauthorized() } : undefined),
      });
      const { result, ledger } = await imported(api);
      expect(result).toMatchObject({ tickets: { pending: 1 }, stoppedBy: { code: 'auth' } });
      api.options = {};
      expect((await importOnce({ tickets: ONE, api, ledger })).result.tickets.done).toBe(1);
      expect(api.tickets.get('T1')).toMatchObject({ messages: { length: 2 }, events: { length: 2 } });
    },
  );
});

describe('a thread that cannot be read, in a helpdesk that can', () => {
  const refusedRead = () => new ApiFailure('target-unreadable', 'none', 'Not here (404).', { status: 404 });

  it('is never replaced unread: after three 404s the fourth is held as well', async () => {
    const api = new FakeTarget(failing('messages', 'before', unknownOutcome()));
    const { ledger } = scratchCheckpoint();
    const tickets = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, messages: ['agent'] }));
    await importOnce({ tickets, api, ledger, options: { concurrency: 1 } });
    for (const { id } of api.tickets.values())
      api.write(id, {
        actorType: 'agent',
        agentId: 'agt_9',
        content: 'An answer',
        occurredAt: '2025-01-05T08:30:00.000Z',
      });
    api.options = failing('thread', 'before', refusedRead());
    api.calls.length = 0;
    const { result } = await importOnce({ tickets, api, ledger, options: { concurrency: 1 } });
    expect(api.count('messages')).toBe(0);
    expect(result.tickets.done).toBe(0);
    for (const { messages } of api.tickets.values())
      expect(messages.map((m) => m.content)).toContain('An answer');
  });
});
