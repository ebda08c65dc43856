import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckedTicket } from '../../src/domain/ticket.ts';
import { pickTrial } from '../../src/plan/trial.ts';
import { event, message, planOf, resultOf, ticket } from './tickets.ts';

function pick(count: number, tickets: readonly CheckedTicket[]) {
  return pickTrial(planOf(tickets.map((one) => ({ result: resultOf(one) }))), count);
}

/** Why a trial of this ticket alone would choose it. */
const whyOf = (one: CheckedTicket) => pick(1, [one])[0]?.why;

const plain = (seq: number) =>
  ticket(seq, { createdAt: `2024-05-${String(2 + (seq % 20)).padStart(2, '0')}T10:00:00.000Z` });

describe('what a ticket shows', () => {
  it.each<[string, CheckedTicket]>([
    ['status pending', ticket(0, { status: 'pending' })],
    ['status open', ticket(0)],
    ['priority urgent', ticket(0, { priority: 'urgent' })],
    ['priority normal', ticket(0)],
    ['an internal note', ticket(0, {}, [message({ isInternal: true })])],
    [
      '2 attachments',
      ticket(0, {}, [message({ attachments: [{ url: 'https://a.example' }, { url: 'https://b.example' }] })]),
    ],
    ['one attachment', ticket(0, {}, [message({ attachments: [{ url: 'https://a.example' }] })])],
    ['an HTML message', ticket(0, {}, [message({ contentType: 'html' })])],
    ['a Markdown message', ticket(0, {}, [message({ contentType: 'markdown' })])],
    ['a message of an agent', ticket(0, {}, [message({ actorType: 'agent', agentId: 'a' })])],
    ['a message of the system', ticket(0)],
    ['2 events of its history', ticket(0, {}, [], [event('open', 'closed'), event('closed', 'closed')])],
    ['it was reopened', ticket(0, {}, [], [event('resolved', 'open')])],
    ['2 customers', ticket(0, {}, [message({ contact: { email: 'bob@example.com' } })])],
    ['no messages', ticket(0, {}, [])],
    ['text in a non-Latin script', ticket(0, { subject: 'Принтер' })],
    ['text in a non-Latin script', ticket(0, {}, [message(), message({ content: 'こんにちは' })])],
    ['text in a non-Latin script', ticket(0, {}, [message({ content: '𐎀𐎁' })])],
  ])('%s', (words, one) => {
    expect(whyOf(one)).toContain(words);
  });

  it.each(['naïve café – “quoted” …', '', 'emoji 🎉 and ✓', 'Łódź, Đà Nẵng, Ærø'])(
    '%j is Latin text',
    (subject) => {
      expect(whyOf(ticket(0, { subject }))).not.toContain('text in a non-Latin script');
    },
  );

  it('one customer, however often, is not several', () => {
    const own = message({ contact: { email: 'ann@example.com' } });
    expect(whyOf(ticket(0, {}, [own, own]))?.filter((why) => why.includes('customers'))).toEqual([]);
  });
});

describe('the tickets of a trial', () => {
  it('are all there are when there are no more', () => {
    expect(pick(5, []).length).toBe(0);
    expect(
      pick(5, [plain(0), plain(1), plain(2)])
        .map((one) => one.externalId)
        .sort(),
    ).toEqual(['T-0', 'T-1', 'T-2']);
  });

  it('are as many as asked for, each once, each with a reason', () => {
    for (let count = 5; count <= 10; count++) {
      const picks = pick(
        count,
        Array.from({ length: 100 }, (_, seq) => plain(seq)),
      );
      expect(picks.length).toBe(count);
      expect(new Set(picks.map((one) => one.externalId)).size).toBe(count);
      for (const { why } of picks) expect(why.length).toBeGreaterThan(0);
    }
  });

  it('include the extremes, with their measure in words', () => {
    const tickets = Array.from({ length: 50 }, (_, seq) => plain(seq));
    tickets[17] = ticket(17, {}, Array(42).fill(message()));
    tickets[23] = ticket(23, { createdAt: '2019-03-01T00:00:00.000Z' });
    tickets[31] = ticket(31, { createdAt: '2024-12-24T00:00:00.000Z' });
    tickets[44] = ticket(44, {}, [message({ content: 'x'.repeat(50_000) })]);
    const why = new Map(pick(5, tickets).map((one) => [one.externalId, one.why.join('; ')]));
    expect(why.get('T-17')).toContain('the longest thread: 42 messages');
    expect(why.get('T-23')).toContain('the oldest ticket: 2019-03-01');
    expect(why.get('T-31')).toContain('the newest ticket: 2024-12-24');
    expect(why.get('T-44')).toContain('the longest message: 50000 characters');
  });

  it('show every quality that a few tickets can show, however deep in the export they stand', () => {
    const tickets = Array.from({ length: 5000 }, (_, seq) => plain(seq));
    tickets[1200] = ticket(1200, { status: 'pending', priority: 'urgent' }, [
      message({ isInternal: true, contentType: 'html' }),
    ]);
    tickets[2400] = ticket(2400, { status: 'resolved', priority: 'low', subject: 'Принтер' }, [
      message({ actorType: 'agent', agentId: 'a', contentType: 'markdown' }),
      message({ contact: { email: 'bob@example.com' }, attachments: [{ url: 'https://a.example' }] }),
    ]);
    tickets[4999] = ticket(4999, { status: 'closed', priority: 'high' }, [], [event('closed', 'open')]);
    const picks = pick(5, tickets);
    const reasons = picks.flatMap((one) => one.why);
    const wanted =
      'status open|status pending|status resolved|status closed|priority urgent|priority low|priority high|priority normal|an internal note|one attachment|an HTML message|a Markdown message|text in a non-Latin script|a message of an agent|one event of its history|it was reopened|2 customers|no messages';
    for (const words of wanted.split('|')) expect(reasons).toContain(words);
    expect(new Set(reasons.filter((words) => words !== 'one more ordinary ticket')).size).toBe(
      reasons.filter((words) => words !== 'one more ordinary ticket').length,
    );
  });

  const any = fc.record({
    status: fc.constantFrom('open', 'pending', 'resolved', 'closed' as const),
    priority: fc.constantFrom('low', 'normal', 'high', 'urgent' as const),
    messages: fc.array(
      fc.record({
        contentType: fc.constantFrom('text', 'html', 'markdown' as const),
        isInternal: fc.boolean(),
      }),
      { maxLength: 4 },
    ),
    reopened: fc.boolean(),
  });
  it('show every status and priority of a mixed export, and are the same every time', () => {
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 60 }), (list) => {
        const tickets = list.map(({ status, priority, messages, reopened }, seq) =>
          ticket(
            seq,
            { status: status as 'open', priority: priority as 'low' },
            messages.map((one) => message(one as object)),
            reopened ? [event('closed', 'open')] : [],
          ),
        );
        const picks = pick(10, tickets);
        expect(picks.length).toBe(Math.min(10, tickets.length));
        expect(pick(10, tickets)).toEqual(picks);
        const reasons = picks.flatMap((one) => one.why);
        for (const { status, priority } of list) {
          expect(reasons).toContain(`status ${status}`);
          expect(reasons).toContain(`priority ${priority}`);
        }
      }),
      { numRuns: 100 },
    );
  });
});
