/** A delta over the status, priority, tags and assignee of tickets: what the source changed arrives, what people changed stays. */
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/domain/ledger.ts';
import type { TicketPayload } from '../../src/domain/payload.ts';
import type { PlannedAction, PlannedTicket } from '../../src/domain/ticket.ts';
import { ApiFailure, type TicketApi } from '../../src/domain/ticket-api.ts';
import { fieldsOf } from '../../src/domain/ticket-fields.ts';
import { FakeTarget, unknownOutcome } from './fake-target.ts';
import { carried as carriedBy, planned, scratchCheckpoint } from './import-run.ts';

type Fields = Partial<Pick<TicketPayload, 'status' | 'priority' | 'tags' | 'assignedToId' | 'subject'>>;

const MARKS = ['src-a', 'from-src'];
const OLD: Fields = { status: 'pending', priority: 'high', tags: ['billing', 'vip'], assignedToId: 'agt_1' };
const NEW: Fields = { status: 'closed', priority: 'low', tags: ['billing', 'refund'], assignedToId: 'agt_2' };

/** As the export has it now, with the marks of its identity as checking gives them. */
function ticket(fields: Fields, action: PlannedAction): PlannedTicket {
  const base = planned({ id: 'a', email: 'ann@example.com', messages: ['ann@example.com'] }, 0, action);
  const own = { ...base.ticket, ...fields };
  const now = fieldsOf(own);
  return {
    ...base,
    ticket: { ...own, tags: [...(fields.tags ?? []), ...MARKS] },
    fingerprints: { ...base.fingerprints, ticket: now.slice(0, 16), fields: now },
  };
}

const KNOWN = { facts: { isReadable: true, takesMessageIds: false } };
const carried = (work: PlannedTicket, api: TicketApi, ledger: Ledger) => carriedBy(work, api, ledger, KNOWN);

/** A helpdesk with the ticket in it, imported a while ago; what it says to later calls is asked of `fault`. */
async function imported(fields: Fields = OLD, options: ConstructorParameters<typeof FakeTarget>[0] = {}) {
  const api = new FakeTarget(options);
  const scratch = scratchCheckpoint();
  await carried(ticket(fields, { do: 'create' }), api, scratch.ledger);
  const ticketId = scratch.ledger.get('a')?.ticketId ?? '';
  api.calls.length = 0;
  const shown = () => {
    const { status, priority, tags, assignedToId } = api.tickets.get(ticketId)?.payload ?? {};
    return { status, priority, tags, assignedToId };
  };
  const people = (change: Fields) => {
    const there = api.tickets.get(ticketId);
    if (there !== undefined) there.payload = { ...there.payload, ...change };
  };
  const delta = (now: Fields) =>
    carried(ticket(now, { do: 'reopen', ticketId, parts: ['fields'] }), api, scratch.ledger);
  return { api, ...scratch, ticketId, shown, people, delta };
}

const failing = (error: unknown) => ({
  fault: (call: string) => (call === 'update' ? ({ at: 'before', error } as const) : undefined),
});
const noCall = (status: number) => new ApiFailure('refused', 'none', `No (${status}).`, { status });

describe('own fields of a ticket in a delta', () => {
  it('that changed in the source alone arrive, and the marks of identity stay', async () => {
    const { api, ledger, shown, delta } = await imported();
    const { codes, reported, result } = await delta(NEW);
    expect(shown()).toEqual({ ...NEW, tags: ['billing', 'refund', ...MARKS] });
    expect(codes).toEqual([]);
    expect(reported).toMatchObject({ outcome: 'done' });
    expect(result).toMatchObject({ updated: 1, messagesSent: 0 });
    expect(api.count('update')).toBe(1);
    expect(api.count('messages')).toBe(0);
    expect(ledger.get('a')?.fingerprints).toMatchObject(ticket(NEW, { do: 'create' }).fingerprints);
  });

  it('marks in the helpdesk stay, even if they are no longer sent', async () => {
    const { api, ledger, ticketId, shown } = await imported();
    const without = ticket(NEW, { do: 'reopen', ticketId, parts: ['fields'] });
    await carried({ ...without, ticket: { ...without.ticket, tags: NEW.tags ?? [] } }, api, ledger);
    expect(shown().tags).toEqual(expect.arrayContaining(MARKS));
  });

  it.each<[string, Fields, Fields]>([
    ['status', { status: 'resolved' }, { ...NEW, status: 'resolved' }],
    ['priority', { priority: 'urgent' }, { ...NEW, priority: 'urgent' }],
    [
      'tags',
      { tags: ['billing', 'vip', 'callback', ...MARKS] },
      { ...NEW, tags: ['billing', 'vip', 'callback'] },
    ],
    ['assignee', { assignedToId: 'agt_9' }, { ...NEW, assignedToId: 'agt_9' }],
  ])(
    '%s that people changed in the helpdesk stays, and is listed each time',
    async (word, theirs, expected) => {
      const { shown, people, delta, ledger } = await imported();
      people(theirs);
      for (let time = 0; time < 2; time += 1) {
        const { codes, warnings } = await delta(NEW);
        expect(shown()).toEqual({ ...expected, tags: [...(expected.tags ?? []), ...MARKS] });
        expect(codes).toEqual(['edited-in-target']);
        expect(warnings[0]?.message).toContain(word);
        expect(warnings[0]?.message).toContain('people changed');
      }
      expect(ledger.get('a')?.fingerprints?.ticket).not.toBe(
        ticket(NEW, { do: 'create' }).fingerprints.ticket,
      );
    },
  );

  it('that people set to what the export says now are not sent, and nothing is said', async () => {
    const { api, people, delta } = await imported();
    people({ status: 'closed' });
    const { codes, result } = await delta({ ...OLD, status: 'closed' });
    expect(codes).toEqual([]);
    expect(result.updated).toBe(0);
    expect(api.count('update')).toBe(0);
  });

  it.each([403, 404, 405, 501])(
    'are listed by a helpdesk without the call (%i), and the ticket stays done',
    async (status) => {
      const { api, ledger, shown, delta } = await imported();
      api.options = failing(noCall(status));
      const { codes, result, warnings } = await delta(NEW);
      expect(codes).toEqual(['field-not-updatable']);
      expect(warnings[0]?.message).toContain('the API cannot change them');
      expect(result).toMatchObject({ updated: 0, tickets: { done: 1 } });
      expect(result.stoppedBy).toBeUndefined();
      expect(shown()).toMatchObject({ status: 'pending' });
      expect(ledger.get('a')?.state).toBe('done');
      // Once it has the call, they arrive.
      api.options = {};
      expect((await delta(NEW)).codes).toEqual([]);
      expect(shown()).toMatchObject({ status: 'closed' });
    },
  );

  it.each(['before', 'after'] as const)(
    'a change whose answer is lost %s its effect is looked for; one that never arrives is reported and left to the next delta',
    async (at) => {
      const { api, shown, delta } = await imported();
      api.options = { fault: (call) => (call === 'update' ? { at, error: unknownOutcome() } : undefined) };
      const { warnings } = await delta(NEW);
      expect(warnings.map(({ message }) => message)).toEqual(
        at === 'after' ? [] : [expect.stringContaining('did not confirm')],
      );
      api.options = {};
      // The source went on meanwhile.
      expect((await delta({ ...NEW, status: 'open' })).codes).toEqual([]);
      expect(shown()).toMatchObject({ status: 'open', priority: 'low' });
    },
  );

  it('are left alone if the ticket cannot be read or does not show them', async () => {
    const { api, delta } = await imported();
    const read = api.readTicket.bind(api);
    api.readTicket = async (...call) => {
      const { status: _, priority: _p, assignedToId: _a, ...reported } = await read(...call);
      return reported as typeof reported & { id: string };
    };
    const unreported = await delta({ ...OLD, status: 'closed' });
    expect(unreported.warnings[0]?.message).toContain('does not show');
    api.readTicket = () =>
      Promise.reject(new ApiFailure('unknown-outcome', 'none', 'Bad (500).', { status: 500 }));
    const unread = await delta({ ...OLD, status: 'closed' });
    expect(unread.warnings[0]?.message).toContain('could not be read');
    expect(api.count('update')).toBe(0);
  });

  it('an answer that shows the old values is not taken for an update', async () => {
    const { api, delta, ledger } = await imported();
    api.updateTicket = async (id, _, signal) => ({ reported: await api.readTicket(id, signal) });
    const { codes, result, warnings } = await delta({ ...OLD, status: 'closed' });
    expect([codes, result.updated]).toEqual([['field-not-updatable'], 0]);
    expect(warnings[0]?.message).toContain('what it had before');
    expect(ledger.get('a')?.fingerprints?.ticket).toBe(ticket(OLD, { do: 'create' }).fingerprints.ticket);
  });

  it('an assignee that is gone from the source is reported, as the API may not take it away', async () => {
    const { api, delta } = await imported();
    const { assignedToId: _, ...now } = OLD;
    const { codes } = await delta(now);
    expect(codes).toEqual(['field-not-updatable']);
    expect(api.count('update')).toBe(0);
  });

  it('a ticket that people deleted is listed and left', async () => {
    const { api, ticketId, delta } = await imported();
    const { payload } = api.tickets.get(ticketId) ?? api.make({ subject: '', createdAt: '' });
    api.make(payload, 'T9');
    api.tickets.delete(ticketId);
    expect((await delta(NEW)).codes).toEqual(['deleted-in-target']);
  });
});
