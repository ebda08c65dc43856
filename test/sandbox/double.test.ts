/** The calls of a deployed service that the specification does not name, and that nothing is ignored without a word. */
import { expect, it } from 'vitest';
import { type RunningSandbox, running } from './running-sandbox.ts';

const desk = () => running({ strict: false });

async function five(): Promise<{ sandbox: RunningSandbox; ids: string[] }> {
  const sandbox = await desk();
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) {
    ids.push(
      await sandbox.create({
        subject: `Ticket ${n}`,
        contact: { email: `user${n % 2}@example.com` },
        priority: ['low', 'normal', 'high', 'urgent', 'normal'][n],
        customerId: `cus_${n % 3}`,
        appId: `app_${n % 2}`,
        channelId: n === 4 ? 'chn_email' : 'chn_api',
        assignedToId: n < 2 ? `agt_${n}` : undefined,
        createdAt: `2024-01-0${n + 1}T00:00:00Z`,
        updatedAt: `2024-03-0${5 - n}T00:00:00Z`,
        lastMessageAt: `2024-02-0${[3, 1, 5, 2, 4][n]}T00:00:00Z`,
      }),
    );
  }
  return { sandbox, ids };
}

it.each([
  ['sort=updatedAt&sortDirection=desc', '01234'],
  ['sort=updatedAt&sortDirection=asc', '43210'],
  ['sort=createdAt&sortDirection=desc', '43210'],
  ['sortDirection=asc', '01234'],
  ['sort=lastMessageAt', '13042'],
  ['priority=low,urgent', '30'],
  ['priority=low&priority=urgent', '30'],
  ['assignedToId=agt_1', '1'],
  ['assignedToId=agt_0,agt_1', '10'],
  ['customerId=cus_1', '41'],
  ['appId=app_0&customerId=cus_0', '0'],
  ['channelId=chn_email', '4'],
  ['minUpdatedAt=2024-03-04T00:00:00Z', '10'],
  ['maxUpdatedAt=2024-03-02T00:00:00%2B00:00', '43'],
  ['minUpdatedAt=2024-03-02T00:00:00Z&maxUpdatedAt=2024-03-03T00:00:00Z', '32'],
])('GET /tickets?%s is honoured, over pages too', async (query, expected) => {
  const { sandbox } = await five();
  let seen = '';
  let cursor = '';
  do {
    const { body } = await sandbox.call('GET', `/tickets?${query}&take=2&cursor=${cursor}`);
    expect(body).toMatchObject({ total: expected.length, hasPreviousPage: seen !== '' });
    seen += body.tickets.map((ticket: { subject: string }) => ticket.subject.at(-1)).join('');
    cursor = body.cursor ?? '';
  } while (cursor !== '');
  expect(seen).toBe(expected);
});

it.each([
  ['/tickets?colour=red', 'colour'],
  ['/tickets?priority=p1', 'priority'],
  ['/tickets?minUpdatedAt=yesterday', 'minUpdatedAt'],
  ['/tickets?sortDirection=up', 'sortDirection'],
  ['/tickets?take=5&take=6', 'take'],
  ['/contacts?offset=5', 'offset'],
  ['/contacts?page=0', 'page'],
  ['/agents?role=admin', 'role'],
  ['/me?fields=id', 'fields'],
])('GET %s is refused with the name of the parameter', async (path, name) => {
  const sandbox = await desk();
  const { status, body } = await sandbox.call('GET', path);
  expect([status, body.code, body.fields[0].path]).toEqual([400, 'invalid_parameter', name]);
  expect(body.error).toMatch(new RegExp(`^${name}: .*\\.$`));
});

it('a cursor of another order is refused', async () => {
  const { sandbox } = await five();
  const { cursor } = (await sandbox.call('GET', '/tickets?take=2')).body;
  expect((await sandbox.call('GET', `/tickets?take=2&sort=updatedAt&cursor=${cursor}`)).status).toBe(400);
});

it('a ticket is read with its number, its last message, and objects beside ids', async () => {
  const sandbox = await running({
    strict: false,
    agents: [{ id: 'agt_9', email: 'kim@desk.example', name: 'Kim' }],
  });
  const id = await sandbox.create({
    subject: 'Whole',
    contact: { email: 'ann@example.com', name: 'Ann' },
    customerId: 'cus_1',
    assignedToId: 'agt_9',
    createdAt: '2024-01-01T00:00:00Z',
  });
  const said = (actorType: string, content: string, at: string, more: object) => ({
    actorType,
    content,
    occurredAt: `2024-01-0${at}T00:00:00.000Z`,
    ...more,
  });
  const put = await sandbox.call('PUT', `/tickets/${id}/messages`, [
    said('customer', 'First', '2', { contact: { email: 'ann@example.com' }, messageId: '<1@a>' }),
    said('agent', '<p>Last</p>', '3', {
      agentId: 'agt_9',
      contentType: 'html',
      inReplyToId: '<1@a>',
      referencesIds: ['<1@a>'],
    }),
  ]);
  expect(put.body.messages).toMatchObject([
    { content: 'First', fullContent: 'First', messageId: '<1@a>', createdAt: expect.any(String) },
    {
      content: '<p>Last</p>',
      agent: { id: 'agt_9', name: 'Kim' },
      inReplyToId: '<1@a>',
      referencesIds: ['<1@a>'],
    },
  ]);
  expect((await sandbox.call('GET', `/tickets/${id}`)).body.ticket).toMatchObject({
    ticketNumber: 1,
    sourceType: 'api_client',
    lastMessage: 'Last',
    lastMessageAt: '2024-01-03T00:00:00.000Z',
    firstResponseAt: '2024-01-03T00:00:00.000Z',
    messageCount: 2,
    contact: { email: 'ann@example.com', name: 'Ann' },
    customer: { id: 'cus_1' },
    assignedTo: { id: 'agt_9', name: 'Kim' },
    channel: { name: 'API' },
  });
});

it('a ticket is updated in what is given, and found by it', async () => {
  const { sandbox, ids } = await five();
  const [id] = ids;
  const changes = {
    subject: 'Renamed',
    status: 'resolved',
    priority: 'urgent',
    tags: ['new'],
    assignedToId: 'agt_7',
    contact: { email: 'zoe@example.com', name: 'Zoe' },
    readOnly: true,
    managedBy: 'Old Desk',
  };
  const { status, body } = await sandbox.call('PUT', `/tickets/${id}`, changes);
  expect(status).toBe(200);
  expect(body.ticket).toMatchObject({
    ...changes,
    customerId: 'cus_0',
    createdAt: '2024-01-01T00:00:00.000Z',
  });
  const found = async (query: string) => (await sandbox.call('GET', `/tickets?${query}`)).body.total;
  expect([await found('search=renamed'), await found('search=zoe'), await found('tags=new')]).toEqual([
    1, 1, 1,
  ]);
  expect(await found('search=0')).toBe(0);
  expect((await sandbox.call('PUT', `/tickets/${id}`, { colour: 'red' })).status).toBe(400);
  expect((await sandbox.call('PUT', `/tickets/${id}`, { channelId: 'chn_9' })).status).toBe(422);
  expect((await sandbox.call('PUT', '/tickets/tkt_000000000099', {})).status).toBe(404);
});

it('messages and events are added one by one, and threads come in pages', async () => {
  const { sandbox, ids } = await five();
  const path = `/tickets/${ids[0]}`;
  for (let n = 0; n < 5; n++) {
    const added = await sandbox.call('POST', `${path}/messages`, { content: `M${n}` });
    expect(added.status).toBe(201);
    expect(added.body.message).toMatchObject({ content: `M${n}`, actorType: 'system' });
    const event = { type: 'priority_changed', actorType: 'system', newValue: { priority: 'high' } };
    expect((await sandbox.call('POST', `${path}/events`, event)).body.event).toMatchObject(event);
  }
  for (const [list, total] of [
    ['messages', 5],
    ['events', 5],
  ] as const) {
    const first = (await sandbox.call('GET', `${path}/${list}?take=3`)).body;
    expect(first).toMatchObject({ hasNextPage: true, total });
    const rest = (await sandbox.call('GET', `${path}/${list}?take=3&cursor=${first.cursor}`)).body;
    expect([first[list].length, rest[list].length, 'cursor' in rest]).toEqual([3, 2, false]);
  }
});

it('lists shorten long messages, and fullContent has the whole', async () => {
  const { sandbox, ids } = await five();
  const content = 'x'.repeat(10_000);
  await sandbox.call('PUT', `/tickets/${ids[0]}/messages`, [{ actorType: 'system', content }]);
  const [message] = (await sandbox.call('GET', `/tickets/${ids[0]}/messages`)).body.messages;
  expect(message.content.length).toBeLessThan(5_000);
  expect(message.fullContent).toBe(content);
  const one = await sandbox.call('GET', `/tickets/${ids[0]}/messages/${message.id}`);
  expect(one.body.message.content).toBe(content);
});

it('contacts are created, found, changed, tagged and deleted; pages come to an end', async () => {
  const { sandbox, ids } = await five();
  const made = await sandbox.call('POST', '/contacts', {
    email: ' Zoe@Example.com',
    name: 'Zoe',
    tags: ['vip'],
  });
  const { id } = made.body.contact;
  expect(made.body.contact).toMatchObject({ email: 'zoe@example.com', name: 'Zoe', tags: ['vip'] });
  expect((await sandbox.call('POST', '/contacts', { email: 'zoe@example.com' })).body.contact.id).toBe(id);
  expect((await sandbox.call('PUT', `/contacts/${id}`, { name: 'Zoë' })).body.contact.name).toBe('Zoë');
  expect((await sandbox.call('PUT', `/contacts/${id}`, { email: 'user0@example.com' })).status).toBe(409);
  const tags = async (how: string, given: string[]) =>
    (await sandbox.call('POST', `/contacts/${id}/${how}`, { tags: given })).body.contact.tags;
  expect(await tags('addTags', ['new', 'vip'])).toEqual(['vip', 'new']);
  expect(await tags('removeTags', ['vip', 'none'])).toEqual(['new']);
  const emails = 'email=zoe@example.com&email=user1@example.com';
  expect((await sandbox.call('GET', `/contacts?${emails}`)).body.total).toBe(2);
  const pages = [1, 2].map(async (page) => (await sandbox.call('GET', `/contacts?take=2&page=${page}`)).body);
  expect((await Promise.all(pages)).map((page) => [page.contacts.length, page.hasNextPage])).toEqual([
    [2, true],
    [1, false],
  ]);
  const ticket = (await sandbox.call('GET', `/tickets/${ids[0]}`)).body.ticket;
  expect((await sandbox.call('DELETE', `/contacts/${ticket.contactId}`)).body).toEqual({ success: true });
  expect((await sandbox.call('GET', `/contacts/${ticket.contactId}`)).status).toBe(404);
  expect((await sandbox.call('GET', `/tickets/${ids[0]}`)).body.ticket.contact).toBeNull();
});

it('team members are found or made by their e-mail', async () => {
  const sandbox = await desk();
  const { agent } = (await sandbox.call('POST', '/agents', { email: 'Kim@desk.example', name: 'Kim' })).body;
  expect((await sandbox.call('POST', '/agents', { email: 'kim@desk.example' })).body.agent).toEqual(agent);
  expect((await sandbox.call('GET', '/agents?search=kim')).body.agents).toEqual([agent]);
  expect((await sandbox.call('GET', '/agents?search=bob')).body.agents).toEqual([]);
});

it('an upload may leave its type out, and is named by a key', async () => {
  const sandbox = await desk();
  const { body } = await sandbox.call('POST', '/attachments', { filename: 'a.bin' });
  expect(body.signedUrl).toContain(body.key);
  expect(Date.parse(body.expiresAt) - sandbox.clock.now()).toBe(3_600_000);
});

it.each([
  ['PUT', '/tickets/{id}', { status: 'open' }, 405],
  ['POST', '/tickets/{id}/messages', { content: 'x', actorType: 'system' }, 405],
  ['POST', '/contacts', { email: 'a@b.example' }, 405],
  ['POST', '/tickets', { subject: 'x', channelId: 'chn_api' }, 400],
  ['PUT', '/tickets/{id}/messages', [{ content: 'x' }], 400],
  ['PUT', '/tickets/{id}/messages', [{ content: 'x', actorType: 'system', messageId: '<1@a>' }], 400],
])('strict refuses %s %s of %j', async (method, path, body, status) => {
  const sandbox = await running({ strict: true });
  const id = await sandbox.create({ subject: 'One' });
  expect((await sandbox.call(method, path.replace('{id}', id), body)).status).toBe(status);
});
