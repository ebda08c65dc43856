/** A ticket that the target has twice, by whatever way: no run ends with 0, and the ticket is named so that a person finds it. */
import { describe, expect, it } from 'vitest';
import { hurried } from '../support/hurried-clock.ts';
import type { HeldTicket, Json, Reply, UnfairTarget } from '../support/unfair-target.ts';
import { expectHonest, exportTickets, type UnfairRun, unfairly } from './unfair/unfair-run.ts';

const pace = () => ({ clock: hurried(20), timeout: 20 });
const TWIN = 'tkt-900';

/** What a proxy or a queue does that delivers a request a second time. */
function deliverAgain(target: UnfairTarget, body: Json): void {
  const sent = structuredClone(body);
  const ticket: HeldTicket = { id: TWIN, sent, kept: sent, messages: [], events: [], madeAt: Date.now() };
  target.workspace.tickets.set(TWIN, ticket);
}

const twins = ({ problems }: Awaited<ReturnType<UnfairRun['run']>>) =>
  problems.filter(({ code }) => code === 'duplicate-in-target');

describe('a create that the target carried out twice', () => {
  it('ends the run with 4 and is named by its tag, in later runs too, until one of both is deleted', async () => {
    await unfairly(
      {},
      async (run) => {
        run.target.ways.create = (nth, body) => {
          if (nth === 4) deliverAgain(run.target, body);
          return undefined;
        };
        run.write(exportTickets(6));
        const first = await run.run(['--concurrency', '1']);
        run.target.ways.create = undefined;
        run.write(exportTickets(7));
        for (const ended of [first, await run.run(), await run.run(['--delta'])]) {
          expect(ended.code, ended.stderr).toBe(4);
          expect(twins(ended)).toHaveLength(1);
          expect(twins(ended)[0]?.message).toContain(`${TWIN} (import-1004)`);
          expect(ended.tickets).toMatchObject({ failed: 0, inDoubt: 0 });
        }
        run.target.workspace.tickets.delete(TWIN);
        run.write(exportTickets(8));
        const last = await run.run();
        expect(last, last.stderr).toMatchObject({ code: 0, tickets: { done: 8 }, problems: [] });
      },
      pace(),
    );
  });

  it.each([true, false])(
    'and whose outcome was unknown, is reported with both ids, with a total in the list (%s) or without',
    async (total) => {
      await unfairly(
        { total },
        async (run) => {
          run.target.ways.create = (nth) =>
            nth === 3 ? { reported: { status: 504, body: 'gateway' }, effect: 'now' } : undefined;
          // Its copy comes late: when the ticket was found and completed.
          run.target.ways.put = (_part, _nth, id) => {
            if (id === 'tkt-3') deliverAgain(run.target, run.target.workspace.tickets.get(id)?.sent ?? {});
            return undefined;
          };
          run.write(exportTickets(6));
          const ended = await run.run(['--concurrency', '1']);
          expect(ended.code, ended.stderr).toBe(4);
          expect(twins(ended)).toMatchObject([{ ticket: '1003' }]);
          expect(twins(ended)[0]?.message).toMatch(/2 times \((tkt-3, tkt-900|tkt-900, tkt-3)\)/);
        },
        pace(),
      );
    },
  );
});

describe('no duplicate is claimed', () => {
  it.each<[string, Parameters<typeof unfairly>[0]]>([
    ['of a list that lags', { shown: (all, now) => all.filter(({ madeAt }) => now - madeAt > 150) }],
    ['of a list that tells no total', { total: false }],
    ['where the target narrows no list by tags', { tagsFilter: false }],
  ])('%s: the run ends with 0', async (_, ways) => {
    await unfairly(
      ways,
      async (run) => {
        // Other people's tickets.
        for (let n = 1; n <= 3; n += 1) {
          const sent = { subject: `Theirs ${n}`, createdAt: '2020-01-01T00:00:00Z', tags: ['vip'] };
          const id = `theirs-${n}`;
          run.target.workspace.tickets.set(id, { id, sent, kept: sent, messages: [], events: [], madeAt: 0 });
        }
        run.write(exportTickets(6));
        const ended = await run.run();
        expect(ended, ended.stderr).toMatchObject({ code: 0, tickets: { done: 6 } });
        expect(twins(ended)).toEqual([]);
      },
      pace(),
    );
  });
});

describe('a create that the target refused and carried out all the same', () => {
  it.each([400, 422])('(%i) is found by the next run and completed, and is there once', async (status) => {
    await unfairly(
      {},
      async (run) => {
        run.target.ways.create = (nth) =>
          nth === 2 ? { reported: { status, body: { error: 'not like this' } }, effect: 'now' } : undefined;
        run.write(exportTickets(3));
        expect(await run.run(['--concurrency', '1'])).toMatchObject({ tickets: { done: 2 } });
        const second = await run.run();
        expect(second, second.stderr).toMatchObject({ code: 0, tickets: { done: 3 } });
        expect(run.target.workspace.tickets.size).toBe(3);
        for (const { messages } of run.target.workspace.tickets.values()) expect(messages).not.toEqual([]);
      },
      pace(),
    );
  });
});

describe('a create that was carried out, and whose answer does not say so', () => {
  const page = '<html>Wait.</html>';
  it.each<[says: string, reported: Reply]>([
    ...[408, 409, 425, 499].map((status): [string, Reply] => [
      `${status}`,
      { status, body: { error: 'busy', message: 'Not now.' } },
    ]),
    ...[403, 413, 422].map((status): [string, Reply] => [
      `${status} and a page`,
      { status, body: page, type: 'text/html' },
    ]),
    ['503 with Retry-After', { status: 503, body: page, headers: { 'retry-after': '1' } }],
  ])('%s: it is found by reading in the same run, and is there once', async (_, reported) => {
    await unfairly(
      {},
      async (run) => {
        run.target.ways.create = (nth) => (nth === 2 ? { reported, effect: 'now' } : undefined);
        const tickets = exportTickets(3);
        run.write(tickets);
        const ended = await run.run(['--concurrency', '1']);
        expect(ended, ended.stderr).toMatchObject({ code: 0, tickets: { done: 3 }, problems: [] });
        expectHonest(run.target, tickets, ended);
        expect(run.target.seen.filter(({ method }) => method === 'POST')).toHaveLength(3);
      },
      pace(),
    );
  });
});
