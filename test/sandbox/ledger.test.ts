import { describe, expect, it } from 'vitest';
import { START } from './manual-clock.ts';
import { look, running } from './running-sandbox.ts';

describe('the ledger', () => {
  it('holds every request with what it did and what was answered', async () => {
    const sandbox = await running();
    const id = await sandbox.create({ subject: 'One' });
    sandbox.clock.advance(1000);
    await sandbox.call('PUT', `/tickets/${id}/messages`, []);
    await sandbox.call('PUT', `/tickets/${id}/events`, []);
    await sandbox.call('GET', '/tickets?search=one');
    await sandbox.call('POST', '/tickets', {});
    await sandbox.call('GET', '/tickets/tkt_000000000077');
    await look(sandbox.url);
    expect(sandbox.store.log.requests()).toEqual([
      {
        seq: 1,
        at: START,
        method: 'POST',
        path: '/api/core/v1/tickets',
        kind: 'create',
        handled: 201,
        status: 201,
        effect: 'created',
        ticketId: id,
        subject: 'One',
      },
      expect.objectContaining({ at: START + 1000, kind: 'messages', effect: 'replaced', ticketId: id }),
      expect.objectContaining({ kind: 'events', effect: 'replaced', ticketId: id }),
      expect.objectContaining({ kind: 'list', effect: 'read', path: '/api/core/v1/tickets?search=one' }),
      expect.objectContaining({ kind: 'create', status: 400, effect: 'none' }),
      expect.objectContaining({ kind: 'read', status: 404, effect: 'none' }),
    ]);
    expect(sandbox.store.log.requests({ ticketId: id })).toHaveLength(3);
    expect(sandbox.store.log.requests({ effect: 'created' })).toHaveLength(1);
  });

  it('finds tickets that were created twice, however they are spelt', async () => {
    const sandbox = await running();
    const ticket = {
      subject: 'Twice',
      createdAt: '2021-01-01T00:00:00Z',
      contact: { email: 'ann@example.com' },
    };
    const first = await sandbox.create(ticket);
    await sandbox.create({ ...ticket, subject: 'Once' });
    await sandbox.create({ ...ticket, contact: { email: 'bob@example.com' } });
    await sandbox.create({ ...ticket, createdAt: '2021-01-01T00:00:01Z' });
    expect(sandbox.store.log.duplicates()).toEqual([]);
    const second = await sandbox.create({
      ...ticket,
      createdAt: '2021-01-01T01:00:00+01:00',
      contact: { email: ' ANN@example.com' },
    });
    expect(sandbox.store.log.duplicates()).toEqual([
      {
        subject: 'Twice',
        createdAt: '2021-01-01T00:00:00.000Z',
        email: 'ann@example.com',
        ticketIds: [first, second],
      },
    ]);
  });
});
