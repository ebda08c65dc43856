/** A create of unknown outcome: found, proven absent, or held; never sent twice. */
import { describe, expect, it } from 'vitest';
import { ApiFailure, type CreatedTicket, type Snapshot } from '../../src/domain/ticket-api.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { shown, type Ticket } from '../support/helpdesk.ts';
import { notCreated } from '../support/ledger-steps.ts';
import { FakeTarget, type FakeTargetOptions, turn, unauthorized, unknownOutcome } from './fake-target.ts';
import {
  diskNow,
  driven,
  importOnce,
  type RunParts,
  scratchCheckpoint,
  start,
  type TestTicket,
} from './import-run.ts';

const ONE: TestTicket = {
  id: 'a',
  email: 'mia@example.com',
  messages: ['mia@example.com', 'agent'],
  events: 1,
};
/** The last ticket of the plan, which is created when the doubts are old enough. */
const LATER: TestTicket = { id: 'z', email: 'tom@example.com' };
/** Without tickets that the list shows nothing is proven by it. */
const OTHERS = ['o1', 'o2', 'o3', 'o4'].map((id): TestTicket => ({ id }));
const ALL = [...OTHERS, ONE, LATER];
const some = (count: number, more: Partial<TestTicket> = {}) =>
  Array.from({ length: count }, (_, at): TestTicket => ({ id: `t${at}`, ...more }));
const IN_TURN = { options: { concurrency: 1 } };

/** The n-th creates, from 1, have an unknown outcome. */
function creates(at: 'before' | 'after', isLost: (nth: number) => boolean): FakeTargetOptions {
  let nth = 0;
  return {
    fault: (call) => (call === 'create' && isLost(++nth) ? { at, error: unknownOutcome() } : undefined),
  };
}

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

/** A list without these. */
const hides =
  (isHidden: (ticket: Ticket) => boolean) =>
  (ticket: Ticket): Snapshot | undefined =>
    isHidden(ticket) ? undefined : shown(ticket);
const hidesIt = hides(({ payload }) => payload.subject === 'Subject of a');
const hidesClosed = hides(({ payload }) => payload.status === 'closed');
const isThird = ({ id }: Ticket) => Number(id.slice(1)) % 3 === 0;

/** One run over these tickets; no ticket may be there twice after it. */
async function imported(
  tickets: readonly TestTicket[],
  options: FakeTargetOptions | FakeTarget,
  more: Partial<RunParts> = {},
) {
  const api = options instanceof FakeTarget ? options : new FakeTarget(options);
  const ledger = more.ledger ?? scratchCheckpoint().ledger;
  const { run, clock, events } = start({ tickets, api, ledger, ...more });
  const result = await driven(clock, run);
  expect(Math.max(0, ...Object.values(api.created()))).toBeLessThanOrEqual(1);
  const { done, inDoubt } = result.tickets;
  return { api, ledger, result, events, ends: [done, inDoubt], problem: ledger.get('a')?.problem };
}
const textsOf = (api: FakeTarget, id = 'T1') => api.tickets.get(id)?.messages.map(({ content }) => content);

describe('a create of unknown outcome that happened', () => {
  it('is found and adopted, and its messages and events follow', async () => {
    const { api, ledger, result } = await imported([ONE], firstCreate('after'));
    expect(result).toMatchObject({ tickets: { done: 1 }, messagesSent: 2, eventsSent: 1 });
    const calls = ['create', 'find', 'find', 'thread', 'history', 'messages', 'events'];
    expect(api.calls.map(({ call }) => call)).toEqual(calls);
    expect(ledger.get('a')).toMatchObject({ state: 'done', ticketId: 'T1' });
    expect(ledger.get('a')?.sent).toBeUndefined();
  });

  it.each([7_000, 12_000, 44_000])(
    'is not sent twice if it takes %i ms and its answer is lost at once',
    async (ms) => {
      let late: (() => Promise<unknown>) | undefined;
      const api = new FakeTarget();
      const clock = createFakeClock();
      const create = api.createTicket.bind(api);
      api.createTicket = async (ticket, signal, wire) => {
        if (ticket.subject !== 'Subject of a' || late !== undefined) return create(ticket, signal, wire);
        await wire?.beforeSending?.();
        late = () => create(ticket, signal);
        void clock.sleep(ms).then(late);
        throw unknownOutcome();
      };
      expect((await imported([ONE, LATER], api, { clock })).ends).toEqual([2, 0]);
    },
  );

  it('is found in the end in a helpdesk whose list lags by a minute, and what people wrote meanwhile stays', async () => {
    const seenFrom = new Map<string, number>();
    const clock = createFakeClock();
    const api = new FakeTarget({
      ...firstCreate('after'),
      listed: hides(({ id }) => clock.monotonic() < (seenFrom.get(id) ?? 0)),
    });
    const create = api.createTicket.bind(api);
    api.createTicket = (ticket, ...rest) => {
      seenFrom.set(`T${api.tickets.size + 1}`, clock.monotonic() + 60_000);
      return create(ticket, ...rest);
    };
    const occurredAt = '2025-06-01T10:00:00.000Z';
    const answer = { actorType: 'agent', agentId: 'agt_9', content: 'An answer', occurredAt } as const;
    const onEvent: RunParts['onEvent'] = (event) => {
      if (event.type === 'ticket' && event.externalId === 'z') api.write('T1', answer);
    };
    expect((await imported([ONE, LATER], api, { clock, onEvent })).ends).toEqual([2, 0]);
    expect(textsOf(api)).toEqual(['a: message 1', 'a: message 2', 'An answer']);
  });

  it.each<[what: string, altered: (ticket: Ticket) => object]>([
    ['cuts subjects', ({ payload }) => ({ subject: payload.subject.slice(0, 9) })],
    ['keeps a time of its own', () => ({ createdAt: '2025-01-01T00:00:00Z' })],
    ['merges contacts', () => ({ contact: { email: 'merged@example.com' } })],
  ])('is found by its tag in a helpdesk that %s, and ignores the filter by tags', async (_, altered) => {
    const listed = (ticket: Ticket) => ({ ...shown(ticket), ...altered(ticket) });
    const { ends } = await imported([ONE, LATER], { ...firstCreate('after'), listed, ignoresTags: true });
    expect(ends).toEqual([2, 0]);
  });

  it('is read alone if the list shows too little of it', async () => {
    const listed = ({ id, payload }: Ticket) => ({ id, subject: payload.subject });
    const { api, ends } = await imported([ONE], { ...firstCreate('after'), listed });
    expect([ends, api.count('read')]).toEqual([[1, 0], 1]);
  });

  it('in an earlier process is found, and what people wrote to the ticket since stays', async () => {
    const { api, ledger } = await imported([ONE], { ...firstCreate('after'), readable: false });
    api.options = {};
    const occurredAt = '2025-01-05T08:30:00.000Z';
    api.write('T1', { actorType: 'agent', agentId: 'agt_9', content: 'Written there', occurredAt });
    expect((await imported([ONE], api, { ledger })).ends).toEqual([1, 0]);
    expect(textsOf(api)?.sort()).toEqual(['Written there', 'a: message 1', 'a: message 2']);
  });
});

describe('a create of unknown outcome that did not happen', () => {
  it('is sent again when a ticket that was created after it proves the list, and not before', async () => {
    const api = new FakeTarget(firstCreate('before'));
    const clock = createFakeClock();
    const begun = clock.monotonic();
    const sent: { about: string; atMs: number }[] = [];
    const create = api.createTicket.bind(api);
    api.createTicket = (ticket, ...rest) => {
      if (!ticket.subject.startsWith('Subject of o'))
        sent.push({ about: ticket.subject, atMs: clock.monotonic() - begun });
      return create(ticket, ...rest);
    };
    expect((await imported(ALL, api, { clock })).ends).toEqual([6, 0]);
    expect(sent.map(({ about }) => about)).toEqual(['Subject of a', 'Subject of z', 'Subject of a']);
    // The time-out and the margin: until then the first create may still be carried out.
    expect(sent[1]?.atMs).toBeGreaterThanOrEqual(45_000);
    const queries = api.calls.filter(({ call }) => call === 'find').map(({ about }) => about);
    // The list's own proof first, then what it shows.
    expect(queries.slice(-3)).toEqual(['src-z', 'from-src', 'src-a']);
  });

  it('is sent again although people deleted other tickets', async () => {
    const api = new FakeTarget(firstCreate('before'));
    api.nextTicketId = () => `T${api.count('create')}`;
    const onEvent: RunParts['onEvent'] = (event) => {
      if (event.type === 'ticket' && event.externalId === 'c') api.tickets.delete('T1');
    };
    const tickets = [{ id: 'b' }, { id: 'c' }, ONE, ...some(12), LATER];
    expect((await imported(tickets, api, { ...IN_TURN, onEvent })).ends).toEqual([16, 0]);
    expect(api.tickets.size).toBe(15);
  });

  it.each([
    ['three', 3, unknownOutcome()],
    ['two', 2, new ApiFailure('unknown-outcome', 'unknown', 'A page of a proxy (403).', { status: 403 })],
  ])('is sent %s times at most, however often its absence is proven', async (_, most, error) => {
    const failures = new Map([
      ['Subject of a', 100],
      ['Subject of b', 2],
      ['Subject of c', 1],
    ]);
    const fault: FakeTargetOptions['fault'] = (call, about) => {
      const left = call === 'create' ? (failures.get(about) ?? 0) : 0;
      failures.set(about, left - 1);
      return left > 0 ? { at: 'before', error } : undefined;
    };
    // Of those in doubt one is created again behind the others each time, and proves that they are not there.
    const tickets = [...some(12), { id: 'a' }, { id: 'b' }, { id: 'c' }, LATER];
    const { api, ends, problem } = await imported(tickets, { fault }, IN_TURN);
    expect(ends).toEqual(most === 3 ? [15, 1] : [14, 2]);
    const creates = api.calls.filter(({ call, about }) => call === 'create' && about === 'Subject of a');
    expect(creates).toHaveLength(most);
    expect(problem?.code).toBe('unknown-outcome');
  });

  it('takes no ticket of a similar one, also while that is being created', async () => {
    const twins = ['a', 'b'].map((id) => ({ id, subject: 'Twin', messages: ['agent'] }));
    // The first one is created, and its answer takes long; the second one is not, and its failure comes at once.
    const latencies = [1, 1, 300];
    const latency = () => latencies.shift() ?? 1;
    for (const options of [
      ...(['before', 'after'] as const).flatMap((at) =>
        [1, 2].map((which) => creates(at, (n) => n === which)),
      ),
      { latency, ...creates('before', (n) => n === 2) },
    ]) {
      const api = new FakeTarget(options);
      const { result } = await importOnce({ tickets: [...twins, ...OTHERS, LATER], api });
      expect([result.tickets.done, api.tickets.size]).toEqual([7, 7]);
      const contents = [...api.tickets.values()].flatMap(({ messages }) =>
        messages.map(({ content }) => content),
      );
      expect(contents.sort()).toEqual(['a: message 1', 'b: message 1']);
    }
  });

  it('pauses without a slot: others go on meanwhile', async () => {
    const api = new FakeTarget(firstCreate('before'));
    const { ledger } = scratchCheckpoint();
    const { run, clock } = start({ tickets: [ONE, ...some(20)], api, ledger, ...IN_TURN });
    for (let i = 0; i < 200; i += 1) await turn();
    // The last one waits for the doubt, whose proof it will be.
    expect(ledger.counts()).toMatchObject({ done: 19, inDoubt: 1 });
    expect((await driven(clock, run)).tickets.done).toBe(21);
  });
});

describe('a create of unknown outcome is held', () => {
  it.each<[list: string, options: FakeTargetOptions]>([
    ['shows nothing', { listed: () => undefined }],
    ['hides closed tickets', { listed: hidesClosed }],
    ['hides closed tickets, and tells no total', { listed: hidesClosed, total: 'none' }],
    ['hides closed tickets, and counts them', { listed: hidesClosed, total: () => 2 }],
    ['hides closed tickets, and counts what it shows', { listed: hidesClosed, total: 'shown' }],
    ['drops tags', { listed: (ticket) => ({ ...shown(ticket), tags: [] }) }],
  ])('where the list %s', async (_, options) => {
    const tickets = [{ ...ONE, status: 'closed' as const }, LATER];
    expect((await imported(tickets, { ...firstCreate('after'), ...options })).ends).toEqual([1, 1]);
  });

  const MANY = some(60).map(({ id }) => ({ id, email: `${id}@x.org` }));
  /** All tickets but those in doubt. */
  const listed = hides(({ payload }) => ['Subject of t4', 'Subject of t34'].includes(payload.subject));
  it.each<[total: string, total: FakeTargetOptions['total'] & object]>([
    ['tells no total', () => undefined],
    ['counts those in doubt', () => 60],
    ['counts nothing', () => 0],
    ['counts a page', () => 1],
  ])('where the list shows all other tickets, and %s', async (_, total) => {
    const lost = creates('after', (nth) => nth % 30 === 5);
    expect((await imported(MANY, { ...lost, listed, total })).ends).toEqual([58, 2]);
  });

  it('if the list hides every third ticket, even if these are just the doubts', async () => {
    const options = { listed: hides(isThird), total: 'shown' } as const;
    const one = await imported(some(8), { ...creates('after', (nth) => nth === 3), ...options }, IN_TURN);
    expect(one.ends).toEqual([7, 1]);
    expect(one.ledger.get('t2')?.problem?.message).toMatch(/does not prove that it is complete/);
    const isLost = (nth: number) => nth % 3 === 0 && nth < 16;
    const five = await imported(some(16), { ...creates('after', isLost), ...options }, IN_TURN);
    expect(five.ends).toEqual([11, 5]);
  });

  it('if it is the only open ticket, and the list neither shows nor counts those', async () => {
    const listed = hides(({ payload }) => payload.status === 'open');
    const closed = MANY.slice(0, 14).map((each) => ({ ...each, status: 'closed' as const }));
    const options = { ...firstCreate('after'), listed, total: 'shown' } as const;
    const { ends } = await imported([{ id: 'a', status: 'open' }, ...closed], options, IN_TURN);
    expect(ends).toEqual([14, 1]);
  });

  it('where as many doubts that the list shows make up in its total for tickets that it hides', async () => {
    const hidden = ['T1', 'T7', 'T8', 'T9', 'T10', 'T11'];
    const listed = hides(({ id }) => hidden.includes(id));
    const options = { ...creates('after', (nth) => nth <= 6), listed, total: 'shown' } as const;
    expect((await imported(some(16), options, { options: { concurrency: 16 } })).ends).toEqual([15, 1]);
  });

  it('if the list hides it, and tells no total of its own tag', async () => {
    const total = (tag: string) => (tag === 'src-a' ? undefined : 5);
    const { ends } = await imported(ALL, { ...firstCreate('after'), listed: hidesIt, total });
    expect(ends).toEqual([5, 1]);
  });

  it('if the list lags, and its total counts no ticket in doubt', async () => {
    const listed = hides(({ payload }) => ['Subject of a', 'Subject of z'].includes(payload.subject));
    const total = (tag: string) => (tag === 'from-src' ? 5 : 0);
    const { ends, problem } = await imported(ALL, { ...firstCreate('after'), listed, total });
    expect(ends).toEqual([5, 1]);
    expect(problem?.message).toMatch(/list/);
  });

  it('a list that hides a ticket proves nothing', async () => {
    const { fault } = firstCreate('after');
    const { ends } = await imported(ALL, {
      total: 'shown',
      fault: (call, ...about) =>
        call === 'read' ? { at: 'before', error: unknownOutcome() } : fault?.(call, ...about),
      listed: hides(({ payload }) => ['Subject of a', 'Subject of o1'].includes(payload.subject)),
    });
    expect(ends).toEqual([5, 1]);
  });

  it('if no ticket was created after it, or no ticket is left that could prove it', async () => {
    const { ledger } = scratchCheckpoint();
    const api = new FakeTarget(firstCreate('before'));
    for (let run = 0; run < 2; run += 1) {
      const { ends, problem } = await imported([ONE], api, { ledger });
      expect([ends, problem?.code]).toEqual([[0, 1], 'not-proven-absent']);
    }
    const fault: FakeTargetOptions['fault'] = (call, about) =>
      call === 'create' && about === 'Subject of a' ? { at: 'before', error: unknownOutcome() } : undefined;
    const again = await imported(ALL, { fault });
    expect([again.ends, again.problem?.code]).toEqual([[5, 1], 'not-proven-absent']);
  });

  it('if the list counts it and does not show it, and a ticket that people deleted makes up for it', async () => {
    const api = new FakeTarget({ ...firstCreate('after'), listed: hidesIt });
    const onEvent: RunParts['onEvent'] = (event) => {
      if (event.type === 'ticket' && event.externalId === 'z') api.tickets.delete('T1');
    };
    const { ends, problem } = await imported(ALL, api, { ...IN_TURN, onEvent });
    expect([ends, problem?.code]).toEqual([[5, 1], 'not-proven-absent']);
  });

  it('if a ticket of an earlier process is the only later one: it was created before', async () => {
    const { ledger, path } = scratchCheckpoint();
    const { api } = await imported([LATER], {}, { ledger });
    api.options = firstCreate('before');
    const next = await imported([ONE], api, { ledger: scratchCheckpoint(diskNow(path)).ledger });
    expect([next.ends, next.problem?.code]).toEqual([[0, 1], 'not-proven-absent']);
  });

  it('if people gave its tag to another ticket of the import, and that one stays unchanged', async () => {
    const { api, ledger } = await imported([{ id: 'b', messages: ['agent'] }], {});
    const b = api.tickets.get('T1');
    if (b !== undefined) b.payload = { ...b.payload, tags: [...(b.payload.tags ?? []), 'src-a'] };
    api.options = firstCreate('before');
    expect((await imported(ALL, api, { ledger })).ends).toEqual([5, 1]);
    expect(ledger.get('a')?.ticketId).toBeUndefined();
    expect(textsOf(api)).toEqual(['b: message 1']);
  });

  it.each([
    ['a ticket of another subject and time has', 1, 'unclear-match', 'T0'],
    ['several tickets have', 5, 'several-matches', 'T0, T1, T2 and 2 more'],
  ])('if %s its tag, and these stay unchanged', async (_, count, code, named) => {
    const api = new FakeTarget(firstCreate('before'));
    const payload = {
      subject: 'Another',
      createdAt: '2020-01-01T00:00:00.000Z',
      tags: ['src-a', 'from-src'],
    };
    for (let at = 0; at < count; at += 1) {
      const id = `T${at}`;
      api.make({ ...payload, subject: `Another ${at}` }, id);
    }
    const { ends, problem } = await imported([ONE], api);
    expect([ends, problem?.code]).toEqual([[0, 1], code]);
    expect(problem?.message).toContain(named);
    expect([api.count('create'), api.count('messages')]).toEqual([1, 0]);
  });

  it('if reading keeps failing', async () => {
    const fault: FakeTargetOptions['fault'] = (call) =>
      call === 'create' || call === 'find' ? { at: 'after', error: unknownOutcome() } : undefined;
    const { api, ends } = await imported([ONE], { fault });
    expect([ends, api.count('find')]).toEqual([[0, 1], 6]);
  });

  it('for the next run if the token is refused while looking', async () => {
    const { api, ledger, result } = await imported([ONE], {
      fault: (call) => {
        if (call === 'create') return { at: 'after', error: unknownOutcome() };
        return call === 'find' ? { at: 'before', error: unauthorized() } : undefined;
      },
    });
    expect([result.stoppedBy?.code, result.tickets.inDoubt]).toEqual(['auth', 1]);
    api.options = {};
    expect((await imported([ONE], api, { ledger })).ends).toEqual([1, 0]);
  });

  it.each(['before', 'after'] as const)(
    'where the helpdesk cannot be read, and never sent again (%s its effect)',
    async (at) => {
      const tickets: TestTicket[] = [ONE, { id: 'b', email: 'tom@example.com' }];
      const { api, ledger, ends, events } = await imported(tickets, { ...firstCreate(at), readable: false });
      expect(ends).toEqual([1, 1]);
      expect(events.filter(({ type }) => type === 'note')).toHaveLength(1);
      for (let again = 0; again < 2; again += 1)
        expect((await imported(tickets, api, { ledger })).ends).toEqual([0, 1]);
      expect(api.count('create')).toBe(2);
      expect(ledger.get('a')?.problem?.code).toBe('target-unreadable');
    },
  );

  it('if the helpdesk cannot be read, which is asked once in a run', async () => {
    const options = { ...creates('after', (nth) => nth > 1), readable: false };
    const { api, ends, events } = await imported(some(12), options, IN_TURN);
    expect(ends).toEqual([1, 11]);
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

  it('is found by reading, and the messages of neither replace those of the other', async () => {
    const api = new Mixed();
    const { result, ledger } = await importOnce({ tickets: TWO, api });
    expect(result.tickets).toMatchObject({ done: 2 });
    expect([ledger.get('a')?.ticketId, ledger.get('b')?.ticketId]).toEqual(['T1', 'T2']);
    expect([textsOf(api, 'T1'), textsOf(api, 'T2')]).toEqual([['a: message 1'], ['b: message 1']]);
  });

  it('is held if the helpdesk cannot be read, also by a run that finds the other one done', async () => {
    const api = new Mixed({ readable: false });
    const { ledger } = await importOnce({ tickets: TWO.slice(0, 1), api });
    const { result } = await importOnce({ tickets: TWO, api, ledger });
    expect(result.tickets).toMatchObject({ done: 0, inDoubt: 1 });
    expect(ledger.get('b')?.state).toBe('inDoubt');
    expect(textsOf(api, 'T1')).toEqual(['a: message 1']);
  });

  it('of a ticket that is not there is held, as nothing proves it', async () => {
    const api = new Mixed();
    api.isCreating = false;
    const { result } = await importOnce({ tickets: TWO, api });
    expect(result.tickets).toMatchObject({ done: 1, inDoubt: 1 });
    expect(textsOf(api, 'T1')).toEqual(['a: message 1']);
  });
});

describe('a doubt that a person took for absent', () => {
  const SHOP = { options: { source: 'shop' } };
  async function taken(at: 'before' | 'after', change: (api: FakeTarget) => void, readable = true) {
    const { api, ledger } = await imported([ONE], { readable: false, ...firstCreate(at) }, SHOP);
    change(api);
    api.options = { readable };
    await notCreated(ledger, 'a');
    api.calls.length = 0;
    const { result } = await importOnce({ tickets: [ONE], api, ledger, ...SHOP });
    return { api, ledger, result };
  }

  it('is asked for by its tag before it is created, and adopted', async () => {
    const { api, ledger, result } = await taken('after', () => undefined);
    expect([result.tickets.done, api.tickets.size]).toEqual([1, 1]);
    expect(api.calls[1]).toEqual({ call: 'find', about: 'shop-a' });
    expect(ledger.get('a')).toMatchObject({ state: 'done', ticketId: 'T1' });
  });

  it('is held if it exists twice by its tag', async () => {
    const { api, ledger } = await taken('after', ({ tickets }) => {
      const [ticket] = tickets.values();
      if (ticket !== undefined) tickets.set('T2', { ...ticket, id: 'T2' });
    });
    expect(api.tickets.size).toBe(2);
    expect(ledger.get('a')).toMatchObject({ state: 'inDoubt', problem: { code: 'several-matches' } });
  });

  it('is created if the tag shows no ticket, or the helpdesk cannot be read', async () => {
    for (const readable of [true, false]) {
      const { api, result } = await taken('before', () => undefined, readable);
      expect([result.tickets.done, api.tickets.size]).toEqual([1, 1]);
    }
  });
});
