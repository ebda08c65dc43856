/** A ticket that the helpdesk has twice, by whatever way: no run ends with 0, and the ticket is named so that a person finds it. */
import { describe, expect, it } from 'vitest';
import type { HeldTicket, Json, UnfairTarget } from '../support/unfair-target.ts';
import { exportTickets, type UnfairRun, unfairly } from './unfair/unfair-run.ts';

const TWIN = 'tkt-900';

/** What a proxy or a queue does that delivers a request a second time. */
function deliverAgain(target: UnfairTarget, body: Json, id = TWIN): void {
  const sent = structuredClone(body);
  const ticket: HeldTicket = { id, sent, kept: sent, messages: [], events: [], madeAt: Date.now() };
  target.workspace.tickets.set(id, ticket);
}

const twins = ({ problems }: Awaited<ReturnType<UnfairRun['run']>>) =>
  problems.filter(({ code }) => code === 'duplicate-in-target');

describe('creates that the helpdesk carried out twice', () => {
  it('end the run with 4 and are all named, in later runs too, until the twins are deleted', async () => {
    const run = await unfairly();
    run.target.ways.create = (nth, body) => {
      if (nth % 2 === 0) deliverAgain(run.target, body, `tkt-90${nth}`);
      return undefined;
    };
    const first = await run.sends(exportTickets(6), '--set', 'run.batchSize=1');
    run.target.ways.create = undefined;
    run.write(exportTickets(7));
    for (const ended of [first, await run.run(), await run.run(['--delta'])]) {
      expect(ended.code, ended.stderr).toBe(4);
      expect(twins(ended).map(({ ticket }) => ticket)).toEqual(['1002', '1004', '1006']);
      expect(twins(ended)[1]?.message).toContain('tkt-904 (import-1004)');
      expect(ended.tickets).toMatchObject({ failed: 0, inDoubt: 0 });
    }
    for (const n of [2, 4, 6]) run.target.workspace.tickets.delete(`tkt-90${n}`);
    const last = await run.sends(exportTickets(8));
    expect(last, last.stderr).toMatchObject({ code: 0, tickets: { done: 8 }, problems: [] });
  });

  it.each([true, false])(
    'and whose outcome was unknown, is reported with both ids, with a total in the list (%s) or without',
    async (total) => {
      const run = await unfairly({ total });
      run.target.ways.create = (nth) =>
        nth === 3 ? { reported: { status: 504, body: 'gateway' }, effect: 'now' } : undefined;
      // Its copy comes late: when the ticket was found and completed.
      run.target.ways.put = (_part, _nth, id) => {
        if (id === 'tkt-3') deliverAgain(run.target, run.target.workspace.tickets.get(id)?.sent ?? {});
        return undefined;
      };
      const ended = await run.sends(exportTickets(6), '--set', 'run.batchSize=1');
      expect(ended.code, ended.stderr).toBe(4);
      expect(twins(ended)).toMatchObject([{ ticket: '1003' }]);
      expect(twins(ended)[0]?.message).toMatch(/2 times \((tkt-3, tkt-900|tkt-900, tkt-3)\)/);
    },
  );
});

it('a ticket that the index of tags has lost, and the list of its source shows, is found', async () => {
  const lost = exportTickets(3)[2]?.subject;
  const { target, sends } = await unfairly({
    shown: (all) => (all.length === 1 && all[0]?.sent['subject'] === lost ? [] : all),
  });
  target.ways.create = (nth) =>
    nth === 3 ? { reported: { status: 504, body: 'gateway' }, effect: 'now' } : undefined;
  const ended = await sends(exportTickets(8), '--set', 'run.batchSize=1');
  expect(ended, ended.stderr).toMatchObject({ code: 0, tickets: { done: 8 }, problems: [] });
  expect(target.workspace.tickets.size).toBe(8);
});
