/** What no rule uses and a person would read is kept in a note at the end, or nowhere, and stays out of the way of everything else. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixtures } from '../support/cli.ts';
import { type Desk, openDesk } from '../support/desk.ts';

const run = ['run', '.', '--set', 'run.rate=100000/1'];
const DROP = ['-c', 'drop.yaml'];
const HEADER = 'id,subject,contact.email,status,createdAt,Organization,Cost Centre,api_key,"Ticket <Type>"';
const MESSAGES = 'ticketId,actorType,content,occurredAt,contact.email,Via';

function writeExport({ write }: Desk, more: readonly string[] = []): void {
  write('drop.yaml', 'unmapped: drop\n');
  write(
    'tickets.csv',
    `${HEADER}\n1,Broken,ann@example.com,open,2024-03-01T08:00:00Z,"Acme & Sons, Ltd",4711,sk_live_abc,Problem\n2,Plain,ann@example.com,closed,2024-03-01T09:00:00Z,,,,\n`,
  );
  const lines = [
    '1,customer,Hello,2024-03-01T08:00:00Z,ann@example.com,web',
    '2,customer,Hi,2024-03-01T09:00:00Z,ann@example.com,',
    ...more,
  ];
  write('messages.csv', `${MESSAGES}\n${lines.join('\n')}\n`);
}

async function messagesOf({ ask }: Desk, subject: string) {
  const [found] = await ask('GET', `/tickets?search=${subject}`);
  return await ask('GET', `/tickets/${found?.['id']}/messages`);
}

const cellsOf = (note: Readonly<Record<string, unknown>> | undefined) =>
  [...String(note?.['content']).matchAll(/<td>([^<]*)<\/td><td>([^<]*)<\/td>/g)].map(
    ([, name, value]) => [name, value] as const,
  );

describe('columns that no rule uses', () => {
  it('are left out only if the settings say so', async () => {
    const desk = await openDesk();
    writeExport(desk);
    expect(await desk.run(...run, ...DROP)).toMatchObject({ kept: { tickets: 0 }, exitCode: 0 });
    expect(await messagesOf(desk, 'Broken')).toHaveLength(1);
    const failing = await desk.run(...run, ...DROP, '--dry-run', '--fail-on', 'lost');
    expect(failing).toMatchObject({ lost: [{ code: 'columns' }], exitCode: 3 });
  });

  it('are not lost if they belong to people whom no ticket names', async () => {
    const desk = await openDesk();
    const at = '2024-01-02T10:00:00Z';
    const ticket = { id: 1, subject: 'Lamp', status: 'open', requester_id: 11, created_at: at };
    const zendesk = { ...ticket, submitter_id: 11, description: 'It is broken', via: { channel: 'web' } };
    const comment = {
      id: 2,
      ticket_id: 1,
      author_id: 11,
      body: 'It is broken',
      public: true,
      created_at: at,
    };
    const person = { id: 11, name: 'Ann', email: 'ann@example.com', role: 'end-user', locale: 'en' };
    const other = { ...person, id: 12, email: 'cy@example.com' };
    for (const [name, rows] of Object.entries({
      tickets: [zendesk],
      comments: [comment],
      users: [person, other],
    }))
      desk.write(`${name}.jsonl`, rows.map((row) => JSON.stringify(row)).join('\n'));
    const files = ['tickets.jsonl', 'comments.jsonl', 'users.jsonl'];
    expect(await desk.run('run', ...files, '--from', 'zendesk', '--fail-on', 'lost')).toMatchObject({
      exitCode: 0,
      lost: [{ code: 'people' }, { code: 'people-alone', count: 1 }],
    });
  });

  it('are kept in one internal note at the end of the thread, as a table with their own names, and no secret with them', async () => {
    const desk = await openDesk();
    writeExport(desk);
    const summary = await desk.run(...run);
    expect(summary).toMatchObject({ messages: { read: 2, sent: 2 }, kept: { tickets: 1 } });
    const messages = await messagesOf(desk, 'Broken');
    expect(messages.map(({ actorType, isInternal }) => [actorType, isInternal])).toEqual([
      ['customer', false],
      ['system', true],
    ]);
    const note = messages.at(-1);
    expect(cellsOf(note)).toEqual(
      expect.arrayContaining([
        ['Organization', 'Acme &amp; Sons, Ltd'],
        ['Ticket &lt;Type&gt;', 'Problem'],
        ['Via', 'web'],
      ]),
    );
    expect(note?.['content']).not.toContain('sk_live_abc');
    expect(String(note?.['occurredAt']) > '2024-03-01T08:00:00').toBe(true);
    expect(await messagesOf(desk, 'Plain')).toHaveLength(1);
  });

  it('change no ticket for a later run, stay through a delta, and are no difference to verify', async () => {
    const first = await openDesk({ strict: false });
    writeExport(first);
    await first.run(...run, ...DROP);
    const later = await first.run(...run);
    expect(later.problems.map(({ code }) => code)).not.toContain('changed-since-import');

    const desk = await openDesk({ strict: false });
    writeExport(desk);
    await desk.run(...run);
    const note = (await messagesOf(desk, 'Broken')).at(-1);
    writeExport(desk, ['1,customer,Still broken,2024-03-05T08:00:00Z,ann@example.com,mail']);
    const delta = await desk.run(...run, '--delta');
    expect(delta.problems.map(({ code }) => code)).not.toContain('messages-kept');
    const messages = await messagesOf(desk, 'Broken');
    expect(messages.map(({ content }) => content).toSorted()).toEqual(
      ['Hello', 'Still broken', String(note?.['content'])].toSorted(),
    );
    expect(messages.find(({ content }) => content === note?.['content'])?.['id']).toBe(note?.['id']);
    expect((await desk.type('verify', '.')).code).toBe(0);
  });
});

const ACCOUNT = join(fixtures, 'zendesk-account/tickets.jsonl');

describe('the note of a Zendesk account export', () => {
  it('comes last and holds what a person reads, without addresses, ids, flags and what other rules cover', async () => {
    const desk = await openDesk();
    await desk.run('run', ACCOUNT, '--set', 'run.rate=100000/1');
    const messages = await messagesOf(desk, 'Lamp');
    expect(messages).toHaveLength(2);
    expect(Object.fromEntries(cellsOf(messages[1]))).toEqual({
      'via.channel': 'web',
      'metric_set.replies': '1',
      type: 'incident',
      'organization.name': 'ACME',
      'group.name': 'Support',
      'satisfaction_rating.score': 'good',
      'satisfaction_rating.comment': 'Quick!',
      'custom_fields: Order number': 'A-4711',
      'custom_fields: Newsletter': 'true',
    });
  });

  it('is shown by inspect --ticket and counted by a dry run and on its screen', async () => {
    const desk = await openDesk();
    const explained = await desk.type('inspect', ACCOUNT, '--ticket', '11');
    expect(explained.stdout).toContain('note: custom_fields: Order number');
    const dry = ['run', ACCOUNT, '--dry-run'];
    expect((await desk.type(...dry)).stdout).toMatch(/notes +1 \(one a ticket, with its unmapped fields\)/);
    expect(await desk.run(...dry)).toMatchObject({ kept: { tickets: 1 } });
  });
});

it('people, groups and custom fields of Zendesk are shown by name, if the export has their names', async () => {
  const desk = await openDesk();
  const write = (name: string, value: unknown) => desk.write(name, JSON.stringify(value));
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
  await desk.run(...run);
  expect(cellsOf((await messagesOf(desk, 'Broken')).at(-1))).toEqual([
    ['group', 'Billing'],
    ['CC', 'ann@example.com, bo@example.com'],
    ['Product', 'Desk lamp'],
    ['custom_fields: 361', 'kept by its number'],
  ]);
});
