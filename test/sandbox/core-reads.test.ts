import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningSandbox, running, runningOn } from './running-sandbox.ts';

async function filled(): Promise<RunningSandbox> {
  const sandbox = await runningOn();
  const statuses = ['open', 'pending', 'resolved', 'closed'];
  for (let index = 0; index < 30; index++) {
    await sandbox.create({
      subject: index === 7 ? 'Refund for "Ärmel" (50% off) [EMAIL]' : `Question number ${index}`,
      contact: { email: `user${index % 3}@example.com`, name: ['Ann Lee', 'Bob', '李雷'][index % 3] },
      status: statuses[index % 4],
      tags: index % 2 === 0 ? ['imported', 'even'] : ['imported'],
      createdAt: new Date(Date.UTC(2021, 0, 30 - index)).toISOString(),
    });
  }
  await sandbox.create({ subject: '???', createdAt: '2020-01-01T00:00:00Z' });
  return sandbox;
}

const subjects = (body: { tickets: { subject: string }[] }) => body.tickets.map((ticket) => ticket.subject);

describe('the list of tickets', () => {
  let shared: RunningSandbox;
  beforeAll(async () => {
    shared = await filled();
  });
  afterAll(() => shared.close());

  it('is the newest first, in pages that together hold each ticket once', async () => {
    const sandbox = shared;
    const seen: string[] = [];
    let cursor = '';
    let pages = 0;
    for (;;) {
      const { body } = await sandbox.call('GET', `/tickets?take=7&cursor=${cursor}`);
      expect(body.total).toBe(31);
      seen.push(...subjects(body));
      pages++;
      if (!body.hasNextPage) {
        expect(body).not.toHaveProperty('cursor');
        break;
      }
      cursor = body.cursor;
    }
    expect(pages).toBe(5);
    expect(seen).toHaveLength(31);
    expect(new Set(seen).size).toBe(31);
    expect(seen[0]).toBe('Question number 0');
  });

  it('pages stably over tickets of the same time', async () => {
    const sandbox = await running();
    const ids = [];
    for (let i = 0; i < 5; i++)
      ids.push(await sandbox.create({ subject: `T${i}`, createdAt: '2021-01-01T00:00:00Z' }));
    const first = await sandbox.call('GET', '/tickets?take=3');
    const rest = await sandbox.call('GET', `/tickets?take=3&cursor=${first.body.cursor}`);
    const seen = [...first.body.tickets, ...rest.body.tickets].map((ticket: { id: string }) => ticket.id);
    expect(seen).toEqual(ids.reverse());
  });

  it.each([
    ['a word of the subject', 'search=refund', 1],
    [
      'a whole subject with marks in it',
      `search=${encodeURIComponent('Refund for "Ärmel" (50% off) [EMAIL]')}`,
      1,
    ],
    ['a contact e-mail', 'search=user1%40example.com', 10],
    ['a contact name', 'search=ann', 10],
    ['a name in another script', `search=${encodeURIComponent('李雷')}`, 10],
    ['words from both', 'search=ann%20question', 10],
    ['a tag', 'tags=even', 15],
    ['two tags', 'tags=even&tags=imported', 15],
    ['tag and search', 'tags=even&search=bob', 5],
  ])('finds by %s', async (_, query, total) => {
    const { status, body } = await shared.call('GET', `/tickets?take=100&${query}`);
    expect(status).toBe(200);
    expect(body.total).toBe(total);
    expect(body.tickets).toHaveLength(total);
  });

  it('finds by a name that has changed since', async () => {
    await shared.create({ subject: 'Renames Bob', contact: { email: 'user1@example.com', name: 'Robert' } });
    expect((await shared.call('GET', '/tickets?search=robert')).body.total).toBe(11);
    expect((await shared.call('GET', '/tickets?search=bob')).body.total).toBe(1);
  });
});

describe('agents', () => {
  it('are found by e-mail in any case, and an unknown one gives an empty list', async () => {
    const sandbox = await running({
      agents: [{ id: 'agent-9', email: 'Kim@desk.example', name: 'Kim' }, { email: 'lo@desk.example' }],
    });
    expect((await sandbox.call('GET', '/agents?email=KIM@desk.example')).body).toEqual({
      agents: [{ id: 'agent-9', email: 'kim@desk.example', name: 'Kim' }],
    });
    expect((await sandbox.call('GET', '/agents?email=nobody@desk.example')).body).toEqual({ agents: [] });
    expect((await sandbox.call('GET', '/agents')).body.agents).toHaveLength(2);
  });

  it('are made up on wish, and then stay the same', async () => {
    const sandbox = await running({ inventAgents: true });
    const first = (await sandbox.call('GET', '/agents?email=new@desk.example')).body.agents[0];
    expect(first.id).toMatch(/^agt_/);
    expect((await sandbox.call('GET', '/agents?email=new@desk.example')).body.agents).toEqual([first]);
    expect((await sandbox.call('GET', '/agents?email=nonsense')).body.agents).toEqual([]);
  });
});
