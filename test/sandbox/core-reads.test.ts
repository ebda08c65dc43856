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
    const { body } = await sandbox.call('GET', '/tickets?sort=createdAt&take=2');
    expect(subjects(body)).toEqual(['???', 'Question number 29']);
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
    ['the beginning of a word', 'search=refu', 1],
    ['without accents', 'search=armel', 1],
    [
      'a whole subject with marks in it',
      `search=${encodeURIComponent('Refund for "Ärmel" (50% off) [EMAIL]')}`,
      1,
    ],
    ['a contact e-mail', 'search=user1%40example.com', 10],
    ['a contact name', 'search=ann', 10],
    ['a name in another script', `search=${encodeURIComponent('李雷')}`, 10],
    ['words from both', 'search=ann%20question', 10],
    ['nothing but marks', `search=${encodeURIComponent('???')}`, 1],
    ['marks that no subject has', `search=${encodeURIComponent('!!!')}`, 0],
    ['operators as words', `search=${encodeURIComponent('refund OR question')}`, 0],
    ['quotes and stars', `search=${encodeURIComponent('"refund*" "')}`, 1],
    ['a word that is not there', 'search=invoice', 0],
    ['a status', 'status=pending', 8],
    ['two statuses', 'status=pending,closed', 15],
    ['a tag', 'tags=even', 15],
    ['two tags', 'tags=even&tags=imported', 15],
    ['a tag that is not there', 'tags=even,odd', 0],
    ['status, tag and search', 'status=open&tags=even&search=bob', 3],
    ['a contact that does not exist', 'contactId=con_000000000099', 0],
    ['a contact id that is none', 'contactId=ann', 0],
  ])('finds by %s', async (_, query, total) => {
    const { status, body } = await shared.call('GET', `/tickets?take=100&${query}`);
    expect(status).toBe(200);
    expect(body.total).toBe(total);
    expect(body.tickets).toHaveLength(total);
  });

  it('finds by contact id, and by a name that has changed since', async () => {
    const sandbox = shared;
    const contactId = (await sandbox.call('GET', '/tickets?search=bob&take=1')).body.tickets[0].contactId;
    await sandbox.create({ subject: 'Renames Bob', contact: { email: 'user1@example.com', name: 'Robert' } });
    expect((await sandbox.call('GET', `/tickets?contactId=${contactId}`)).body.total).toBe(11);
    expect((await sandbox.call('GET', '/tickets?search=robert')).body.total).toBe(11);
    expect((await sandbox.call('GET', '/contacts?search=bob')).body.total).toBe(0);
  });

  it.each(['status=new', 'take=0', 'take=101', 'take=x', 'sort=subject', 'cursor=xyz', 'cursor=%00'])(
    'refuses %s with 400',
    async (query) => {
      const { status, body } = await shared.call('GET', `/tickets?${query}`);
      expect(status).toBe(400);
      expect(body).toMatchObject({
        error: expect.stringContaining(query.split('=')[0] ?? ''),
        code: 'invalid_parameter',
        fields: [{ path: query.split('=')[0] }],
      });
    },
  );
});

describe('many tickets', () => {
  it.each([
    ['all', {}],
    ['one status', { any: { status: ['open'] } }],
    ['a contact', { any: { contact_seq: [1] } }],
    ['an assignee', { any: { assigned_to_id: ['agt_1'] } }],
  ])('of %s are paged in the order of an index, without sorting or reading them all', async (_, filter) => {
    const sandbox = await running();
    const { database } = sandbox.store;
    const asked: string[] = [];
    const prepare = database.prepare.bind(database);
    database.prepare = ((sql: string) => {
      asked.push(sql);
      return prepare(sql);
    }) as typeof database.prepare;
    sandbox.store.list.rows(filter, { order: 'newest', take: 50, offset: 90_000 });
    const [sql = ''] = asked;
    const marks = Array.from(sql.matchAll(/\?/g), () => 1);
    const steps = prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...marks) as { detail: string }[];
    const inner = steps
      .map((step) => step.detail)
      .filter((detail) => /tickets USING|SCAN tickets/.test(detail));
    expect(inner.some((detail) => detail.includes('COVERING INDEX tickets_'))).toBe(true);
    expect(inner.filter((detail) => /^SCAN tickets(?! USING)/.test(detail))).toEqual([]);
  });
});

describe('agents', () => {
  it('are found by e-mail, whatever its case, and an unknown one is an empty list', async () => {
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

describe('what is not there', () => {
  it.each([
    ['GET', '/tickets/tkt_000000000099'],
    ['GET', '/tickets/1'],
    ['GET', '/tickets/tkt_1'],
    ['GET', '/tickets/tkt_000000000099/messages'],
    ['GET', '/tickets/tkt_000000000099/events'],
    ['PUT', '/tickets/tkt_000000000099/messages'],
    ['PUT', '/tickets/tkt_000000000099/events'],
    ['GET', '/nothing'],
    ['POST', '/tickets/tkt_000000000099/reply'],
  ])('%s %s answers 404', async (method, path) => {
    const sandbox = await running();
    const { status, body } = await sandbox.call(method, path, method === 'GET' ? undefined : []);
    expect(status).toBe(404);
    expect(body).toEqual({ error: expect.stringMatching(/ .*\.$/), code: 'not_found' });
  });

  it.each([
    ['DELETE', '/tickets', 'GET, POST'],
    ['DELETE', '/tickets/tkt_000000000001/messages', 'GET, PUT, POST'],
    ['PATCH', '/tickets/tkt_000000000001', 'GET, PUT'],
    ['GET', '/attachments', 'POST'],
  ])('%s %s answers 405 and says what is allowed', async (method, path, allow) => {
    const sandbox = await running({ strict: false });
    const { status, headers } = await sandbox.call(method, path);
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe(allow);
  });
});

describe('a service that cannot be read', () => {
  it.each([
    [false, 404],
    [403, 403],
    [404, 404],
    [405, 405],
  ] as const)('with readable %s answers every read with %i, and takes writes', async (readable, expected) => {
    const sandbox = await running({ readable });
    const id = await sandbox.create({ subject: 'Hello' });
    for (const path of [
      '/tickets',
      `/tickets/${id}`,
      `/tickets/${id}/messages`,
      '/agents?email=a@b.de',
      '/contacts',
    ])
      expect((await sandbox.call('GET', path)).status).toBe(expected);
    expect((await sandbox.call('PUT', `/tickets/${id}/messages`, [])).status).toBe(200);
  });
});
