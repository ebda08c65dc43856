/** The calls of a deployed service that the specification does not name, and that nothing is ignored without a word. */
import { expect, it } from 'vitest';
import { running } from './running-sandbox.ts';

const desk = () => running({ strict: false });

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
