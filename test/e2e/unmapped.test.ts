/** What no rule uses and a person would read is kept in a note at the end, or nowhere, and stays out of the way of everything else. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixtures, temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { reported, type Service, withService } from './service-run.ts';

const run = ['run', '.', '--set', 'run.rate=100000/1'];
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
      expect(await reported(run, folder.path, service.env)).toMatchObject({
        kept: { tickets: 0 },
        exitCode: 0,
      });
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
        kept: { tickets: 1 },
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

const ACCOUNT = join(fixtures, 'zendesk-account/tickets.jsonl');

describe('the note of a Zendesk account export', () => {
  it('comes last and holds what a person reads, without addresses, ids, flags and what other rules cover', async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.join('note.yaml'), 'unmapped: note\n');
    await withService({}, async (service) => {
      await reported(
        ['run', ACCOUNT, '--set', 'run.rate=100000/1', '-c', 'note.yaml'],
        folder.path,
        service.env,
      );
      const { messages } = await ticketOf(service, 'Lamp');
      expect(messages).toHaveLength(2);
      const rows = [...String(messages[1]?.['content']).matchAll(/<td>([^<]*)<\/td><td>([^<]*)<\/td>/g)];
      expect(Object.fromEntries(rows.map(([, name, value]) => [name, value]))).toEqual({
        'via.channel': 'web',
        'comments[].via.channel': 'web',
        'comments[].type': 'Comment',
        'metric_set.replies': '1',
        'requester.role': 'end-user',
        'submitter.role': 'end-user',
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

  it('is shown by inspect --ticket and counted by a dry run and on its screen', async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.join('note.yaml'), 'unmapped: note\n');
    const cwd = folder.path;
    const explained = await commandLine(['inspect', ACCOUNT, '--ticket', '11', '-c', 'note.yaml'], {
      cwd,
    });
    expect(explained.stdout).toContain('note: custom_fields: Order number');
    const dry = await commandLine(['run', ACCOUNT, '--dry-run', '-c', 'note.yaml'], { cwd });
    expect(dry.stdout).toMatch(/notes +1 \(tickets with an internal note/);
    expect(await reported(['run', ACCOUNT, '--dry-run', '-c', 'note.yaml'], cwd)).toMatchObject({
      kept: { tickets: 1 },
    });
  });
});

it('people, groups and custom fields of Zendesk are shown by name, if the export has their names', async () => {
  using folder = temporaryFolder();
  const write = (name: string, value: unknown) => writeFileSync(folder.join(name), JSON.stringify(value));
  writeFileSync(folder.join('note.yaml'), 'unmapped: note\n');
  write('users.json', {
    users: [
      { id: 1, email: 'ann@example.com', name: 'Ann', role: 'end-user', ticket_restriction: null },
      { id: 2, email: 'bo@example.com', name: 'Bo', role: 'end-user', ticket_restriction: null },
    ],
  });
  write('groups.json', { groups: [{ id: 40, name: 'Billing', default: false, deleted: false }] });
  write('ticket_fields.json', {
    ticket_fields: [{ id: 360, title: 'Product', type: 'text', raw_title: '' }],
  });
  // A change of the status becomes an event, so the note does not have it again.
  const change = { id: 1, type: 'Change', field_name: 'status', previous_value: 'open', value: 'solved' };
  const audit = { ...{ id: 9, ticket_id: 7, author_id: 1 }, created_at: '2024-03-01T09:00:00Z' };
  write('audits.json', { audits: [{ ...audit, events: [change] }] });
  write('tickets.json', {
    tickets: [
      {
        ...{ id: 7, subject: 'Broken', description: 'It broke', requester_id: 1, submitter_id: 1, via: {} },
        ...{ created_at: '2024-03-01T08:00:00Z', status: 'open', group_id: 40, email_cc_ids: [1, 2] },
        custom_fields: [
          { id: 360, value: 'Desk lamp' },
          { id: 361, value: 'kept by its number' },
          { id: 362, value: false },
        ],
        satisfaction_rating: { score: 'unoffered' },
      },
    ],
  });
  await withService({}, async (service) => {
    await reported([...run, '-c', 'note.yaml'], folder.path, service.env);
    const { messages } = await ticketOf(service, 'Broken');
    const cells = [...String(messages.at(-1)?.['content']).matchAll(/<td>([^<]*)<\/td><td>([^<]*)<\/td>/g)];
    expect(cells.map(([, name, value]) => [name, value])).toEqual([
      ['group', 'Billing'],
      ['CC', 'ann@example.com, bo@example.com'],
      ['Product', 'Desk lamp'],
      ['custom_fields: 361', 'kept by its number'],
    ]);
  });
});
