/** Creates of unknown outcome: what the simulation does not draw, and the sentences. */
import { expect, it } from 'vitest';
import { ApiFailure, type CreatedTicket } from '../../src/domain/ticket-api.ts';
import { notCreated } from '../support/ledger-steps.ts';
import { FakeTarget, type FakeTargetOptions, unauthorized, unknownOutcome } from './fake-target.ts';
import { importOnce, type RunParts, scratchCheckpoint, type TestTicket } from './import-run.ts';

const ONE: TestTicket = { id: 'a', email: 'mia@example.com', messages: ['mia@example.com', 'agent'] };
/** The last ticket of the plan, which is created when the doubts are old enough. */
const LATER: TestTicket = { id: 'z', email: 'tom@example.com' };
const some = (count: number) => Array.from({ length: count }, (_, at): TestTicket => ({ id: `t${at}` }));
const ALL = [...some(4), ONE, LATER];
const IN_TURN = { options: { concurrency: 1 } };

/** The first create of the ticket has an unknown outcome. */
function firstCreate(at: 'before' | 'after'): FakeTargetOptions {
  let isFirst = true;
  return {
    fault: (call, about) => {
      if (call !== 'create' || about !== 'Subject of a' || !isFirst) return undefined;
      isFirst = false;
      return { at, error: unknownOutcome() };
    },
  };
}

/** A list without these. */
const hides = (...ids: readonly string[]) => ({ hides: ids });

/** One run over these tickets; no ticket may be there twice after it. */
async function imported(
  tickets: readonly TestTicket[],
  options: FakeTargetOptions | FakeTarget,
  more: Partial<RunParts> = {},
) {
  const api = options instanceof FakeTarget ? options : new FakeTarget(options);
  const { result, events, ledger } = await importOnce({ tickets, api, ...more });
  expect(Math.max(0, ...Object.values(api.created()))).toBeLessThanOrEqual(1);
  const { done, inDoubt } = result.tickets;
  return { api, ledger, result, events, ends: [done, inDoubt], problem: ledger.get('a')?.problem };
}
const textsOf = (api: FakeTarget, id = 'T1') => api.tickets.get(id)?.messages.map(({ content }) => content);

it('a create that is proven absent is sent again although people deleted other tickets', async () => {
  const api = new FakeTarget(firstCreate('before'));
  api.nextTicketId = () => `T${api.count('create')}`;
  const onEvent: RunParts['onEvent'] = (event) => {
    if (event.type === 'ticket' && event.externalId === 'c') api.tickets.delete('T1');
  };
  const tickets = [{ id: 'b' }, { id: 'c' }, ONE, ...some(12), LATER];
  expect((await imported(tickets, api, { ...IN_TURN, onEvent })).ends).toEqual([16, 0]);
  expect(api.tickets.size).toBe(15);
});

it('a create that a proxy refuses is sent twice at most, however often its absence is proven', async () => {
  const failures = new Map([
    ['Subject of a', 100],
    ['Subject of b', 2],
    ['Subject of c', 1],
  ]);
  const error = new ApiFailure('unknown-outcome', 'unknown', 'A page of a proxy (403).', { status: 403 });
  const fault: FakeTargetOptions['fault'] = (call, about) => {
    const left = call === 'create' ? (failures.get(about) ?? 0) : 0;
    failures.set(about, left - 1);
    return left > 0 ? { at: 'before', error } : undefined;
  };
  const tickets = [...some(12), { id: 'a' }, { id: 'b' }, { id: 'c' }, LATER];
  const { api, ends, problem } = await imported(tickets, { fault }, IN_TURN);
  expect(ends).toEqual([14, 2]);
  const creates = api.calls.filter(({ call, about }) => call === 'create' && about === 'Subject of a');
  expect(creates).toHaveLength(2);
  expect(problem?.code).toBe('unknown-outcome');
});

it('a create in doubt is held with a reason of its own if the list lags', async () => {
  const total = (tag: string) => (tag === 'from-src' ? 5 : 0);
  const { ends, problem } = await imported(ALL, { ...firstCreate('after'), ...hides('a', 'z'), total });
  expect(ends).toEqual([5, 1]);
  expect(problem?.code).toBe('list-incomplete');
});

it('a create in doubt is held where tickets that the list lacks cannot be read', async () => {
  const { fault } = firstCreate('after');
  const { ends } = await imported(ALL, {
    ...{ total: 'shown', ...hides('a', 't1') },
    fault: (call, ...about) =>
      call === 'read' ? { at: 'before', error: unknownOutcome() } : fault?.(call, ...about),
  });
  expect(ends).toEqual([5, 1]);
});

it('a create in doubt is held if no ticket was created after it', async () => {
  const { ledger } = scratchCheckpoint();
  const api = new FakeTarget(firstCreate('before'));
  for (let run = 0; run < 2; run += 1) {
    const { ends, problem } = await imported([ONE], api, { ledger });
    expect([ends, problem?.code]).toEqual([[0, 1], 'not-proven-absent']);
    expect(problem?.message).toMatch(/does not prove that it is complete/);
  }
});

it.each([
  ['a ticket of another subject and time has', 1, 'unclear-match', 'T0'],
  ['several tickets have', 5, 'several-matches', 'T0, T1, T2 and 2 more'],
])('a create in doubt is held if %s its tag, and these are named', async (_, count, code, named) => {
  const api = new FakeTarget(firstCreate('before'));
  for (let at = 0; at < count; at += 1)
    api.make({ subject: `Another ${at}`, createdAt: '2020-01-01T00:00:00.000Z', tags: ['src-a'] }, `T${at}`);
  const { ends, problem } = await imported([ONE], api);
  expect([ends, problem?.code, api.count('create')]).toEqual([[0, 1], code, 1]);
  expect(problem?.message).toContain(named);
});

it('a create in doubt is held if reading keeps failing', async () => {
  const fault: FakeTargetOptions['fault'] = (call) =>
    call === 'create' || call === 'find' ? { at: 'after', error: unknownOutcome() } : undefined;
  const { api, ends } = await imported([ONE], { fault });
  expect([ends, api.count('find')]).toEqual([[0, 1], 6]);
});

it('a create in doubt is left to the next run if the token is refused while looking', async () => {
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
  'creates in doubt (%s their effect) of a helpdesk that cannot be read are never sent again, and one note says so',
  async (at) => {
    let nth = 0;
    const { api, ledger, ends, events } = await imported(
      some(12),
      {
        readable: false,
        fault: (call) => (call === 'create' && ++nth > 1 ? { at, error: unknownOutcome() } : undefined),
      },
      IN_TURN,
    );
    expect([ends, api.count('find'), events.filter(({ type }) => type === 'note').length]).toEqual([
      [1, 11],
      1,
      1,
    ]);
    expect((await imported(some(12), api, { ledger, ...IN_TURN })).ends).toEqual([0, 11]);
    expect(api.count('create')).toBe(12);
    expect(ledger.get('t3')?.problem?.code).toBe('target-unreadable');
  },
);

it("an answer with another ticket's ID is held in a helpdesk that cannot be read, also by a run that finds the other one done", async () => {
  class Mixed extends FakeTarget {
    override async createTicket(...call: Parameters<FakeTarget['createTicket']>): Promise<CreatedTicket> {
      const created = await super.createTicket(...call);
      return call[0].subject === 'Subject of a' ? created : { id: 'T1', ticket: { id: 'T1' } };
    }
  }
  const api = new Mixed({ readable: false });
  const two = [ONE, { ...LATER, messages: ['agent'] }];
  const { ledger } = await importOnce({ tickets: two.slice(0, 1), api });
  const { result } = await importOnce({ tickets: two, api, ledger });
  expect(result.tickets).toMatchObject({ done: 0, inDoubt: 1 });
  expect(textsOf(api)).toEqual(['a: message 1', 'a: message 2']);
});

it.each<[string, number, boolean]>([
  ['adopted if the helpdesk has it', 1, true],
  ['held if the helpdesk has it twice', 2, true],
  ['created if the helpdesk cannot be read', 0, false],
])('a ticket that a person called absent is %s', async (_, count, readable) => {
  const { api, ledger } = await imported([ONE], { readable: false, ...firstCreate('after') });
  const [ticket] = api.tickets.values();
  if (count === 2 && ticket !== undefined) api.tickets.set('T2', { ...ticket, id: 'T2' });
  if (count === 0) api.tickets.clear();
  api.options = { readable };
  await notCreated(ledger, 'a');
  const { result } = await importOnce({ tickets: [ONE], api, ledger });
  expect([result.tickets.done, api.tickets.size]).toEqual([count === 2 ? 0 : 1, Math.max(1, count)]);
  expect(ledger.get('a')?.problem?.code).toBe(count === 2 ? 'several-matches' : undefined);
});
