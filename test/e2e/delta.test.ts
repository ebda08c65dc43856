/** `--delta` as a person uses it: the source grows, people work in the helpdesk meanwhile, and neither loses anything. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { identityTag } from '../../src/domain/identity.ts';
import { temporaryFolder } from '../support/cli.ts';
import { type RunSummary, reported, type Service, withService } from './service-run.ts';

const run = ['run', 'export.jsonl', '--set', 'run.rate=100000/1'];

const message = (content: string, day: number, agentId?: string) => ({
  content,
  occurredAt: `2024-03-0${day}T09:00:00Z`,
  ...(agentId === undefined
    ? { actorType: 'customer', contact: { email: 'ann@example.com' } }
    : { actorType: 'agent', agentId }),
});

const change = (from: string, to: string, day: number) => ({
  type: 'status_change',
  actorType: 'system',
  oldValue: { status: from },
  newValue: { status: to },
  occurredAt: `2024-03-0${day}T10:00:00Z`,
});

const ticket = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  subject: `Ticket ${id}`,
  contact: { email: 'ann@example.com' },
  createdAt: '2024-03-01T08:00:00Z',
  messages: [message(`${id} hello`, 1), message(`${id} hi`, 2, 'agt_1')],
  ...more,
});

const grown = (id: string, more: Record<string, unknown> = {}) =>
  ticket(id, { messages: [...ticket(id).messages, message(`${id} still broken`, 5)], ...more });

function write(folder: { join(name: string): string }, tickets: readonly unknown[]): void {
  writeFileSync(folder.join('export.jsonl'), tickets.map((one) => `${JSON.stringify(one)}\n`).join(''));
}

async function api(
  service: Service,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>[]> {
  const answer = await fetch(`${service.url}/api/core/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.status, path).toBeLessThan(300);
  const value = (await answer.json()) as Record<string, Record<string, unknown>[]>;
  return value['tickets'] ?? value['messages'] ?? value['events'] ?? [];
}

async function idOf(service: Service, id: string): Promise<string> {
  const found = await api(service, 'GET', `/tickets?search=${encodeURIComponent(`Ticket ${id}`)}`);
  const mine = found.filter(({ subject }) => subject === `Ticket ${id}`);
  expect(mine).toHaveLength(1);
  return String(mine[0]?.['id']);
}

/** An agent answers in the target. Returns the id of the message. */
async function answerIn(service: Service, ticketId: string, content: string): Promise<string> {
  const path = `/tickets/${ticketId}/messages`;
  const own = {
    actorType: 'agent',
    agentId: 'agt_9',
    content,
    occurredAt: '2024-03-03T09:00:00Z',
    isInternal: true,
  };
  const there = (await api(service, 'GET', path)).map(
    ({ id, actorType, content: text, occurredAt, contactId, agentId }) => ({
      id,
      actorType,
      content: text,
      occurredAt,
      ...(contactId === null ? {} : { contactId }),
      ...(agentId === null ? {} : { agentId }),
    }),
  );
  const put = await api(service, 'PUT', path, [...there, own]);
  return String(put.at(-1)?.['id']);
}

const OF_B = identityTag('import', 'B');

const codes = ({ problems }: RunSummary) => problems.map(({ code, ticket: of }) => `${of} ${code}`).sort();
const thread = async (service: Service, ticketId: string) =>
  (await api(service, 'GET', `/tickets/${ticketId}/messages`)).map(({ content }) => content);

describe('a delta', () => {
  it('brings in new and grown tickets, and keeps replies written in the helpdesk', async () => {
    using folder = temporaryFolder();
    await withService({ strict: false }, async (service) => {
      const { env } = service;
      write(folder, [ticket('A'), ticket('B'), ticket('C', { events: [change('open', 'pending', 2)] })]);
      expect((await reported(run, folder.path, env)).tickets).toMatchObject({ read: 3, done: 3 });
      const a = await idOf(service, 'A');
      const own = await answerIn(service, a, 'Looked into it');

      write(folder, [
        grown('A'),
        ticket('B', { status: 'closed', tags: ['refund'] }),
        ticket('C', { events: [change('open', 'pending', 2), change('pending', 'closed', 6)] }),
        ticket('D'),
      ]);
      const plain = await reported(run, folder.path, env);
      expect(plain.tickets).toMatchObject({ read: 4, done: 4 });
      expect(codes(plain)).toEqual([
        'A changed-since-import',
        'B changed-since-import',
        'C changed-since-import',
      ]);
      // The two messages of A that were sent count; the third one was not.
      expect(plain.messages).toMatchObject({ read: 9, sent: 8 });
      expect(await thread(service, a)).toEqual(['A hello', 'A hi', 'Looked into it']);

      const delta = await reported([...run, '--delta'], folder.path, env);
      expect(delta).toMatchObject({
        exitCode: 0,
        tickets: { read: 4, done: 4 },
        messages: { read: 9, sent: 9 },
      });
      expect(delta.events).toMatchObject({ read: 2, sent: 2 });
      expect(codes(delta)).toEqual(['A messages-kept']);
      expect(delta).toMatchObject({ updates: { found: 1, sent: 1 } });
      const b = (await api(service, 'GET', '/tickets')).find(({ subject }) => subject === 'Ticket B');
      const runTag = expect.stringMatching(/^run-/);
      expect(b).toMatchObject({
        status: 'closed',
        tags: expect.arrayContaining(['refund', 'imported', OF_B, 'from-import', 'import:B', runTag]),
      });
      expect(((b?.['tags'] ?? []) as string[]).filter((tag) => tag.startsWith('run-'))).toHaveLength(1);
      expect(await thread(service, a)).toEqual(['A hello', 'A hi', 'Looked into it', 'A still broken']);
      const kept = (await api(service, 'GET', `/tickets/${a}/messages`))[2];
      expect(kept).toMatchObject({
        id: own,
        isInternal: true,
        agentId: 'agt_9',
        occurredAt: expect.stringContaining('2024-03-03'),
      });
      expect(await api(service, 'GET', `/tickets/${await idOf(service, 'C')}/events`)).toHaveLength(2);

      const before = (['POST', 'PUT'] as const).map(
        (kind) => service.log.requests({}).filter(({ method }) => method === kind).length,
      );
      const again = await reported([...run, '--delta'], folder.path, env);
      // The questions to the helpdesk: is it the one of the checkpoint, and how many tickets has it?
      expect(again.requests['sent']).toBeLessThanOrEqual(12);
      const written = (kind: 'POST' | 'PUT') =>
        service.log.requests({}).filter(({ method }) => method === kind).length;
      expect([written('POST'), written('PUT')]).toEqual(before);
      expect(codes(again)).toEqual([]);
      expect(service.log.duplicates()).toEqual([]);
    });
  });

  it('updates status, priority, tags and assignee that people have not changed, and the dry run says so', async () => {
    using folder = temporaryFolder();
    await withService({ strict: false }, async (service) => {
      const { env } = service;
      write(folder, [ticket('A'), ticket('B'), ticket('C')]);
      await reported(run, folder.path, env);
      const b = await idOf(service, 'B');
      await api(service, 'PUT', `/tickets/${b}`, { status: 'resolved' });
      const now = { status: 'closed', priority: 'urgent', assignedToId: 'agt_2', tags: ['vip'] };
      write(folder, [ticket('A', now), ticket('B', now), ticket('C', { subject: 'Another' })]);
      const dry = await reported(['run', 'export.jsonl', '--delta', '--dry-run'], folder.path, env);
      expect(dry).toMatchObject({ updates: { found: 2, sent: 0 } });
      const delta = await reported([...run, '--delta'], folder.path, env);
      const updates = { found: 2, sent: 2, notUpdated: 1 };
      expect(delta).toMatchObject({ exitCode: 3, tickets: { done: 3 }, updates });
      expect(codes(delta)).toEqual(['B edited-in-target', 'C field-not-updatable']);
      const shown = async (id: string) =>
        (await api(service, 'GET', '/tickets')).find(({ subject }) => subject === `Ticket ${id}`);
      expect(await shown('A')).toMatchObject({ status: 'closed', priority: 'urgent', assignedToId: 'agt_2' });
      expect(await shown('B')).toMatchObject({
        status: 'resolved',
        priority: 'urgent',
        assignedToId: 'agt_2',
      });
    });
  });
});
