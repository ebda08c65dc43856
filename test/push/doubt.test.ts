import { describe, expect, it } from 'vitest';
import type { CreatedTicket, Snapshot } from '../../src/domain/ticket-api.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { intend, notCreated } from '../support/ledger-steps.ts';
import {
  FakeTarget,
  type FakeTargetOptions,
  type FakeTicket,
  snapshotOf,
  turn,
  unauthorized,
  unknownOutcome,
} from './fake-target.ts';
import { diskNow, driven, importOnce, scratchCheckpoint, start, type TestTicket } from './import-run.ts';

const ONE: TestTicket[] = [
  { id: 'a', email: 'mia@example.com', messages: ['mia@example.com', 'agent'], events: 1 },
];

/** The last ticket of the plan, which is created when the doubts are old enough. */
const LATER: TestTicket = { id: 'z', email: 'tom@example.com' };
/** Without tickets that the list shows nothing is proven by it. */
const OTHERS = ['o1', 'o2', 'o3', 'o4'].map((id): TestTicket => ({ id }));
const DAY = '2024-03-01T10:00:00.000Z';

/** The first create of the ticket has an unknown outcome. */
function firstCreate(at: 'before' | 'after', subject = 'Subject of a'): FakeTargetOptions {
  let isFirst = true;
  return {
    fault: (call, about) => {
      if (call !== 'create' || about !== subject || !isFirst) return undefined;
      isFirst = false;
      return { at, error: unknownOutcome() };
    },
  };
}

describe('a create of unknown outcome, where the target can be read', () => {
  it('that happened is found and adopted, and its messages and events follow', async () => {
    const api = new FakeTarget(firstCreate('after'));
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({ tickets: ONE, api, ledger });
    expect(result).toMatchObject({ tickets: { done: 1 }, messagesSent: 2, eventsSent: 1 });
    const calls = ['create', 'find', 'find', 'thread', 'history', 'messages', 'events'];
    expect(api.calls.map(({ call }) => call)).toEqual(calls);
    expect(ledger.get('a')).toMatchObject({ state: 'done', ticketId: 'T1' });
    expect(ledger.get('a')?.sent).toBeUndefined();
  });

  it('that did not happen is created when a ticket that was created after it proves the list, and not before', async () => {
    const api = new FakeTarget(firstCreate('before'));
    const { ledger } = scratchCheckpoint();
    const { run, clock } = start({ tickets: [...OTHERS, ...ONE, LATER], api, ledger });
    const begun = clock.monotonic();
    const sent: { about: string; atMs: number }[] = [];
    const create = api.createTicket.bind(api);
    api.createTicket = (ticket, ...rest) => {
      if (!ticket.subject.startsWith('Subject of o'))
        sent.push({ about: ticket.subject, atMs: clock.monotonic() - begun });
      return create(ticket, ...rest);
    };
    expect((await driven(clock, run)).tickets.done).toBe(6);
    expect(api.tickets.size).toBe(6);
    expect(sent.map(({ about }) => about)).toEqual(['Subject of a', 'Subject of z', 'Subject of a']);
    // The time-out and the margin: until then the first create may still be carried out.
    expect(sent[1]?.atMs).toBeGreaterThanOrEqual(45_000);
    const queries = api.calls.filter(({ call }) => call === 'find').map(({ about }) => about);
    // The list's own proof first, then what it shows.
    expect(queries.slice(-3)).toEqual(['src-z', 'from-src', 'src-a']);
  });

  it('is held where no ticket was created after it: nothing proves that the list is complete', async () => {
    const api = new FakeTarget(firstCreate('before'));
    const { ledger } = scratchCheckpoint();
    for (let run = 0; run < 2; run += 1) {
      const { result } = await importOnce({ tickets: ONE, api, ledger });
      expect(result.tickets).toMatchObject({ done: 0, inDoubt: 1 });
    }
    expect(api.count('create')).toBe(1);
    expect(ledger.get('a')?.problem?.code).toBe('not-proven-absent');
  });

  it.each([7_000, 12_000, 44_000])(
    'is not sent twice where it takes %i ms and its answer is lost at once',
    async (ms) => {
      const { ledger } = scratchCheckpoint();
      let late: (() => Promise<unknown>) | undefined;
      const api = new FakeTarget();
      const create = api.createTicket.bind(api);
      const { run, clock } = start({ tickets: [...ONE, LATER], api, ledger });
      api.createTicket = async (ticket, signal, wire) => {
        if (ticket.subject !== 'Subject of a' || late !== undefined) return create(ticket, signal, wire);
        await wire?.beforeSending?.();
        late = () => create(ticket, signal);
        void clock.sleep(ms).then(late);
        throw unknownOutcome();
      };
      expect((await driven(clock, run)).tickets.done).toBe(2);
      expect(api.created()).toEqual({ 'Subject of a': 1, 'Subject of z': 1 });
    },
  );

  it('is not sent twice by the next process either, while the one before may have sent it a moment ago', async () => {
    const { ledger, path } = scratchCheckpoint();
    const api = new FakeTarget();
    const create = api.createTicket.bind(api);
    await intend(ledger, 'a', { at: createFakeClock().now() });
    const next = scratchCheckpoint(diskNow(path));
    const { run, clock } = start({ tickets: [...ONE, LATER], api, ledger: next.ledger });
    // What the dead process sent is carried out while this one looks.
    const tags = ['src-a', 'from-src'];
    const contact = { email: 'mia@example.com' };
    const payload = { subject: 'Subject of a', createdAt: DAY, contact, tags };
    void clock.sleep(12_000).then(() => create(payload, new AbortController().signal));
    expect((await driven(clock, run)).tickets.done).toBe(2);
    expect(api.created()).toEqual({ 'Subject of a': 1, 'Subject of z': 1 });
  });

  it('is not created a second time by a target that is merely slow to list it', async () => {
    let looks = 0;
    const api = new FakeTarget({
      ...firstCreate('after'),
      listed: (ticket) => (looks < 2 ? undefined : snapshotOf(ticket)),
    });
    const find = api.findTickets.bind(api);
    api.findTickets = (query, signal) => {
      looks += 1;
      return find(query, signal);
    };
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({ tickets: ONE, api, ledger });
    expect(result.tickets.done).toBe(1);
    expect(api.created()).toEqual({ 'Subject of a': 1 });
  });

  const ALTERED: [what: string, listed: (ticket: FakeTicket) => Snapshot | undefined][] = [
    ['cuts subjects', (ticket) => ({ ...snapshotOf(ticket), subject: ticket.payload.subject.slice(0, 9) })],
    [
      'marks subjects',
      (ticket) => ({ ...snapshotOf(ticket), subject: `[#${ticket.id}] ${ticket.payload.subject}` }),
    ],
    [
      'escapes subjects',
      (ticket) => ({ ...snapshotOf(ticket), subject: ticket.payload.subject.replaceAll(' ', '&#32;') }),
    ],
    [
      'drops emoji',
      (ticket) => ({ ...snapshotOf(ticket), subject: ticket.payload.subject.replace(/\p{Emoji}/gu, '') }),
    ],
    ['keeps a time of its own', (ticket) => ({ ...snapshotOf(ticket), createdAt: '2025-01-01T00:00:00Z' })],
    ['keeps the day alone', (ticket) => ({ ...snapshotOf(ticket), createdAt: '2024-03-01' })],
    ['merges contacts', (ticket) => ({ ...snapshotOf(ticket), contact: { email: 'merged@example.com' } })],
    ['tells of ids alone', ({ id }) => ({ id })],
  ];

  const ODD: TestTicket[] = [{ ...ONE[0], id: 'a', subject: 'Subject of a 🔥' }, LATER];
  /** It alters what it keeps, so a ticket that is read alone is altered as well. */
  function altering(listed: (ticket: FakeTicket) => Snapshot | undefined, more: FakeTargetOptions = {}) {
    const api = new FakeTarget({ ...firstCreate('after', 'Subject of a 🔥'), listed, ...more });
    const read = api.readTicket.bind(api);
    api.readTicket = async (id, ...rest) => {
      const whole = await read(id, ...rest);
      const ticket = api.tickets.get(id);
      return (ticket && listed(ticket)) ?? whole;
    };
    return api;
  }
  const ONCE = { 'Subject of a 🔥': 1, 'Subject of z': 1 };

  it.each(
    ALTERED.flatMap(([what, listed]) =>
      [false, true].map((ignoresTags) => [what, ignoresTags, listed] as const),
    ),
  )(
    'is found by its tag in a target that %s (and ignores the filter by tags: %s)',
    async (_, ignoresTags, listed) => {
      const api = altering((ticket) => ({ tags: ticket.payload.tags, ...listed(ticket), id: ticket.id }), {
        ignoresTags,
      });
      const { ledger } = scratchCheckpoint();
      const { result } = await importOnce({ tickets: ODD, api, ledger });
      expect(result.tickets.done).toBe(2);
      expect(api.created()).toEqual(ONCE);
    },
  );

  it('is held where tickets carry no tag, and never sent twice', async () => {
    for (const at of ['before', 'after'] as const) {
      const api = new FakeTarget(firstCreate(at));
      const { ledger } = scratchCheckpoint();
      const { result } = await importOnce({
        tickets: [...ONE, LATER],
        api,
        ledger,
        options: { source: undefined },
      });
      expect(result.tickets).toMatchObject({ done: 1, inDoubt: 1 });
      expect(api.count('find')).toBe(0);
    }
  });

  const hidesClosed = (ticket: FakeTicket) =>
    ticket.payload.status === 'closed' ? undefined : snapshotOf(ticket);
  it.each<[what: string, options: FakeTargetOptions]>([
    ['shows nothing', { listed: () => undefined }],
    ['hides closed tickets', { listed: hidesClosed }],
    ['hides closed tickets, and tells no total', { listed: hidesClosed, total: () => undefined }],
    [
      'hides this one, and tells no total',
      {
        listed: (ticket) => (ticket.payload.subject === 'Subject of a' ? undefined : snapshotOf(ticket)),
        total: () => undefined,
      },
    ],
    ['hides closed tickets, and counts them', { listed: hidesClosed, total: () => 2 }],
    ['hides closed tickets, and counts what it shows', { listed: hidesClosed, total: 'shown' }],
    ['hides this one, and counts it', { listed: hidesClosed, total: () => 2 }],
    ['drops tags', { listed: (ticket) => ({ ...snapshotOf(ticket), tags: [] }) }],
  ])('is held in a target that %s', async (_, options) => {
    const { ledger } = scratchCheckpoint();
    const api = new FakeTarget({ ...firstCreate('after'), ...options });
    const tickets = [...ONE.map((ticket) => ({ ...ticket, status: 'closed' as const })), LATER];
    const { result } = await importOnce({ tickets, api, ledger });
    expect(result.tickets).toMatchObject({ done: 1, inDoubt: 1 });
    expect(api.created()).toEqual({ 'Subject of a': 1, 'Subject of z': 1 });
  });

  it('is held in a target whose list hides every third ticket, whatever it counts', async () => {
    const { ledger } = scratchCheckpoint();
    const api = new FakeTarget({
      total: 'shown',
      listed: (ticket) => (Number(ticket.id.slice(1)) % 3 === 0 ? undefined : snapshotOf(ticket)),
    });
    // The third create is the doubtful one, and hidden; so is the sixth, which shows that the list hides some.
    let creates = 0;
    api.options = {
      ...api.options,
      fault: (call) => {
        if (call === 'create') creates += 1;
        return call === 'create' && creates === 3 ? { at: 'after', error: unknownOutcome() } : undefined;
      },
    };
    const tickets = Array.from({ length: 8 }, (_, at): TestTicket => ({ id: `t${at}` }));
    const options = { concurrency: 1 };
    const { result } = await importOnce({ tickets, api, ledger, options });
    expect(result.tickets).toMatchObject({ done: 7, inDoubt: 1 });
    expect(api.tickets.size).toBe(8);
    expect(ledger.get('t2')?.problem?.message).toMatch(/leaves out tickets that are there/);
  });

  it('is held in a target whose list neither shows nor counts open tickets, of which it is the only one', async () => {
    const { ledger } = scratchCheckpoint();
    const listed = (ticket: FakeTicket) =>
      ticket.payload.status === 'open' ? undefined : snapshotOf(ticket);
    const api = new FakeTarget({ ...firstCreate('after'), listed, total: 'shown' });
    const closed = Array.from(
      { length: 14 },
      (_, at): TestTicket => ({ id: `t${at}`, status: 'closed', email: `c${at}@x.org` }),
    );
    const tickets = [{ id: 'a', status: 'open' as const }, ...closed];
    const { result } = await importOnce({ tickets, api, ledger, options: { concurrency: 1 } });
    expect(result.tickets).toMatchObject({ done: 14, inDoubt: 1 });
    expect(Math.max(...Object.values(api.created()))).toBe(1);
  });

  it('is held where the list hides tickets that are there, and as many doubts that it shows make up for them in its total', async () => {
    const { ledger } = scratchCheckpoint();
    let creates = 0;
    const api = new FakeTarget({
      total: 'shown',
      fault: (call) => {
        if (call !== 'create') return undefined;
        creates += 1;
        return creates > 6 ? undefined : { at: 'after', error: unknownOutcome() };
      },
      // One of those in doubt, and as many of the others as there are doubts that it shows.
      listed: (ticket) =>
        ['T1', 'T7', 'T8', 'T9', 'T10', 'T11'].includes(ticket.id) ? undefined : snapshotOf(ticket),
    });
    const tickets = Array.from({ length: 16 }, (_, at): TestTicket => ({ id: `t${at}` }));
    const { result } = await importOnce({ tickets, api, ledger, options: { concurrency: 16 } });
    expect(api.tickets.size).toBe(16);
    expect(result.tickets).toMatchObject({ done: 15, inDoubt: 1 });
  });

  /** Each thirtieth create of a run has an unknown outcome, and the list shows all tickets but those. */
  function hidesDoubted(at: 'before' | 'after', total: FakeTargetOptions['total']): FakeTarget {
    let creates = 0;
    const doubted = new Set<string>();
    return new FakeTarget({
      ...(total === undefined ? {} : { total }),
      fault: (call, about) => {
        if (call !== 'create' || ++creates % 30 !== 5) return undefined;
        doubted.add(about);
        return { at, error: unknownOutcome() };
      },
      listed: (ticket) => (doubted.has(ticket.payload.subject) ? undefined : snapshotOf(ticket)),
    });
  }
  const MANY = Array.from({ length: 60 }, (_, at): TestTicket => ({ id: `t${at}`, email: `c${at}@x.org` }));

  it('in a list that shows every ticket but those in doubt nothing is created twice: held where it tells no total, and where it counts what it hides', async () => {
    for (const total of [() => undefined, undefined]) {
      const { ledger } = scratchCheckpoint();
      const api = hidesDoubted('after', total);
      const { result } = await importOnce({ tickets: MANY, api, ledger });
      expect(result.tickets).toMatchObject({ done: 58, inDoubt: 2 });
      expect(Math.max(...Object.values(api.created()))).toBe(1);
      const { problem } = ledger.get('t4') ?? {};
      expect(problem?.message).toMatch(total === undefined ? /counts other tickets/ : /\(total\)/);
      expect(problem?.message).toMatch(/--adopt.*--retry/);
    }
  });

  it('that did not happen is created in a target that counts', async () => {
    const { ledger } = scratchCheckpoint();
    const api = hidesDoubted('before', undefined);
    api.options = { ...api.options, listed: snapshotOf };
    const { result } = await importOnce({ tickets: MANY, api, ledger });
    expect(result.tickets).toMatchObject({ done: 60, inDoubt: 0 });
    expect(api.tickets.size).toBe(60);
  });

  it('is held in a target whose total is always nothing, or that of a page', async () => {
    for (const total of [0, 1]) {
      const { ledger } = scratchCheckpoint();
      const api = hidesDoubted('after', () => total);
      const { result } = await importOnce({ tickets: MANY, api, ledger });
      expect(result.tickets).toMatchObject({ done: 58, inDoubt: 2 });
      expect(Math.max(...Object.values(api.created()))).toBe(1);
    }
  });

  it('that did not happen is created although people deleted others', async () => {
    const { ledger } = scratchCheckpoint();
    const api = new FakeTarget(firstCreate('before'));
    const others = Array.from({ length: 12 }, (_, at): TestTicket => ({ id: `t${at}` }));
    const tickets: TestTicket[] = [{ id: 'b' }, { id: 'c' }, ...ONE, ...others, LATER];
    const { run, clock } = start({
      tickets,
      api,
      ledger,
      options: { concurrency: 1 },
      onEvent: (event) => {
        if (event.type === 'ticket' && event.externalId === 'c') api.tickets.delete('T1');
      },
    });
    api.nextTicketId = () => `T${api.count('create')}`;
    expect((await driven(clock, run)).tickets).toMatchObject({ done: 16, inDoubt: 0 });
    expect(api.created()).toMatchObject({ 'Subject of c': 1, 'Subject of a': 1, 'Subject of z': 1 });
    expect(api.tickets.size).toBe(15);
  });

  it('is found in the end in a target whose list lags by a minute', async () => {
    const { ledger } = scratchCheckpoint();
    const seenFrom = new Map<string, number>();
    const clock = createFakeClock();
    const api = new FakeTarget({
      ...firstCreate('after'),
      listed: (ticket) =>
        clock.monotonic() >= (seenFrom.get(ticket.id) ?? 0) ? snapshotOf(ticket) : undefined,
    });
    const create = api.createTicket.bind(api);
    api.createTicket = (ticket, ...rest) => {
      seenFrom.set(`T${api.tickets.size + 1}`, clock.monotonic() + 60_000);
      return create(ticket, ...rest);
    };
    await driven(clock, start({ tickets: [...ONE, LATER], api, ledger, clock }).run);
    expect(api.created()).toEqual({ 'Subject of a': 1, 'Subject of z': 1 });
    expect(ledger.counts().done).toBe(2);
  });

  it('what people wrote in it before it was found stays', async () => {
    const { ledger } = scratchCheckpoint();
    const clock = createFakeClock();
    const occurredAt = '2025-06-01T10:00:00.000Z';
    const answer = { actorType: 'agent', agentId: 'agt_9', content: 'An answer', occurredAt } as const;
    const api = new FakeTarget({
      ...firstCreate('after'),
      listed: (ticket) => (clock.monotonic() < shownFrom ? undefined : snapshotOf(ticket)),
    });
    const shownFrom = clock.monotonic() + 60_000;
    const { run } = start({
      tickets: [...ONE, LATER],
      api,
      ledger,
      clock,
      onEvent: (event) => {
        if (event.type === 'ticket' && event.externalId === 'z') api.write('T1', answer);
      },
    });
    expect((await driven(clock, run)).tickets.done).toBe(2);
    const texts = api.tickets.get('T1')?.messages.map(({ content }) => content);
    expect(texts).toEqual(['a: message 1', 'a: message 2', 'An answer']);
  });

  it('a ticket of an earlier process proves nothing of one that was sent after it', async () => {
    const api = new FakeTarget();
    const { ledger, path } = scratchCheckpoint();
    await importOnce({ tickets: [LATER], api, ledger });
    api.options = firstCreate('before');
    const next = scratchCheckpoint(diskNow(path));
    const { result } = await importOnce({ tickets: ONE, api, ledger: next.ledger });
    expect(result.tickets.inDoubt).toBe(1);
    expect(next.ledger.get('a')?.problem?.code).toBe('not-proven-absent');
  });

  it('of which the list tells too little is read singly', async () => {
    const api = new FakeTarget({
      ...firstCreate('after'),
      listed: ({ id, payload }) => ({ id, subject: payload.subject }),
    });
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({ tickets: ONE, api, ledger });
    expect(result.tickets.done).toBe(1);
    expect(api.count('read')).toBe(1);
  });

  it('does not take the ticket of another one that looks the same', async () => {
    const twins: TestTicket[] = ['a', 'b'].map((id) => ({
      id,
      email: 'mia@example.com',
      subject: 'Twin',
      messages: [`mia@example.com`],
    }));
    for (const at of ['before', 'after'] as const) {
      for (const which of [1, 2]) {
        let creates = 0;
        const api = new FakeTarget({
          fault: (call) => {
            if (call !== 'create') return undefined;
            creates += 1;
            return creates === which ? { at, error: unknownOutcome() } : undefined;
          },
        });
        const { ledger } = scratchCheckpoint();
        const { result } = await importOnce({ tickets: [...twins, ...OTHERS, LATER], api, ledger });
        expect(result.tickets.done, `${which} ${at}`).toBe(7);
        expect(api.tickets.size).toBe(7);
        const contents = [...api.tickets.values()].flatMap(({ messages }) =>
          messages.map(({ content }) => content),
        );
        expect(contents.sort()).toEqual(['a: message 1', 'b: message 1']);
        expect(ledger.get('a')?.ticketId).not.toBe(ledger.get('b')?.ticketId);
      }
    }
  });

  it('does not take the ticket of another one that looks the same while that is still being created', async () => {
    // The first one is created, and its answer takes long; the second one is not, and its failure comes at once.
    const latencies = [1, 1, 300];
    let creates = 0;
    const api = new FakeTarget({
      latency: () => latencies.shift() ?? 1,
      fault: (call) => {
        if (call === 'create') creates += 1;
        return call === 'create' && creates === 2 ? { at: 'before', error: unknownOutcome() } : undefined;
      },
    });
    const { ledger } = scratchCheckpoint();
    const twins = ['a', 'b'].map((id) => ({ id, subject: 'Twin', messages: ['agent'] }));
    const { run, clock } = start({ tickets: [...twins, ...OTHERS, LATER], api, ledger });
    for (let i = 0; i < 1_000; i += 1) await turn();
    await driven(clock, run);
    expect(ledger.counts().done).toBe(7);
    expect(api.tickets.size).toBe(7);
  });

  it('again and again is held when there is nothing left that could prove it', async () => {
    const api = new FakeTarget({
      fault: (call, about) =>
        call === 'create' && about === 'Subject of a' ? { at: 'before', error: unknownOutcome() } : undefined,
    });
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({ tickets: [...OTHERS, ...ONE, LATER], api, ledger });
    expect(result.tickets).toMatchObject({ done: 5, inDoubt: 1 });
    expect(api.count('create')).toBe(7);
    expect(ledger.get('a')?.problem?.code).toBe('not-proven-absent');
  });

  it('is held where the list counts it and does not show it, and a ticket that people deleted makes up for it', async () => {
    const { ledger } = scratchCheckpoint();
    const listed = (ticket: FakeTicket) =>
      ticket.payload.subject === 'Subject of a' ? undefined : snapshotOf(ticket);
    const api = new FakeTarget({ ...firstCreate('after'), listed });
    const { run, clock } = start({
      tickets: [...OTHERS, ...ONE, LATER],
      api,
      ledger,
      options: { concurrency: 1 },
      onEvent: (event) => {
        if (event.type === 'ticket' && event.externalId === 'z') api.tickets.delete('T1');
      },
    });
    expect((await driven(clock, run)).tickets).toMatchObject({ done: 5, inDoubt: 1 });
    expect(api.count('create')).toBe(6);
    expect(ledger.get('a')?.problem?.code).toBe('count-differs');
  });

  it('is created three times at most, however often its absence is proven', async () => {
    const failures = new Map([
      ['Subject of a', 100],
      ['Subject of b', 2],
      ['Subject of c', 1],
    ]);
    const api = new FakeTarget({
      fault: (call, about) => {
        const left = call === 'create' ? (failures.get(about) ?? 0) : 0;
        failures.set(about, left - 1);
        return left > 0 ? { at: 'before', error: unknownOutcome() } : undefined;
      },
    });
    const { ledger } = scratchCheckpoint();
    const others = Array.from({ length: 12 }, (_, at): TestTicket => ({ id: `o${at}` }));
    // Of those in doubt one is created again behind the others each time, and proves that they are not there.
    const tickets = [...others, { id: 'a' }, { id: 'b' }, { id: 'c' }, LATER];
    const { result } = await importOnce({ tickets, api, ledger, options: { concurrency: 1 } });
    expect(result.tickets).toMatchObject({ done: 15, inDoubt: 1 });
    const sent = api.calls.filter(({ call, about }) => call === 'create' && about === 'Subject of a');
    expect(sent).toHaveLength(3);
    expect(ledger.get('a')).toMatchObject({ state: 'inDoubt', problem: { code: 'unknown-outcome' } });
  });

  it('is held where the list hides it, counts all others and tells no total of its own tag', async () => {
    const api = new FakeTarget({
      ...firstCreate('after'),
      total: 'shown',
      listed: (ticket) => (ticket.payload.subject === 'Subject of a' ? undefined : snapshotOf(ticket)),
    });
    const count = api.countTickets.bind(api);
    api.countTickets = (query, signal) =>
      query.tags?.includes('src-a') === true ? Promise.resolve(undefined) : count(query, signal);
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({ tickets: [...OTHERS, ...ONE, LATER], api, ledger });
    expect(result.tickets).toMatchObject({ done: 5, inDoubt: 1 });
    expect(api.created()['Subject of a']).toBe(1);
  });

  it('does not take a ticket of the import that people gave its tag', async () => {
    const api = new FakeTarget();
    const { ledger } = scratchCheckpoint();
    await importOnce({ tickets: [{ id: 'b', messages: ['agent'] }], api, ledger });
    const b = api.tickets.get('T1');
    if (b !== undefined) b.payload = { ...b.payload, tags: [...(b.payload.tags ?? []), 'src-a'] };
    api.options = firstCreate('before');
    const { result } = await importOnce({ tickets: [...OTHERS, ...ONE, LATER], api, ledger });
    expect(result.tickets).toMatchObject({ done: 5, inDoubt: 1 });
    expect(ledger.get('a')?.ticketId).toBeUndefined();
    expect(b?.messages.map(({ content }) => content)).toEqual(['b: message 1']);
  });

  it('is held where a ticket of another subject and time has its tag, and that one stays as it is', async () => {
    const api = new FakeTarget(firstCreate('before'));
    const payload = {
      subject: 'Another one',
      createdAt: '2020-01-01T00:00:00.000Z',
      tags: ['src-a', 'from-src'],
    };
    api.tickets.set('T0', { id: 'T0', payload, contactId: undefined, messages: [], events: [] });
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({ tickets: ONE, api, ledger });
    expect(result.tickets).toMatchObject({ done: 0, inDoubt: 1 });
    expect(ledger.get('a')?.problem?.code).toBe('unclear-match');
    expect([api.count('create'), api.count('messages')]).toEqual([1, 0]);
  });

  it('of an earlier process is found, and what people wrote to the ticket since stays', async () => {
    const api = new FakeTarget({ ...firstCreate('after'), readable: false });
    const { ledger } = scratchCheckpoint();
    await importOnce({ tickets: ONE, api, ledger });
    api.options = {};
    const occurredAt = '2025-01-05T08:30:00.000Z';
    api.write('T1', { actorType: 'agent', agentId: 'agt_9', content: 'Written there', occurredAt });
    const { result } = await importOnce({ tickets: ONE, api, ledger });
    expect(result.tickets.done).toBe(1);
    const texts = api.tickets.get('T1')?.messages.map(({ content }) => content);
    expect(texts?.sort()).toEqual(['Written there', 'a: message 1', 'a: message 2']);
  });

  it('is held where the list hides another ticket, of which cannot be read whether people deleted it', async () => {
    const { fault } = firstCreate('after');
    const hidden = new Set(['Subject of a', 'Subject of o1']);
    const api = new FakeTarget({
      total: 'shown',
      fault: (call, about, n) =>
        call === 'read' ? { at: 'before', error: unknownOutcome() } : fault?.(call, about, n),
      listed: (ticket) => (hidden.has(ticket.payload.subject) ? undefined : snapshotOf(ticket)),
    });
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({ tickets: [...OTHERS, ...ONE, LATER], api, ledger });
    expect(result.tickets).toMatchObject({ done: 5, inDoubt: 1 });
    expect(api.created()['Subject of a']).toBe(1);
  });

  it('is held in a list that hides every third ticket where these are just the doubts', async () => {
    const { ledger } = scratchCheckpoint();
    let creates = 0;
    const api = new FakeTarget({
      total: 'shown',
      fault: (call) => {
        if (call === 'create') creates += 1;
        return call === 'create' && creates % 3 === 0 && creates < 16
          ? { at: 'after', error: unknownOutcome() }
          : undefined;
      },
      listed: (ticket) => (Number(ticket.id.slice(1)) % 3 === 0 ? undefined : snapshotOf(ticket)),
    });
    const tickets = Array.from({ length: 16 }, (_, at): TestTicket => ({ id: `t${at}` }));
    const { result } = await importOnce({ tickets, api, ledger, options: { concurrency: 1 } });
    expect(api.tickets.size).toBe(16);
    expect(result.tickets).toMatchObject({ done: 11, inDoubt: 5 });
  });

  it('stops the run when the token is refused while looking, and is settled by the next one', async () => {
    const api = new FakeTarget({
      fault: (call) => {
        if (call === 'create') return { at: 'after', error: unknownOutcome() };
        return call === 'find' ? { at: 'before', error: unauthorized() } : undefined;
      },
    });
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({ tickets: ONE, api, ledger });
    expect(result.stoppedBy?.code).toBe('auth');
    expect(result.tickets.inDoubt).toBe(1);
    api.options = {};
    expect((await importOnce({ tickets: ONE, api, ledger })).result.tickets.done).toBe(1);
    expect(api.tickets.size).toBe(1);
  });

  it('is held when reading keeps failing', async () => {
    const api = new FakeTarget({
      fault: (call) =>
        call === 'create' || call === 'find' ? { at: 'after', error: unknownOutcome() } : undefined,
    });
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({ tickets: ONE, api, ledger });
    expect(result.tickets.inDoubt).toBe(1);
    expect(api.count('find')).toBe(6);
  });

  it('pauses without a slot: others go on meanwhile', async () => {
    const api = new FakeTarget(firstCreate('before'));
    const { ledger } = scratchCheckpoint();
    const others = Array.from({ length: 20 }, (_, i) => ({ id: `t${i}` }));
    const { run, clock } = start({ tickets: [...ONE, ...others], api, ledger, options: { concurrency: 1 } });
    for (let i = 0; i < 200; i += 1) await turn();
    // The last one waits for the doubt, whose proof it will be.
    expect(ledger.counts()).toMatchObject({ done: 19, inDoubt: 1 });
    expect((await driven(clock, run)).tickets.done).toBe(21);
  });
});

describe('a create of unknown outcome, where the target cannot be read', () => {
  it.each(['before', 'after'] as const)('is held and never sent again (%s its effect)', async (at) => {
    const tickets: TestTicket[] = [...ONE, { id: 'b', email: 'tom@example.com' }];
    const api = new FakeTarget({ ...firstCreate(at), readable: false });
    const { ledger } = scratchCheckpoint();
    const first = await importOnce({ tickets, api, ledger });
    expect(first.result.tickets).toMatchObject({ done: 1, inDoubt: 1 });
    expect(first.events.filter(({ type }) => type === 'note')).toHaveLength(1);
    for (let again = 0; again < 2; again += 1) {
      const { result } = await importOnce({ tickets, api, ledger });
      expect(result.tickets).toMatchObject({ inDoubt: 1, done: 0 });
    }
    expect(api.created()['Subject of a'] ?? 0).toBe(at === 'after' ? 1 : 0);
    expect(api.count('create')).toBe(2);
    expect(ledger.get('a')?.problem?.code).toBe('target-unreadable');
  });

  it('asks once in a run, not once a ticket', async () => {
    const tickets = Array.from({ length: 12 }, (_, i) => ({ id: `t${i}` }));
    const api = new FakeTarget({
      readable: false,
      fault: (call, about) =>
        call === 'create' && about !== 'Subject of t0' ? { at: 'after', error: unknownOutcome() } : undefined,
    });
    const { ledger } = scratchCheckpoint();
    const { result, events } = await importOnce({ tickets, api, ledger, options: { concurrency: 1 } });
    expect(result.tickets).toMatchObject({ done: 1, inDoubt: 11 });
    expect(api.count('find')).toBe(1);
    expect(events.filter(({ type }) => type === 'note')).toHaveLength(1);
  });
});

describe("an answer with another ticket's id", () => {
  const TWO: TestTicket[] = [
    { id: 'a', email: 'mia@example.com', messages: ['mia@example.com'] },
    { id: 'b', email: 'tom@example.com', messages: ['agent'] },
  ];

  /** Creates the second ticket, or not, and answers with the id of the first. */
  class Mixed extends FakeTarget {
    isCreating = true;

    override async createTicket(...call: Parameters<FakeTarget['createTicket']>): Promise<CreatedTicket> {
      const [ticket, , wire] = call;
      if (this.isCreating || ticket.subject === 'Subject of a') {
        const created = await super.createTicket(...call);
        if (ticket.subject === 'Subject of a') return created;
      } else await wire?.beforeSending?.();
      return { id: 'T1', ticket: { id: 'T1' } };
    }
  }
  const texts = (api: FakeTarget, id: string) => api.tickets.get(id)?.messages.map(({ content }) => content);

  it('is found by reading, and the messages of neither replace those of the other', async () => {
    const api = new Mixed();
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({ tickets: TWO, api, ledger });
    expect(result.tickets).toMatchObject({ done: 2 });
    expect([ledger.get('a')?.ticketId, ledger.get('b')?.ticketId]).toEqual(['T1', 'T2']);
    expect([texts(api, 'T1'), texts(api, 'T2')]).toEqual([['a: message 1'], ['b: message 1']]);
  });

  it('is held where the target cannot be read, also by a run that finds the other one done', async () => {
    const api = new Mixed({ readable: false });
    const { ledger } = scratchCheckpoint();
    await importOnce({ tickets: TWO.slice(0, 1), api, ledger });
    const { result } = await importOnce({ tickets: TWO, api, ledger });
    expect(result.tickets).toMatchObject({ done: 0, inDoubt: 1 });
    expect(ledger.get('b')?.state).toBe('inDoubt');
    expect(texts(api, 'T1')).toEqual(['a: message 1']);
  });

  it('of a ticket that is not there is held, as nothing proves it', async () => {
    const api = new Mixed();
    api.isCreating = false;
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({ tickets: TWO, api, ledger });
    expect(result.tickets).toMatchObject({ done: 1, inDoubt: 1 });
    expect(texts(api, 'T1')).toEqual(['a: message 1']);
  });
});

describe('a doubt that a person settled', () => {
  it('what somebody took for absent is asked for by its tag before it is created, and adopted', async () => {
    const api = new FakeTarget({ readable: false, ...firstCreate('after') });
    const { ledger } = scratchCheckpoint();
    await importOnce({ tickets: ONE, api, ledger, options: { source: 'shop' } });
    api.options = {};
    await notCreated(ledger, 'a');
    api.calls.length = 0;
    const { result } = await importOnce({ tickets: ONE, api, ledger, options: { source: 'shop' } });
    expect(result.tickets.done).toBe(1);
    expect(api.created()).toEqual({ 'Subject of a': 1 });
    expect(api.calls[1]).toEqual({ call: 'find', about: 'shop-a' });
    expect(ledger.get('a')).toMatchObject({ state: 'done', ticketId: 'T1' });
  });

  it('what is there twice by its tag is held', async () => {
    const api = new FakeTarget({ readable: false, ...firstCreate('after') });
    const { ledger } = scratchCheckpoint();
    await importOnce({ tickets: ONE, api, ledger, options: { source: 'shop' } });
    api.options = {};
    const [ticket] = api.tickets.values();
    if (ticket !== undefined) api.tickets.set('T2', { ...ticket, id: 'T2' });
    await notCreated(ledger, 'a');
    const { result } = await importOnce({ tickets: ONE, api, ledger, options: { source: 'shop' } });
    expect(result.tickets.inDoubt).toBe(1);
    expect(api.tickets.size).toBe(2);
    expect(ledger.get('a')).toMatchObject({ state: 'inDoubt', problem: { code: 'several-matches' } });
  });

  it('what somebody took for absent is created where the tag shows none, or the target cannot be read', async () => {
    for (const readable of [true, false]) {
      const api = new FakeTarget({ readable: false, ...firstCreate('before') });
      const { ledger } = scratchCheckpoint();
      await importOnce({ tickets: ONE, api, ledger, options: { source: 'shop' } });
      api.options = { readable };
      await notCreated(ledger, 'a');
      const { result } = await importOnce({ tickets: ONE, api, ledger, options: { source: 'shop' } });
      expect(result.tickets.done).toBe(1);
      expect(api.tickets.size).toBe(1);
    }
  });
});
