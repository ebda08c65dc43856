import { describe, expect, it } from 'vitest';
import { look, running } from './running-sandbox.ts';

describe('requests', () => {
  it('are reported with their effect and answer', async () => {
    const sandbox = await running();
    const id = await sandbox.create({ subject: 'One' });
    await sandbox.call('PUT', `/tickets/${id}/messages`, []);
    await sandbox.call('PUT', `/tickets/${id}/events`, []);
    await sandbox.call('GET', '/tickets?search=one');
    await sandbox.call('POST', '/tickets', {});
    await sandbox.call('GET', '/tickets/tkt_000000000077');
    await look(sandbox.url);
    expect(sandbox.log.requests()).toEqual([
      {
        method: 'POST',
        path: '/api/core/v1/tickets',
        kind: 'create',
        status: 201,
        effect: 'created',
        ticketId: id,
        subject: 'One',
      },
      expect.objectContaining({ kind: 'messages', effect: 'replaced', ticketId: id }),
      expect.objectContaining({ kind: 'events', effect: 'replaced', ticketId: id }),
      expect.objectContaining({ kind: 'list', effect: 'read', path: '/api/core/v1/tickets?search=one' }),
      expect.objectContaining({ kind: 'create', status: 400, effect: 'none' }),
      expect.objectContaining({ kind: 'read', status: 404, effect: 'none' }),
    ]);
    expect(sandbox.log.requests({ ticketId: id })).toHaveLength(3);
    expect(sandbox.log.requests({ effect: 'created' })).toHaveLength(1);
  });
});
