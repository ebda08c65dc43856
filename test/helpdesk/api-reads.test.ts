import { describe, expect, it } from 'vitest';
import { failure, setUp, signal } from './client-set-up.ts';

describe('the Core API', () => {
  it('reads a list page by page until its end', async () => {
    const { api, server } = await setUp(({ url }) => {
      const cursor = new URL(url, 'http://x').searchParams.get('cursor');
      if (cursor === null)
        return { body: { tickets: [{ id: 1 }, { id: 'b' }], cursor: 'c/2', hasNextPage: true } };
      return { body: { tickets: [{ id: 'c' }], cursor: 'ignored', hasNextPage: false } };
    });
    const found = await api.findTickets({ search: 'Re: Größe & Co', tags: ['imported', 'x'] }, signal);
    expect(found.map(({ id }) => id)).toEqual(['1', 'b', 'c']);
    const [first, second] = server.seen.map(({ url }) =>
      Object.fromEntries(new URL(url, 'http://x').searchParams),
    );
    expect(first).toEqual({ search: 'Re: Größe & Co', tags: 'imported,x', take: '100' });
    expect(second).toEqual({ ...first, cursor: 'c/2' });
  });

  it.each([
    ['a cursor that comes again', () => ({ tickets: [{ id: 1 }], cursor: 'same', hasNextPage: true })],
    ['pages without end', (nth: number) => ({ tickets: [{ id: nth }], cursor: `c${nth}` })],
  ])('a list with %s is not complete, and therefore fails', async (_name, page) => {
    const { api } = await setUp((_request, nth) => ({ body: page(nth) }), { maxPages: 20 });
    expect(await failure(api.findTickets({}, signal))).toMatchObject({
      code: 'unknown-outcome',
      effect: 'none',
    });
  });

  it('of a list of 150,000 tickets some fields are read to the end, for checkpoint rebuild', async () => {
    const text = 'x'.repeat(200);
    const { api } = await setUp((_request, nth) => ({
      body: {
        tickets: Array.from({ length: 100 }, (_, at) => ({
          id: `t${nth}-${at}`,
          tags: ['a'],
          subject: text,
        })),
        ...(nth < 1_500 ? { cursor: `c${nth}` } : {}),
      },
    }));
    const found = await api.findTickets({ fields: ['tags'] }, signal);
    expect(found).toHaveLength(150_000);
    expect(Object.keys(found[0] ?? {})).toEqual(['id', 'tags']);
    expect(new Set(found.map(({ id }) => id)).size).toBe(150_000);
  });

  it.each([
    ['an error next to it', { error: 'maintenance', tickets: [], hasNextPage: true }],
    ['no JSON', '<html>'],
  ])('a list with %s is not complete, and therefore fails', async (_name, body) => {
    const { api, settle } = await setUp(() => ({ body }));
    expect(await failure(settle(api.findTickets({}, signal)))).toMatchObject({
      code: 'unknown-outcome',
      effect: 'none',
    });
  });

  it.each([
    ['a form of its own', { items: [{ id: 1 }] }],
    ['a ticket without an id', { tickets: [{ subject: 'x' }] }],
    ['another page that cannot be asked for', { tickets: [{ id: 1 }], hasNextPage: true }],
  ])('a list with %s cannot be read, and is asked for once', async (_, body) => {
    const { api, server } = await setUp(() => ({ body }));
    expect(await failure(api.findTickets({}, signal))).toMatchObject({
      code: 'target-unreadable',
      effect: 'none',
    });
    expect(server.seen).toHaveLength(1);
  });

  it('a thread is read to its end, and fewer messages than its total are no thread', async () => {
    const { api, settle } = await setUp(({ url }) => {
      const cursor = new URL(url, 'http://x').searchParams.get('cursor');
      const items = cursor === null ? [{ id: 1 }, { id: 2 }] : [{ id: 2 }, { id: 3 }];
      return {
        body: {
          messages: items,
          total: url.includes('whole') ? 3 : 4,
          ...(cursor === null ? { cursor: 'c2', hasNextPage: true } : { hasNextPage: false }),
        },
      };
    });
    expect((await settle(api.readMessages('whole', signal))).map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(await failure(settle(api.readMessages('short', signal)))).toMatchObject({
      code: 'unknown-outcome',
      message: 'Reading the messages of ticket short gave 3 of 4.',
    });
  });

  it('a thread of several pages that moves between any two readings is not taken for whole', async () => {
    let shift = 0;
    const { api, server, settle } = await setUp(({ url }) => {
      const isFirst = !url.includes('cursor');
      if (isFirst) shift += 1;
      const messages = isFirst ? [{ id: shift }, { id: 'b' }] : [{ id: 'c' }];
      return { body: { messages, hasNextPage: isFirst, ...(isFirst ? { cursor: 'c2' } : {}) } };
    });
    expect(await failure(settle(api.readMessages('t1', signal)))).toMatchObject({
      message: expect.stringContaining('kept changing'),
    });
    expect(server.seen).toHaveLength(8);
  });

  it.each([
    ['nextCursor', { nextCursor: 'c2' }],
    ['has_more', { has_more: true }],
    ['pagination', { pagination: { hasNextPage: true, cursor: 'c2' } }],
    ['pageInfo', { pageInfo: { hasNextPage: true, endCursor: 'c2' } }],
  ])('a thread that tells further pages by %s is not taken for whole', async (_, paging) => {
    const { api, server } = await setUp(() => ({ body: { messages: [{ id: 1 }, { id: 2 }], ...paging } }));
    expect(await failure(api.readMessages('t1', signal))).toMatchObject({ code: 'target-unreadable' });
    expect(server.seen).toHaveLength(1);
  });

  it('the text of a message is the whole one if the helpdesk tells it besides', async () => {
    const { api } = await setUp(({ url }) =>
      url.endsWith('/m1')
        ? { body: { message: { id: 'm1', content: 'Hel', fullContent: 'Hello' } } }
        : {
            body: {
              messages: [
                { id: 'm1', content: 'Hel', fullContent: 'Hello' },
                { id: 'm2', content: 'Ho', fullContent: '' },
              ],
            },
          },
    );
    const texts = (await api.readMessages('t', signal)).map(({ content }) => content);
    expect(texts).toEqual(['Hello', 'Ho']);
    expect((await api.readMessage('t', 'm1', signal))['content']).toBe('Hello');
  });

  it('reads a ticket, its messages and its events, bare or in an envelope', async () => {
    const { api, server } = await setUp(({ url }) => {
      if (url.endsWith('/messages'))
        return { body: { messages: [{ id: 7, content: 'x' }, { content: 'no id' }] } };
      if (url.endsWith('/events')) return { body: [{ id: 'e1' }] };
      return { body: { ticket: { id: 5, subject: 'Hi' } } };
    });
    expect(await api.readTicket('5', signal)).toEqual({ id: '5', subject: 'Hi' });
    expect(await api.readMessages('5', signal)).toEqual([
      { id: '7', content: 'x' },
      { id: '', content: 'no id' },
    ]);
    expect(await api.readEvents('5', signal)).toEqual([{ id: 'e1' }]);
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/api/core/v1/tickets/5',
      '/api/core/v1/tickets/5/messages',
      '/api/core/v1/tickets/5/events',
    ]);
  });

  it('finds an agent by the whole address, even if the service answers with everybody', async () => {
    const agents = [
      { id: 'a1', email: 'Other@x.example' },
      { id: 'a2', email: 'Agent@X.example' },
    ];
    const { api, server } = await setUp(() => ({ body: { agents } }));
    expect(await api.findAgent(' agent@x.example', signal)).toBe('a2');
    expect(await api.findAgent('nobody@x.example', signal)).toBeUndefined();
    expect(server.seen[0]!.url).toBe('/api/core/v1/agents?email=agent%40x.example');
  });
});
