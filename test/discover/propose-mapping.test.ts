import { describe, expect, it } from 'vitest';
import { readMapping } from '../../src/mapping/language/read-layout.ts';
import { builtinLayout } from '../../src/mapping/platforms/builtin-layouts.ts';
import { proposalFor } from './support.ts';

interface Expected {
  readonly key: string;
  readonly role?: 'root' | 'group';
  readonly ticket: Record<string, unknown>;
  readonly messages?: readonly Record<string, unknown>[];
  readonly open?: readonly string[];
}

const rows = (header: string, ...lines: string[]) => `${[header, ...lines].join('\n')}\n`;

const CASES: readonly (readonly [name: string, files: Record<string, string>, expected: Expected])[] = [
  [
    'a flat table with an answer in a column',
    {
      'tickets.csv': rows(
        'Ticket ID,Customer Name,Customer Email,Ticket Subject,Ticket Description,Ticket Status,Resolution,Ticket Priority,Time to Resolution',
        '1,Ann,ann@example.com,Setup,How do I set it up?,Open,,Low,',
        '2,Bob,bob@example.com,Refund,I want my money back.,Closed,We have sent it back to you.,Critical,2024-01-02 10:00:00',
        '3,Cem,cem@example.com,Login,I cannot log in here.,Closed,The password has been set anew.,High,2024-01-03 10:00:00',
      ),
    },
    {
      key: 'Ticket ID',
      ticket: {
        status: { column: 'Ticket Status', map: 'status' },
        requester: { email: 'Customer Email', name: 'Customer Name' },
        resolvedAt: 'Time to Resolution',
      },
      messages: [
        { content: 'Ticket Description', actorType: { const: 'customer' } },
        { content: 'Resolution', actorType: { const: 'agent' }, occurredAt: 'Time to Resolution' },
      ],
    },
  ],
  [
    'one row a message, by nick names',
    {
      'log.csv': rows(
        'dialogueID,date,from,text',
        'd1,2008-04-23T14:55:00.000Z,ann,Is anybody here?',
        'd1,2008-04-23T14:56:00.000Z,bob,Yes!',
        'd2,2008-04-24T14:55:00.000Z,cem,My disk is full.',
        'd2,2008-04-24T14:57:00.000Z,bob,Remove something.',
      ),
    },
    {
      key: 'dialogueID',
      role: 'group',
      ticket: { requester: { id: { rows: 'tickets', take: 'first', get: 'from' } } },
      messages: [{ content: 'text', occurredAt: 'date', author: { id: 'from', name: 'from' } }],
    },
  ],
  [
    'tickets that say only by a status that they are none',
    {
      'cases.csv': rows('id,title,status', '1,One,open', '2,Two,deleted', '3,Three,spam', '4,Four,odd word'),
    },
    {
      key: 'id',
      ticket: { subject: ['title', { template: 'Ticket {id}' }] },
      open: ['mapping.maps.status.values.odd word'],
    },
  ],
  [
    'statuses and priorities in tables of their own',
    {
      'issue.csv': rows('id,summary,status,priority', '1,One,10,1', '2,Two,20,2', '3,Three,10,1'),
      'status.csv': rows('id,name', '10,To Do', '20,Done'),
      'priority.csv': rows('id,name', '1,High', '2,Low'),
    },
    {
      key: 'id',
      ticket: {
        status: { lookup: 'status', by: 'status', get: 'name', map: 'status' },
        priority: { lookup: 'priorities', by: 'priority', get: 'name', map: 'priority' },
      },
      open: [],
    },
  ],
  [
    'tags one a row, and a history of fields',
    {
      'tickets.csv': rows(
        'id,subject,status,requester_id',
        '1,One,open,7',
        '2,Two,solved,8',
        '3,Three,open,7',
      ),
      'users.csv': rows(
        'id,email,name,role',
        '7,a@example.com,Ann,end-user',
        '8,b@example.com,Bob,agent',
        '9,c@example.com,Cem,end-user',
      ),
      'ticket_tags.csv': rows('ticket_id,tag', '1,vip', '1,late', '2,vip'),
      'ticket_history.csv': rows(
        'ticket_id,field_name,value,updated,user_id',
        '1,status,open,2024-01-01T10:00:00Z,8',
        '2,status,solved,2024-01-02T10:00:00Z,8',
      ),
    },
    {
      key: 'id',
      ticket: { tags: { rows: 'tags', get: 'tag' }, requester: { person: 'users', id: 'requester_id' } },
    },
  ],
  [
    'messages in a list whose keys say who speaks',
    {
      'd.json': JSON.stringify([
        {
          head: { sessionID: 's1' },
          turns: [
            { client: 'ann', message: 'Hello?', datetime: '2024-01-01T10:00:00Z' },
            { agent: 'shop', message: 'Hi!', datetime: '2024-01-01T10:01:00Z' },
          ],
        },
        {
          head: { sessionID: 's2' },
          turns: [{ client: 'bob', message: 'Help me', datetime: '2024-01-02T10:00:00Z' }],
        },
      ]),
    },
    {
      key: 'head.sessionID',
      ticket: {},
      messages: [
        {
          each: 'turns',
          content: 'message',
          occurredAt: 'datetime',
          author: { id: ['client', 'agent'], name: ['client', 'agent'] },
        },
      ],
    },
  ],
  [
    'comments in columns that repeat',
    {
      'Issues.csv': rows(
        'Summary,Issue key,Status,Comment,Comment',
        'One,T-1,To Do,05/Sep/25 7:24 AM;acc1;First,06/Sep/25 7:24 AM;acc2;Second',
        'Two,T-2,Done,05/Sep/25 8:24 AM;acc1;Only one,',
      ),
    },
    {
      key: 'Issue key',
      ticket: {},
      messages: [
        {
          columns: 'Comment',
          parts: { by: ';', names: ['at', 'author', 'text'] },
          content: 'text',
          occurredAt: 'at',
        },
      ],
    },
  ],
  [
    'internal notes and attachments in nested messages',
    {
      't.json': JSON.stringify({
        data: [
          {
            id: 5,
            subject: 'One',
            status: 'open',
            customer: { email: 'a@example.com' },
            messages: [
              {
                id: 1,
                body_text: 'Hello, it is broken',
                from_agent: false,
                public: true,
                sent_datetime: '2024-01-01T10:00:00Z',
                attachments: [
                  { url: 'https://example.com/a.png', name: 'a.png', content_type: 'image/png', size: 12 },
                ],
              },
              {
                id: 2,
                body_text: 'Ask the factory',
                from_agent: true,
                public: false,
                sent_datetime: '2024-01-01T11:00:00Z',
                attachments: [],
              },
            ],
          },
        ],
      }),
    },
    {
      key: 'id',
      ticket: { requester: { email: 'customer.email' } },
      messages: [
        {
          each: 'messages',
          content: 'body_text',
          occurredAt: 'sent_datetime',
          isInternal: { column: 'public', map: { true: false, false: true } },
          attachments: {
            each: 'attachments',
            item: { url: 'url', name: 'name', contentType: 'content_type', sizeBytes: 'size' },
          },
        },
      ],
    },
  ],
];

describe('a proposed mapping', () => {
  it.each(CASES)('%s', async (_, files, expected) => {
    const proposal = await proposalFor(files);
    expect(proposal).toBeDefined();
    const mapping = proposal?.mapping as Record<string, Record<string, unknown>>;
    expect(mapping['tables']?.['tickets']).toMatchObject({
      key: expected.key,
      role: expected.role ?? 'root',
    });
    expect(mapping['ticket']).toMatchObject(expected.ticket);
    if (expected.messages !== undefined)
      expect(mapping['messages']).toMatchObject(expected.messages as object[]);
    if (expected.open !== undefined)
      expect(proposal?.decisions.map(({ path }) => path.join('.'))).toEqual(expected.open);
    // TODO is a word like any other to the language: what is proposed is a layout
    expect(readMapping(proposal?.mapping, builtinLayout)).toHaveProperty('layout');
  });

  it('leaves out deleted tickets and spam, with a reason', async () => {
    const proposal = await proposalFor(CASES[2]?.[1] ?? {});
    expect(proposal?.mapping['exclude']).toEqual([
      { when: { column: 'status', in: ['deleted', 'spam'] }, reason: 'deleted or spam in the source' },
    ]);
  });

  it('asks for each open role where it stands in the file', async () => {
    const proposal = await proposalFor({
      'tickets.csv': rows('id,subject,status,customer_id', '1,A,open,1', '2,B,open,2', '3,C,open,3'),
      'messages.csv': rows(
        'id,ticket_id,sender_id,message,sent_at',
        '1,1,1,Hello,2024-01-01 10:00',
        '2,1,3,Hi,2024-01-01 11:00',
      ),
      'users.csv': rows(
        'id,email,role',
        '1,a@example.com,CUSTOMER',
        '2,b@example.com,ADMIN',
        '3,c@example.com,VENDOR',
      ),
    });
    expect(proposal?.decisions.map(({ path }) => path)).toEqual([
      ['mapping', 'people', 'users', 'role', 'map', 'VENDOR'],
    ]);
    const people = proposal?.mapping['people'] as Record<string, { role: unknown }>;
    expect(people['users']?.role).toEqual({
      column: 'role',
      map: { CUSTOMER: 'customer', ADMIN: 'agent', VENDOR: 'TODO' },
    });
  });

  it('a password is never among what is read', async () => {
    const proposal = await proposalFor({
      'tickets.csv': rows('id,subject,user_id', '1,A,1', '2,B,2', '3,C,3'),
      'users.csv': rows(
        'id,email,password,full_name',
        '1,a@example.com,secret1,Ann',
        '2,b@example.com,secret2,Bob',
        '3,c@example.com,secret3,Cem',
      ),
    });
    expect(JSON.stringify(proposal?.mapping)).toContain('full_name');
    expect(JSON.stringify(proposal?.mapping)).not.toContain('password');
  });

  it('a lone ? among what people wrote is a message, in a column of times it is none', async () => {
    const text = (n: number) => `This is what somebody wrote as number ${n}, and it is long`;
    const chat = await proposalFor({
      'chat.csv': rows(
        'conversation_id,time,author,text',
        ...[1, 2, 3, 4].map((n) => `c${n % 2},2024-01-0${n}T10:00:00Z,ann,${n === 3 ? '?' : text(n)}`),
      ),
    });
    expect(chat?.mapping['nulls']).toBeUndefined();
    const log = await proposalFor({
      'log.csv': rows(
        'number,state,opened_at,updated_at,closed_at',
        'I1,New,2024-01-01 10:00,2024-01-01 10:00,?',
        'I1,Closed,2024-01-01 10:00,2024-01-02 10:00,2024-01-02 10:00',
        'I2,New,2024-01-03 10:00,2024-01-03 10:00,?',
      ),
    });
    expect(log?.mapping['nulls']).toEqual(['?']);
  });

  it.each([
    [
      'measurements',
      { 'list.csv': rows('time,temperature', '2024-01-01 10:00,12.5', '2024-01-01 11:00,13') },
    ],
    ['people alone', { 'users.csv': rows('id,email,name', '1,a@example.com,Ann', '2,b@example.com,Bob') }],
    ['one column', { 'list.csv': rows('a', '1', '2') }],
    ['a document of settings', { 'conf.json': '{"a":{"b":1},"list":[1,2]}' }],
  ])('%s are no tickets', async (_, files) => {
    expect(await proposalFor(files)).toBeUndefined();
  });
});
