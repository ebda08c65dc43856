import { describe, expect, it } from 'vitest';
import { ApiFailure, type TicketApi } from '../../src/domain/ticket-api.ts';
import { TargetReader } from '../../src/push/target-reader.ts';

type Said = 'ok' | 403 | 404 | 405 | 503;

/** A target that answers each read as it is told. */
function target(answers: { thread: Said; ticket: Said; list: Said }) {
  const asked: string[] = [];
  const say = (what: 'thread' | 'ticket' | 'list') => async () => {
    asked.push(what);
    const said = answers[what];
    if (said === 'ok') return [];
    throw said === 503
      ? new ApiFailure('unknown-outcome', 'none', 'It answered 503.', { status: 503 })
      : new ApiFailure('target-unreadable', 'none', `It answered ${said}.`, { status: said });
  };
  const api = {
    readMessages: say('thread'),
    readEvents: say('thread'),
    readTicket: say('ticket'),
    findTickets: say('list'),
  } as unknown as TicketApi;
  const control = { hard: new AbortController().signal };
  return { asked, answers, reader: (isReadable?: boolean) => new TargetReader({ api, control }, isReadable) };
}

const outcome = (read: object) =>
  'failure' in read ? (read.failure as { outcome: string }).outcome : 'found';

describe('what it means that a thread cannot be read', () => {
  it.each<[thread: Said, ticket: Said, list: Said, known: boolean | undefined, means: string]>([
    ['ok', 'ok', 'ok', undefined, 'found'],
    [503, 'ok', 'ok', undefined, 'again'],
    [404, 'ok', 'ok', undefined, 'unread'],
    [403, 'ok', 404, undefined, 'unread'],
    [404, 404, 'ok', undefined, 'gone'],
    [404, 404, 404, undefined, 'unreadable'],
    [405, 405, 405, undefined, 'unreadable'],
    [403, 403, 'ok', undefined, 'unread'],
    [404, 403, 'ok', undefined, 'unread'],
    [404, 503, 'ok', undefined, 'again'],
    [404, 404, 503, undefined, 'again'],
    [404, 404, 404, true, 'gone'],
    [403, 403, 403, true, 'unread'],
    ['ok', 'ok', 'ok', false, 'unreadable'],
  ])(
    'thread %s, ticket %s, list %s, known to be readable: %s → %s',
    async (thread, ticket, list, known, means) => {
      const { reader } = target({ thread, ticket, list });
      expect(outcome(await reader(known).read('messages', 't1'))).toBe(means);
    },
  );

  it('once a thread was read, the target is one that can be read', async () => {
    const { reader, answers } = target({ thread: 'ok', ticket: 404, list: 404 });
    const own = reader();
    await own.read('messages', 't1');
    answers.thread = 404;
    expect(outcome(await own.read('messages', 't2'))).toBe('gone');
  });

  it('a target that cannot be read at all is asked once', async () => {
    const { reader, asked } = target({ thread: 404, ticket: 404, list: 404 });
    const own = reader();
    for (let n = 0; n < 5; n += 1) await own.read('messages', `t${n}`);
    expect(asked).toEqual(['thread', 'ticket', 'list']);
  });
});
