/** What a rehearsal can ask of the service beyond requests that fail: work done late, lists that hide, answers that lie. */
import { describe, expect, it } from 'vitest';
import { parseFaults } from '../../src/sandbox/faults/fault-plan.ts';
import { type RunningSandbox, running } from './running-sandbox.ts';

const faulty = (...texts: string[]) => running({ faults: parseFaults(texts, 7) });
const tickets = (sandbox: RunningSandbox) => sandbox.store.list.count({});
const listed = async (sandbox: RunningSandbox, query = '') => {
  const { body } = await sandbox.call('GET', `/tickets?sort=createdAt${query}`);
  return (body.tickets as { subject: string }[]).map(({ subject }) => subject);
};
const day = (n: number) => `2024-03-0${n}T10:20:30.456Z`;
const message = (content: string) => ({ actorType: 'system', content, occurredAt: day(1) });

async function created(until: () => boolean): Promise<void> {
  while (!until()) await new Promise((resolve) => setImmediate(resolve));
}

describe('writes that are carried out late', () => {
  it.each([
    ['late-504=12', 504],
    ['late-503=12', 503],
  ])('%s answers %i at once, and the ticket comes later', async (fault, status) => {
    const sandbox = await faulty(`${fault}#1`);
    expect((await sandbox.call('POST', '/tickets', { subject: 'One' })).status).toBe(status);
    expect(tickets(sandbox)).toBe(0);
    await sandbox.clock.sleepers(1);
    sandbox.clock.advance(11_999);
    expect(tickets(sandbox)).toBe(0);
    sandbox.clock.advance(1);
    await created(() => sandbox.store.log.requests().length === 2);
    expect(tickets(sandbox)).toBe(1);
    expect(sandbox.store.log.requests().map(({ status: reported, effect }) => [reported, effect])).toEqual([
      [status, 'none'],
      [undefined, 'created'],
    ]);
  });

  it.each(['late-reset', 'late-close'])(
    '%s ends the connection, and the ticket comes later',
    async (fault) => {
      const sandbox = await faulty(`${fault}=12#1`);
      await expect(sandbox.call('POST', '/tickets', { subject: 'One' })).rejects.toThrow();
      await sandbox.clock.sleepers(1);
      expect(tickets(sandbox)).toBe(0);
      sandbox.clock.advance(12_000);
      await created(() => tickets(sandbox) === 1);
    },
  );

  it('late answers when it is done, to a client that waits; the ticket comes also where it does not', async () => {
    const sandbox = await faulty('late=12@create');
    sandbox.setFaults(parseFaults(['late=12:100'], 1));
    const patient = sandbox.call('POST', '/tickets', { subject: 'One' });
    await sandbox.clock.sleepers(1);
    const gone = new AbortController();
    const impatient = fetch(`${sandbox.url}/v1/tickets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/json' },
      body: '{"subject":"Two"}',
      signal: gone.signal,
    });
    await sandbox.clock.sleepers(2);
    gone.abort();
    await expect(impatient).rejects.toThrow();
    sandbox.clock.advance(12_000);
    expect((await patient).status).toBe(201);
    await created(() => tickets(sandbox) === 2);
  });

  it('what is still to come when the service ends never happens', async () => {
    const sandbox = await faulty('late-504=12#1');
    await sandbox.call('POST', '/tickets', { subject: 'One' });
    await sandbox.clock.sleepers(1);
    await sandbox.close();
    expect(sandbox.clock.sleeping).toBe(0);
  });
});

describe('answers that lie', () => {
  it.each([
    ['200-error', 200, { error: 'internal' }],
    ['200-false', 200, { success: false }],
    ['200-empty', 200, { messages: [], events: [] }],
    ['200-text', 200, 'OK'],
    ['200-page', 200, expect.stringContaining('<!doctype html>')],
    ['200-id-error', 200, { id: 'req_1', error: 'queue full' }],
    ['207', 207, { results: [{ status: 500 }] }],
  ])('%s says %i, and nothing is done', async (fault, status, body) => {
    const sandbox = await faulty(`${fault}:100`);
    const id = await sandbox.create({ subject: 'One' });
    const answer = await sandbox.call('PUT', `/tickets/${id}/messages`, [message('a')]);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual(
      typeof body === 'string' || !('error' in body) ? body : expect.objectContaining(body),
    );
    expect((await sandbox.call('GET', `/tickets/${id}/messages`)).body.messages).toEqual([]);
  });

  it('half keeps the first half of a list, and tells only that', async () => {
    const sandbox = await faulty('half:100');
    const id = await sandbox.create({ subject: 'One' });
    const answer = await sandbox.call('PUT', `/tickets/${id}/messages`, [message('a'), message('b')]);
    expect(answer.body.messages).toHaveLength(1);
    expect((await sandbox.call('GET', `/tickets/${id}/messages`)).body.total).toBe(1);
  });
});

describe('lists that do not show everything', () => {
  const three = async (...faults: string[]) => {
    const sandbox = await faulty(...faults);
    for (const [at, status] of ['open', 'closed', 'open'].entries()) {
      await sandbox.create({ subject: `T${at + 1}`, status, createdAt: day(at + 1), tags: [`t${at + 1}`] });
      sandbox.clock.advance(1000);
    }
    return sandbox;
  };

  it.each([
    ['list-lags=2', ['T1', 'T2']],
    ['list-lags-tickets=2', ['T1']],
    ['list-hides=2', ['T1', 'T3']],
    ['list-hides-closed', ['T1', 'T3']],
    ['list-empty', []],
  ])('%s', async (fault, shown) => {
    const sandbox = await three(fault);
    expect(await listed(sandbox)).toEqual(shown);
    const { body } = await sandbox.call('GET', '/tickets');
    expect(body.total).toBe(shown.length);
    const { body: one } = await sandbox.call('GET', '/tickets/tkt_000000000003');
    expect(one.ticket.subject).toBe('T3');
  });

  it('are complete again once the lag is over, and no total is told where none is asked for', async () => {
    const sandbox = await three('list-lags=2', 'no-total');
    sandbox.clock.advance(1000);
    expect(await listed(sandbox)).toEqual(['T1', 'T2', 'T3']);
    expect((await sandbox.call('GET', '/tickets')).body).not.toHaveProperty('total');
  });

  it('may take no notice of tags or of search', async () => {
    expect(await listed(await three(), '&tags=t2')).toEqual(['T2']);
    expect(await listed(await three('tags-ignored'), '&tags=t2')).toEqual(['T1', 'T2', 'T3']);
    expect(await listed(await three('search-ignored'), '&search=T2')).toEqual(['T1', 'T2', 'T3']);
  });
});

describe('fields that are stored otherwise than they were sent', () => {
  const sent = {
    subject: 'Where is <my> order 🙂?',
    createdAt: day(1),
    tags: ['Imported', 'zendesk-1041'],
    contact: { email: 'ann@example.com' },
  };

  it.each([
    ['subjects-cut=8', { subject: 'Where is' }],
    ['html-escaped', { subject: 'Where is &lt;my&gt; order 🙂?' }],
    ['emoji-dropped', { subject: 'Where is <my> order ?' }],
    ['times-rounded', { createdAt: '2024-03-01T10:20:00.000Z' }],
    ['tags-dropped', { tags: [] }],
    ['tags-lowered', { tags: ['imported', 'zendesk-1041'] }],
    ['tags-cut=8', { tags: ['Imported', 'zendesk-'] }],
  ])('%s', async (fault, stored) => {
    const sandbox = await faulty(fault);
    const id = await sandbox.create(sent);
    const { ticket } = (await sandbox.call('GET', `/tickets/${id}`)).body;
    expect(ticket).toMatchObject({ ...sent, contact: { email: 'ann@example.com' }, ...stored });
    // What was sent is what the ledger of requests knows.
    expect(sandbox.store.log.requests()[0]?.subject).toBe(sent.subject);
  });

  it('several at once, beside a fault, and in messages too', async () => {
    const sandbox = await faulty(
      'html-escaped',
      'emoji-dropped',
      'times-rounded=3600',
      '503-after@messages#1',
    );
    const id = await sandbox.create(sent);
    const put = await sandbox.call('PUT', `/tickets/${id}/messages`, [message('a < b 🙂')]);
    expect(put.status).toBe(503);
    const [kept] = (await sandbox.call('GET', `/tickets/${id}/messages`)).body.messages;
    expect(kept).toMatchObject({ content: 'a &lt; b ', occurredAt: '2024-03-01T10:00:00.000Z' });
  });

  it('contacts-merged: the first of a domain stands for all of them', async () => {
    const sandbox = await faulty('contacts-merged');
    await sandbox.create(sent);
    const id = await sandbox.create({ subject: 'Two', contact: { email: 'bob@example.com' } });
    expect((await sandbox.call('GET', `/tickets/${id}`)).body.ticket.contact.email).toBe('ann@example.com');
  });
});

describe('threads and histories', () => {
  const thread = async (...faults: string[]) => {
    const sandbox = await faulty(...faults);
    const id = await sandbox.create({ subject: 'One' });
    const put = () => sandbox.call('PUT', `/tickets/${id}/messages`, ['abcdef', 'b', 'c'].map(message));
    await put();
    return { sandbox, id, read: (more = '') => sandbox.call('GET', `/tickets/${id}/messages${more}`) };
  };

  it('threads-paged tells a page, the total and where it goes on', async () => {
    const { read } = await thread('threads-paged=2');
    const first = (await read()).body;
    expect(first).toMatchObject({ hasNextPage: true, total: 3 });
    expect(first.messages).toHaveLength(2);
    const second = (await read(`?cursor=${first.cursor}`)).body;
    expect(second.messages.map(({ content }: { content: string }) => content)).toEqual(['c']);
    expect(second).toMatchObject({ hasNextPage: false, total: 3 });
    expect(second).not.toHaveProperty('cursor');
  });

  it('texts-shortened has the whole in fullContent; texts-cut has it in the message alone', async () => {
    const shortened = (await (await thread('texts-shortened=3')).read()).body.messages[0];
    expect(shortened).toMatchObject({ content: 'abc…', fullContent: 'abcdef' });
    const cut = await thread('texts-cut=3');
    const [first] = (await cut.read()).body.messages;
    expect(first.content).toBe('abc');
    expect(first).not.toHaveProperty('fullContent');
    expect((await cut.read(`/${first.id}`)).body.message).toMatchObject({ content: 'abcdef' });
  });

  it('events-append: the same history twice is there twice', async () => {
    const sandbox = await faulty('events-append');
    const id = await sandbox.create({ subject: 'One' });
    const history = [
      {
        type: 'status_change',
        oldValue: { status: 'open' },
        newValue: { status: 'closed' },
        actorType: 'system',
        occurredAt: day(1),
      },
    ];
    for (let n = 0; n < 2; n += 1) await sandbox.call('PUT', `/tickets/${id}/events`, history);
    expect((await sandbox.call('GET', `/tickets/${id}/events`)).body.events).toHaveLength(2);
    expect((await sandbox.call('GET', `/tickets/${id}`)).body.ticket.eventCount).toBe(2);
  });
});

describe('other data behind the same address', () => {
  const withThree = async () => {
    const sandbox = await running();
    for (const n of [1, 2, 3])
      await sandbox.create({ subject: `T${n}`, createdAt: day(n), tags: ['imported'] });
    await sandbox.call('PUT', '/tickets/tkt_000000000001/messages', [message('mine')]);
    return sandbox;
  };
  const organization = async (sandbox: RunningSandbox) =>
    (await sandbox.call('GET', '/organization')).body.organization.id as string;

  it('the organization is told, and by whoever asks who they are', async () => {
    const sandbox = await running();
    const id = await organization(sandbox);
    expect(id).toMatch(/^org_/);
    expect((await sandbox.call('GET', '/me')).body.organization.id).toBe(id);
  });

  it('emptied: no ticket is left, and ids are given again', async () => {
    const sandbox = await withThree();
    sandbox.setFaults(parseFaults(['emptied'], 1));
    expect(await listed(sandbox)).toEqual([]);
    expect(await sandbox.create({ subject: 'Anew' })).toBe('tkt_000000000001');
    expect(await listed(sandbox, '&search=Anew')).toEqual(['Anew']);
  });

  it('restored: the oldest are there, from the request on that is named', async () => {
    const sandbox = await withThree();
    sandbox.setFaults(parseFaults(['restored=2@list#2'], 1));
    expect(await listed(sandbox)).toEqual(['T1', 'T2', 'T3']);
    expect(await listed(sandbox)).toEqual(['T1', 'T2']);
    expect(await listed(sandbox, '&search=T3')).toEqual([]);
    expect((await sandbox.call('GET', '/tickets/tkt_000000000003')).status).toBe(404);
  });

  it('other-workspace: the same ids are tickets of somebody else, in another organization', async () => {
    const sandbox = await withThree();
    const before = await organization(sandbox);
    sandbox.setFaults(parseFaults(['other-workspace'], 1));
    const { ticket } = (await sandbox.call('GET', '/tickets/tkt_000000000001')).body;
    expect(ticket).toMatchObject({ subject: 'Ticket 1 of another workspace', tags: [], messageCount: 1 });
    const { messages } = (await sandbox.call('GET', '/tickets/tkt_000000000001/messages')).body;
    expect(messages.map(({ content }: { content: string }) => content)).not.toContain('mine');
    expect(await organization(sandbox)).not.toBe(before);
    expect(await listed(sandbox, '&tags=imported')).toEqual([]);
  });
});
