/** Threads and histories: PUTs that say they were done, threads that are not shown whole, people who work in the target. */
import { describe, expect, it } from 'vitest';
import type { Reply, UnfairWays } from '../../support/unfair-target.ts';
import { answerBy, TEXT, textsOf } from './people.ts';
import { expectHonest, exportTickets, unfairly } from './unfair-run.ts';

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
  it('with any answer, a ticket is not done until its thread is complete', async () => {
    const run = await unfairly();
    const tickets = exportTickets(LIES.length + 2);
    run.write(tickets);
    // The first two replies are true: a helpdesk that fails from the start is refused.
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
  });
});

describe('an agent’s answer in the helpdesk outlives a delta', () => {
  it.each<readonly [string, UnfairWays]>([
    ['is fair', {}],
    ['shows threads in pages', { threadPage: 2 }],
    ['shows threads in pages and no total', { threadPage: 2, total: false }],
    ['shortens texts, and has a field with the whole', { shortenTo: 100, fullContent: true }],
    ['shortens texts, and tells nothing of it', { shortenTo: 100 }],
    ['shows no thread', { read: (path) => (path.endsWith('/messages') ? 404 : undefined) }],
  ])('on a helpdesk that %s', async (_, ways) => {
    const run = await unfairly();
    const tickets = exportTickets(5);
    await run.imports(tickets);
    for (const [at, ticket] of run.held().entries()) answerBy(ticket, at);
    const late = { actorType: 'system', content: 'Late message', occurredAt: '2024-03-20T00:00:00.000Z' };
    run.write(tickets.map((ticket) => ({ ...ticket, messages: [...ticket.messages, late] })));
    Object.assign(run.target.ways, ways);
    const ended = await run.run(['--delta']);
    for (const texts of run.held().map(textsOf)) {
      expect(
        texts.filter((text) => text === TEXT),
        ended.stderr,
      ).toHaveLength(1);
      expect(new Set(texts).size).toBe(texts.length);
    }
  });
});
