/** A delta over what a helpdesk has of its own: nothing that was written there is lost, whatever happens on the way. */
import { describe, expect, it } from 'vitest';
import { recordOf } from '../../src/domain/ledger.ts';
import type { EventPayload, MessagePayload } from '../../src/domain/payload.ts';
import type { DeltaPart, PlannedTicket } from '../../src/domain/ticket.ts';
import { ApiFailure, type Snapshot } from '../../src/domain/ticket-api.ts';
import { FakeTarget, failing, refused } from './fake-target.ts';
import { carried, importOnce, planned, scratchCheckpoint } from './import-run.ts';

const OLD = { id: 'a', email: 'ann@example.com', messages: ['ann@example.com', 'agent'], events: 1 };
const PRINTS = { ticket: '1'.repeat(16), messages: 'b'.repeat(16), events: '3'.repeat(16) };
const NOTE: MessagePayload = {
  actorType: 'agent',
  agentId: 'agt_9',
  content: 'Written in the helpdesk',
  occurredAt: '2025-01-05T08:30:00.000Z',
};
const event = (status: string, day = 2): EventPayload => ({
  type: 'status_change',
  actorType: 'system',
  oldValue: { status: 'open' },
  newValue: { status },
  occurredAt: `2024-03-0${day}T10:00:00.000Z`,
});

interface Change {
  readonly parts?: readonly DeltaPart[];
  readonly messages?: readonly MessagePayload[];
  readonly events?: readonly EventPayload[];
  readonly readOnly?: true;
  readonly fingerprints?: PlannedTicket['fingerprints'];
}

/** The ticket as the changed export has it: one message more by default. */
function changed(ticketId: string, change: Change = {}): PlannedTicket {
  const { parts = ['messages'] } = change;
  const base = planned({ ...OLD, messages: [...OLD.messages, 'ann@example.com'] }, 0, {
    do: 'reopen',
    ticketId,
    parts,
  });
  const last = base.messages[2] as MessagePayload;
  const messages = change.messages ?? [
    ...base.messages.slice(0, 2),
    { ...last, occurredAt: '2025-02-01T00:00:00.000Z' },
  ];
  const ticket = change.readOnly === true ? { ...base.ticket, readOnly: true } : base.ticket;
  return {
    ...base,
    ticket,
    messages,
    events: change.events ?? base.events,
    fingerprints: change.fingerprints ?? PRINTS,
  };
}

/** A helpdesk with the ticket in it, imported a while ago. */
async function imported(options: ConstructorParameters<typeof FakeTarget>[0] = {}) {
  const api = new FakeTarget(options);
  const scratch = scratchCheckpoint();
  await importOnce({ tickets: [OLD], api, ledger: scratch.ledger });
  const ticketId = scratch.ledger.get('a')?.ticketId ?? '';
  api.calls.length = 0;
  const ticket = () => api.tickets.get(ticketId);
  const texts = () => ticket()?.messages.map(({ content }) => content);
  return { api, ...scratch, ticketId, texts, ticket };
}

describe('the messages of a delta', () => {
  it('are held if the helpdesk cannot be read', async () => {
    const { api, ledger, ticketId, texts } = await imported();
    api.options = { readable: false };
    const { result, codes } = await carried(changed(ticketId), api, ledger);
    expect(texts()).toHaveLength(2);
    expect(codes).toEqual(['delta-held']);
    expect(result.tickets).toEqual({ done: 1, failed: 0, inDoubt: 0, pending: 0 });
    expect(api.count('messages')).toBe(0);
    // The checkpoint still says what the helpdesk has.
    expect(ledger.get('a')).toMatchObject({ state: 'done', fingerprints: { messages: '2'.repeat(16) } });
  });

  it.each([
    ['as it was imported', { ...PRINTS }, 1],
    ['only since then', { ...PRINTS, ticket: 'f'.repeat(16) }, 0],
  ])('a ticket that is read-only %s', async (_, fingerprints, puts) => {
    const { api, ledger, ticketId } = await imported();
    api.options = { readable: false };
    await carried(changed(ticketId, { readOnly: true, fingerprints }), api, ledger);
    expect(api.count('messages')).toBe(puts);
  });

  it('hold a text that may have been shortened, and send a reported whole one back', async () => {
    const long = { ...NOTE, content: 'x'.repeat(900) };
    for (const shows of ['no whole text', 'the message by itself', 'fullContent'] as const) {
      const { api, ledger, ticketId, ticket, texts } = await imported();
      api.write(ticketId, long);
      const read = api.readMessages.bind(api);
      api.readMessages = async (...call) =>
        (await read(...call)).map((message) =>
          shows === 'fullContent'
            ? message
            : { ...message, content: String(message['content']).slice(0, 100) },
        );
      if (shows === 'no whole text')
        api.readMessage = () =>
          Promise.reject(new ApiFailure('target-unreadable', 'none', 'No.', { status: 404 }));
      const { codes } = await carried(changed(ticketId), api, ledger);
      expect(codes).toEqual([shows === 'no whole text' ? 'delta-held' : 'messages-kept']);
      expect(ticket()?.messages.find(({ content }) => content === long.content)).toBeDefined();
      expect(texts()).toHaveLength(shows === 'no whole text' ? 3 : 4);
    }
  });

  it.each<[what: string, ours: number, shown: (thread: readonly Snapshot[]) => readonly Snapshot[]]>([
    ['nothing of a thread', 2, () => []],
    ['the first page of a thread, without a word on the others', 150, (thread) => thread.slice(0, 100)],
    ['the last page of a thread, without a word on the others', 150, (thread) => thread.slice(-50)],
  ])('hold a ticket of which the helpdesk shows %s: nothing is sent', async (_, count, shown) => {
    const ticket = { ...OLD, messages: Array.from({ length: count }, () => 'agent') };
    const api = new FakeTarget();
    const { ledger } = await importOnce({ tickets: [ticket], api });
    const ticketId = ledger.get('a')?.ticketId ?? '';
    api.write(ticketId, NOTE);
    const before = structuredClone(api.tickets.get(ticketId)?.messages);
    const read = api.readMessages.bind(api);
    api.readMessages = async (...call) => [...shown(await read(...call))];
    api.calls.length = 0;
    const base = planned(ticket, 0, { do: 'create' }).messages;
    const messages = [...base, { ...(base[0] as MessagePayload), content: 'a: one more' }];
    const { codes, result } = await carried(changed(ticketId, { messages }), api, ledger);
    expect(codes).toEqual(['delta-held']);
    expect(result.tickets.done).toBe(1);
    expect(api.count('messages')).toBe(0);
    expect(api.tickets.get(ticketId)?.messages).toEqual(before);
    // The next delta tries again.
    expect(ledger.get('a')?.fingerprints?.messages).toBe('2'.repeat(16));
  });

  it('that people edited and deleted are listed, and stay so', async () => {
    const { api, ledger, ticketId, texts, ticket } = await imported();
    const there = ticket();
    if (there !== undefined)
      there.messages = there.messages.slice(0, 1).map((message) => ({ ...message, content: 'Redacted' }));
    const { codes } = await carried(changed(ticketId), api, ledger);
    expect(codes).toEqual(['edited-in-target', 'deleted-in-target']);
    expect(texts()).toEqual(['Redacted', 'a: message 3']);
  });

  it('a half-done delta in a helpdesk that can no longer be read is failed and listed, and nothing is sent', async () => {
    const { api, ledger, ticketId } = await imported();
    await ledger.put({ ...recordOf(ledger, 'a'), state: 'created', reopened: true });
    api.options = { readable: false };
    const { reported } = await carried(changed(ticketId, { parts: ['messages', 'events'] }), api, ledger);
    expect(reported).toMatchObject({ outcome: 'failed', problem: { code: 'delta-held' } });
    expect(ledger.get('a')).toMatchObject({ state: 'incomplete', ticketId, reopened: true });
    expect(api.count('messages')).toBe(0);
  });
});

describe('the history of a delta', () => {
  const grown = [...planned(OLD, 0, { do: 'create' }).events, event('resolved')];

  it('that a helpdesk adds to the one it has is noticed with the first ticket, and the others stay as they are', async () => {
    const tickets = ['a', 'b', 'c'].map((id) => ({ ...OLD, id }));
    const { ledger } = scratchCheckpoint();
    const api = new FakeTarget({ appendsEvents: true });
    await importOnce({ tickets, api, ledger });
    const work = tickets.map((ticket, seq): PlannedTicket => {
      const ticketId = ledger.get(ticket.id)?.ticketId ?? '';
      return { ...planned(ticket, seq, { do: 'reopen', ticketId, parts: ['events'] }), events: grown };
    });
    const { codes, result } = await carried(work, api, ledger, { concurrency: 1 });
    expect(result.tickets.done).toBe(3);
    expect(codes).toEqual(['history-doubled']);
    expect([...api.tickets.values()].map(({ events }) => events.length)).toEqual([3, 1, 1]);
  });

  it('is left as it is where that would delete an event of the helpdesk, and listed until it fits', async () => {
    const { api, ledger, ticketId, ticket } = await imported();
    const own = event('open', 3);
    const there = ticket();
    if (there !== undefined) there.events = [...there.events, own];
    const prints = { ...PRINTS, events: 'e'.repeat(16) };
    const change = changed(ticketId, { parts: ['messages', 'events'], events: grown, fingerprints: prints });
    const { codes, result } = await carried(change, api, ledger);
    expect(codes).toEqual(['history-held']);
    expect(ticket()?.events).toContainEqual(own);
    expect(result).toMatchObject({ messagesSent: 3, eventsSent: 0 });
    expect(ledger.get('a')?.fingerprints).toMatchObject({
      messages: prints.messages,
      events: '3'.repeat(16),
    });
  });
});

describe('a ticket that an earlier process could not complete', () => {
  it.each([
    ['can', true, ['a: message 1', 'a: message 2', 'Written in the helpdesk']],
    ['cannot', false, ['a: message 1', 'a: message 2']],
  ])(
    'keeps what was written to it meanwhile where the helpdesk %s be read',
    async (_, readable, expected) => {
      const api = new FakeTarget(failing('messages', 'before', refused()));
      const { ledger } = await importOnce({ tickets: [OLD], api });
      const ticketId = ledger.get('a')?.ticketId ?? '';
      api.write(ticketId, NOTE);
      api.options = { readable };
      await importOnce({ tickets: [OLD], api, ledger });
      expect(api.tickets.get(ticketId)?.messages.map(({ content }) => content)).toEqual(expected);
      expect(ledger.get('a')?.state).toBe('done');
    },
  );
});
