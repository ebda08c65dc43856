/** What no rule uses and a person would read is kept in a note at the end, or nowhere, and stays out of the way of everything else. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { reported, type Service, withService } from './service-run.ts';

const run = ['run', '.', '--rate', '100000/1'];
const HEADER = 'id,subject,contact.email,status,createdAt,Organization,Cost Centre,api_key,"Ticket <Type>"';
const MESSAGES = 'ticketId,actorType,content,occurredAt,contact.email,Via';

function writeExport(folder: { join(name: string): string }, more: readonly string[] = []): void {
  writeFileSync(folder.join('note.yaml'), 'unmapped: note\n');
  writeFileSync(
    folder.join('tickets.csv'),
    `${HEADER}\n1,Broken,ann@example.com,open,2024-03-01T08:00:00Z,"Acme & Sons, Ltd",4711,sk_live_abc,Problem\n2,Plain,ann@example.com,closed,2024-03-01T09:00:00Z,,,,\n`,
  );
  const lines = [
    '1,customer,Hello,2024-03-01T08:00:00Z,ann@example.com,web',
    '2,customer,Hi,2024-03-01T09:00:00Z,ann@example.com,',
    ...more,
  ];
  writeFileSync(folder.join('messages.csv'), `${MESSAGES}\n${lines.join('\n')}\n`);
}

async function read(service: Service, path: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`${service.url}/api/core/v1${path}`, {
    headers: { authorization: `Bearer ${service.token}` },
  });
  return (await answer.json()) as Record<string, unknown>;
}

async function ticketOf(service: Service, subject: string) {
  const { tickets } = await read(service, `/tickets?search=${subject}`);
  const [found] = tickets as Record<string, unknown>[];
  const { messages } = await read(service, `/tickets/${found?.['id']}/messages`);
  return {
    id: String(found?.['id']),
    tags: found?.['tags'] as string[],
    messages: messages as Record<string, unknown>[],
  };
}

describe('columns that no rule uses', () => {
  it('are left out unless the settings say otherwise', async () => {
    using folder = temporaryFolder();
    await withService({}, async (service) => {
      writeExport(folder);
      expect(await reported(run, folder.path, service.env)).toMatchObject({ notes: 0, exitCode: 0 });
      expect((await ticketOf(service, 'Broken')).messages).toHaveLength(1);
    });
  });

  it('are kept in one internal note at the end of the thread, as a table with their own names, and no secret with them', async () => {
    using folder = temporaryFolder();
    await withService({}, async (service) => {
      writeExport(folder);
      const summary = await reported([...run, '-c', 'note.yaml'], folder.path, service.env);
      expect(summary).toMatchObject({
        messages: { read: 2, sent: 2 },
        notes: 1,
      });
      const { messages } = await ticketOf(service, 'Broken');
      expect(messages.map(({ actorType, isInternal }) => [actorType, isInternal])).toEqual([
        ['customer', false],
        ['system', true],
      ]);
      const note = messages.at(-1);
      expect(note?.['content']).toContain('<td>Organization</td><td>Acme &amp; Sons, Ltd</td>');
      expect(note?.['content']).toContain('<td>Ticket &lt;Type&gt;</td><td>Problem</td>');
      expect(note?.['content']).toContain('<td>Via</td><td>web</td>');
      expect(note?.['content']).not.toContain('sk_live_abc');
      expect(String(note?.['occurredAt']) > '2024-03-01T08:00:00').toBe(true);
      expect((await ticketOf(service, 'Plain')).messages).toHaveLength(1);
    });
  });

  it('change no ticket for a later run, stay through a delta, and are no difference to verify', async () => {
    using folder = temporaryFolder();
    await withService({ strict: false }, async (service) => {
      writeExport(folder);
      await reported(run, folder.path, service.env);
      expect(
        (await reported([...run, '-c', 'note.yaml'], folder.path, service.env)).problems.map(
          ({ code }) => code,
        ),
      ).not.toContain('changed-since-import');
    });
    await withService({ strict: false }, async (service) => {
      const args = [...run, '-c', 'note.yaml', '--checkpoint', 'second.sqlite'];
      await reported(args, folder.path, service.env);
      const before = await ticketOf(service, 'Broken');
      writeExport(folder, ['1,customer,Still broken,2024-03-05T08:00:00Z,ann@example.com,mail']);
      const delta = await reported([...args, '--delta'], folder.path, service.env);
      expect(delta.problems.map(({ code }) => code)).not.toContain('messages-kept');
      const { messages } = await ticketOf(service, 'Broken');
      const note = before.messages.at(-1);
      expect(messages.map(({ content }) => content).toSorted()).toEqual(
        ['Hello', 'Still broken', String(note?.['content'])].toSorted(),
      );
      expect(messages.find(({ content }) => content === note?.['content'])?.['id']).toBe(note?.['id']);
      const verified = await reported(
        ['verify', '.', '--checkpoint', 'second.sqlite'],
        folder.path,
        service.env,
      );
      expect(verified.exitCode).toBe(0);
    });
  });
});

const person = {
  id: 1,
  url: 'https://x.example/users/1.json',
  name: 'Ann',
  email: 'ann@example.com',
  role: 'end-user',
};
const zendesk = {
  url: 'https://x.example/tickets/11.json',
  id: 11,
  external_id: null,
  via: { channel: 'web', source: { from: {}, to: {}, rel: null } },
  subject: 'Lamp',
  raw_subject: 'Lamp',
  description: 'It is broken.',
  type: 'incident',
  requester: person,
  submitter: person,
  assignee: null,
  collaborator: [],
  organization: { id: 5, url: 'https://x.example/o/5.json', name: 'ACME', shared_tickets: false },
  group: {
    id: 98,
    url: 'https://x.example/g/98.json',
    name: 'Support',
    deleted: false,
    created_at: '2020-01-01T00:00:00Z',
  },
  brand_id: 777,
  has_incidents: false,
  is_public: true,
  satisfaction_rating: { id: 3, score: 'good', comment: 'Quick!' },
  custom_fields: [
    { id: 360001, name: 'Order number', value: 'A-4711' },
    { id: 360002, name: 'Newsletter', value: true },
    { id: 360003, name: 'Nothing', value: null },
  ],
  metric_set: { id: 77, url: 'https://x.example/m/77.json', reopens: 0, replies: 1 },
  status: 'hold',
  priority: 'high',
  tags: [],
  comments: [
    {
      id: 111,
      type: 'Comment',
      author_id: 1,
      body: 'It is broken.',
      html_body: '<p>It is broken.</p>',
      plain_body: 'It is broken.',
      public: true,
      via: { channel: 'web' },
      audit_id: 9,
      created_at: '2024-03-01T08:00:00Z',
    },
  ],
  created_at: '2024-03-01T08:00:00Z',
  updated_at: '2024-03-02T08:00:00Z',
};

describe('the note of a Zendesk account export', () => {
  it('comes last and holds what a person reads, without addresses, ids, flags and what other rules cover', async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.join('tickets.jsonl'), `${JSON.stringify(zendesk)}\n`);
    writeFileSync(folder.join('note.yaml'), 'unmapped: note\n');
    await withService({}, async (service) => {
      await reported(
        ['run', 'tickets.jsonl', '--rate', '100000/1', '-c', 'note.yaml'],
        folder.path,
        service.env,
      );
      const { messages } = await ticketOf(service, 'Lamp');
      expect(messages).toHaveLength(2);
      const rows = [...String(messages[1]?.['content']).matchAll(/<td>([^<]*)<\/td><td>([^<]*)<\/td>/g)];
      expect(Object.fromEntries(rows.map(([, name, value]) => [name, value]))).toEqual({
        'via.channel': 'web',
        type: 'incident',
        'organization.name': 'ACME',
        'group.name': 'Support',
        'satisfaction_rating.score': 'good',
        'satisfaction_rating.comment': 'Quick!',
        'custom_fields: Order number': 'A-4711',
        'custom_fields: Newsletter': 'true',
      });
    });
  });

  it('is shown by --explain and counted by a dry run and on its screen', async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.join('tickets.jsonl'), `${JSON.stringify(zendesk)}\n`);
    writeFileSync(folder.join('note.yaml'), 'unmapped: note\n');
    const cwd = folder.path;
    const explained = await commandLine(['run', 'tickets.jsonl', '--explain', '11', '-c', 'note.yaml'], {
      cwd,
    });
    expect(explained.stdout).toContain('note: custom_fields: Order number');
    const dry = await commandLine(['run', 'tickets.jsonl', '--dry-run', '-c', 'note.yaml'], { cwd });
    expect(dry.stdout).toMatch(/notes +1 \(tickets with an internal note/);
    expect(await reported(['run', 'tickets.jsonl', '--dry-run', '-c', 'note.yaml'], cwd)).toMatchObject({
      notes: 1,
    });
  });
});
