/** Streams as Singer and Airbyte write them: of all their lines only records are records. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { ticketsIn } from '../support/threads.ts';
import { reported, withService } from './service-run.ts';

type Records = Readonly<Record<string, readonly object[]>>;

/** SCHEMA and ACTIVATE_VERSION before the records of each stream, STATE behind them, as taps do. */
const singer = (streams: Records): object[] => [
  ...Object.entries(streams).flatMap(([stream, records]) => [
    { type: 'SCHEMA', stream, schema: { properties: { id: { type: 'integer' } } }, key_properties: ['id'] },
    { type: 'ACTIVATE_VERSION', stream, version: 1 },
    ...records.map((record) => ({ type: 'RECORD', stream, record, time_extracted: '2024-03-02T00:00:00Z' })),
    { type: 'STATE', value: { bookmarks: { [stream]: '2024-03-02' } } },
  ]),
];

const airbyte = (streams: Records): object[] => [
  { type: 'LOG', log: { level: 'INFO', message: 'Starting sync' } },
  { type: 'CONTROL', control: { type: 'CONNECTOR_CONFIG', emitted_at: 1 } },
  ...Object.entries(streams).flatMap(([stream, records]) => [
    {
      type: 'TRACE',
      trace: {
        type: 'STREAM_STATUS',
        stream_status: { stream_descriptor: { name: stream }, status: 'STARTED' },
      },
    },
    ...records.map((data) => ({ type: 'RECORD', record: { stream, data, emitted_at: 1_700_000_000_000 } })),
    { type: 'STATE', state: { type: 'STREAM', stream: { stream_descriptor: { name: stream } } } },
  ]),
];

const zendesk: Records = {
  tickets: [
    {
      id: 11,
      subject: 'Broken lamp',
      description: 'It is broken.',
      requester_id: 1,
      submitter_id: 1,
      assignee_id: 2,
      status: 'open',
      priority: 'normal',
      tags: [],
      via: { channel: 'email' },
      created_at: '2024-03-01T08:00:00Z',
      updated_at: '2024-03-01T09:00:00Z',
    },
  ],
  ticket_comments: [
    {
      id: 111,
      ticket_id: 11,
      author_id: 1,
      body: 'It is broken.',
      public: true,
      created_at: '2024-03-01T08:00:00Z',
    },
    {
      id: 112,
      ticket_id: 11,
      author_id: 2,
      body: 'Send a photo.',
      public: true,
      created_at: '2024-03-01T09:00:00Z',
    },
  ],
  users: [
    { id: 1, email: 'ann@example.com', name: 'Ann', role: 'end-user', ticket_restriction: null },
    { id: 2, email: 'lee@example.org', name: 'Lee', role: 'agent', ticket_restriction: null },
  ],
};

const intercom: Records = {
  conversations: [
    {
      id: '11',
      title: 'Broken lamp',
      state: 'open',
      created_at: '2024-03-01T08:00:00.000000Z',
      updated_at: '2024-03-01T09:00:00.000000Z',
      contacts: [{ type: 'contact', id: 'c1' }],
      source: {
        type: 'conversation',
        id: '110',
        body: '<p>It is broken.</p>',
        author: { type: 'user', id: 'c1', email: 'ann@example.com', name: 'Ann' },
      },
      tags: [{ id: 't', name: 'lamp' }],
    },
  ],
  conversation_parts: [
    {
      id: '112',
      conversation_id: '11',
      conversation_created_at: '2024-03-01T08:00:00.000000Z',
      part_type: 'comment',
      body: '<p>Send a photo.</p>',
      created_at: '2024-03-01T09:00:00.000000Z',
      author: { type: 'admin', id: 'a1', email: 'lee@example.org', name: 'Lee' },
    },
  ],
  contacts: [{ id: 'c1', role: 'user', email: 'ann@example.com', name: 'Ann', workspace_id: 'w' }],
};

const freshdesk: Records = {
  tickets: [
    {
      id: 11,
      subject: 'Broken lamp',
      description: '<div>It is broken.</div>',
      requester_id: 1,
      responder_id: 2,
      source: 1,
      status: 2,
      priority: 1,
      fr_escalated: false,
      fr_due_by: '2024-03-02T08:00:00Z',
      requester: { id: 1, email: 'ann@example.com', name: 'Ann' },
      tags: [],
      created_at: '2024-03-01T08:00:00Z',
      updated_at: '2024-03-01T09:00:00Z',
    },
  ],
  conversations: [
    {
      id: 112,
      ticket_id: 11,
      body: '<div>Send a photo.</div>',
      incoming: false,
      private: false,
      user_id: 2,
      created_at: '2024-03-01T09:00:00Z',
    },
  ],
  agents: [{ id: 2, occasional: false, ticket_scope: 1, contact: { email: 'lee@example.org', name: 'Lee' } }],
};

/** In words with underscores, as the tap writes them. */
const helpscout: Records = {
  conversations: [
    {
      id: 11,
      number: 7,
      threads: 2,
      subject: 'Broken lamp',
      status: 'active',
      state: 'published',
      mailbox_id: 5,
      primary_customer: { id: 1, type: 'customer', first: 'Ann', last: 'Ray', email: 'ann@example.com' },
      created_by: { id: 1, type: 'customer', email: 'ann@example.com' },
      tags: [],
      created_at: '2024-03-01T08:00:00Z',
      updated_at: '2024-03-01T09:00:00Z',
    },
  ],
  conversation_threads: [
    {
      id: 111,
      conversation_id: 11,
      type: 'customer',
      status: 'active',
      state: 'published',
      body: 'It is broken.',
      customer: { id: 1, first: 'Ann', last: 'Ray', email: 'ann@example.com' },
      created_by: { id: 1, type: 'customer', email: 'ann@example.com' },
      created_at: '2024-03-01T08:00:00Z',
    },
    {
      id: 112,
      conversation_id: 11,
      type: 'message',
      status: 'active',
      state: 'published',
      body: 'Send a photo.',
      customer: { id: 1, first: 'Ann', last: 'Ray', email: 'ann@example.com' },
      created_by: { id: 2, type: 'user', first: 'Lee', last: 'Day', email: 'lee@example.org' },
      created_at: '2024-03-01T09:00:00Z',
    },
  ],
};

const jira: Records = {
  issues: [
    {
      id: '10011',
      key: 'SUP-11',
      fields: {
        summary: 'Broken lamp',
        description: 'It is broken.',
        status: { name: 'Open', statusCategory: { key: 'new' } },
        created: '2024-03-01T08:00:00.000000Z',
        reporter: { accountId: 'c1', emailAddress: 'ann@example.com', displayName: 'Ann' },
      },
    },
  ],
  issue_comments: [
    {
      id: '112',
      issueId: '10011',
      author: { accountId: 'a1', emailAddress: 'lee@example.org', displayName: 'Lee' },
      body: 'Send a photo.',
      created: '2024-03-01T09:00:00.000000Z',
    },
  ],
  changelogs: [
    {
      id: '200',
      issueId: '10011',
      author: { accountId: 'a1', emailAddress: 'lee@example.org', displayName: 'Lee' },
      items: [{ field: 'status', fromString: 'Backlog', toString: 'Done' }],
      created: '2024-03-01T09:30:00.000000Z',
    },
  ],
};

const taps = { zendesk, intercom, freshdesk, helpscout, jira };
const forms = { Singer: singer, Airbyte: airbyte };
const AGENTS = { 'lee@example.org': 'agent-lee', a1: 'agent-lee' };

describe('records of a stream are lines of type RECORD alone', () => {
  it.each(
    Object.entries(forms).flatMap(([form, lines]) =>
      Object.entries(taps).map(([layout, streams]) => [form, layout, lines(streams)] as const),
    ),
  )('%s of %s: the ticket has both messages and nothing is rejected', async (_, layout, lines) => {
    using folder = temporaryFolder();
    writeFileSync(folder.join('sync.jsonl'), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
    writeFileSync(folder.join('helpdesk-import.yaml'), `agents: ${JSON.stringify(AGENTS)}\n`);
    await withService({}, async (service) => {
      const run = await reported(['run', 'sync.jsonl', '--rate', '100000/1'], folder.path, service.env);
      expect(run).toMatchObject({ layout, exitCode: 0, tickets: { read: 1 } });
      const [ticket, ...others] = ticketsIn(service);
      expect(others).toEqual([]);
      expect(ticket).toMatchObject({ subject: 'Broken lamp', email: 'ann@example.com' });
      const plain = (text: string) => text.replace(/<[^<>]*>/g, '');
      expect(ticket?.messages.map(({ who, content, at }) => [who, plain(content), at.slice(0, 16)])).toEqual([
        ['customer', 'It is broken.', '2024-03-01T08:00'],
        ['agent', 'Send a photo.', '2024-03-01T09:00'],
      ]);
    });
  });
});
