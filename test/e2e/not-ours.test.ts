/** Another ticket has the id of an imported one: nothing is written to it, and it is reported. */
import { describe, expect, it } from 'vitest';
import { type HeldTicket, type Json, refusal, type UnfairTarget } from '../support/unfair-target.ts';
import { type ExportTicket, exportTickets, type UnfairRun, unfairly } from './unfair/unfair-run.ts';

const writes = ({ seen }: UnfairTarget) =>
  seen.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
const codes = (problems: readonly { readonly code: string; readonly ticket?: string }[]) =>
  problems.map(({ code, ticket }) => `${ticket} ${code}`);

const LATE: Json = { actorType: 'system', content: 'One more', occurredAt: '2024-03-09T00:00:00Z' };

function withLate(tickets: readonly ExportTicket[], ...ns: readonly number[]): ExportTicket[] {
  return tickets.map((one, at) =>
    ns.includes(at + 1) ? { ...one, messages: [...one.messages, LATE] } : one,
  );
}

/** A ticket of other people under the id of the n-th of ours. */
function replace(run: UnfairRun, n: number, tags: readonly string[]): HeldTicket {
  const id = `tkt-${n}`;
  const sent = { subject: 'Somebody else', createdAt: '2020-01-01T00:00:00Z', tags };
  const messages = [{ id: 'theirs-1', actorType: 'system', content: 'Their message' }];
  const ticket: HeldTicket = { id, sent, kept: sent, messages, events: [], madeAt: 0 };
  run.target.workspace.tickets.set(id, ticket);
  return ticket;
}

const THEIRS: readonly (readonly [string, readonly string[]])[] = [
  ['without a tag', []],
  ['with tags of people', ['vip', 'import-later']],
  ['of another source', ['imported', 'from-brand-b', 'brand-b-1003']],
  ['of this source, but another ticket', ['imported', 'from-import', 'import-1004']],
];

describe.each(THEIRS)('a ticket %s under the id of one of ours', (_, tags) => {
  it('gets no delta; the others get theirs', async () => {
    const run = await unfairly();
    run.write(exportTickets(6));
    // One after the other, so that the third is tkt-3.
    expect(await run.run(['--set', 'run.batchSize=1'])).toMatchObject({ code: 0, tickets: { done: 6 } });
    const theirs = replace(run, 3, tags);
    const before = structuredClone(theirs);
    run.target.seen.length = 0;
    const ended = await run.sends(withLate(exportTickets(6), 3, 5), '--delta');
    expect(theirs).toEqual(before);
    expect(writes(run.target)).toEqual(['PUT /tickets/tkt-5/messages']);
    expect(codes(ended.problems)).toContain('1003 not-ours-in-target');
    expect(ended.code, ended.stderr).toBe(3);
    expect(ended.tickets).toMatchObject({ failed: 1 });
    expect(run.held()).toHaveLength(6);
  });

  it('does not get the rest of a ticket whose messages were refused', async () => {
    const run = await unfairly();
    run.target.ways.put = (_part, _nth, id) =>
      id === 'tkt-3' ? { reported: refusal(422, 'invalid'), effect: 'never' } : undefined;
    expect(await run.sends(exportTickets(6), '--set', 'run.batchSize=1')).toMatchObject({
      code: 3,
      tickets: { done: 5, failed: 1 },
    });
    run.target.ways.put = undefined;
    const theirs = replace(run, 3, tags);
    const before = structuredClone(theirs);
    run.target.seen.length = 0;
    for (const flags of [[], ['--delta']]) {
      const ended = await run.run(flags);
      expect(ended.code, ended.stderr).toBe(3);
      expect(codes(ended.problems)).toContain('1003 not-ours-in-target');
      expect(ended.tickets).toMatchObject({ done: 5, failed: 1 });
    }
    expect(theirs).toEqual(before);
    expect(writes(run.target)).toEqual([]);
  });
});

describe('a ticket of the same time under the id of one of ours', () => {
  it.each<[string, Json]>([
    ['without its tag, and of another requester', { tags: [], contact: { email: 'other@example.com' } }],
    ['with the tag of another import', { tags: ['imported', 'from-brand-b', 'brand-b-1003'] }],
  ])('%s is another ticket', async (_, change) => {
    const run = await unfairly();
    await run.sends(exportTickets(3), '--set', 'run.batchSize=1');
    const ticket = run.target.workspace.tickets.get('tkt-2') as HeldTicket;
    ticket.kept = { ...ticket.kept, ...change };
    const delta = await run.sends(withLate(exportTickets(3), 2), '--delta');
    expect(codes(delta.problems)).toContain('1002 not-ours-in-target');
    expect([delta.code, delta.tickets['failed']]).toEqual([3, 1]);
    expect(ticket.messages).toHaveLength(2);
  });
});

describe('a tag that was removed', () => {
  it.each([
    ['by people', (tags: unknown[]) => tags.filter((tag) => !String(tag).startsWith('import'))],
    ['with all others', () => []],
  ])('[tagremoved] %s has one outcome: done, and not updated', async (_, remove) => {
    const run = await unfairly();
    await run.sends(exportTickets(6), '--set', 'run.batchSize=1');
    const ticket = run.target.workspace.tickets.get('tkt-2') as HeldTicket;
    ticket.kept = { ...ticket.kept, tags: remove(ticket.kept['tags'] as unknown[]) };
    run.target.seen.length = 0;
    run.write(withLate(exportTickets(6), 2, 5));
    for (const updated of ['PUT /tickets/tkt-5/messages', undefined]) {
      const delta = await run.run(['--delta']);
      expect(codes(delta.problems)).toContain('1002 not-ours-in-target');
      expect([delta.code, delta.tickets['done'], delta.tickets['failed']]).toEqual([3, 6, 0]);
      expect(writes(run.target)).toEqual(updated === undefined ? [] : [updated]);
      run.target.seen.length = 0;
    }
    expect(await run.run()).toMatchObject({ code: 0, tickets: { done: 6 } });
    expect(ticket.messages).toHaveLength(2);
  });

  it('and put back: the next run sends the rest', async () => {
    const run = await unfairly();
    run.target.ways.put = (_part, _nth, id) =>
      id === 'tkt-2' ? { reported: refusal(422, 'invalid'), effect: 'never' } : undefined;
    await run.sends(exportTickets(6), '--set', 'run.batchSize=1');
    run.target.ways.put = undefined;
    const ours = [run.target.workspace.tickets.get('tkt-2'), run.target.workspace.tickets.get('tkt-3')];
    const kept = ours.map((ticket) => ticket?.kept['tags']);
    for (const ticket of ours) if (ticket !== undefined) ticket.kept = { ...ticket.kept, tags: ['vip'] };
    const held = await run.sends(withLate(exportTickets(6), 3), '--delta');
    expect(codes(held.problems)).toEqual(
      expect.arrayContaining(['1002 not-ours-in-target', '1003 not-ours-in-target']),
    );
    expect(held.code).toBe(3);
    for (const [at, ticket] of ours.entries())
      if (ticket !== undefined) ticket.kept = { ...ticket.kept, tags: kept[at] };
    const last = await run.run(['--delta']);
    expect(last, JSON.stringify(last.problems)).toMatchObject({
      code: 0,
      tickets: { done: 6, failed: 0 },
    });
    expect(ours.map((ticket) => ticket?.messages.length)).toEqual([2, 3]);
    expect(run.held()).toHaveLength(6);
  });
});
