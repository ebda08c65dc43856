import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixtures } from '../support/cli.ts';
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

  const messages = [{ actorType: 'customer', content: 'x', contact: { email: 'a@example.com' } }];
  const columns = `id,subject,contact.email,createdAt,${Object.keys(further)}`;
  it.each([
    ['JSONL', { 'x.jsonl': line({ ...ticket, ...further }) }],
    ['JSONL with messages', { 'x.jsonl': line({ id: 7, ...further, subject: 'Hi', messages }) }],
    ['CSV', { 'x.csv': `${columns}\n7,Hi,a@example.com,2025-01-02T03:04:05Z,${Object.values(further)}\n` }],
  ])('is known by its own fields, however many others there are: %s', async (_, texts) => {
    const { tickets, detection } = await mapExport(texts);
    expect(detection.layout.name).toBe('native');
    expect(tickets.map(payloads)).toMatchObject([{ id: '7', ticket: { subject: 'Hi' } }]);
  });

  it('obeys a column that says that a message is a draft, and does not call it unknown', async () => {
    const drafts = messages.map((message) => ({ ...message, draft: false, other: 1 }));
    const texts = { 'x.jsonl': line({ ...ticket, messages: [...drafts, { ...drafts[0], draft: true }] }) };
    const { tickets, mapper } = await mapExport(texts);
    expect(tickets[0]?.messages).toHaveLength(1);
    expect(mapper.problems().flatMap(({ column }) => column ?? [])).toEqual(['messages[].other']);
  });

  it.each([
    ['jsonl', 'nested messages and events included'],
    ['csv', 'joined whatever the files are called, with typed cells and dotted columns'],
  ])('hands %s on as it is, %s', async (name) => {
    const folder = join(fixtures, 'native-mapped', name);
    const files = readdirSync(folder).filter((file) => file !== 'expected.json');
    const texts = files.map((file) => [file, readFileSync(join(folder, file), 'utf8')] as const);
    const { tickets, detection } = await mapExport(Object.fromEntries(texts));
    const made = { layout: detection.layout.name, tables: detection.tables, tickets: tickets.map(payloads) };
    await expect(`${JSON.stringify(made, null, 2)}\n`).toMatchFileSnapshot(join(folder, 'expected.json'));
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

  it('takes externalId if there is no id', async () => {
    const { tickets } = await mapExport({
      'x.json': JSON.stringify([{ externalId: 'T-1', subject: 's', messages: [] }]),
    });
    expect(tickets.map((ticket) => ticket.externalId)).toEqual(['T-1']);
  });

  it('warns once for each field that the API does not have, with the number of rows', async () => {
    const head = 'id,subject,createdAt,contact.email,contact.phone,_reason,mood';
    const rows = ['1,a,2025-01-01,a@example.com,123,bad,happy', '2,b,2025-01-01,b@example.com,,bad,sad'];
    const contact = { email: 'e', fax: 1 };
    const { mapper } = await mapExport({
      'tickets.csv': `${[head, ...rows].join('\n')}\n`,
      'messages.jsonl': line({ ticketId: 1, content: 'x', actorType: 'system', _reason: 'r', contact }),
    });
    const warning = (field: string, file: string, rows: string) => {
      const message = `The API has no field "${field}", so it is not sent as one (it has a value in ${rows} of ${file}).`;
      return { code: 'unknown-field', field, file, line: 1, message };
    };
    expect(mapper.problems()).toMatchObject([
      warning('mood', 'tickets.csv', '2 rows'),
      warning('contact.phone', 'tickets.csv', '1 row'),
      warning('messages[].contact.fax', 'messages.jsonl', '1 row'),
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

  it('is not taken for other exports that happen to have an ID and a subject', async () => {
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
      `The API has no field "${column}", so it is not sent as one (it has a value in 1 row of tickets.csv).${hint}`,
    ]);
  });
});
