import { describe, expect, it } from 'vitest';
import { layoutFrom, mapExport, payloads } from './support/map-export.ts';

const line = (value: unknown) => `${JSON.stringify(value)}\n`;

describe('the native layout', () => {
  const further = Object.fromEntries(Array.from({ length: 15 }, (_, n) => [`custom${n}`, n]));
  const ticket = {
    id: 7,
    subject: 'Hi',
    contact: { email: 'a@example.com' },
    createdAt: '2025-01-02T03:04:05Z',
  };

  it.each([
    ['JSONL', { 'x.jsonl': line({ ...ticket, ...further }) }],
    [
      'JSONL with messages',
      {
        'x.jsonl': line({
          id: 7,
          ...further,
          subject: 'Hi',
          messages: [{ actorType: 'customer', content: 'x', contact: { email: 'a@example.com' } }],
        }),
      },
    ],
    [
      'CSV',
      {
        'x.csv': `id,subject,contact.email,createdAt,${Object.keys(further)}\n7,Hi,a@example.com,2025-01-02T03:04:05Z,${Object.values(further)}\n`,
      },
    ],
  ])('is known by its own fields, however many others there are: %s', async (_, texts) => {
    const { tickets, detection } = await mapExport(texts);
    expect(detection.layout.name).toBe('native');
    expect(tickets.map(payloads)).toMatchObject([{ id: '7', ticket: { subject: 'Hi' } }]);
  });

  it('hands JSONL on as it is, nested messages and events included', async () => {
    const { tickets, detection } = await mapExport({
      'export.jsonl': line({
        id: 7,
        subject: 'Hi',
        contact: { email: 'A@Example.com', name: 'Ann', phone: '1' },
        status: 'Whatever',
        tags: ['a', 'b'],
        createdAt: '2025-01-02T03:04:05+0200',
        readOnly: 'yes',
        messages: [
          {
            actorType: 'customer',
            content: '',
            occurredAt: 'never',
            contact: { email: 'a@example.com' },
            attachments: [{ url: 'https://example.com/a', foo: 1 }],
          },
        ],
        events: [
          {
            type: 'status_change',
            oldValue: { status: 'open' },
            newValue: { status: 'closed' },
            actorType: 'system',
            occurredAt: '2025-01-03T00:00:00Z',
          },
        ],
      }),
    });
    expect(detection.layout.name).toBe('native');
    expect(tickets.map(payloads)).toEqual([
      {
        id: '7',
        ticket: {
          subject: 'Hi',
          contact: { email: 'A@Example.com', name: 'Ann' },
          status: 'Whatever',
          tags: ['a', 'b'],
          createdAt: '2025-01-02T03:04:05+0200',
          readOnly: 'yes',
        },
        messages: [
          {
            actorType: 'customer',
            content: '',
            occurredAt: 'never',
            contact: { email: 'a@example.com' },
            attachments: [{ url: 'https://example.com/a' }],
          },
        ],
        events: [
          {
            type: 'status_change',
            oldValue: { status: 'open' },
            newValue: { status: 'closed' },
            actorType: 'system',
            occurredAt: '2025-01-03T00:00:00Z',
          },
        ],
      },
    ]);
  });

  it.each(['format: auto', 'format: [epoch, auto]', 'zone: UTC'])(
    'reads times as soon as it is said how they are written: %s',
    async (times) => {
      const { tickets } = await mapExport(
        { 'x.jsonl': line({ ...ticket, createdAt: 1704164645 }) + line({ ...ticket, id: 8 }) },
        layoutFrom(`extends: native\ntimes: { ${times} }`),
      );
      expect(tickets.map((each) => each.ticket['createdAt'])).toEqual([
        '2024-01-02T03:04:05.000Z',
        '2025-01-02T03:04:05.000Z',
      ]);
    },
  );

  it.each([
    ['a text', '"boo"', 'boo'],
    ['a number', '12', 12],
    ['a list', '["x"]', ['x']],
    ['a boolean', 'false', false],
  ])('leaves %s where an object belongs for checking to refuse', async (_, json, value) => {
    const { tickets } = await mapExport({
      'a.jsonl': `{"id":"1","subject":"s","createdAt":"2025-01-01T00:00:00Z","contact":${json}}`,
    });
    expect(tickets[0]?.ticket['contact']).toEqual(value);
  });

  it('joins the CSV trio whatever the files are called, with typed cells and dotted columns', async () => {
    const { tickets, detection } = await mapExport({
      'c.csv':
        'ticketId,type,oldValue.status,newValue.status,actorType,agentId,occurredAt\n1,status_change,open,closed,agent,agt_1,2025-01-02T00:00:00Z\n',
      'a.csv':
        'ticketId,actorType,content,contentType,occurredAt,contact.email,agentId,isInternal,attachments\n1,customer,"Hello,\nthere",text,2025-01-01T00:00:00Z,ann@example.com,,,\n1,agent,,html,2025-01-01T01:00:00Z,,agt_1,yes,"[{""url"":""https://example.com/x.png"",""sizeBytes"":12}]"\n',
      'b.csv':
        'id,subject,contact.email,contact.name,tags,readOnly,status,createdAt\n1,Broken,ann@example.com,Ann,a;b,1,open,2025-01-01T00:00:00Z\n2,Again,,,"[""x"",""y;z""]",maybe,,\n',
    });
    expect(detection.tables).toEqual([
      { name: 'events', role: 'child', files: ['c.csv'] },
      { name: 'messages', role: 'child', files: ['a.csv'] },
      { name: 'tickets', role: 'root', files: ['b.csv'] },
    ]);
    expect(tickets.map(payloads)).toEqual([
      {
        id: '1',
        ticket: {
          subject: 'Broken',
          contact: { email: 'ann@example.com', name: 'Ann' },
          tags: ['a', 'b'],
          readOnly: true,
          status: 'open',
          createdAt: '2025-01-01T00:00:00Z',
        },
        messages: [
          {
            actorType: 'customer',
            content: 'Hello,\nthere',
            contentType: 'text',
            occurredAt: '2025-01-01T00:00:00Z',
            contact: { email: 'ann@example.com' },
          },
          {
            actorType: 'agent',
            content: '',
            contentType: 'html',
            occurredAt: '2025-01-01T01:00:00Z',
            agentId: 'agt_1',
            isInternal: true,
            attachments: [{ url: 'https://example.com/x.png', sizeBytes: 12 }],
          },
        ],
        events: [
          {
            type: 'status_change',
            oldValue: { status: 'open' },
            newValue: { status: 'closed' },
            actorType: 'agent',
            agentId: 'agt_1',
            occurredAt: '2025-01-02T00:00:00Z',
          },
        ],
      },
      {
        id: '2',
        ticket: { subject: 'Again', tags: ['x', 'y;z'], readOnly: 'maybe' },
        messages: [],
        events: [],
      },
    ]);
  });

  it('takes externalId where there is no id', async () => {
    const { tickets } = await mapExport({
      'x.json': JSON.stringify([{ externalId: 'T-1', subject: 's', messages: [] }]),
    });
    expect(tickets.map((ticket) => ticket.externalId)).toEqual(['T-1']);
  });

  it('warns once for each field that the API does not have, with the number of rows', async () => {
    const { mapper } = await mapExport({
      'tickets.csv':
        'id,subject,createdAt,contact.email,contact.phone,_reason,mood\n1,a,2025-01-01T00:00:00Z,a@example.com,123,bad,happy\n2,b,2025-01-01T00:00:00Z,b@example.com,,bad,sad\n',
      'messages.jsonl': line({
        ticketId: 1,
        content: 'x',
        actorType: 'system',
        _reason: 'r',
        contact: { email: 'e', fax: 1 },
      }),
    });
    expect(
      mapper.problems().map(({ code, field, file, line, message }) => ({ code, field, file, line, message })),
    ).toEqual([
      {
        code: 'unknown-field',
        field: 'mood',
        file: 'tickets.csv',
        line: 1,
        message: 'The API has no field "mood", so it is not sent (it has a value in 2 rows of tickets.csv).',
      },
      {
        code: 'unknown-field',
        field: 'contact.phone',
        file: 'tickets.csv',
        line: 1,
        message:
          'The API has no field "contact.phone", so it is not sent (it has a value in 1 row of tickets.csv).',
      },
      {
        code: 'unknown-field',
        field: 'messages[].contact.fax',
        file: 'messages.jsonl',
        line: 1,
        message:
          'The API has no field "messages[].contact.fax", so it is not sent (it has a value in 1 row of messages.jsonl).',
      },
    ]);
  });

  it('warns of unknown fields inside nested messages too', async () => {
    const { mapper } = await mapExport({
      'a.jsonl': line({
        id: 1,
        subject: 's',
        createdAt: 'x',
        messages: [
          { content: 'a', mood: 1 },
          { content: 'b', mood: 2 },
        ],
        extra: { a: 1 },
        nothing: {},
      }),
    });
    expect(mapper.problems().map(({ field }) => field)).toEqual(['messages[].mood', 'extra']);
  });

  it('never copies a key that reaches a prototype', async () => {
    const { tickets } = await mapExport({
      'a.jsonl':
        '{"id":"1","subject":"s","createdAt":"2025-01-01T00:00:00Z","__proto__":{"status":"closed"},"contact":{"email":"a@example.com","__proto__":{"name":"Eve"}}}',
    });
    expect(Object.keys(tickets[0]?.ticket ?? {}).sort()).toEqual(['contact', 'createdAt', 'subject']);
    expect(tickets[0]?.ticket['contact']).toEqual({ email: 'a@example.com' });
    expect(tickets[0]?.ticket['status']).toBeUndefined();
  });

  it('is not taken for other exports that happen to have an id and a subject', async () => {
    await expect(
      mapExport({
        't.csv': 'id,subject,status,customer_id,created_at,updated_at\n1,a,OPEN,2,2024-01-01,2024-01-01\n',
      }),
    ).rejects.toMatchObject({ code: 'source' });
  });

  it('explains for each field the file, the line and the column', async () => {
    const { mapper, source } = await mapExport({
      'tickets.csv': 'id,subject,createdAt\n1,Hi,2025-01-01T00:00:00Z\n',
      'messages.csv': 'ticketId,actorType,content\n9,system,x\n1,system,Body\n',
    });
    const explained = mapper.explain(source[0]!);
    expect(explained).toContainEqual({
      field: 'subject',
      value: 'Hi',
      rule: 'subject',
      from: [{ table: 'tickets', file: 'tickets.csv', line: 2, column: 'subject' }],
    });
    expect(explained.find(({ field }) => field === 'messages[0].content')).toMatchObject({
      value: 'Body',
      from: expect.arrayContaining([{ table: 'messages', file: 'messages.csv', line: 3, column: 'content' }]),
    });
  });

  it.each([
    ['contact.emial', ' Did you mean "contact.email"?'],
    ['creatdAt', ' Did you mean "createdAt"?'],
    ['colour', ''],
    // The field that it looks like is there.
    ['subjects', ''],
  ])('a CSV column %s that the API does not know names the field that may be meant', async (column, hint) => {
    const { mapper } = await mapExport({ 'tickets.csv': `id,subject,status,${column}\n1,Hi,open,x\n` });
    expect(mapper.problems().map(({ message }) => message)).toEqual([
      `The API has no field "${column}", so it is not sent (it has a value in 1 row of tickets.csv).${hint}`,
    ]);
  });
});
