/** The calls of a deployed service that the specification does not name, and that nothing is ignored without a word. */
import { expect, it } from 'vitest';
import { running } from './running-sandbox.ts';

const desk = () => running({ strict: false });

it.each([
  ['/tickets?colour=red', 'colour'],
  ['/tickets?cursor=x', 'cursor'],
  ['/tickets?take=0', 'take'],
  ['/tickets?take=101', 'take'],
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

it('a ticket is read with its number, its last message, and objects next to ids', async () => {
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

it('a ticket is updated in the given fields, and found by them', async () => {
  const sandbox = await desk();
  const id = await sandbox.create({
    subject: 'Ticket 0',
    customerId: 'cus_0',
    createdAt: '2024-01-01T00:00:00Z',
  });
  const changes = {
    subject: 'Renamed',
    status: 'resolved',
    priority: 'urgent',
    tags: ['new'],
    assignedToId: 'agt_7',
    contact: { email: 'zoe+x@example.com', name: 'Zoe 美咲' },
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
  for (const query of ['search=renamed', 'search=zoe%2Bx@ex', 'search=咲', 'search=zoe+example', 'tags=new'])
    expect(await found(query), query).toBe(1);
  expect(await found('search=0')).toBe(0);
  expect((await sandbox.call('PUT', `/tickets/${id}`, { colour: 'red' })).status).toBe(400);
  expect((await sandbox.call('PUT', `/tickets/${id}`, { channelId: 'chn_9' })).status).toBe(422);
  expect((await sandbox.call('PUT', '/tickets/tkt_000000000099', {})).status).toBe(404);
});

it('lists shorten long messages, and fullContent has the whole', async () => {
  const sandbox = await desk();
  const ids = [await sandbox.create({ subject: 'Ticket 0' })];
  const content = 'x'.repeat(10_000);
  await sandbox.call('PUT', `/tickets/${ids[0]}/messages`, [{ actorType: 'system', content }]);
  const [message] = (await sandbox.call('GET', `/tickets/${ids[0]}/messages`)).body.messages;
  expect(message.content.length).toBeLessThan(5_000);
  expect(message.fullContent).toBe(content);
  const one = await sandbox.call('GET', `/tickets/${ids[0]}/messages/${message.id}`);
  expect(one.body.message.content).toBe(content);
});

it.each([
  ['PUT', '/tickets/{id}', { status: 'open' }, 405],
  ['POST', '/tickets', { subject: 'x', channelId: 'chn_api' }, 400],
  ['PUT', '/tickets/{id}/messages', [{ content: 'x' }], 400],
  ['PUT', '/tickets/{id}/messages', [{ content: 'x', actorType: 'system', messageId: '<1@a>' }], 400],
])('strict refuses %s %s of %j', async (method, path, body, status) => {
  const sandbox = await running({ strict: true });
  const id = await sandbox.create({ subject: 'One' });
  expect((await sandbox.call(method, path.replace('{id}', id), body)).status).toBe(status);
});
