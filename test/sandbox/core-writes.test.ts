import { describe, expect, it } from 'vitest';
import { START } from './manual-clock.ts';
import { running } from './running-sandbox.ts';

const ticket = {
  subject: 'Where is my order?',
  contact: { email: ' Ann@Example.COM ', name: 'Ann' },
  status: 'resolved',
  priority: 'high',
  tags: ['imported', 'shipping', 'imported'],
  customerId: 'cus_1',
  appId: 'app_1',
  assignedToId: 'agt_7',
  createdAt: '2021-02-03T04:05:06.789Z',
  resolvedAt: '2021-02-04T00:00:00Z',
  closedAt: '2021-02-05T01:00:00+02:00',
  readOnly: true,
  managedBy: 'Old Desk',
};

const said = (content: string, occurredAt: string, more: Record<string, unknown> = {}) => ({
  actorType: 'customer',
  contact: { email: 'ann@example.com' },
  content,
  occurredAt,
  ...more,
});

describe('creating tickets', () => {
  it('keeps every field of the specification and answers 201 with an ID in an envelope', async () => {
    const sandbox = await running();
    const { status, body } = await sandbox.call('POST', '/tickets', ticket);
    expect(status).toBe(201);
    expect(body.ticket).toMatchObject({
      id: expect.stringMatching(/^tkt_\d{12}$/),
      subject: ticket.subject,
      contact: { email: 'ann@example.com', name: 'Ann' },
      status: 'resolved',
      priority: 'high',
      tags: ['imported', 'shipping'],
      customerId: 'cus_1',
      appId: 'app_1',
      assignedToId: 'agt_7',
      createdAt: '2021-02-03T04:05:06.789Z',
      resolvedAt: '2021-02-04T00:00:00.000Z',
      closedAt: '2021-02-04T23:00:00.000Z',
      readOnly: true,
      managedBy: 'Old Desk',
    });
    expect((await sandbox.call('GET', `/tickets/${body.ticket.id}`)).body.ticket).toEqual(body.ticket);
  });

  it('fills in the defaults: open, normal, the time of the request', async () => {
    const sandbox = await running();
    const { body } = await sandbox.call('POST', '/tickets', { subject: 'Hello' });
    expect(body.ticket).toMatchObject({
      status: 'open',
      priority: 'normal',
      createdAt: new Date(START).toISOString(),
      contact: null,
      tags: [],
      readOnly: false,
    });
  });

  it('serves both prefixes', async () => {
    const sandbox = await running();
    const response = await fetch(`${sandbox.url}/v1/tickets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ subject: 'Hello' }),
    });
    expect(response.status).toBe(201);
  });

  it.each([
    ['no subject', {}, 'subject'],
    ['a contact without e-mail', { subject: 'a', contact: { name: 'Ann' } }, 'contact.email'],
    ['a tag that is no text', { subject: 'a', tags: ['ok', 1] }, 'tags[1]'],
    ['a time without a zone', { subject: 'a', createdAt: '2021-02-03T00:00:00' }, 'createdAt'],
  ])('refuses %s with 400 and names the field', async (_, body, path) => {
    const sandbox = await running();
    const answer = await sandbox.call('POST', '/tickets', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: expect.stringContaining(path), code: 'validation_failed' });
    expect(answer.body.fields.map((field: { path: string }) => field.path)).toContain(path);
    expect(sandbox.store.tickets.count({})).toBe(0);
  });

  it('refuses an unknown contactId with 422, and creates nothing', async () => {
    const sandbox = await running();
    const answer = await sandbox.call('POST', '/tickets', { subject: 'a', contactId: 'con_000000000009' });
    expect(answer.status).toBe(422);
    expect(answer.body.fields[0].path).toBe('contactId');
    expect(sandbox.store.tickets.count({})).toBe(0);
  });

  it('links an existing contact by its id', async () => {
    const sandbox = await running();
    const { body } = await sandbox.call('POST', '/tickets', ticket);
    const { contactId } = body.ticket;
    const second = await sandbox.call('POST', '/tickets', { subject: 'Again', contactId });
    expect(second.body.ticket.contact).toEqual({ id: contactId, email: 'ann@example.com', name: 'Ann' });
  });
});

describe('contacts', () => {
  it('are matched by the trimmed and lowercased e-mail, and updated with a name that is not empty', async () => {
    const sandbox = await running();
    const names = ['Ann', '', undefined, 'Ann Lee', '  '];
    for (const [index, name] of names.entries()) {
      const email = index % 2 === 0 ? 'ANN@example.com' : ' ann@Example.com';
      await sandbox.create({
        subject: `T${index}`,
        contact: { email, ...(name === undefined ? {} : { name }) },
      });
    }
    const { body } = await sandbox.call('GET', '/contacts');
    expect(body).toMatchObject({
      total: 1,
      contacts: [{ email: 'ann@example.com', name: 'Ann Lee' }],
    });
  });

  it('are one each, however many requests create them at once', async () => {
    const sandbox = await running();
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        sandbox.create({ subject: `T${index}`, contact: { email: `c${index % 5}@example.com` } }),
      ),
    );
    expect(sandbox.store.contacts.list({ offset: 0, take: 100 }).total).toBe(5);
  });
});

describe('replacing messages', () => {
  it('keeps order, times, authors, notes and attachments, and creates contacts that only messages name', async () => {
    const sandbox = await running();
    const id = await sandbox.create(ticket);
    const messages = [
      said('First', '2021-02-03T04:05:06.789Z'),
      {
        actorType: 'agent',
        agentId: 'agt_7',
        content: '<p>Hi</p>',
        contentType: 'html',
        occurredAt: '2021-02-03T05:00:00.000Z',
      },
      {
        actorType: 'agent',
        agentId: 'agt_7',
        content: 'Careful',
        isInternal: true,
        occurredAt: '2021-02-03T05:00:00.000Z',
        attachments: [
          {
            url: 'https://files.example.com/a.pdf',
            name: 'a.pdf',
            contentType: 'application/pdf',
            sizeBytes: 12,
          },
        ],
      },
      {
        actorType: 'customer',
        contact: { email: 'Bob@example.com' },
        content: 'Me too',
        occurredAt: '2021-02-03T06:00:00.000Z',
      },
      { actorType: 'system', content: 'Merged', contentType: 'markdown' },
    ];
    const put = await sandbox.call('PUT', `/tickets/${id}/messages`, messages);
    expect(put.status).toBe(200);
    const { body } = await sandbox.call('GET', `/tickets/${id}/messages`);
    expect(body.messages.map((message: { id: string }) => message.id)).toEqual(
      put.body.messages.map((message: { id: string }) => message.id),
    );
    expect(body.messages).toMatchObject([
      {
        actorType: 'customer',
        contact: { email: 'ann@example.com' },
        contentType: 'text',
        isInternal: false,
      },
      { agentId: 'agt_7', contentType: 'html', content: '<p>Hi</p>' },
      { isInternal: true, attachments: [{ name: 'a.pdf', sizeBytes: 12 }] },
      { contact: { email: 'bob@example.com' }, occurredAt: '2021-02-03T06:00:00.000Z' },
      { actorType: 'system', contentType: 'markdown', occurredAt: new Date(START).toISOString() },
    ]);
    expect((await sandbox.call('GET', `/tickets/${id}`)).body.ticket.messageCount).toBe(5);
  });

  it('replaces the thread, also of a read-only ticket, and leaves other tickets alone', async () => {
    const sandbox = await running();
    const [id, other] = [await sandbox.create(ticket), await sandbox.create(ticket)];
    await sandbox.call('PUT', `/tickets/${other}/messages`, [said('Stay', '2021-01-01T00:00:00Z')]);
    await sandbox.call('PUT', `/tickets/${id}/messages`, [said('Old', '2021-01-01T00:00:00Z')]);
    await sandbox.call('PUT', `/tickets/${id}/messages`, [said('New', '2021-01-02T00:00:00Z')]);
    const { body } = await sandbox.call('GET', `/tickets/${id}/messages`);
    expect(body.messages.map((message: { content: string }) => message.content)).toEqual(['New']);
    await sandbox.call('PUT', `/tickets/${id}/messages`, []);
    expect((await sandbox.call('GET', `/tickets/${id}/messages`)).body.messages).toEqual([]);
    expect((await sandbox.call('GET', `/tickets/${other}/messages`)).body.messages).toHaveLength(1);
  });

  it('keeps a message that is sent back by its id, with its time if the call gives no time', async () => {
    const sandbox = await running({ strict: false });
    const id = await sandbox.create(ticket);
    const first = await sandbox.call('PUT', `/tickets/${id}/messages`, [
      said('One', '2021-01-01T00:00:00Z'),
      said('Two', '2021-01-02T00:00:00Z'),
    ]);
    const kept = first.body.messages[1].id;
    const { occurredAt: _, ...withoutTime } = said('Two', '');
    const second = await sandbox.call('PUT', `/tickets/${id}/messages`, [
      said('Zero', '2020-01-01T00:00:00Z'),
      { ...withoutTime, id: kept },
    ]);
    expect(second.status).toBe(200);
    const { body } = await sandbox.call('GET', `/tickets/${id}/messages`);
    expect(body.messages[1]).toMatchObject({
      id: kept,
      content: 'Two',
      occurredAt: '2021-01-02T00:00:00.000Z',
    });
    expect(body.messages[0].id).not.toBe(first.body.messages[0].id);
  });

  it('refuses IDs of other tickets, unknown ones and doubled ones with 422, and changes nothing', async () => {
    const sandbox = await running({ strict: false });
    const [id, other] = [await sandbox.create(ticket), await sandbox.create(ticket)];
    const put = await sandbox.call('PUT', `/tickets/${id}/messages`, [said('One', '2021-01-01T00:00:00Z')]);
    const mine = put.body.messages[0].id;
    const foreign = await sandbox.call('PUT', `/tickets/${other}/messages`, [
      said('New', '2021-01-01T00:00:00Z', { contact: { email: 'new@example.com' } }),
      said('One', '2021-01-01T00:00:00Z', { id: mine }),
    ]);
    expect(foreign.status).toBe(422);
    expect(foreign.body.fields[0].path).toBe('[1].id');
    expect(sandbox.store.contacts.find('new@example.com')).toBeUndefined();
    const doubled = said('One', '2021-01-01T00:00:00Z', { id: mine });
    expect((await sandbox.call('PUT', `/tickets/${id}/messages`, [doubled, doubled])).status).toBe(422);
    const unknown = said('One', '2021-01-01T00:00:00Z', { id: 'msg_x' });
    expect((await sandbox.call('PUT', `/tickets/${id}/messages`, [unknown])).status).toBe(422);
    expect((await sandbox.call('GET', `/tickets/${id}/messages`)).body.messages).toHaveLength(1);
    expect((await sandbox.call('GET', `/tickets/${other}/messages`)).body.messages).toEqual([]);
  });

  it.each([
    ['no list', { messages: [] }, ''],
    ['a customer without contact', [{ actorType: 'customer', content: 'a' }], '[0].contact.email'],
    [
      'a script as attachment',
      [{ actorType: 'system', content: 'a', attachments: [{ url: 'javascript:alert(1)' }] }],
      '[0].attachments[0].url',
    ],
  ])('refuses %s with 400', async (_, body, path) => {
    const sandbox = await running();
    const id = await sandbox.create(ticket);
    const answer = await sandbox.call('PUT', `/tickets/${id}/messages`, body);
    expect(answer.status).toBe(400);
    expect(answer.body.fields[0].path).toBe(path);
  });
});

describe('replacing events', () => {
  const change = {
    type: 'status_change',
    oldValue: { status: 'open' },
    newValue: { status: 'resolved' },
    actorType: 'agent',
    agentId: 'agt_7',
    occurredAt: '2021-02-04T00:00:00.000Z',
  };

  it('keeps status changes and passes the values of other types through', async () => {
    const sandbox = await running();
    const id = await sandbox.create(ticket);
    const assigned = { type: 'agent_assigned', newValue: { agent: { id: 'agt_7' } }, actorType: 'system' };
    const put = await sandbox.call('PUT', `/tickets/${id}/events`, [change, assigned]);
    expect(put.status).toBe(200);
    const { body } = await sandbox.call('GET', `/tickets/${id}/events`);
    expect(body.events).toMatchObject([
      change,
      { ...assigned, oldValue: null, occurredAt: new Date(START).toISOString() },
    ]);
    await sandbox.call('PUT', `/tickets/${id}/events`, [change]);
    expect((await sandbox.call('GET', `/tickets/${id}/events`)).body.events).toHaveLength(1);
  });

  it.each([['a status change without statuses', { ...change, newValue: {} }, '[0].newValue.status']])(
    'refuses %s with 400',
    async (_, event, path) => {
      const sandbox = await running();
      const id = await sandbox.create(ticket);
      const answer = await sandbox.call('PUT', `/tickets/${id}/events`, [event]);
      expect(answer.status).toBe(400);
      expect(answer.body.fields[0].path).toBe(path);
    },
  );

  it('refuses a contact that does not exist with 422', async () => {
    const sandbox = await running({ strict: false });
    const id = await sandbox.create(ticket);
    const event = { ...change, actorType: 'customer', contactId: 'con_000000000099' };
    expect((await sandbox.call('PUT', `/tickets/${id}/events`, [event])).status).toBe(422);
  });
});
