import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixtures } from '../support/cli.ts';
import { mapExport, payloads } from './support/map-export.ts';

describe('the native layout', () => {
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

  it('never copies a key that reaches a prototype', async () => {
    const { tickets } = await mapExport({
      'a.jsonl':
        '{"id":"1","subject":"s","createdAt":"2025-01-01T00:00:00Z","__proto__":{"status":"closed"},"contact":{"email":"a@example.com","__proto__":{"name":"Eve"}}}',
    });
    expect(Object.keys(tickets[0]?.ticket ?? {}).sort()).toEqual(['contact', 'createdAt', 'subject']);
    expect(tickets[0]?.ticket['contact']).toEqual({ email: 'a@example.com' });
    expect(tickets[0]?.ticket['status']).toBeUndefined();
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
});
