/** Threads and histories: PUTs that say they were done, threads that are not shown whole, people who work in the target. */
import { describe, expect, it } from 'vitest';
import { hurried } from '../../support/hurried-clock.ts';
import type { Reply, UnfairWays } from '../../support/unfair-target.ts';
import { answerBy, answered, TEXT, textsOf, ticketOf } from './people.ts';
import { expectHonest, exportTickets, unfairly } from './unfair-run.ts';

const pace = () => ({ clock: hurried(20), timeout: 20 });

const LIES: readonly (readonly [name: string, reported: Reply])[] = [
  ['an error in the body', { status: 200, body: { error: 'internal', message: 'It failed.' } }],
  ['success: false', { status: 200, body: { success: false } }],
  ['an empty list', { status: 200, body: { messages: [] } }],
  ['207', { status: 207, body: { results: [{ status: 500 }] } }],
  ['a line of text', { status: 200, body: 'OK' }],
  ['a page', { status: 200, body: '<!doctype html><p>Sign in</p>', type: 'text/html' }],
  ['nothing (204)', { status: 204 }],
  ['an empty object', { status: 200, body: {} }],
];

describe('a PUT of messages that was not done', () => {
  it('whatever is answered, the ticket is not done until its thread is there', async () => {
    await unfairly(
      {},
      async (run) => {
        const tickets = exportTickets(LIES.length + 2);
        run.write(tickets);
        // The first two replies are true: a target that fails from the start is refused.
        run.target.ways.put = (part, _nth, ticketId) => {
          const [, reported] = LIES[Number(ticketId.slice('tkt-'.length)) - 3] ?? [];
          return part === 'messages' && reported !== undefined ? { reported, effect: 'never' } : undefined;
        };
        const bad = await run.run();
        expectHonest(run.target, tickets, bad);
        expect(bad.code, bad.stderr).toBe(3);
        run.target.ways.put = undefined;
        const last = await run.run();
        expectHonest(run.target, tickets, last);
        expect(last.code, last.stderr).toBe(0);
      },
      pace(),
    );
  });

  it('of which the target kept a half: not done', async () => {
    await unfairly(
      {},
      async (run) => {
        const tickets = exportTickets(3);
        run.write(tickets);
        run.target.ways.keepList = (part, list) => (part === 'messages' ? list.slice(0, 1) : list);
        const bad = await run.run();
        expectHonest(run.target, tickets, bad);
        expect(bad.code, bad.stderr).not.toBe(0);
      },
      pace(),
    );
  });
});

describe('an agent’s answer in the target outlives a delta', () => {
  it.each<readonly [string, UnfairWays]>([
    ['is fair', {}],
    ['shows threads in pages', { threadPage: 2 }],
    ['shows threads in pages and no total', { threadPage: 2, total: false }],
    ['shortens texts, and has a field with the whole', { shortenTo: 100, fullContent: true }],
    ['shortens texts, and tells nothing of it', { shortenTo: 100 }],
    ['shows no thread', { read: (path) => (path.endsWith('/messages') ? 404 : undefined) }],
  ])('on a target that %s', async (_, ways) => {
    await answered(ways, 5, async (run) => {
      const ended = await run.run(['--delta']);
      for (let n = 1; n <= 5; n += 1) {
        const texts = textsOf(ticketOf(run.target, n));
        expect(
          texts.filter((text) => text === TEXT),
          ended.stderr,
        ).toHaveLength(1);
        expect(new Set(texts).size).toBe(texts.length);
      }
    });
  });

  it('where threads can be read, the new messages arrive as well', async () => {
    await answered({ threadPage: 2, shortenTo: 100, fullContent: true }, 3, async (run) => {
      const ended = await run.run(['--delta']);
      expect(ended.code, ended.stderr).toBe(0);
      for (let n = 1; n <= 3; n += 1)
        expect(textsOf(ticketOf(run.target, n)).sort()).toEqual(
          [`Message 1 of ticket ${n}`, `Message 2 of ticket ${n}`, `Late message ${n}`, TEXT].sort(),
        );
    });
  });
});

describe('a ticket that an earlier run left half-way', () => {
  it('its thread cannot be read: an agent’s answer in it is not overwritten', async () => {
    await unfairly(
      {},
      async (run) => {
        const tickets = exportTickets(6);
        run.write(tickets);
        run.target.ways.put = (part) =>
          part === 'messages'
            ? { reported: { status: 422, body: { error: 'no' } }, effect: 'never' }
            : undefined;
        await run.run();
        run.target.ways.put = undefined;
        const made = [...run.target.workspace.tickets.values()];
        for (const [at, ticket] of made.entries()) answerBy(ticket, at + 1);
        run.target.ways.read = (path) => (path.endsWith('/messages') ? 404 : undefined);
        const ended = await run.run();
        for (const ticket of made) expect(textsOf(ticket), ended.stderr).toContain(TEXT);
        expectHonest(run.target, [], ended);
      },
      pace(),
    );
  });
});

describe('a history that grows with every PUT', () => {
  it('one 502 after the effect does not double it', async () => {
    await unfairly(
      { eventsAppend: true },
      async (run) => {
        const change = {
          type: 'status_change',
          oldValue: { status: 'open' },
          newValue: { status: 'closed' },
        };
        const events = [{ ...change, actorType: 'system', occurredAt: '2024-03-02T00:00:00Z' }];
        run.write(exportTickets(4).map((ticket) => ({ ...ticket, events })));
        run.target.ways.put = (part, nth) =>
          part === 'events' && nth === 2 ? { reported: { status: 502 }, effect: 'now' } : undefined;
        await run.run();
        await run.run();
        for (const ticket of run.target.workspace.tickets.values())
          expect(ticket.events.length, ticket.id).toBeLessThanOrEqual(1);
      },
      pace(),
    );
  });
});
